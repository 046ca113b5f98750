import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import type { JsonObject } from "../../json/JsonObject.ts"
import { parseReference } from "../../source/records/Reference.ts"
import { resourceTypes } from "../../source/records/resourceTypes.ts"
import type { SourceRecord } from "../../source/records/SourceRecord.ts"

/** The element that refers to the subject of a record (FHIR R4: `subject`, or `patient` if only a patient is possible). */
export const subjectOf = ({ patient, subject }: JsonObject): unknown => subject ?? patient

/**
 * Reports a record about a group, a device or a place. FHIR R4 allows such a subject for observations, orders and reports. The record is not
 * about the patient, although it refers to the patient's encounter. `resolve` finds the record of a reference that has no type.
 */
export const otherSubject = (
  { origin, resource, row }: SourceRecord,
  resolve: (reference: unknown) => SourceRecord | undefined
): Diagnostic | undefined => {
  if (row !== undefined || resource.resourceType === "Encounter") return undefined
  const subject = subjectOf(resource)
  const parsed = parseReference(subject)
  if (parsed._tag === "Nothing") return undefined
  const type = "type" in parsed && parsed.type !== undefined ? parsed.type : resolve(subject)?.resource.resourceType
  if (type === undefined || type === "Patient" || !resourceTypes.has(type)) return undefined
  return {
    code: "dropped-record",
    severity: "warning",
    title: "a record of the visit is not about a patient: it is not used",
    source: origin.reference,
    origin,
    facts: [["about", type]],
    help: ["if it is about the patient, correct its reference to the patient in the source system"]
  }
}
