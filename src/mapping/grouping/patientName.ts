import type { Element, FhirPath, Variables } from "../../fhirpath/FhirPath.ts"
import { evaluatePath, isPathFault, valueOf } from "../../fhirpath/FhirPath.ts"
import { isJsonObject } from "../../json/JsonObject.ts"
import { parseReference } from "../../source/records/Reference.ts"
import type { SourceRecord } from "../../source/records/SourceRecord.ts"
import type { EvaluationScope } from "../functions/EvaluationScope.ts"
import type { GroupingPlan } from "./GroupingPlan.ts"

/**
 * The id of the patient in a visit's encounter, however the reference is written. Visits of one patient are consecutive in a run, so that
 * the patient's data stays loaded for all of them.
 */
export const patientName = (
  record: SourceRecord,
  { constants, fhirPath, grouping }: {
    readonly fhirPath: Pick<FhirPath, "elementOf">
    readonly constants: Variables
    readonly grouping: Pick<GroupingPlan, "patient">
  },
  scope: EvaluationScope
): string => {
  const found = evaluatePath(grouping.patient, [fhirPath.elementOf(record)], constants, scope)
  // The name is only for the order. That the path failed is a problem of the visit.
  return isPathFault(found) || found.length === 0 ? "" : nameOf(found[0])
}

const nameOf = (element: Element): string => {
  const value = valueOf(element)
  if (isJsonObject(value) && "resourceType" in value) return typeof value.id === "string" ? value.id : ""
  const reference = parseReference(value)
  if ("id" in reference && reference.id !== undefined) return reference.id
  return "identifier" in reference && reference.identifier !== undefined ? reference.identifier.value : ""
}
