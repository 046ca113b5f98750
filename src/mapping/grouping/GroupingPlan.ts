import type { Span } from "../../diagnostic/Span.ts"
import type { CompiledPath } from "../../fhirpath/FhirPath.ts"
import type { CopyRule } from "../../source/records/Servers.ts"

/** An expression of the grouping, compiled, and where it is written. */
export interface GroupingPath extends CompiledPath {
  readonly span: Span
}

/** Which records make a visit, as a mapping declares it. */
export interface GroupingPlan {
  /** The resource type whose records can be a visit: `Encounter`. */
  readonly rootType: string
  /** What such a record must satisfy to be a visit, or a member of one. */
  readonly where: ReadonlyArray<GroupingPath>
  /** What becomes of copies of a record that differ, when nothing says which is newer. */
  readonly copies: CopyRule
  /** URLs of modifier extensions and of implicit rules that the mapping handles. */
  readonly understood: ReadonlySet<string>
  /** From a member to the encounter it is part of; missing where every one stands for itself. */
  readonly partOf?: GroupingPath
  /** Whether the root is itself one of the visit's encounters. */
  readonly rootIsEncounter: "when-none-of-its-kind" | "when-no-members" | "always" | "never"
  /** From an encounter to its kind: of a stay, a ward is the same kind and an emergency another. */
  readonly kind?: GroupingPath
  /** From the root to its patient. */
  readonly patient: GroupingPath
  /** How records of a type reach an encounter; the first path that finds one in the input wins. `*` is every other type. */
  readonly links: ReadonlyMap<string, ReadonlyArray<GroupingPath>>
  /** When an encounter began, and when it ended; the first path that finds a time wins. */
  readonly start: ReadonlyArray<GroupingPath>
  readonly end: ReadonlyArray<GroupingPath>
  /** How records of a type that reach no encounter reach the visit of their patient that was going on. */
  readonly windows: ReadonlyMap<string, TimeWindow>
  /** Whether records of a document Bundle that reach no encounter belong to the document's encounter. */
  readonly document: boolean
  /** Types that belong to the patient rather than to one visit, and how they name the patient. */
  readonly patientScope: ReadonlyMap<string, GroupingPath>
}

/** Which visit a record belongs to that names a patient and a time and no encounter. */
export interface TimeWindow {
  readonly span: Span
  /** From the record to its patient, and to its time: the first path that finds one wins. */
  readonly patient: ReadonlyArray<GroupingPath>
  readonly time: ReadonlyArray<GroupingPath>
  /** Milliseconds before an encounter began, and after it ended, that still count. */
  readonly before: number
  readonly after: number
  /** A time that falls into several visits: the record is in none of them, or in the one it is nearest to. */
  readonly several: "reject" | "nearest"
}

/** Every expression of a grouping. */
export const groupingPaths = (plan: GroupingPlan): ReadonlyArray<GroupingPath> => [
  ...(plan.partOf === undefined ? [] : [plan.partOf]),
  ...(plan.kind === undefined ? [] : [plan.kind]),
  plan.patient,
  ...plan.where,
  ...plan.start,
  ...plan.end,
  ...[...plan.links.values()].flat(),
  ...[...plan.windows.values()].flatMap(({ patient, time }) => [...patient, ...time]),
  ...plan.patientScope.values()
]
