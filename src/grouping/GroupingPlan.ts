import type { Span } from "../diagnostic/Span.ts"
import type { CompiledPath } from "../fhirpath/FhirPath.ts"

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
  /** From a member to the encounter it is part of. */
  readonly partOf: GroupingPath
  /** Whether the root is itself one of the visit's encounters. */
  readonly rootIsEncounter: "when-no-members" | "always" | "never"
  /** From the root to its patient. */
  readonly patient: GroupingPath
  /** How records of a type reach an encounter; the first path that finds one in the input wins. `*` is every other type. */
  readonly links: ReadonlyMap<string, ReadonlyArray<GroupingPath>>
  /** Whether records of a document Bundle that reach no encounter belong to the document's encounter. */
  readonly document: boolean
  /** Types that belong to the patient rather than to one visit, and how they name the patient. */
  readonly patientScope: ReadonlyMap<string, GroupingPath>
}
