/** The codes of a status that is a CodeableConcept, and its code system. */
export interface ConceptStatus {
  readonly element: string
  readonly codes: ReadonlyArray<string>
  readonly system: string
}

const status = (element: string, codes: string, system: string): ConceptStatus => ({
  element,
  codes: codes.split(" "),
  system: `http://terminology.hl7.org/CodeSystem/${system}`
})

/**
 * Elements of FHIR R4 with a required binding that are a CodeableConcept, by type. The code system of HL7 has `unknown` since R5, and
 * sources of R4 use it.
 */
export const conceptStatuses: ReadonlyMap<string, ReadonlyArray<ConceptStatus>> = new Map([
  ["Condition", [
    status("clinicalStatus", "active recurrence relapse inactive remission resolved unknown", "condition-clinical"),
    status(
      "verificationStatus",
      "unconfirmed provisional differential confirmed refuted entered-in-error",
      "condition-ver-status"
    )
  ]],
  ["AllergyIntolerance", [
    status("clinicalStatus", "active inactive resolved", "allergyintolerance-clinical"),
    status(
      "verificationStatus",
      "unconfirmed presumed confirmed refuted entered-in-error",
      "allergyintolerance-verification"
    )
  ]]
])

/** Returns such a status of a type. */
export const conceptStatusOf = (type: string, element: string | undefined): ConceptStatus | undefined =>
  conceptStatuses.get(type)?.find((one) => one.element === element)
