import type { Diagnostic } from "../diagnostic/Diagnostic.ts"
import type { UnmappedCode, VisitDraft } from "../draft/VisitDraft.ts"
import { fieldPath } from "../draft/VisitDraft.ts"
import { groupByEncounter } from "../grouping/groupByEncounter.ts"
import type { Unplaced } from "../grouping/VisitGroup.ts"
import type { Refusal } from "../mapping/apply.ts"
import { apply } from "../mapping/apply.ts"
import type { CheckedMapping } from "../mapping/check.ts"
import { runScope } from "../mapping/runScope.ts"
import type { Origin, SourceRecord } from "../source/SourceRecord.ts"
import { encodeVisit } from "../visit/encode.ts"
import type { Visit } from "../visit/Visit.ts"
import type { VisitProblem } from "../visit/VisitProblem.ts"
import type { Coverage } from "./coverage.ts"
import { coverageOf, watchRecords } from "./coverage.ts"
import { draftProblems, explainProblems } from "./draftProblems.ts"

/** A visit as it came out of the mapping and the validation. */
export interface ConvertedVisit {
  /** `null` when none could be found. */
  readonly code: string | null
  /** The visit's JSON, byte for byte as it would stand in the request's `visits`. */
  readonly json: string
  /** It may be sent: none of its problems is an error. */
  readonly ready: boolean
  /** When the patient was admitted, as the visit says it. */
  readonly admittedAt?: string
  readonly problems: ReadonlyArray<Diagnostic>
  /** The record it grew from: `Encounter/5b1e44`. */
  readonly source: string
  readonly origin: Origin
}

/** A record that belongs to no visit, and why. */
export interface RejectedRecord {
  readonly source: string
  readonly origin: Origin
  readonly problems: ReadonlyArray<Diagnostic>
}

/** A code without a row in its concept map, and how often it was met. */
export interface CountedCode extends Omit<UnmappedCode, "blocking"> {
  readonly count: number
  /** Visits it was met in. */
  readonly visits: number
  /** Of these, visits that are rejected where it leaves a field empty that must not be. */
  readonly blocked: number
}

/** The records of a run, whatever holds them. */
export interface RunRecords {
  readonly types: ReadonlyArray<string>
  readonly all: (type: string) => ReadonlyArray<SourceRecord>
  readonly resolve: (reference: unknown, from: SourceRecord) => SourceRecord | undefined
  readonly reverse: (target: SourceRecord, element: string) => ReadonlyArray<SourceRecord>
  /** Records that were read and do not count, by type: copies, older versions, deleted ones. */
  readonly leftOut: { readonly byType: ReadonlyMap<string, number> }
  readonly unresolved: () => ReadonlyMap<string, number>
}

/** What is known when the last visit has been taken. */
export interface RecordTotals {
  /** Records that were read by a mapping line for some visit. */
  readonly usedRecords: number
  readonly rejectedRecords: ReadonlyArray<RejectedRecord>
  /** Records no mapping line read, by type. */
  readonly unused: ReadonlyMap<string, number>
  readonly unmapped: ReadonlyArray<CountedCode>
  /** Records that name no encounter and were placed by their patient and time, by type. */
  readonly placedByTime: ReadonlyMap<string, number>
  /** How many different targets references name that are not in the input, by type. */
  readonly unresolved: ReadonlyMap<string, number>
  /** What no mapping line read, where it was asked for. */
  readonly coverage?: Coverage
}

/** Finds problems of a visit: by itself, or against the visits it was given before. */
export type CheckVisit = (visit: Readonly<Record<string, unknown>>) => ReadonlyArray<VisitProblem>

/** A visit as the mapping made it. */
export interface DraftedVisit {
  readonly visit: Readonly<Record<string, unknown>>
  /** Validates it, as it came or filled in, with further problems that were found on the way. */
  readonly finish: (
    visit: Readonly<Record<string, unknown>>,
    problems: ReadonlyArray<VisitProblem>
  ) => ConvertedVisit
}

interface Options {
  readonly checked: CheckedMapping
  readonly records: RunRecords
  readonly facility: string | null
  readonly system: string | null
  readonly zone: string
  readonly checkVisit: CheckVisit
  /** Asked only about visits that may be sent otherwise: a visit that stays here blocks no other. */
  readonly compareVisit: CheckVisit
  /** Remember which elements are read, for `coverage`. */
  readonly coverage?: boolean
}

/** The line of the mapping that filled a field, and the record it read. */
export type Home = Pick<Diagnostic, "mapping" | "path" | "source" | "origin">

/**
 * From the records of a run to its visits: groups them, applies the mapping to each group and validates what it makes. Visits
 * come one at a time and in an order that depends on the records alone; the totals are complete once all have been taken.
 */
export const convertRecords = (
  options: Options
): {
  readonly groups: number
  readonly visits: Iterable<ConvertedVisit>
  /** The same visits before they are validated: what is known of them elsewhere may still be filled in. To be finished in this order. */
  readonly drafts: Iterable<DraftedVisit>
  readonly totals: () => RecordTotals
  /** Leads a field of a visit home that somebody else found fault with: the visit is mapped once more. */
  readonly homeOf: (source: string, field: string) => Home | undefined
} => {
  const { checked, facility, system, zone } = options
  const watched = options.coverage === true ? watchRecords(options.records) : undefined
  const records = watched?.records ?? options.records
  const { plan, enter } = checked
  const used = new Set<SourceRecord>()
  const scope = runScope(plan, records, facility, (record) => {
    used.add(record)
  })
  enter(scope)
  const grouping = groupByEncounter({
    source: records,
    plan: plan.grouping,
    fhirPath: plan.fhirPath,
    variables: plan.constants,
    zone
  })
  // Links are followed to group records; only what mapping lines read counts as used.
  used.clear()
  const unmapped = new UnmappedCodes()
  const refusals = new Map<SourceRecord, Array<Refusal>>()
  const refused = (refusal: Refusal): void => {
    const known = refusals.get(refusal.record)
    if (known === undefined) refusals.set(refusal.record, [refusal])
    else known.push(refusal)
  }
  const context = {
    plan,
    enter,
    scope,
    ofPatient: grouping.ofPatient,
    zone,
    facility,
    system,
    ...(watched === undefined ? {} : { refused })
  }

  function* drafts(): Generator<DraftedVisit> {
    for (const group of grouping.groups) {
      const draft = apply(context, group)
      yield { visit: draft.visit, finish: (visit, more) => finish({ ...draft, visit }, more, group.root.origin) }
    }
  }

  function* visits(): Generator<ConvertedVisit> {
    for (const { finish, visit } of drafts()) yield finish(visit, [])
  }

  const finish = (draft: VisitDraft, more: ReadonlyArray<VisitProblem>, origin: Origin): ConvertedVisit => {
    let problems = draftProblems(draft, [...options.checkVisit(draft.visit), ...more])
    if (!problems.some(isError)) {
      problems = [...problems, ...explainProblems(draft, options.compareVisit(draft.visit))]
    }
    const ready = !problems.some(isError)
    unmapped.add(draft.unmapped, ready)
    const { admitted_at: admittedAt, code } = draft.visit
    return {
      code: typeof code === "string" ? code : null,
      ...(typeof admittedAt === "string" ? { admittedAt } : {}),
      json: encodeVisit(draft.visit as unknown as Visit),
      ready,
      problems,
      source: origin.reference,
      origin
    }
  }

  const totals = (): RecordTotals => {
    const rejectedRecords: Array<RejectedRecord> = []
    const rejected = new Set<SourceRecord>()
    const unused = new Map(records.leftOut.byType)
    let usedRecords = 0
    for (const type of records.types) {
      for (const record of records.all(type)) {
        if (used.has(record)) {
          usedRecords++
          continue
        }
        const unplaced = grouping.unplaced.get(record)
        const problem = orphanRow(record, checked, records.resolve) ??
          (unplaced === undefined ? undefined : whyUnplaced(unplaced, record, checked))
        if (problem === undefined) unused.set(type, (unused.get(type) ?? 0) + 1)
        else {
          rejected.add(record)
          rejectedRecords.push({ source: record.origin.reference, origin: record.origin, problems: [problem] })
        }
      }
    }
    return {
      usedRecords,
      rejectedRecords,
      unused,
      placedByTime: grouping.placedByTime,
      unresolved: records.unresolved(),
      unmapped: unmapped.all(),
      ...(watched === undefined ? {} : { coverage: coverageOf(watched, used, rejected, grouping, refusals) })
    }
  }
  return {
    groups: grouping.groups.length,
    visits: { [Symbol.iterator]: visits },
    drafts: { [Symbol.iterator]: drafts },
    totals,
    homeOf: (source, field) => {
      const group = grouping.groups.find(({ root }) => root.origin.reference === source)
      const provenance = group === undefined ? undefined : apply(context, group).provenanceOf(fieldPath(field))
      if (provenance === undefined) return undefined
      const { mapping, path, record } = provenance
      return {
        mapping,
        ...(path === undefined ? {} : { path }),
        ...(record === undefined ? {} : { source: record.origin.reference, origin: record.origin })
      }
    }
  }
}

const isError = (problem: Diagnostic): boolean => problem.severity === "error"

/** Counts codes without a row, and the visits they are met in. */
class UnmappedCodes {
  readonly #codes = new Map<string, { -readonly [K in keyof CountedCode]: CountedCode[K] }>()

  /** The codes of one visit. */
  add(codes: ReadonlyArray<UnmappedCode>, ready: boolean): void {
    const blocking = new Map<string, boolean>()
    for (const { blocking: blocks, ...code } of codes) {
      const key = JSON.stringify([code.table, code.system, code.code])
      blocking.set(key, blocks || blocking.get(key) === true)
      const known = this.#codes.get(key)
      if (known === undefined) this.#codes.set(key, { ...code, count: 1, visits: 0, blocked: 0 })
      else known.count++
    }
    for (const [key, blocks] of blocking) {
      const known = this.#codes.get(key)!
      known.visits++
      if (blocks && !ready) known.blocked++
    }
  }

  all(): ReadonlyArray<CountedCode> {
    return [...this.#codes.values()].toSorted(byTableAndCount)
  }
}

const byTableAndCount = (one: CountedCode, other: CountedCode): number =>
  compareText(one.table, other.table) || other.count - one.count || compareText(one.code, other.code)

const compareText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

/** A row that no line read, and that names a row which is not in the input. */
const orphanRow = (
  record: SourceRecord,
  { plan }: CheckedMapping,
  resolve: RunRecords["resolve"]
): Diagnostic | undefined => {
  const { row, resource } = record
  if (row === undefined) return undefined
  const table = plan.tables.find(({ name }) => name === resource.resourceType)
  const link = table?.links.find(({ name }) =>
    resource[name] !== undefined && resolve(resource[name], record) === undefined
  )
  if (table === undefined || link === undefined) return undefined
  return {
    code: "dangling-reference",
    severity: "error",
    title: `a row of \`${table.name}\` names a row of \`${link.table}\` that is not in the input`,
    source: record.origin.reference,
    origin: record.origin,
    facts: [["column", row.nameOf(link.name) ?? link.on.join(", ")]],
    help: [`add the row to the file of \`${link.table}\`, or correct what names it`]
  }
}

/** A record is rejected when the mapping reads its type for visits and it reached none; otherwise it is simply not used. */
const whyUnplaced = (unplaced: Unplaced, record: SourceRecord, { plan }: CheckedMapping): Diagnostic | undefined => {
  const type = record.resource.resourceType
  if (unplaced.why === "not-a-visit" || !plan.visitTypes.has(type)) return undefined
  const about = { source: record.origin.reference, origin: record.origin }
  const [link] = plan.grouping.links.get(type) ?? plan.grouping.links.get("*") ?? []
  const place = link === undefined ? {} : { mapping: link.span, path: link.text }
  return unplaced.why === "dangling"
    ? {
      code: "dangling-reference",
      severity: "error",
      title: `the encounter of this ${type} is not in the input`,
      ...about,
      ...place,
      help: ["add the Encounter to the input"]
    }
    : {
      code: "no-encounter",
      severity: "error",
      title: "window" in unplaced
        ? `this ${type} names no encounter, and ${whyNoVisitThen[unplaced.why]}`
        : `this ${type} names no encounter, so it belongs to no visit`,
      ...about,
      ...("window" in unplaced
        ? { mapping: unplaced.window.span, help: helpThen[unplaced.why] }
        : {
          ...place,
          help: ["if it can be reached another way, say how under  grouping: link:  or  grouping: window:"]
        })
    }
}

const whyNoVisitThen = {
  "no-patient": "its patient is not in the input",
  "no-time": "it has no time by which to find the visit of its patient",
  "no-visit-then": "its patient had no visit at its time",
  "several-visits": "its time falls into several visits of its patient"
} as const

const helpThen = {
  "no-patient": ["add the Patient to the input, or correct  patient:  of this window"],
  "no-time": ["give  time:  of this window another path to try"],
  "no-visit-then": ["if it was written before or after the visit, say how long  before:  or  after:  may be"],
  "several-visits": ["to take the visit whose time is nearest:  several: nearest"]
} as const
