import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import { isJsonObject, type JsonObject, oneOrMore } from "../../json/JsonObject.ts"
import { parseIdentifier, parseReference } from "../../source/records/Reference.ts"
import { resourceTypes } from "../../source/records/resourceTypes.ts"
import { areOnTwoServers } from "../../source/records/Servers.ts"
import type { SourceRecord } from "../../source/records/SourceRecord.ts"

/**
 * The element that refers to the subject of a record (FHIR R4: `subject`, or `patient` if only a patient is possible). A Coverage has a
 * `beneficiary`, and a Task has `for`.
 */
export const subjectOf = ({ beneficiary, for: task, patient, subject }: JsonObject): unknown =>
  subject ?? patient ?? beneficiary ?? task

/** Returns the patient that a record is about; `undefined` if the patient is not in the input. */
export const patientOfRecord = (
  { resource }: SourceRecord,
  resolve: (reference: unknown) => SourceRecord | undefined
): SourceRecord | undefined => {
  const subject = subjectOf(resource)
  const target = subject === undefined ? undefined : resolve(subject)
  return target?.resource.resourceType === "Patient" ? target : undefined
}

/** Returns whether two records are of different patients. Two copies of one patient count as one. */
export const areTwoPatients = (one: SourceRecord, other: SourceRecord): boolean =>
  one !== other && one.resource.resourceType === other.resource.resourceType &&
  (one.resource.id === undefined || one.resource.id !== other.resource.id || areOnTwoServers(one, other))

/** Returns whether a Reference has an identifier that its target contradicts: the target has another value of the same system. */
export const namesAnother = (reference: unknown, { resource }: SourceRecord): boolean => {
  if (!isJsonObject(reference) || typeof reference.reference !== "string") return false
  const expected = parseIdentifier(reference.identifier)
  if (expected === undefined || expected.system === "") return false
  const ofSystem = oneOrMore(resource.identifier).flatMap((one) => parseIdentifier(one) ?? [])
    .filter(({ system }) => system === expected.system)
  return ofSystem.length > 0 && ofSystem.every(({ value }) => value !== expected.value)
}

/** Reports a record that refers to another patient than the one of the visit. */
export const otherPatient = (title: string, { origin }: SourceRecord, root: SourceRecord): Diagnostic => ({
  code: "other-patient",
  severity: "error",
  title,
  source: origin.reference,
  origin,
  facts: [["encounter", root.origin.reference]],
  help: ["correct the record's patient or its encounter in the source system"]
})

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
