/** Types of FHIR records with facts of a visit. Those of a visit that are in no section of it are reported, whether a line reads the type or not. */
export const clinicalTypes: ReadonlyArray<string> =
  ("Observation Procedure MedicationRequest MedicationDispense MedicationAdministration MedicationStatement Condition DiagnosticReport "
    + "DocumentReference Composition ClinicalImpression Immunization AllergyIntolerance ServiceRequest ImagingStudy Media CarePlan Communication "
    + "CommunicationRequest QuestionnaireResponse Flag Goal NutritionOrder RiskAssessment DeviceRequest VisionPrescription AdverseEvent "
    + "FamilyMemberHistory Invoice Claim ChargeItem ExplanationOfBenefit").split(" ")
