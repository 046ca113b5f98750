import { Effect } from "effect"
import type { Diagnostic } from "../diagnostic/Diagnostic.ts"
import type { Span } from "../diagnostic/Span.ts"
import type { Exclusion } from "../mapping/apply/apply.ts"
import { findRow } from "../mapping/apply/findRow.ts"
import { runScope } from "../mapping/apply/scope/runScope.ts"
import type { CheckedMapping } from "../mapping/check/check.ts"
import type { VisitDraft } from "../mapping/draft/VisitDraft.ts"
import { findVisits, groupByEncounter, identityOfVisit } from "../mapping/grouping/groupByEncounter.ts"
import { loadMapping } from "../mapping/load/loadMapping.ts"
import { findInputs } from "../source/read/findInputs.ts"
import { isLazy, type LazyParseState, mentioning } from "../source/records/LazyRecord.ts"
import type { SourceRecord } from "../source/records/SourceRecord.ts"
import { FileLabels } from "./accounts/fileLabels.ts"
import { similarRecords } from "./accounts/similarRecords.ts"
import { UnreadableRecords } from "./accounts/UnreadableRecords.ts"
import { runSettings, visitChecks } from "./checks/visitChecks.ts"
import { InvalidInput, InvalidMapping } from "./Conversion.ts"
import type { ConversionRequest } from "./ConversionRequest.ts"
import { convertPartition } from "./convertPartition.ts"
import { readIndex } from "./read/readIndex.ts"
import { separateCopies } from "./separateCopies.ts"

/** One visit of the inputs, as `convert` makes it, with its complete provenance. It is not compared with other visits. */
export interface ExplainedVisit {
  readonly draft: VisitDraft
  /** It is not over, so it has no problems yet, and a later run sends it. */
  readonly isOpen: boolean
  /** Records of the visit that conditions exclude from a section. */
  readonly exclusions: ReadonlyArray<Exclusion>
  readonly problems: ReadonlyArray<Diagnostic>
  /** Returns where a row of a concept map is written. */
  readonly rowAt: (conceptMap: string, key: string) => Span | undefined
  /** Returns a file name in a form that may be shown. */
  readonly labelOf: (file: string) => string
}

/**
 * Finds the visit of a code, or of an encounter (`Encounter/5b1e44`), and maps it. Other visits are mapped only if the code is not found at
 * the path of the key `visit`. Unreadable input is added to `unread`. `ofFields`: without the problems of records.
 */
export const explainInputs = Effect.fn("explainInputs")(function*(
  request: ConversionRequest,
  expected: string,
  unread: Array<Diagnostic> = [],
  ofFields = false
) {
  const loaded = request.loaded ??
    (yield* loadMapping(request.mapping, request.shippedMappings, {
      ...(request.tables === undefined ? {} : { tables: request.tables }),
      accepted: request.accepted,
      ...(request.validation?.lists === undefined ? {} : { lists: request.validation.lists })
    }))
  const { checked } = loaded
  if (checked === undefined) return yield* new InvalidMapping({ problems: loaded.problems })
  // A mapping that was kept makes its syntax on first use.
  const rowAt: ExplainedVisit["rowAt"] = (conceptMap, key) =>
    loaded.syntax === undefined ? undefined : findRow(loaded.syntax, conceptMap, key)
  const explain = (problems: Array<Diagnostic>, later?: LazyParseState) =>
    explainRecords(request, { expected, ofFields }, { checked, rowAt }, problems, later)
  // Standard input can be read only once.
  if (request.inputs.includes("-")) return yield* explain(unread)
  const later: LazyParseState = { broken: false }
  const first: Array<Diagnostic> = []
  const explained = yield* explain(first, later)
  // A line turned out not to be a record, so all lines must be read to know the records.
  if (later.broken) return yield* explain(unread)
  unread.push(...first)
  return explained
})

const explainRecords = Effect.fnUntraced(function*(
  request: ConversionRequest,
  { expected, ofFields }: { readonly expected: string; readonly ofFields: boolean },
  { checked, rowAt }: { readonly checked: CheckedMapping } & Pick<ExplainedVisit, "rowAt">,
  unread: Array<Diagnostic>,
  later: LazyParseState | undefined
) {
  const { plan } = checked
  const { facility, system, zone } = request
  const labels = new FileLabels()
  const { checks: { severalServers, unreadable }, reading, records: read } = yield* readIndex(
    yield* findInputs(request.inputs),
    plan,
    {
      sameServer: request.sameServer ?? [],
      fhirVersion: request.fhirVersion,
      now: request.now,
      labels: request.showValues ? undefined : labels,
      later
    }
  )
  // A visit could have records of another server's patient.
  if (severalServers.length > 0) {
    return yield* new InvalidInput({ problems: severalServers.map((problem) => labels.about(problem)) })
  }
  unread.push(...reading.unreadable.map((problem) => labels.about(problem)))
  const records = separateCopies(read, plan, { facility, system, zone })
  const scope = runScope(plan, records, { facility, system, zone })
  const isWanted = (root: SourceRecord): boolean =>
    root.origin.reference === expected || scope.keyOf("visit", root).code === expected
  /** Looks first at the encounters whose line contains the code: to find the code of each takes longer. */
  const wantedOf = (roots: ReadonlyArray<SourceRecord>): ReadonlyArray<SourceRecord> => {
    const [id = expected] = expected.split("/").slice(-1)
    const candidates = mentioning(roots.filter(isLazy), [Buffer.from(id)])
    const found = roots.filter((root) => (!isLazy(root) || candidates.has(root)) && isWanted(root))
    return found.length > 0 ? found : roots.filter(isWanted)
  }
  const checks = visitChecks(runSettings(request.validation, { now: request.now, facility }))
  let exclusions: Array<Exclusion> = []
  const partition = convertPartition({
    checked,
    records,
    facility,
    system,
    zone,
    ...checks,
    unreadable: new UnreadableRecords(unreadable),
    excluded: (exclusion) => void exclusions.push(exclusion),
    ofFields,
    group: (options) => {
      const visits = findVisits(options)
      const wanted = new Set(wantedOf(visits.tree.roots))
      const identities = Array.from(wanted, (root) => identityOfVisit(options, visits, root))
      return wanted.size === 0
        ? groupByEncounter(options, visits)
        : groupByEncounter(
          { ...options, source: similarRecords(records, plan, identities), wanted: (root) => wanted.has(root) },
          visits
        )
    }
  })
  for (const group of partition.grouping.groups) {
    exclusions = []
    const { draft, finish } = partition.draftOf(group)
    if (draft.visit.code !== expected && group.root.origin.reference !== expected) continue
    const otherVersions = reading.otherVersions()
    if (otherVersions.length > 0) {
      return yield* new InvalidInput({ problems: otherVersions.map((problem) => labels.about(problem)) })
    }
    const { converted } = finish(draft.visit, [])
    const explained: ExplainedVisit = {
      draft,
      isOpen: converted.notOver === true,
      problems: converted.problems.map((problem) => labels.about(problem)),
      rowAt,
      exclusions,
      labelOf: (file) => labels.of(file)
    }
    return explained
  }
  return undefined
})
