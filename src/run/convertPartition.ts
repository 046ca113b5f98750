import type { Diagnostic } from "../diagnostic/Diagnostic.ts"
import { atLevels } from "../diagnostic/levels.ts"
import type { Origin } from "../diagnostic/Origin.ts"
import type { Exclusion } from "../mapping/apply/apply.ts"
import { apply } from "../mapping/apply/apply.ts"
import { runScope } from "../mapping/apply/scope/runScope.ts"
import type { CheckedMapping } from "../mapping/check/check.ts"
import type { ExplainedDraft } from "../mapping/draft/explainProblem.ts"
import type { UnmappedCode, VisitDraft } from "../mapping/draft/VisitDraft.ts"
import { fieldPath } from "../mapping/draft/VisitDraft.ts"
import type { EvaluationScope } from "../mapping/functions/EvaluationScope.ts"
import { groupByEncounter } from "../mapping/grouping/groupByEncounter.ts"
import type { GroupingOptions } from "../mapping/grouping/GroupingContext.ts"
import type { Grouping, VisitGroup } from "../mapping/grouping/VisitGroup.ts"
import type { MappingPlan } from "../mapping/MappingPlan.ts"
import { getOrMake } from "../maps.ts"
import type { DuplicateProblem } from "../source/records/nameRecords.ts"
import type { SourceRecord } from "../source/records/SourceRecord.ts"
import { encodeVisit } from "../visit/encode.ts"
import { defaultRuleSettings, encounterLists } from "../visit/rules/Rule.ts"
import { visitIsNotTooLarge } from "../visit/rules/visitIsNotTooLarge.ts"
import { type FacilityCode, PatientCode, type SystemCode, VisitCode } from "../visit/values/Code.ts"
import type { VisitProblem } from "../visit/VisitProblem.ts"
import type { Coverage } from "./accounts/coverage.ts"
import { coverageOf, watchRecords } from "./accounts/coverage.ts"
import { explainUnassigned, orphanRow } from "./accounts/explainUnassigned.ts"
import type { UnreadableRecords } from "./accounts/UnreadableRecords.ts"
import { unusedRecords } from "./accounts/unusedRecords.ts"
import { applyProven } from "./checks/applyProven.ts"
import { careServiceOf, locationOf } from "./checks/careUnitOf.ts"
import { currenciesOf } from "./checks/currencies.ts"
import { draftProblems } from "./checks/draftProblems.ts"
import { checkPaths } from "./checks/EngineDiffers.ts"
import { groupProblems } from "./checks/groupProblems.ts"
import { labelledRecords } from "./checks/labelledRecords.ts"
import { isNotOver, newestAt } from "./checks/openVisits.ts"
import type { ConvertedVisit, FieldOrigin } from "./Conversion.ts"
import { followedElements } from "./links/followedElements.ts"
import { isError, type RunVisitsOptions } from "./RunVisits.ts"

/** The records of a run, in memory or on disk. */
export interface RunRecords {
  readonly types: ReadonlyArray<string>
  readonly all: (type: string) => ReadonlyArray<SourceRecord>
  readonly resolve: (reference: unknown, from: SourceRecord, quietly?: "quietly") => SourceRecord | undefined
  readonly reverse: (target: SourceRecord, element: string) => ReadonlyArray<SourceRecord>
  /** Records of the same name with different content and no version information to choose the newer one. */
  readonly rivals: (record: SourceRecord) => ReadonlyArray<SourceRecord>
  /** Copies, older versions and deleted records, by type. */
  readonly obsolete: { readonly byType: ReadonlyMap<string, number> }
  readonly obsoleteRecords: ReadonlyArray<SourceRecord>
  /** The problems of records with several source locations. */
  readonly duplicates: ReadonlyArray<DuplicateProblem>
  /** The distinct targets of dangling references, by type. */
  readonly unresolvedNames: () => ReadonlyMap<string, ReadonlySet<string>>
}

/** Finds problems of a visit: on its own, or against earlier visits. */
export type CheckVisit = (visit: Readonly<Record<string, unknown>>, origin?: Origin) => ReadonlyArray<VisitProblem>

/** What is required to convert the records of a run, or of a partition of it. */
export interface PartitionOptions extends RunVisitsOptions {
  readonly checked: CheckedMapping
  readonly records: RunRecords
  readonly facility: FacilityCode | null
  readonly system: SystemCode | null
  readonly zone: string
  readonly checkVisit: CheckVisit
  /** Size in bytes above which a visit is reported. */
  readonly maxBytes?: number | undefined
  /** Notes which elements are read, for `coverage`. */
  readonly coverage?: boolean
  /** Also assigns records that no line reads to their visits. */
  readonly withUnread?: boolean
  /** Records that could not be read. */
  readonly unreadable?: UnreadableRecords
  /** Selects the visits to make, by their root encounter (default: all). */
  readonly wanted?: (root: SourceRecord) => boolean
  /** Groups the records (default: `groupByEncounter`). */
  readonly group?: (options: GroupingOptions) => Grouping
  /** Receives each record of a visit that a condition excludes from a section. */
  readonly excluded?: (exclusion: Exclusion) => void
  /** Only problems of fields are wanted, not those of records. */
  readonly ofFields?: boolean
}

/** A visit by itself; checks against the other visits of the run are still to come. */
export interface FinishedVisit {
  readonly converted: ConvertedVisit
  readonly visit: Readonly<Record<string, unknown>>
  readonly unmapped: ReadonlyArray<UnmappedCode>
  /** The currencies of its invoices, if the records contain them. */
  readonly currencies?: ReadonlyArray<string>
  /** Its values, with the provenance of each. */
  readonly draft: ExplainedDraft
}

/** A visit as the mapping made it, to be validated unchanged or filled in. */
export interface PartitionDraft {
  readonly visit: Readonly<Record<string, unknown>>
  readonly finish: (
    visit: Readonly<Record<string, unknown>>,
    problems: ReadonlyArray<VisitProblem>
  ) => FinishedVisit
}

/** A draft with the provenance of its fields. */
interface TracedDraft extends PartitionDraft {
  readonly draft: VisitDraft
}

export interface AccountedRecord {
  readonly record: SourceRecord
  /** A value of it, or a code made for it, is in some visit. */
  readonly used: boolean
  /** Why it is rejected; absent if it is only not used. */
  readonly problem?: Diagnostic
  readonly placedByTime: boolean
}

/** The visits of a run, or of a partition of it. */
export interface ConvertedPartition {
  readonly groups: number
  readonly grouping: Grouping
  readonly drafts: () => Iterable<PartitionDraft>
  readonly draftOf: (group: VisitGroup) => TracedDraft
  /** The visits reduced to the codes by which visits are compared. */
  readonly keys: () => Iterable<Readonly<Record<string, unknown>>>
  /** The accounts of the records, after all visits have been made. */
  readonly accounts: () => Iterable<AccountedRecord>
  readonly coverage: () => Coverage | undefined
  readonly fieldOrigin: (source: string, field: string) => FieldOrigin | undefined
}

/** Groups the records of a partition, and makes its selected visits one at a time, in order. */
export const convertPartition = (options: PartitionOptions): ConvertedPartition => {
  const { checked, facility, system, unreadable, wanted, zone } = options
  const watched = options.coverage === true ? watchRecords(options.records) : undefined
  const records = watched?.records ?? options.records
  const unwatched = watched?.unwatched ?? ((record: SourceRecord) => record)
  const { plan } = checked
  const used = new Set<SourceRecord>()
  const newScope = (): EvaluationScope => runScope(plan, records, { facility, system, zone })
  const scope = newScope()
  const grouping = (options.group ?? groupByEncounter)({
    source: records,
    plan: plan.grouping,
    fhirPath: plan.fhirPath,
    // Inherited, as in a visit: generated code takes inherited variables as constants.
    variables: Object.create(plan.constants),
    scope,
    conceptMaps: plan.conceptMaps,
    read: plan.followed.types,
    elements: plan.followed.elements,
    assigned: options.coverage === true || options.withUnread === true ? undefined : plan.followed.assigned,
    ...(wanted === undefined ? {} : { wanted: (root) => wanted(unwatched(root)) })
  })
  checkPaths(plan.fhirPath.units)
  const { groups } = grouping
  // The visits of a patient reach each other's roots. Whether a root is used is decided in its own visit, not in each of them.
  const decided = new Set(groups.map(({ root }) => root))
  /** The exclusions of the visit that is being made. */
  const noted: Array<Exclusion> = []
  const excluded = (exclusion: Exclusion): void => {
    options.excluded?.(exclusion)
    noted.push(exclusion)
  }
  /** The exclusions of all visits, if a coverage is requested. */
  const allExclusions = new Map<SourceRecord, Array<Exclusion>>()
  const exclusionsOf = (records: ReadonlyArray<SourceRecord>): ReadonlyMap<SourceRecord, ReadonlyArray<Exclusion>> => {
    if (watched !== undefined) return allExclusions
    const found = new Map(records.map((record): [SourceRecord, Array<Exclusion>] => [record, []]))
    addExclusions(noted, (record) => found.get(record))
    return found
  }
  const silent = { plan, scope, ofPatient: grouping.ofPatient, zone, facility, system }
  const context = { ...silent, excluded }

  const checks = {
    followed: plan.followed,
    elements: followedElements(plan.followed),
    records: options.records,
    unreadable,
    unwatched
  }

  const finish = (draft: VisitDraft, more: ReadonlyArray<VisitProblem>, group: VisitGroup): FinishedVisit => {
    const { root } = group
    const { origin } = root
    const notOver = isNotOver([root, ...group.encounters].map(unwatched), draft.visit)
    const newest = newestAt(group, unwatched)
    const json = encodeVisit(draft.visit)
    const size = visitIsNotTooLarge(json, options.maxBytes ?? defaultRuleSettings.maxBytes)
    const found = [...options.checkVisit(draft.visit), ...more]
    if (size !== undefined) found.push(size)
    const problems = notOver ? [] : atLevels(draftProblems(draft, found, plan.assumptions), options.levels)
    const { admitted_at: admittedAt, code, patient_code: patientCode } = draft.visit
    const currencies = currenciesOf(draft, unwatched)
    const place = careServiceOf(draft.visit) ?? locationOf(unwatched(root), options.records)
    return {
      converted: {
        code: typeof code === "string" ? VisitCode(code) : null,
        ...(typeof admittedAt === "string" ? { admittedAt } : {}),
        ...(typeof patientCode === "string" ? { patientCode: PatientCode(patientCode) } : {}),
        ...(place === undefined ? {} : { place }),
        json,
        ready: !notOver && !problems.some(isError),
        ...(notOver ? { notOver } : {}),
        ...(newest === undefined ? {} : { newestAt: newest }),
        problems,
        ...(notOver || draft.assumed.length === 0
          ? {}
          : { assumed: draft.assumed.flatMap(({ assumption }) => assumption ?? []) }),
        source: origin.reference,
        origin
      },
      ...(currencies === undefined ? {} : { currencies }),
      visit: draft.visit,
      unmapped: draft.unmapped,
      draft
    }
  }

  /** The records of the patient among the records of which a visit has values. */
  const ofPatient = ({ patient }: VisitGroup, inVisit: ReadonlySet<SourceRecord>): Iterable<SourceRecord> =>
    patient === undefined ?
      [] :
      inVisit.values().filter((record) =>
        options.records.rivals(unwatched(record)).length > 0 &&
        grouping.ofPatient(patient, record.resource.resourceType).includes(record)
      )

  const draftOf = (group: VisitGroup): TracedDraft => {
    const made = applyProven(context, group, newScope)
    if (options.ofFields === true) return traced(made, group)
    const inVisit = made.recordsIn(decided)
    const found = groupProblems(group, ofPatient(group, inVisit), checks)
    for (const record of inVisit) {
      used.add(record)
      decided.add(record)
    }
    if (watched !== undefined) {
      addExclusions(noted, (record) => getOrMake(allExclusions, record, () => []))
    }
    const unused = unusedRecords(made, group, inVisit, plan, exclusionsOf, scope)
    noted.length = 0
    checkPaths(plan.fhirPath.units)
    return traced({
      ...made,
      problems: [
        ...found,
        ...made.problems,
        ...unused.problems,
        ...labelledRecords(inVisit, group, unwatched)
      ],
      unmapped: [...made.unmapped, ...unused.unmapped]
    }, group)
  }

  const traced = (draft: VisitDraft, group: VisitGroup): TracedDraft => ({
    draft,
    visit: draft.visit,
    finish: (visit, more) => finish({ ...draft, visit }, more, group)
  })

  const keys = (): Iterable<Readonly<Record<string, unknown>>> => {
    const ofKeys = { ...silent, plan: onlyKeys(plan) }
    return groups.values().map((group) => apply(ofKeys, group).visit)
  }

  /** Looks for values of roots in the other visits, if a visit holds none of its own root. */
  const findRoots = (): void => {
    if (groups.every(({ root }) => used.has(root))) return
    for (const group of groups) {
      for (const record of apply(silent, group).recordsIn(used)) used.add(record)
    }
  }

  const accountOf = (record: SourceRecord): AccountedRecord => {
    const placedByTime = grouping.placedByTime.has(record)
    if (used.has(record)) return { record: unwatched(record), used: true, placedByTime }
    const unplaced = grouping.unplaced.get(record)
    const problem = orphanRow(record, checked, records.resolve) ??
      (unplaced === undefined ? undefined : explainUnassigned(unplaced, record, checked))
    return {
      record: unwatched(record),
      used: false,
      placedByTime,
      ...(problem === undefined ? {} : { problem })
    }
  }

  const accounts = (): Iterable<AccountedRecord> => {
    findRoots()
    return records.types.values().flatMap((type) => records.all(type).values()).map(accountOf)
  }

  return {
    groups: groups.length,
    grouping,
    drafts: () => groups.values().map(draftOf),
    draftOf,
    keys,
    accounts,
    coverage: () => {
      if (watched === undefined) return undefined
      const rejected = new Set<SourceRecord>()
      for (const { problem, record } of accounts()) if (problem !== undefined) rejected.add(watched.watched(record))
      return coverageOf(watched, used, rejected, grouping, allExclusions, plan.followed.types)
    },
    fieldOrigin: (source, field) => {
      const group = groups.find(({ root }) => root.origin.reference === source)
      const provenance = group === undefined ? undefined : apply(silent, group).provenanceOf(fieldPath(field))
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

/** Adds exclusions to the lists of their records. A condition that excludes a record from several sections counts once. */
const addExclusions = (
  exclusions: ReadonlyArray<Exclusion>,
  listOf: (record: SourceRecord) => Array<Exclusion> | undefined
): void => {
  for (const exclusion of exclusions) {
    const list = listOf(exclusion.record)
    if (list?.some(({ condition }) => condition === exclusion.condition) === false) list.push(exclusion)
  }
}

const keyFields: ReadonlySet<string> = new Set(["code", "patient_code", ...encounterLists])

const onlyKeys = (plan: MappingPlan): MappingPlan => ({
  ...plan,
  visit: {
    ...plan.visit,
    branches: plan.visit.branches.map((branch) => ({
      ...branch,
      fields: branch.fields.filter(({ name }) => keyFields.has(name))
    }))
  }
})
