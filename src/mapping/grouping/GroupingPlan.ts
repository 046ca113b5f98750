import type { Span } from "../../diagnostic/Span.ts"
import type { CompiledPath } from "../../fhirpath/FhirPath.ts"
import type { StatusWords } from "../../fhirpath/infer/statusOf.ts"
import type { CopyRule } from "../../source/records/Servers.ts"
import type { EvaluationScope } from "../functions/EvaluationScope.ts"
import type { Remark } from "../MappingPlan.ts"

/** A compiled expression of the grouping, and its source location. */
export interface GroupingPath extends CompiledPath<EvaluationScope> {
  readonly span: Span
}

/** The source location of a rule, and the assumption that the rule makes. */
export interface GroupingRemark extends Remark {
  readonly span: Span
}

/** The rules for the records that make a visit, as a mapping declares them. */
export interface GroupingPlan {
  /** The resource type whose records can be a visit: `Encounter`. */
  readonly rootType: string
  /** The conditions for such a record to be a visit, or a member of one. */
  readonly where: ReadonlyArray<GroupingPath>
  /** The rule for copies of a record that differ without version information. */
  readonly copies: CopyRule
  /** URLs of modifier extensions and of implicit rules that the mapping handles. */
  readonly understood: ReadonlySet<string>
  /** The facility's own words for statuses. */
  readonly status: StatusWords
  /** From a member to the encounter it is part of; absent if each encounter is its own visit. */
  readonly partOf?: GroupingPath
  /** Whether the root is itself one of the visit's encounters. */
  readonly rootIsEncounter: "when-none-of-its-kind" | "when-no-members" | "always" | "never"
  /** From an encounter to its kind. Within an inpatient stay, a ward has the same kind and an emergency a different one. */
  readonly kind?: GroupingPath
  /** From the root to its patient. */
  readonly patient: GroupingPath
  /** Tables whose rows that path may lead to; `undefined` if it can be any table. */
  readonly patientTables: ReadonlySet<string> | undefined
  /** How records of a type reach an encounter; the first path with a result in the input wins. `*` is every other type. */
  readonly links: ReadonlyMap<string, ReadonlyArray<GroupingPath>>
  /** The start and end of an encounter; the first path that finds a time wins. */
  readonly start: ReadonlyArray<GroupingPath>
  readonly end: ReadonlyArray<GroupingPath>
  /** The time windows by type: they assign records that reach no encounter to a concurrent visit of their patient. */
  readonly windows: ReadonlyMap<string, TimeWindow>
  /** The types of Bundles that are one visit: their records that reach no encounter belong to it. */
  readonly bundles: ReadonlyMap<string, BundleRule>
  /** The tables whose rows get values of the rows above them by an assumption. */
  readonly filled?: ReadonlyMap<string, GroupingRemark>
  /** Types that belong to the patient rather than to one visit, and their paths to the patient. */
  readonly patientScope: ReadonlyMap<string, GroupingPath>
}

/** Makes each Bundle of a type one visit. */
export interface BundleRule extends GroupingRemark {
  /** The conditions for the Composition of a document. The records of other documents are not used. */
  readonly where: ReadonlyArray<GroupingPath>
}

/** Assigns a record with a patient and a time, and without an encounter, to a visit. */
export interface TimeWindow extends GroupingRemark {
  /** From the record to its patient, and to its time; the first path with a result wins. */
  readonly patient: ReadonlyArray<GroupingPath>
  readonly time: ReadonlyArray<GroupingPath>
  /** Milliseconds before the start of an encounter, and after its end, that still count. */
  readonly before: number
  readonly after: number
  /** If a time matches several visits, the record is assigned to none, or to the nearest. */
  readonly several: "reject" | "nearest"
}

/** Returns every expression of a grouping. */
export const groupingPaths = (plan: GroupingPlan): ReadonlyArray<GroupingPath> => [
  ...(plan.partOf === undefined ? [] : [plan.partOf]),
  ...(plan.kind === undefined ? [] : [plan.kind]),
  plan.patient,
  ...plan.where,
  ...plan.start,
  ...plan.end,
  ...[...plan.links.values()].flat(),
  ...[...plan.windows.values()].flatMap(({ patient, time }) => [...patient, ...time]),
  ...[...plan.bundles.values()].flatMap(({ where }) => where),
  ...plan.patientScope.values()
]
