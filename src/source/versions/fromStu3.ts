import type { Rewrite, Rules, VersionRules } from "./Rule.ts"

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
    onBehalfOfReference: "onBehalfOf",
    onBehalfOfUri: null,
    relatedAgentType: null,
    role: many,
    whoReference: "who",
    whoUri: null
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
    Account: { active: "servicePeriod", balance: null, period: null, subject: many },
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
              category: null,
              definition: null,
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
      employmentImpacted: null,
      hospitalization: null,
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
      organization: null,
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
    Coverage: { grouping: null, sequence: null },
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
          description: null,
          doseSequence: "doseNumberPositiveInt",
          doseStatus: null,
          doseStatusReason: null,
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
            up: { authority: null, description: "description", doseSequence: null, series: "series" }
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
      image: null,
      ingredient: { below: { amount: "strength" } },
      isBrand: null,
      isOverTheCounter: null,
      package: null
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
          blob: "data",
          contentType: "sigFormat",
          onBehalfOfReference: "onBehalfOf",
          onBehalfOfUri: null,
          whoReference: "who",
          whoUri: null
        }
      }
    },
    RelatedPerson: { relationship: many },
    // Its request can be a ProcedureRequest.
    Specimen: {},
    Task: {
      context: "encounter",
      definitionReference: null,
      definitionUri: null,
      input: null,
      output: null,
      reason: "reasonCode",
      requester: agent
    }
  }
}
