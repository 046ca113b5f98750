import type { FollowedLinks } from "../../mapping/MappingPlan.ts"

/**
 * Elements by which a record refers to its own parts, and to the record it belongs to (FHIR R4). Orders, earlier versions and reasons are
 * context: they may belong to another visit.
 */
export const ownElements: ReadonlySet<string> = new Set([
  "chargeItemReference", // Invoice.lineItem
  "complicationDetail", // Procedure
  "condition", // Encounter.diagnosis
  "entry", // Composition.section
  "hasMember", // Observation
  "imagingStudy", // DiagnosticReport
  "medicationReference",
  "patient",
  "report", // Procedure
  "result", // DiagnosticReport
  "specimen",
  "subject"
])

/**
 * Returns the names of the elements whose targets a partition holds: those that lines follow, and those that the check for incomplete visits
 * follows. `undefined`: any.
 */
export const followedElements = ({ elements }: Pick<FollowedLinks, "elements">): ReadonlySet<string> | undefined =>
  elements?.union(ownElements)

/** Returns whether an element is among them. `medicationReference` is the JSON property of the FHIRPath element `medication`. */
export const isFollowed = (element: string, followed: ReadonlySet<string> | undefined): boolean =>
  followed === undefined || followed.has(element) ||
  (element.endsWith("Reference") && followed.has(element.slice(0, -"Reference".length)))
