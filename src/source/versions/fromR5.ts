import { notInR4, type Rewrite, type Rules, type VersionRules } from "./Rule.ts"

// https://hl7.org/fhir/R5/diff.html and the page of each resource: "Differences from R4".

/** A CodeableReference that R4 has as two elements. */
const split = (concept: string, reference: string, more: Rewrite = {}): Rewrite => ({ to: concept, reference, ...more })
/** A CodeableReference of which R4 has only one half. */
const concept: Rewrite = { take: "concept" }
const reference: Rewrite = { take: "reference" }
const reason = split("reasonCode", "reasonReference")
const medication = split("medicationCodeableConcept", "medicationReference")
const code: Rewrite = { take: "coding.code" }
const terminology = "http://terminology.hl7.org/CodeSystem/"

const attachment: Rules = notInR4("duration frames height pages width")
const photo: Rewrite = { below: attachment }

const dosage: Rewrite = {
  below: {
    // True if it is absent and a reason is given.
    asNeeded: { to: "asNeededBoolean", unless: "asNeededFor" },
    asNeededFor: { to: "asNeededCodeableConcept", many: false },
    maxDosePerPeriod: { many: false }
  }
}

const sampledData: Rules = notInR4("codeMap interval intervalUnit offsets")
const observed: Rules = {
  ...notInR4("valueAttachment valueReference"),
  referenceRange: { below: { normalValue: null } },
  valueSampledData: { below: sampledData }
}

const claimedSite: Rewrite = {
  up: { site: { to: "bodySite", take: "concept", many: false }, subSite: "subSite" }
}
const claimed: Rules = notInR4("patientPaid productOrServiceEnd tax traceNumber")

const adjudication: Rewrite = { below: { quantity: { to: "value", take: "value" } } }
const adjudicated: Rules = { ...claimed, adjudication, reviewOutcome: null }
const added: Rules = { ...adjudicated, revenue: null }

/** Participants: https://terminology.hl7.org/CodeSystem-provenance-participant-type.html */
const participant: Rewrite = {
  by: "function",
  take: "actor",
  many: false,
  cases: {
    "": "recorder",
    author: "recorder",
    enterer: "recorder",
    informant: "asserter",
    attester: "asserter",
    verifier: "asserter"
  }
}

/** The status of a document. One that does not exist yet, no longer, or never will, is in R4 only one that must not be used. */
const documentStatus: Rewrite = {
  codes: {
    appended: "amended",
    cancelled: "entered-in-error",
    corrected: "amended",
    deprecated: "entered-in-error",
    partial: "preliminary",
    registered: "entered-in-error"
  }
}

const telecom: Rewrite = { up: { telecom: "telecom" } }

/** What R5 writes differently than R4, in types that the base mapping and mappings of claims read. */
export const fromR5: VersionRules = {
  extensions: "http://hl7.org/fhir/5.0/StructureDefinition/extension-",
  types: { DeviceUsage: "DeviceUseStatement", RequestOrchestration: "RequestGroup" },
  elements: {
    Account: notInR4("balance billingStatus calculatedAt currency diagnosis procedure relatedAccount"),
    AllergyIntolerance: {
      participant,
      reaction: { below: { manifestation: concept } },
      type: code
    },
    Appointment: {
      ...notInR4(
        "account cancellationDate class note occurrenceChanged originatingAppointment previousAppointment priority "
          + "recurrenceId recurrenceTemplate replaces subject virtualService"
      ),
      cancellationReason: "cancelationReason",
      patientInstruction: { take: "concept.text", many: false },
      reason,
      serviceType: concept
    },
    CarePlan: {
      activity: {
        below: {
          performedActivity: split("outcomeCodeableConcept", "outcomeReference"),
          plannedActivityReference: "reference"
        }
      },
      addresses: reference,
      custodian: "author"
    },
    ChargeItem: {
      ...notInR4("unitPriceComponent"),
      encounter: "context",
      overrideReason: { take: "text" },
      product: split("productCodeableConcept", "productReference", { many: false }),
      service: reference,
      totalPriceComponent: { up: { amount: "priceOverride", type: { means: { base: {} }, rejects: true } } }
    },
    Claim: {
      ...notInR4("diagnosisRelatedGroup event patientPaid traceNumber"),
      careTeam: { below: { specialty: "qualification" } },
      encounter: { extension: true },
      item: {
        below: {
          bodySite: claimedSite,
          detail: { below: { ...claimed, subDetail: { below: claimed } } },
          request: null,
          ...claimed
        }
      },
      supportingInfo: { below: { valueAttachment: photo, valueIdentifier: null } }
    },
    ClinicalImpression: {
      changePattern: null,
      finding: { below: { item: split("itemCodeableConcept", "itemReference") } },
      performer: "assessor",
      // Of one that was not made, nothing may be read.
      status: {
        codes: {
          "not-done": "entered-in-error",
          "on-hold": "in-progress",
          preparation: "entered-in-error",
          stopped: "in-progress",
          unknown: "in-progress"
        }
      }
    },
    Communication: {
      payload: { below: { contentAttachment: photo, contentCodeableConcept: null } },
      reason
    },
    Composition: {
      ...notInR4("name note url useContext version"),
      attester: { below: { mode: code } },
      event: { below: { detail: split("code", "detail") } },
      identifier: { many: false },
      relatesTo: {
        below: {
          ...notInR4("citation classifier display document label publicationDate publicationStatus resource"),
          resourceReference: "targetReference",
          type: "code"
        }
      },
      status: documentStatus,
      subject: { many: false }
    },
    Condition: {
      evidence: { below: { concept: { to: "code", many: true }, reference: { to: "detail", many: true } } },
      participant
    },
    Consent: {
      ...notInR4("controller grantee grantor manager policyBasis policyText regulatoryBasis"),
      date: "dateTime",
      decision: "provision.type",
      period: "provision.period",
      // The exceptions from the decision, which is the outermost provision of R4.
      provision: { to: "provision.provision", below: notInR4("documentType expression") },
      sourceAttachment: { ...photo, many: false },
      sourceReference: { many: false },
      subject: "patient",
      verification: { below: notInR4("verificationType verifiedBy") }
    },
    Coverage: {
      ...notInR4("insurancePlan kind"),
      class: { below: { value: { take: "value" } } },
      costToBeneficiary: { below: notInR4("category network term unit") },
      insurer: { to: "payor", many: true },
      paymentBy: { up: { party: { to: "payor", many: true } } },
      subscriberId: { take: "value", many: false }
    },
    Device: {
      ...notInR4(
        "availabilityStatus biologicalSourceEvent category conformsTo cycle displayName duration endpoint gateway "
          + "mode"
      ),
      definition: reference,
      name: { to: "deviceName", below: { value: "name" } },
      property: {
        below: {
          ...notInR4("valueAttachment valueBoolean valueInteger valueRange valueString"),
          valueCodeableConcept: { to: "valueCode", many: true },
          valueQuantity: { many: true }
        }
      },
      type: { many: false },
      version: { below: { installDate: null } }
    },
    DiagnosticReport: {
      ...notInR4("composition note supportingInfo"),
      presentedForm: photo,
      status: { codes: { modified: "amended" } },
      study: "imagingStudy"
    },
    DocumentReference: {
      ...notInR4("basedOn bodySite modality version"),
      attester: { up: { party: { to: "authenticator", many: false } } },
      content: {
        below: { attachment: photo, profile: { up: { valueCoding: { to: "format", many: false } } } }
      },
      context: "context.encounter",
      docStatus: documentStatus,
      event: { to: "context.event", take: "concept" },
      facilityType: "context.facilityType",
      period: "context.period",
      practiceSetting: "context.practiceSetting",
      relatesTo: { below: { code } }
    },
    Encounter: {
      ...notInR4("careTeam plannedEndDate plannedStartDate subjectStatus virtualService"),
      actualPeriod: "period",
      admission: "hospitalization",
      class: { take: "coding", many: false, prefers: `${terminology}v3-ActCode`, extension: "others" },
      diagnosis: {
        each: "condition",
        below: {
          condition: {
            up: { concept: { to: "condition", contained: "Condition", unless: "reference" }, reference: "condition" }
          },
          use: { many: false }
        }
      },
      dietPreference: "hospitalization.dietPreference",
      location: { below: { form: "physicalType" } },
      participant: { below: { actor: "individual" } },
      reason: { up: { value: reason } },
      serviceType: { take: "concept", many: false },
      specialArrangement: "hospitalization.specialArrangement",
      specialCourtesy: "hospitalization.specialCourtesy",
      // Administrative work can continue after `discharged`, so the encounter is still open.
      status: {
        codes: { completed: "finished", discharged: "in-progress", discontinued: "finished", "on-hold": "onleave" },
        extension: ["discontinued"]
      }
    },
    Endpoint: {
      ...notInR4("description environmentType"),
      connectionType: { take: "coding", many: false },
      payload: { up: { type: "payloadType", mimeType: "payloadMimeType" } }
    },
    ExplanationOfBenefit: {
      ...notInR4("decision diagnosisRelatedGroup event patientPaid traceNumber"),
      addItem: {
        below: {
          ...added,
          bodySite: claimedSite,
          detail: { below: { ...added, subDetail: { below: added } } },
          request: null
        }
      },
      adjudication,
      careTeam: { below: { specialty: "qualification" } },
      encounter: { extension: true },
      form: photo,
      item: {
        below: {
          ...adjudicated,
          bodySite: claimedSite,
          detail: { below: { ...adjudicated, subDetail: { below: adjudicated } } },
          request: null
        }
      },
      processNote: { below: { type: code } },
      supportingInfo: { below: { valueAttachment: photo, valueIdentifier: null } }
    },
    FamilyMemberHistory: { ...notInR4("participant procedure"), reason },
    Group: {
      description: null,
      membership: { means: { enumerated: { actual: true }, definitional: { actual: false } } }
    },
    HealthcareService: { ...notInR4("availability offeredIn"), contact: telecom, photo },
    ImagingStudy: {
      modality: { take: "coding" },
      partOf: null,
      procedure: split("procedureCode", "procedureReference"),
      reason,
      series: {
        below: {
          bodySite: { take: "concept.coding" },
          laterality: { take: "coding" },
          modality: { take: "coding" }
        }
      }
    },
    Immunization: {
      ...notInR4("administeredProduct basedOn supportingInformation"),
      informationSource: { to: "reportOrigin", take: "concept" },
      manufacturer: reference,
      programEligibility: { up: { program: null, programStatus: { to: "programEligibility", many: true } } },
      protocolApplied: { below: { doseNumber: "doseNumberString", seriesDoses: "seriesDosesString" } },
      reaction: { below: { manifestation: { to: "detail", take: "reference" } } },
      reason
    },
    ImmunizationRecommendation: {
      recommendation: { below: { doseNumber: "doseNumberString", seriesDoses: "seriesDosesString" } }
    },
    Invoice: {
      ...notInR4("periodDate periodPeriod"),
      creation: "date",
      lineItem: { below: notInR4("servicedDate servicedPeriod") }
    },
    Location: {
      ...notInR4("characteristic virtualService"),
      contact: telecom,
      form: "physicalType",
      hoursOfOperation: { below: notInR4("availableTime notAvailableTime") }
    },
    Medication: {
      definition: null,
      doseForm: "form",
      ingredient: {
        below: {
          item: split("itemCodeableConcept", "itemReference"),
          strengthCodeableConcept: null,
          strengthQuantity: { to: "strength", wrap: "numerator" },
          strengthRatio: "strength"
        }
      },
      marketingAuthorizationHolder: "manufacturer",
      totalVolume: { to: "amount", wrap: "numerator" }
    },
    MedicationAdministration: {
      ...notInR4("basedOn isSubPotent occurenceTiming recorded subPotentReason"),
      category: { many: false },
      device: reference,
      encounter: "context",
      medication,
      occurenceDateTime: "effectiveDateTime",
      occurencePeriod: "effectivePeriod",
      performer: { below: { actor: reference } },
      reason
    },
    MedicationDispense: {
      ...notInR4("basedOn recorded renderedDosageInstruction statusChanged"),
      category: { many: false },
      dosageInstruction: dosage,
      encounter: "context",
      medication,
      notPerformedReason: split("statusReasonCodeableConcept", "statusReasonReference"),
      substitution: { below: { responsibleParty: { many: true } } }
    },
    MedicationRequest: {
      ...notInR4("device effectiveDosePeriod renderedDosageInstruction statusChanged"),
      dispenseRequest: {
        below: { ...notInR4("dispenserInstruction doseAdministrationAid"), dispenser: "performer" }
      },
      dosageInstruction: dosage,
      informationSource: { to: "reportedReference", many: false },
      medication,
      performer: { many: false },
      reason,
      reported: { to: "reportedBoolean", unless: "informationSource" },
      // It is over, and was in force.
      status: { codes: { ended: "completed" } }
    },
    MedicationStatement: {
      ...notInR4("effectiveTiming relatedClinicalInformation renderedDosageInstruction"),
      adherence: {
        up: {
          code: {
            means: {
              taking: { status: "active" },
              "taking-as-directed": { status: "active" },
              "taking-not-as-directed": { status: "active" },
              "not-taking": { status: "not-taken" },
              "on-hold": { status: "on-hold" },
              "on-hold-as-directed": { status: "on-hold" },
              "on-hold-not-as-directed": { status: "on-hold" },
              stopped: { status: "stopped" },
              "stopped-as-directed": { status: "stopped" },
              "stopped-not-as-directed": { status: "stopped" },
              unknown: { status: "unknown" }
            }
          },
          reason: { to: "statusReason", many: true }
        }
      },
      category: { many: false },
      dosage,
      encounter: "context",
      informationSource: { many: false },
      medication,
      reason,
      status: { codes: { draft: "unknown", recorded: "unknown" } }
    },
    Observation: {
      ...notInR4("bodyStructure instantiatesCanonical instantiatesReference triggeredBy"),
      component: { below: observed },
      ...observed
    },
    Organization: {
      ...notInR4("description qualification"),
      contact: { below: { ...notInR4("organization period"), name: { many: false } } }
    },
    Patient: { photo },
    Person: {
      ...notInR4("communication deceasedBoolean deceasedDateTime maritalStatus"),
      photo: { ...photo, many: false }
    },
    Practitioner: {
      ...notInR4("deceasedBoolean deceasedDateTime"),
      communication: { take: "language" },
      photo
    },
    PractitionerRole: { ...notInR4("availability characteristic communication"), contact: telecom },
    Procedure: {
      ...notInR4("focus occurrenceTiming recorded reportedBoolean supportingInfo"),
      category: { many: false },
      complication: split("complication", "complicationDetail"),
      occurrenceAge: "performedAge",
      occurrenceDateTime: "performedDateTime",
      occurrencePeriod: "performedPeriod",
      occurrenceRange: "performedRange",
      occurrenceString: "performedString",
      performer: { below: { period: null } },
      reason,
      reportedReference: "asserter",
      used: split("usedCode", "usedReference")
    },
    Provenance: { ...notInR4("basedOn encounter patient"), authorization: { to: "reason", take: "concept" } },
    RelatedPerson: { photo },
    ServiceRequest: {
      ...notInR4("bodyStructure focus"),
      code: concept,
      location: split("locationCode", "locationReference"),
      orderDetail: { below: notInR4("parameter parameterFocus") },
      patientInstruction: { take: "instructionMarkdown", many: false },
      reason,
      supportingInfo: reference
    },
    Specimen: {
      ...notInR4("combined feature role"),
      collection: { below: { ...notInR4("device procedure"), bodySite: concept } },
      container: { below: notInR4("device location") },
      processing: { below: { method: "procedure" } }
    },
    Substance: {
      code: concept,
      expiry: "instance[].expiry",
      instance: null,
      quantity: "instance[].quantity"
    },
    Task: {
      ...notInR4("input output performer requestedPerformer requestedPeriod"),
      doNotPerform: { means: { false: {} }, rejects: true },
      reason: split("reasonCode", "reasonReference", { many: false }),
      statusReason: concept
    }
  }
}
