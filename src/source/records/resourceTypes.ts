/** The resource types of FHIR R4. Another name is a misspelling, or a type of another version. */
export const resourceTypes: ReadonlySet<string> = new Set(
  `
  Account ActivityDefinition AdverseEvent AllergyIntolerance Appointment AppointmentResponse AuditEvent Basic Binary
  BiologicallyDerivedProduct BodyStructure Bundle CapabilityStatement CarePlan CareTeam CatalogEntry ChargeItem
  ChargeItemDefinition Claim ClaimResponse ClinicalImpression CodeSystem Communication CommunicationRequest
  CompartmentDefinition Composition ConceptMap Condition Consent Contract Coverage CoverageEligibilityRequest
  CoverageEligibilityResponse DetectedIssue Device DeviceDefinition DeviceMetric DeviceRequest DeviceUseStatement
  DiagnosticReport DocumentManifest DocumentReference EffectEvidenceSynthesis Encounter Endpoint EnrollmentRequest
  EnrollmentResponse EpisodeOfCare EventDefinition Evidence EvidenceVariable ExampleScenario ExplanationOfBenefit
  FamilyMemberHistory Flag Goal GraphDefinition Group GuidanceResponse HealthcareService ImagingStudy Immunization
  ImmunizationEvaluation ImmunizationRecommendation ImplementationGuide InsurancePlan Invoice Library Linkage List
  Location Measure MeasureReport Media Medication MedicationAdministration MedicationDispense MedicationKnowledge
  MedicationRequest MedicationStatement MedicinalProduct MedicinalProductAuthorization
  MedicinalProductContraindication MedicinalProductIndication MedicinalProductIngredient MedicinalProductInteraction
  MedicinalProductManufactured MedicinalProductPackaged MedicinalProductPharmaceutical
  MedicinalProductUndesirableEffect MessageDefinition MessageHeader MolecularSequence NamingSystem NutritionOrder
  Observation ObservationDefinition OperationDefinition OperationOutcome Organization OrganizationAffiliation
  Parameters Patient PaymentNotice PaymentReconciliation Person PlanDefinition Practitioner PractitionerRole
  Procedure Provenance Questionnaire QuestionnaireResponse RelatedPerson RequestGroup ResearchDefinition
  ResearchElementDefinition ResearchStudy ResearchSubject RiskAssessment RiskEvidenceSynthesis Schedule
  SearchParameter ServiceRequest Slot Specimen SpecimenDefinition StructureDefinition StructureMap Subscription
  Substance SubstanceNucleicAcid SubstancePolymer SubstanceProtein SubstanceReferenceInformation
  SubstanceSourceMaterial SubstanceSpecification SupplyDelivery SupplyRequest Task TerminologyCapabilities
  TestReport TestScript ValueSet VerificationResult VisionPrescription
`.trim().split(/\s+/)
)

/** Whether resources of the type contain others that count as records. */
const isListing = (type: string): boolean => type === "Bundle" || type === "Parameters"

/** Whether reading a record needs more than its type: it contains others, or shows that an export is incomplete. */
export const isReadAtOnce = (type: string): boolean => isListing(type) || type === "OperationOutcome"

/**
 * Returns the resource types in a file name, as Bulk Data names files: `Observation.000.ndjson`, and also
 * `export-observation-3.ndjson.gz`.
 */
export const typesInName = (file: string): ReadonlyArray<string> => {
  const name = file.slice(Math.max(file.lastIndexOf("/"), file.lastIndexOf("\\")) + 1)
  if (!isNamedAsRecords(name)) return []
  const words = name.toLowerCase().split(/[^a-z]+/u).flatMap((word) => byWord.get(word) ?? [])
  return [...new Set(words)]
}

/** Returns whether a file name announces JSON, compressed in any way. */
export const isNamedAsRecords = (file: string): boolean =>
  /\.(?:ndjson|jsonl?)(?:\.(?:gz|br|bz2|lz4|xz|z|zip|zlib|zst))?$/iu.test(file)

/** Returns whether a file name announces a table, compressed or not. */
export const isNamedAsTable = (file: string): boolean =>
  /\.(?:csv|tsv|psv|tab)(?:\.(?:gz|br|bz2|lz4|xz|z|zip|zlib|zst))?$/iu.test(file)

/** A Bundle holds records of any type. */
const byWord = new Map([...resourceTypes].filter((type) => type !== "Bundle").map((type) => [type.toLowerCase(), type]))
