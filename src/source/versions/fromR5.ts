import type { Rewrite, Rules, VersionRules } from "./Rule.ts"

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

const attachment: Rules = { duration: null, frames: null, height: null, pages: null, width: null }
const photo: Rewrite = { below: attachment }

const dosage: Rewrite = {
  below: {
    // True if it is absent and a reason is given.
    asNeeded: { to: "asNeededBoolean", unless: "asNeededFor" },
    asNeededFor: { to: "asNeededCodeableConcept", many: false },
    maxDosePerPeriod: { many: false }
  }
}

const sampledData: Rules = { codeMap: null, interval: null, intervalUnit: null, offsets: null }
const observed: Rules = {
  referenceRange: { below: { normalValue: null } },
  valueAttachment: null,
  valueReference: null,
  valueSampledData: { below: sampledData }
}

const claimedSite: Rewrite = {
  up: { site: { to: "bodySite", take: "concept", many: false }, subSite: "subSite" }
}
const claimed: Rules = { patientPaid: null, productOrServiceEnd: null, tax: null, traceNumber: null }

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
    Account: {
      balance: null,
      billingStatus: null,
      calculatedAt: null,
      currency: null,
      diagnosis: null,
      procedure: null,
      relatedAccount: null
    },
    AllergyIntolerance: {
      participant,
      reaction: { below: { manifestation: concept } },
      type: code
    },
    Appointment: {
      account: null,
      cancellationDate: null,
      cancellationReason: "cancelationReason",
      class: null,
      note: null,
      occurrenceChanged: null,
      originatingAppointment: null,
      patientInstruction: { take: "concept.text", many: false },
      previousAppointment: null,
      priority: null,
      reason,
      recurrenceId: null,
      recurrenceTemplate: null,
      replaces: null,
      serviceType: concept,
      subject: null,
      virtualService: null
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
      encounter: "context",
      overrideReason: { take: "text" },
      product: split("productCodeableConcept", "productReference", { many: false }),
      service: reference,
      totalPriceComponent: { up: { amount: "priceOverride", type: { means: { base: {} }, rejects: true } } },
      unitPriceComponent: null
    },
    Claim: {
      careTeam: { below: { specialty: "qualification" } },
      diagnosisRelatedGroup: null,
      encounter: { extension: true },
      event: null,
      item: {
        below: {
          bodySite: claimedSite,
          detail: { below: { ...claimed, subDetail: { below: claimed } } },
          request: null,
          ...claimed
        }
      },
      patientPaid: null,
      supportingInfo: { below: { valueAttachment: photo, valueIdentifier: null } },
      traceNumber: null
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
      attester: { below: { mode: code } },
      event: { below: { detail: split("code", "detail") } },
      identifier: { many: false },
      name: null,
      note: null,
      relatesTo: {
        below: {
          citation: null,
          classifier: null,
          display: null,
          document: null,
          label: null,
          publicationDate: null,
          publicationStatus: null,
          resource: null,
          resourceReference: "targetReference",
          type: "code"
        }
      },
      status: documentStatus,
      subject: { many: false },
      url: null,
      useContext: null,
      version: null
    },
    Condition: {
      evidence: { below: { concept: { to: "code", many: true }, reference: { to: "detail", many: true } } },
      participant
    },
    Consent: {
      controller: null,
      date: "dateTime",
      decision: "provision.type",
      grantee: null,
      grantor: null,
      manager: null,
      period: "provision.period",
      policyBasis: null,
      policyText: null,
      // The exceptions from the decision, which is the outermost provision of R4.
      provision: { to: "provision.provision", below: { documentType: null, expression: null } },
      regulatoryBasis: null,
      sourceAttachment: { ...photo, many: false },
      sourceReference: { many: false },
      subject: "patient",
      verification: { below: { verificationType: null, verifiedBy: null } }
    },
    Coverage: {
      class: { below: { value: { take: "value" } } },
      costToBeneficiary: { below: { category: null, network: null, term: null, unit: null } },
      insurancePlan: null,
      insurer: { to: "payor", many: true },
      kind: null,
      paymentBy: { up: { party: { to: "payor", many: true } } },
      subscriberId: { take: "value", many: false }
    },
    Device: {
      availabilityStatus: null,
      biologicalSourceEvent: null,
      category: null,
      conformsTo: null,
      cycle: null,
      definition: reference,
      displayName: null,
      duration: null,
      endpoint: null,
      gateway: null,
      mode: null,
      name: { to: "deviceName", below: { value: "name" } },
      property: {
        below: {
          valueAttachment: null,
          valueBoolean: null,
          valueCodeableConcept: { to: "valueCode", many: true },
          valueInteger: null,
          valueQuantity: { many: true },
          valueRange: null,
          valueString: null
        }
      },
      type: { many: false },
      version: { below: { installDate: null } }
    },
    DiagnosticReport: {
      composition: null,
      note: null,
      presentedForm: photo,
      status: { codes: { modified: "amended" } },
      study: "imagingStudy",
      supportingInfo: null
    },
    DocumentReference: {
      attester: { up: { party: { to: "authenticator", many: false } } },
      basedOn: null,
      bodySite: null,
      content: {
        below: { attachment: photo, profile: { up: { valueCoding: { to: "format", many: false } } } }
      },
      context: "context.encounter",
      docStatus: documentStatus,
      event: { to: "context.event", take: "concept" },
      facilityType: "context.facilityType",
      modality: null,
      period: "context.period",
      practiceSetting: "context.practiceSetting",
      relatesTo: { below: { code } },
      version: null
    },
    Encounter: {
      actualPeriod: "period",
      admission: "hospitalization",
      careTeam: null,
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
      plannedEndDate: null,
      plannedStartDate: null,
      reason: { up: { value: reason } },
      serviceType: { take: "concept", many: false },
      specialArrangement: "hospitalization.specialArrangement",
      specialCourtesy: "hospitalization.specialCourtesy",
      // Administrative work can continue after `discharged`, so the encounter is still open.
      status: {
        codes: { completed: "finished", discharged: "in-progress", discontinued: "finished", "on-hold": "onleave" },
        extension: ["discontinued"]
      },
      subjectStatus: null,
      virtualService: null
    },
    Endpoint: {
      connectionType: { take: "coding", many: false },
      description: null,
      environmentType: null,
      payload: { up: { type: "payloadType", mimeType: "payloadMimeType" } }
    },
    ExplanationOfBenefit: {
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
      decision: null,
      diagnosisRelatedGroup: null,
      encounter: { extension: true },
      event: null,
      form: photo,
      item: {
        below: {
          ...adjudicated,
          bodySite: claimedSite,
          detail: { below: { ...adjudicated, subDetail: { below: adjudicated } } },
          request: null
        }
      },
      patientPaid: null,
      processNote: { below: { type: code } },
      supportingInfo: { below: { valueAttachment: photo, valueIdentifier: null } },
      traceNumber: null
    },
    FamilyMemberHistory: { participant: null, procedure: null, reason },
    Group: {
      description: null,
      membership: { means: { enumerated: { actual: true }, definitional: { actual: false } } }
    },
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
      administeredProduct: null,
      basedOn: null,
      informationSource: { to: "reportOrigin", take: "concept" },
      manufacturer: reference,
      programEligibility: { up: { program: null, programStatus: { to: "programEligibility", many: true } } },
      protocolApplied: { below: { doseNumber: "doseNumberString", seriesDoses: "seriesDosesString" } },
      reaction: { below: { manifestation: { to: "detail", take: "reference" } } },
      reason,
      supportingInformation: null
    },
    ImmunizationRecommendation: {
      recommendation: { below: { doseNumber: "doseNumberString", seriesDoses: "seriesDosesString" } }
    },
    Invoice: {
      creation: "date",
      lineItem: { below: { servicedDate: null, servicedPeriod: null } },
      periodDate: null,
      periodPeriod: null
    },
    Location: {
      characteristic: null,
      contact: telecom,
      form: "physicalType",
      hoursOfOperation: { below: { availableTime: null, notAvailableTime: null } },
      virtualService: null
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
      basedOn: null,
      category: { many: false },
      device: reference,
      encounter: "context",
      isSubPotent: null,
      medication,
      occurenceDateTime: "effectiveDateTime",
      occurencePeriod: "effectivePeriod",
      occurenceTiming: null,
      performer: { below: { actor: reference } },
      reason,
      recorded: null,
      subPotentReason: null
    },
    MedicationDispense: {
      basedOn: null,
      category: { many: false },
      dosageInstruction: dosage,
      encounter: "context",
      medication,
      notPerformedReason: split("statusReasonCodeableConcept", "statusReasonReference"),
      recorded: null,
      renderedDosageInstruction: null,
      statusChanged: null,
      substitution: { below: { responsibleParty: { many: true } } }
    },
    MedicationRequest: {
      device: null,
      dispenseRequest: {
        below: { dispenser: "performer", dispenserInstruction: null, doseAdministrationAid: null }
      },
      dosageInstruction: dosage,
      effectiveDosePeriod: null,
      informationSource: { to: "reportedReference", many: false },
      medication,
      performer: { many: false },
      reason,
      renderedDosageInstruction: null,
      reported: { to: "reportedBoolean", unless: "informationSource" },
      // It is over, and was in force.
      status: { codes: { ended: "completed" } },
      statusChanged: null
    },
    MedicationStatement: {
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
      effectiveTiming: null,
      encounter: "context",
      informationSource: { many: false },
      medication,
      reason,
      relatedClinicalInformation: null,
      renderedDosageInstruction: null,
      status: { codes: { draft: "unknown", recorded: "unknown" } }
    },
    Observation: {
      bodyStructure: null,
      component: { below: observed },
      instantiatesCanonical: null,
      instantiatesReference: null,
      triggeredBy: null,
      ...observed
    },
    Organization: {
      contact: { below: { name: { many: false }, organization: null, period: null } },
      description: null,
      qualification: null
    },
    Patient: { photo },
    Person: {
      communication: null,
      deceasedBoolean: null,
      deceasedDateTime: null,
      maritalStatus: null,
      photo: { ...photo, many: false }
    },
    Practitioner: {
      communication: { take: "language" },
      deceasedBoolean: null,
      deceasedDateTime: null,
      photo
    },
    PractitionerRole: { availability: null, characteristic: null, communication: null, contact: telecom },
    Procedure: {
      category: { many: false },
      complication: split("complication", "complicationDetail"),
      focus: null,
      occurrenceAge: "performedAge",
      occurrenceDateTime: "performedDateTime",
      occurrencePeriod: "performedPeriod",
      occurrenceRange: "performedRange",
      occurrenceString: "performedString",
      occurrenceTiming: null,
      performer: { below: { period: null } },
      reason,
      recorded: null,
      reportedBoolean: null,
      reportedReference: "asserter",
      supportingInfo: null,
      used: split("usedCode", "usedReference")
    },
    Provenance: {
      authorization: { to: "reason", take: "concept" },
      basedOn: null,
      encounter: null,
      patient: null
    },
    RelatedPerson: { photo },
    ServiceRequest: {
      bodyStructure: null,
      code: concept,
      focus: null,
      location: split("locationCode", "locationReference"),
      orderDetail: { below: { parameter: null, parameterFocus: null } },
      patientInstruction: { take: "instructionMarkdown", many: false },
      reason,
      supportingInfo: reference
    },
    Specimen: {
      collection: { below: { bodySite: concept, device: null, procedure: null } },
      combined: null,
      container: { below: { device: null, location: null } },
      feature: null,
      processing: { below: { method: "procedure" } },
      role: null
    },
    Substance: {
      code: concept,
      expiry: "instance[].expiry",
      instance: null,
      quantity: "instance[].quantity"
    },
    Task: {
      doNotPerform: { means: { false: {} }, rejects: true },
      input: null,
      output: null,
      performer: null,
      reason: split("reasonCode", "reasonReference", { many: false }),
      requestedPerformer: null,
      requestedPeriod: null,
      statusReason: concept
    }
  }
}
