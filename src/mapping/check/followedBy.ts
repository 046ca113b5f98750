import type { TableLayout } from "../../source/tables/TableLayout.ts"
import type { GroupingPlan } from "../grouping/GroupingPlan.ts"
import { groupingPaths } from "../grouping/GroupingPlan.ts"
import type { FollowedLinks } from "../MappingPlan.ts"
import type { UsedNames } from "./PathScope.ts"

/** What decides which records a mapping reads. */
export interface RecordSelection {
  readonly grouping: GroupingPlan
  /** Elements that function bodies follow backwards. */
  readonly inFunctions: ReadonlySet<string>
  readonly tables: ReadonlyArray<TableLayout>
  /** Types whose records are rows of a visit. */
  readonly visitTypes: ReadonlySet<string>
}

/** Types of FHIR records with facts of a visit. Those of a visit that are in no section of it are reported, whether a line reads the type or not. */
export const clinicalTypes: ReadonlyArray<string> =
  ("Observation Procedure MedicationRequest MedicationDispense MedicationAdministration MedicationStatement Condition DiagnosticReport "
    + "DocumentReference Composition ClinicalImpression Immunization AllergyIntolerance ServiceRequest ImagingStudy Media CarePlan Communication "
    + "CommunicationRequest QuestionnaireResponse Flag Goal NutritionOrder RiskAssessment DeviceRequest VisionPrescription AdverseEvent "
    + "FamilyMemberHistory Invoice Claim ChargeItem ExplanationOfBenefit").split(" ")

/** Returns how a mapping's expressions go from record to record, from the names they use. */
export const followedBy = (
  { backwards, followsTexts, types, words }: UsedNames,
  { grouping, inFunctions, tables, visitTypes }: RecordSelection
): FollowedLinks => {
  const read = types.has("*") ? undefined : new Set([
    ...types,
    ...visitTypes,
    ...grouping.patientScope.keys(),
    ...[...backwards].map((element) => element.split(".")[0]!),
    ...tables.map(({ name }) => name),
    grouping.rootType
  ])
  return {
    backwards: backwards.has("*") ? undefined : backwards,
    backwardsToVisit: new Set(
      [...backwards].filter((element) =>
        inFunctions.has(element) || groupingPaths(grouping).some(({ text }) => text.includes(element))
      )
    ),
    texts: followsTexts.size > 0,
    types: read,
    assigned: read === undefined ? undefined : new Set([...read, ...clinicalTypes]),
    elements: words.has("*") ? undefined : words
  }
}
