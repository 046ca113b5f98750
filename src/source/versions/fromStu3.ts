import { notInR4, type Rewrite, type Rules, type VersionRules } from "./Rule.ts"

// https://hl7.org/fhir/R4/diff.html and the page of each resource: "R3 Diff".

const terminology = "http://terminology.hl7.org/CodeSystem/"
const many: Rewrite = { many: true }
const agent: Rewrite = { take: "agent" }
const concept: Rewrite = { wrap: "coding" }

const service = "productOrService"

/** A flag for something not done, for which R4 has a status. */
const isNot = (status: string): Rewrite => ({ means: { true: { status }, false: {} } })

/** R4 has these elements in a list. */
const dosage: Rewrite = {
  below: {
    doseQuantity: "doseAndRate[].doseQuantity",
    doseRange: "doseAndRate[].doseRange",
    rateQuantity: "doseAndRate[].rateQuantity",
    rateRange: "doseAndRate[].rateRange",
    rateRatio: "doseAndRate[].rateRatio"
  }
}

const requestStatus: Rewrite = { codes: { suspended: "on-hold", cancelled: "revoked" } }
const eventStatus: Rewrite = { codes: { suspended: "on-hold", aborted: "stopped" } }

const provenanceAgent: Rewrite = {
  below: {
    ...notInR4("onBehalfOfUri relatedAgentType whoUri"),
    onBehalfOfReference: "onBehalfOf",
    role: many,
    whoReference: "who"
  }
}

const request: Rules = {
  context: "encounter",
  definition: null,
  requester: agent,
  status: requestStatus
}

/** What STU3 writes differently than R4, in types that the base mapping and mappings of claims read. */
export const fromStu3: VersionRules = {
  extensions: "http://hl7.org/fhir/3.0/StructureDefinition/extension-",
  types: { ProcedureRequest: "ServiceRequest", ReferralRequest: "ServiceRequest" },
  elements: {
    Account: { ...notInR4("balance period"), active: "servicePeriod", subject: many },
    AllergyIntolerance: {
      assertedDate: "recordedDate",
      clinicalStatus: { system: `${terminology}allergyintolerance-clinical` },
      verificationStatus: { system: `${terminology}allergyintolerance-verification` }
    },
    Appointment: {
      incomingReferral: "basedOn",
      indication: "reasonReference",
      reason: "reasonCode",
      serviceCategory: many
    },
    CarePlan: {
      activity: {
        below: {
          detail: {
            below: {
              ...notInR4("category definition"),
              prohibited: "doNotPerform",
              statusReason: { wrap: "text" }
            }
          }
        }
      },
      author: { many: false },
      context: "encounter",
      definition: null,
      status: requestStatus
    },
    ChargeItem: {
      definition: null,
      identifier: many,
      participant: { to: "performer", below: { role: "function" } }
    },
    Claim: {
      ...notInR4("employmentImpacted hospitalization organization"),
      information: "supportingInfo",
      item: {
        below: {
          careTeamLinkId: "careTeamSequence",
          detail: { below: { service, subDetail: { below: { service } } } },
          diagnosisLinkId: "diagnosisSequence",
          informationLinkId: "informationSequence",
          procedureLinkId: "procedureSequence",
          service
        }
      },
      subType: { many: false },
      use: { codes: { complete: "claim", exploratory: "predetermination", proposed: "preauthorization" } }
    },
    ClinicalImpression: {
      action: null,
      context: "encounter",
      status: { codes: { draft: "in-progress" } }
    },
    Communication: {
      context: "encounter",
      definition: null,
      notDone: isNot("not-done"),
      notDoneReason: "statusReason",
      status: eventStatus,
      topic: "about"
    },
    Composition: {
      attester: { below: { mode: { many: false } } },
      class: { to: "category", many: true }
    },
    Condition: {
      abatementBoolean: null,
      assertedDate: "recordedDate",
      clinicalStatus: { system: `${terminology}condition-clinical` },
      context: "encounter",
      stage: many,
      verificationStatus: { system: `${terminology}condition-ver-status` }
    },
    Consent: {
      action: "provision.action",
      actor: "provision.actor",
      consentingParty: "performer",
      data: "provision.data",
      dataPeriod: "provision.dataPeriod",
      except: "provision.provision",
      period: "provision.period",
      policyRule: {
        system: `${terminology}v3-ActCode`,
        codes: {
          "http://hl7.org/fhir/ConsentPolicy/opt-in": "OPTIN",
          "http://hl7.org/fhir/ConsentPolicy/opt-out": "OPTOUT"
        }
      },
      purpose: "provision.purpose",
      securityLabel: "provision.securityLabel",
      sourceIdentifier: null
    },
    Coverage: notInR4("grouping sequence"),
    Device: {
      model: "modelNumber",
      udi: null,
      version: { wrap: "value", many: true }
    },
    DiagnosticReport: {
      category: many,
      codedDiagnosis: "conclusionCode",
      context: "encounter",
      image: "media",
      performer: { take: "actor" }
    },
    DocumentReference: {
      class: { to: "category", many: true },
      context: { below: { encounter: many, related: { take: "ref" } } },
      created: null,
      indexed: "date"
    },
    Encounter: {
      appointment: many,
      diagnosis: { below: { role: "use" } },
      incomingReferral: "basedOn",
      reason: "reasonCode"
    },
    FamilyMemberHistory: {
      definition: null,
      gender: { to: "sex", system: "http://hl7.org/fhir/administrative-gender" },
      notDone: isNot("health-unknown"),
      notDoneReason: "dataAbsentReason"
    },
    HealthcareService: {
      category: many,
      eligibility: { wrap: "code", many: true },
      eligibilityNote: null,
      programName: { to: "program", wrap: "text" }
    },
    ImagingStudy: {
      accession: { to: "identifier", many: true },
      availability: null,
      context: "encounter",
      modalityList: "modality",
      patient: "subject",
      procedureReference: { many: false },
      reason: { to: "reasonCode", many: true },
      series: {
        below: {
          availability: null,
          instance: { below: { sopClass: { wrap: "code" } } },
          performer: { wrap: "actor" }
        }
      },
      uid: { to: "identifier", wrap: "value", many: true }
    },
    Immunization: {
      date: "occurrenceDateTime",
      explanation: { up: { reason: "reasonCode", reasonNotGiven: { to: "statusReason", many: false } } },
      notGiven: isNot("not-done"),
      practitioner: { to: "performer", below: { role: "function" } },
      vaccinationProtocol: {
        to: "protocolApplied",
        below: {
          ...notInR4("description doseStatus doseStatusReason"),
          doseSequence: "doseNumberPositiveInt",
          seriesDoses: "seriesDosesPositiveInt"
        }
      }
    },
    Location: { type: many },
    ImmunizationRecommendation: {
      recommendation: {
        below: {
          date: null,
          doseNumber: "doseNumberPositiveInt",
          protocol: {
            up: { ...notInR4("authority doseSequence"), description: "description", series: "series" }
          }
        }
      }
    },
    Media: {
      context: "encounter",
      occurrenceDateTime: "createdDateTime",
      occurrencePeriod: "createdPeriod",
      subtype: "modality",
      type: { system: `${terminology}media-type`, codes: { photo: "image" } }
    },
    Medication: {
      ...notInR4("image isBrand isOverTheCounter package"),
      ingredient: { below: { amount: "strength" } }
    },
    MedicationAdministration: {
      definition: null,
      notGiven: isNot("not-done"),
      performer: { below: { onBehalfOf: null } },
      prescription: "request",
      reasonNotGiven: "statusReason"
    },
    MedicationDispense: {
      dosageInstruction: dosage,
      notDone: isNot("declined"),
      notDoneReasonCodeableConcept: "statusReasonCodeableConcept",
      notDoneReasonReference: "statusReasonReference",
      performer: { below: { onBehalfOf: null } }
    },
    MedicationRequest: {
      category: many,
      context: "encounter",
      definition: null,
      dosageInstruction: dosage,
      requester: agent,
      substitution: { below: { allowed: "allowedBoolean" } }
    },
    MedicationStatement: {
      dosage,
      reasonNotTaken: "statusReason",
      taken: { means: { y: {}, n: { status: "not-taken" } } }
    },
    Observation: {
      comment: { to: "note", wrap: "text", many: true },
      component: { below: { interpretation: many, valueAttachment: null } },
      context: "encounter",
      interpretation: many,
      related: {
        by: "type",
        take: "target",
        many: true,
        cases: { "has-member": "hasMember", "derived-from": "derivedFrom" }
      },
      valueAttachment: null
    },
    Patient: { animal: null },
    ProcedureRequest: { ...request, performer: many },
    ReferralRequest: {
      ...request,
      description: null,
      groupIdentifier: "requisition",
      recipient: "performer",
      serviceRequested: { to: "code", many: false },
      specialty: "performerType",
      type: { to: "category", many: true }
    },
    Procedure: {
      context: "encounter",
      definition: null,
      notDone: isNot("not-done"),
      notDoneReason: "statusReason",
      performer: { below: { role: "function" } },
      status: eventStatus
    },
    Provenance: {
      activity: concept,
      agent: provenanceAgent,
      entity: {
        below: { agent: provenanceAgent, whatIdentifier: "what.identifier", whatReference: "what", whatUri: null }
      },
      period: "occurredPeriod",
      reason: concept,
      signature: {
        below: {
          ...notInR4("onBehalfOfUri whoUri"),
          blob: "data",
          contentType: "sigFormat",
          onBehalfOfReference: "onBehalfOf",
          whoReference: "who"
        }
      }
    },
    RelatedPerson: { relationship: many },
    // Its request can be a ProcedureRequest.
    Specimen: {},
    Task: {
      ...notInR4("definitionReference definitionUri input output"),
      context: "encounter",
      reason: "reasonCode",
      requester: agent
    }
  }
}
