import { Effect, Stream } from "effect"
import type { Diagnostic } from "../diagnostic/Diagnostic.ts"
import { atLevels } from "../diagnostic/levels.ts"
import type { Exclusion } from "../mapping/apply/apply.ts"
import { apply } from "../mapping/apply/apply.ts"
import type { CheckedMapping } from "../mapping/check/check.ts"
import { runScope } from "../mapping/check/runScope.ts"
import type { VisitDraft } from "../mapping/draft/VisitDraft.ts"
import { findVisits, groupByEncounter, identityOfVisit } from "../mapping/grouping/groupByEncounter.ts"
import { watchVersions } from "../mapping/grouping/watchVersions.ts"
import { loadMapping } from "../mapping/language/loadMapping.ts"
import type { Syntax } from "../mapping/language/MappingSyntax.ts"
import { findInputs } from "../source/read/findInputs.ts"
import { readInputs } from "../source/read/readInput.ts"
import type { LazyParseState } from "../source/records/LazyRecord.ts"
import { RecordCollector } from "../source/records/RecordIndex.ts"
import type { SourceRecord } from "../source/records/SourceRecord.ts"
import { missingTables } from "../source/tables/missingTables.ts"
import type { TableFile } from "../source/tables/TableLayout.ts"
import { validateVisit } from "../visit/validateVisit.ts"
import { FileLabels } from "./accounts/fileLabels.ts"
import { similarRecords } from "./accounts/similarRecords.ts"
import { UnreadableCollector, UnreadableRecords } from "./accounts/UnreadableRecords.ts"
import { draftProblems } from "./checks/draftProblems.ts"
import { groupProblems } from "./checks/groupProblems.ts"
import { runSettings } from "./checks/visitChecks.ts"
import { InvalidInput, InvalidMapping } from "./Conversion.ts"
import type { ConversionRequest } from "./ConversionRequest.ts"

/** One visit of the inputs with its complete provenance. */
export interface ExplainedVisit {
  readonly draft: VisitDraft
  /** Records of the visit that conditions exclude from a section. */
  readonly exclusions: ReadonlyArray<Exclusion>
  readonly problems: ReadonlyArray<Diagnostic>
  /** The effective mapping, for the source locations of concept-map rows. */
  readonly mapping: Syntax
  /** Returns a file name in a form that may be shown. */
  readonly labelOf: (file: string) => string
}

/**
 * Finds the visit of a code, or of an encounter (`Encounter/5b1e44`), and maps it. Other visits are mapped only if the code is not found at
 * the path of the key `visit`. Unreadable input is added to `unread`.
 */
export const explainInputs = Effect.fn("explainInputs")(function*(
  request: ConversionRequest,
  expected: string,
  unread: Array<Diagnostic> = []
) {
  const { checked, problems, syntax } = yield* loadMapping(request.mapping, request.shippedMappings, {
    ...(request.tables === undefined ? {} : { tables: request.tables }),
    accepted: request.accepted,
    ...(request.validation?.lists === undefined ? {} : { lists: request.validation.lists })
  })
  if (checked === undefined || syntax === undefined) return yield* new InvalidMapping({ problems })
  const mapping = { checked, syntax }
  const later: LazyParseState = { broken: false }
  const first: Array<Diagnostic> = []
  const explained = yield* explainRecords(request, expected, mapping, first, later)
  // A line turned out not to be a record, so all lines must be read to know the records.
  if (later.broken) return yield* explainRecords(request, expected, mapping, unread, undefined)
  unread.push(...first)
  return explained
})

const explainRecords = Effect.fnUntraced(function*(
  request: ConversionRequest,
  expected: string,
  { checked, syntax }: { readonly checked: CheckedMapping; readonly syntax: Syntax },
  unread: Array<Diagnostic>,
  later: LazyParseState | undefined
) {
  const found = yield* findInputs(request.inputs)
  const problems: Array<Diagnostic> = [...found.problems]
  const collector = new RecordCollector({ sameServer: request.sameServer ?? [], copies: checked.plan.grouping.copies })
  const lost = new UnreadableCollector({
    types: checked.plan.followed.types,
    tables: checked.plan.tables,
    rootType: checked.plan.grouping.rootType
  })
  const labels = new FileLabels()
  const tables: Array<TableFile> = []
  const versions = watchVersions(checked.plan, request.fhirVersion)
  if (later !== undefined) later.versions = versions
  yield* Stream.runForEachArray(
    readInputs(found.inputs, { tables: checked.plan.tables, versions, ...(later === undefined ? {} : { later }) }),
    (items) =>
      Effect.sync(() => {
        for (const item of items) {
          if (item._tag === "Problem") {
            lost.problem(item)
            problems.push(item.diagnostic)
            continue
          }
          if (item._tag === "Page") lost.page(item.page)
          if (item._tag === "Table") tables.push(item.table)
          lost.note(item)
          collector.add(item)
          if (item._tag !== "Record") continue
          lost.record(item.record)
          if (!request.showValues) labels.learn(item.record)
        }
      })
  )
  for (const problem of lost.missingPages()) lost.problem(problem)
  unread.push(...problems.filter(({ severity }) => severity === "error").map((problem) => labels.about(problem)))
  lost.judge(found.inputs.map(({ name }) => name))
  lost.missingTables(missingTables(checked.plan.tables, found.inputs, tables))
  const index = collector.index()
  const { enter, plan } = checked
  const { facility, system, zone } = request
  const scope = runScope(plan, index, { facility, system, zone })
  enter(scope)
  const parts = {
    plan: plan.grouping,
    fhirPath: plan.fhirPath,
    variables: plan.constants,
    zone,
    read: plan.followed.types,
    assigned: plan.followed.assigned,
    elements: plan.followed.elements
  }
  const isWanted = (root: SourceRecord): boolean =>
    root.origin.reference === expected || scope.keyOf("visit", root) === expected
  const all = { ...parts, source: index }
  const visits = findVisits(all)
  const wanted = visits.tree.roots.filter(isWanted).map((root) => identityOfVisit(all, visits, root))
  const grouping = wanted.length === 0
    ? groupByEncounter(all, visits)
    : groupByEncounter({ ...parts, source: similarRecords(index, plan.grouping, wanted), wanted: isWanted }, visits)
  let exclusions: Array<Exclusion> = []
  const excluded = (exclusion: Exclusion): void => {
    exclusions.push(exclusion)
  }
  const context = { excluded, plan, enter, scope, ofPatient: grouping.ofPatient, zone, facility, system }
  const settings = runSettings(request.validation, { now: request.now, facility })
  const unreadable = new UnreadableRecords(lost.all(), settings.levels?.get("incomplete-visit"))
  for (const group of grouping.groups) {
    exclusions = []
    const made = apply(context, group)
    const found = groupProblems(group, {
      followed: plan.followed,
      records: index,
      lost: unreadable,
      levels: settings.levels
    })
    const draft = found.length === 0 ? made : { ...made, problems: [...found, ...made.problems] }
    if (draft.visit.code !== expected && group.root.origin.reference !== expected) continue
    const otherVersions = versions.problems()
    if (otherVersions.length > 0) {
      return yield* new InvalidInput({ problems: otherVersions.map((problem) => labels.about(problem)) })
    }
    return {
      draft,
      problems: atLevels(
        draftProblems(draft, validateVisit(draft.visit, settings), checked.plan.assumptions),
        settings.levels
      ).map((problem) => labels.about(problem)),
      mapping: syntax,
      exclusions,
      labelOf: (file) => labels.of(file)
    } satisfies ExplainedVisit as ExplainedVisit
  }
  return undefined
})
