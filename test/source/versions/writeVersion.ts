import { isJsonObject } from "../../../src/json/JsonObject.ts"

/** Records of R4 as servers of R5 and STU3 write them: by the pages of each resource, and by none of the rules in `src`. */

export type Json = Readonly<Record<string, unknown>>
type Open = Record<string, any>

const move = (record: Open, from: string, to: string): void => {
  for (const prefix of ["", "_"]) {
    if (record[prefix + from] === undefined) continue
    record[prefix + to] = record[prefix + from]
    delete record[prefix + from]
  }
}

/** A list of CodeableReference of two lists, or of two single elements. */
const joined = (record: Open, concept: string, reference: string, to: string, isList = true): void => {
  const concepts = [record[concept] ?? []].flat().map((one: unknown) => ({ concept: one }))
  const references = [record[reference] ?? []].flat().map((one: unknown) => ({ reference: one }))
  delete record[concept]
  delete record[reference]
  const all = [...concepts, ...references]
  if (all.length > 0) record[to] = isList ? all : all[0]
}

const conceptOf = (record: Open, name: string, isList = false): void => {
  if (record[name] !== undefined) record[name] = isList ? [{ concept: record[name] }] : { concept: record[name] }
}

/** Replaces a status that the version has another word for. */
const restate = (record: Open, words: Readonly<Record<string, string>>): void => {
  record.status = words[record.status] ?? record.status
}

const listed = (record: Open, name: string): void => {
  if (record[name] !== undefined && !Array.isArray(record[name])) record[name] = [record[name]]
}

const dosagesOfR5 = (record: Open, name: string): void => {
  for (const dosage of record[name] ?? []) {
    move(dosage, "asNeededBoolean", "asNeeded")
    if (dosage.asNeededCodeableConcept !== undefined) {
      dosage.asNeeded = true
      dosage.asNeededFor = [dosage.asNeededCodeableConcept]
      delete dosage.asNeededCodeableConcept
    }
    listed(dosage, "maxDosePerPeriod")
  }
}

const medicationOfR5 = (record: Open): void => {
  joined(record, "medicationCodeableConcept", "medicationReference", "medication", false)
  joined(record, "reasonCode", "reasonReference", "reason")
}

const participants = (record: Open): void => {
  const all = ([["recorder", "author"], ["asserter", "informant"]] as const).flatMap(([name, code]) => {
    const actor: unknown = record[name]
    delete record[name]
    const system = "http://terminology.hl7.org/CodeSystem/provenance-participant-type"
    return actor === undefined ? [] : [{ function: { coding: [{ system, code }] }, actor }]
  })
  if (all.length > 0) record.participant = all
}

const adherence: Readonly<Record<string, string>> = {
  active: "taking",
  "not-taken": "not-taking",
  "on-hold": "on-hold",
  stopped: "stopped",
  unknown: "unknown"
}

const writeR5: Readonly<Record<string, (record: Open) => void>> = {
  AllergyIntolerance(record) {
    participants(record)
    for (const reaction of record.reaction ?? []) {
      reaction.manifestation = reaction.manifestation?.map((concept: unknown) => ({ concept }))
    }
    if (record.type !== undefined) record.type = { coding: [{ code: record.type }] }
  },
  Appointment(record) {
    joined(record, "reasonCode", "reasonReference", "reason")
    move(record, "cancelationReason", "cancellationReason")
    record.serviceType = record.serviceType?.map((concept: unknown) => ({ concept }))
  },
  CarePlan(record) {
    move(record, "author", "custodian")
    record.addresses = record.addresses?.map((reference: unknown) => ({ reference }))
    for (const activity of record.activity ?? []) {
      move(activity, "reference", "plannedActivityReference")
      joined(activity, "outcomeCodeableConcept", "outcomeReference", "performedActivity")
    }
  },
  ChargeItem(record) {
    move(record, "context", "encounter")
    joined(record, "productCodeableConcept", "productReference", "product")
    record.service = record.service?.map((reference: unknown) => ({ reference }))
  },
  Communication(record) {
    joined(record, "reasonCode", "reasonReference", "reason")
  },
  Composition(record) {
    listed(record, "identifier")
    listed(record, "subject")
    for (const attester of record.attester ?? []) attester.mode = { coding: [{ code: attester.mode }] }
    for (const event of record.event ?? []) joined(event, "code", "detail", "detail")
  },
  Condition(record) {
    participants(record)
    record.evidence = record.evidence?.flatMap(({ code = [], detail = [] }: Open) => [
      ...code.map((concept: unknown) => ({ concept })),
      ...detail.map((reference: unknown) => ({ reference }))
    ])
  },
  Coverage(record) {
    if (record.payor?.length === 1) {
      record.insurer = record.payor[0]
      delete record.payor
    } else if (record.payor !== undefined) {
      record.paymentBy = record.payor.map((party: unknown) => ({ party }))
      delete record.payor
    }
    for (const one of record.class ?? []) one.value = { value: one.value }
    if (record.subscriberId !== undefined) record.subscriberId = [{ value: record.subscriberId }]
    record.kind = "insurance"
  },
  DiagnosticReport(record) {
    move(record, "imagingStudy", "study")
  },
  DocumentReference(record) {
    const { context } = record
    if (context !== undefined) {
      delete record.context
      const { encounter, event, facilityType, period, practiceSetting } = context
      Object.assign(record, {
        ...(encounter === undefined ? {} : { context: encounter }),
        ...(event === undefined ? {} : { event: event.map((concept: unknown) => ({ concept })) }),
        ...(facilityType === undefined ? {} : { facilityType }),
        ...(period === undefined ? {} : { period }),
        ...(practiceSetting === undefined ? {} : { practiceSetting })
      })
    }
    if (record.authenticator !== undefined) {
      record.attester = [{ mode: { coding: [{ code: "legal" }] }, party: record.authenticator }]
      delete record.authenticator
    }
    for (const content of record.content ?? []) {
      if (content.format !== undefined) content.profile = [{ valueCoding: content.format }]
      delete content.format
    }
    for (const one of record.relatesTo ?? []) one.code = { coding: [{ code: one.code }] }
  },
  Encounter(record) {
    if (record.class !== undefined) record.class = [{ coding: [record.class] }]
    move(record, "period", "actualPeriod")
    const { hospitalization } = record
    if (hospitalization !== undefined) {
      delete record.hospitalization
      for (const name of ["dietPreference", "specialArrangement", "specialCourtesy"]) {
        if (hospitalization[name] !== undefined) record[name] = hospitalization[name]
        delete hospitalization[name]
      }
      record.admission = hospitalization
    }
    joined(record, "reasonCode", "reasonReference", "reason")
    record.reason = record.reason?.map((one: unknown) => ({ value: [one] }))
    for (const diagnosis of record.diagnosis ?? []) {
      diagnosis.condition = [{ reference: diagnosis.condition }]
      listed(diagnosis, "use")
    }
    for (const participant of record.participant ?? []) move(participant, "individual", "actor")
    for (const location of record.location ?? []) move(location, "physicalType", "form")
    conceptOf(record, "serviceType", true)
    restate(record, { finished: "completed", onleave: "on-hold" })
  },
  FamilyMemberHistory(record) {
    joined(record, "reasonCode", "reasonReference", "reason")
  },
  Group(record) {
    record.membership = record.actual === true ? "enumerated" : "definitional"
    delete record.actual
  },
  Immunization(record) {
    joined(record, "reasonCode", "reasonReference", "reason")
    if (record.reportOrigin !== undefined) record.informationSource = { concept: record.reportOrigin }
    delete record.reportOrigin
    if (record.manufacturer !== undefined) record.manufacturer = { reference: record.manufacturer }
  },
  Invoice(record) {
    move(record, "date", "creation")
  },
  Location(record) {
    move(record, "physicalType", "form")
    if (record.telecom !== undefined) record.contact = [{ telecom: record.telecom }]
    delete record.telecom
  },
  Medication(record) {
    move(record, "form", "doseForm")
    move(record, "manufacturer", "marketingAuthorizationHolder")
    for (const one of record.ingredient ?? []) {
      joined(one, "itemCodeableConcept", "itemReference", "item", false)
      move(one, "strength", "strengthRatio")
    }
  },
  MedicationAdministration(record) {
    medicationOfR5(record)
    move(record, "context", "encounter")
    move(record, "effectiveDateTime", "occurenceDateTime")
    move(record, "effectivePeriod", "occurencePeriod")
    listed(record, "category")
    for (const performer of record.performer ?? []) performer.actor = { reference: performer.actor }
  },
  MedicationDispense(record) {
    medicationOfR5(record)
    move(record, "context", "encounter")
    dosagesOfR5(record, "dosageInstruction")
    listed(record, "category")
    joined(record, "statusReasonCodeableConcept", "statusReasonReference", "notPerformedReason", false)
  },
  MedicationRequest(record) {
    medicationOfR5(record)
    dosagesOfR5(record, "dosageInstruction")
    listed(record, "performer")
    move(record, "reportedBoolean", "reported")
    if (record.reportedReference !== undefined) {
      Object.assign(record, { reported: true, informationSource: [record.reportedReference] })
    }
    delete record.reportedReference
    if (record.dispenseRequest !== undefined) move(record.dispenseRequest, "performer", "dispenser")
  },
  MedicationStatement(record) {
    medicationOfR5(record)
    dosagesOfR5(record, "dosage")
    move(record, "context", "encounter")
    listed(record, "category")
    listed(record, "informationSource")
    if (adherence[record.status] === undefined) return
    const [reason] = record.statusReason ?? []
    delete record.statusReason
    record.adherence = {
      code: { coding: [{ code: adherence[record.status] }] },
      ...(reason === undefined ? {} : { reason })
    }
    record.status = "recorded"
  },
  Organization(record) {
    for (const contact of record.contact ?? []) listed(contact, "name")
  },
  Practitioner(record) {
    record.communication = record.communication?.map((language: unknown) => ({ language, preferred: true }))
  },
  PractitionerRole(record) {
    if (record.telecom !== undefined) record.contact = [{ telecom: record.telecom }]
    delete record.telecom
  },
  Procedure(record) {
    for (const type of ["DateTime", "Period", "String", "Age", "Range"]) {
      move(record, `performed${type}`, `occurrence${type}`)
    }
    joined(record, "reasonCode", "reasonReference", "reason")
    joined(record, "complication", "complicationDetail", "complication")
    joined(record, "usedCode", "usedReference", "used")
    move(record, "asserter", "reportedReference")
    listed(record, "category")
  },
  ServiceRequest(record) {
    conceptOf(record, "code")
    joined(record, "reasonCode", "reasonReference", "reason")
    joined(record, "locationCode", "locationReference", "location")
    record.supportingInfo = record.supportingInfo?.map((reference: unknown) => ({ reference }))
    if (record.patientInstruction !== undefined) {
      record.patientInstruction = [{ instructionMarkdown: record.patientInstruction }]
    }
  },
  Task(record) {
    joined(record, "reasonCode", "reasonReference", "reason")
    conceptOf(record, "statusReason")
  }
}

const codeOf = (record: Open, name: string): void => {
  if (record[name]?.coding !== undefined) record[name] = record[name].coding[0].code
}

const single = (record: Open, name: string): void => {
  if (record[name]?.length === 1) record[name] = record[name][0]
}

const dosagesOfStu3 = (record: Open, name: string): void => {
  for (const dosage of record[name] ?? []) {
    if ((dosage.doseAndRate?.length ?? 0) === 1) {
      const { type: _, ...rest } = dosage.doseAndRate[0]
      delete dosage.doseAndRate
      Object.assign(dosage, rest)
    }
  }
}

const notDone = (record: Open, status: string, name: string): void => {
  if (record.status !== status) return
  record.status = "completed"
  record[name] = true
}

const requested = (record: Open): void => {
  if (record.requester !== undefined) record.requester = { agent: record.requester }
  restate(record, { "on-hold": "suspended", revoked: "cancelled" })
}

const writeStu3: Readonly<Record<string, (record: Open) => void>> = {
  AllergyIntolerance(record) {
    codeOf(record, "clinicalStatus")
    codeOf(record, "verificationStatus")
    move(record, "recordedDate", "assertedDate")
  },
  Appointment(record) {
    move(record, "reasonCode", "reason")
    move(record, "reasonReference", "indication")
    move(record, "basedOn", "incomingReferral")
    single(record, "serviceCategory")
  },
  CarePlan(record) {
    move(record, "encounter", "context")
    listed(record, "author")
    restate(record, { "on-hold": "suspended", revoked: "cancelled" })
    for (const { detail } of record.activity ?? []) {
      if (detail === undefined) continue
      move(detail, "doNotPerform", "prohibited")
      if (detail.statusReason !== undefined) detail.statusReason = detail.statusReason.text
    }
  },
  ChargeItem(record) {
    single(record, "identifier")
    move(record, "performer", "participant")
    for (const one of record.participant ?? []) move(one, "function", "role")
  },
  Communication(record) {
    move(record, "encounter", "context")
    move(record, "about", "topic")
    notDone(record, "not-done", "notDone")
    move(record, "statusReason", "notDoneReason")
  },
  Composition(record) {
    if (record.category?.length === 1) {
      record.class = record.category[0]
      delete record.category
    }
    for (const attester of record.attester ?? []) listed(attester, "mode")
  },
  Condition(record) {
    codeOf(record, "clinicalStatus")
    codeOf(record, "verificationStatus")
    move(record, "recordedDate", "assertedDate")
    move(record, "encounter", "context")
    single(record, "stage")
  },
  Device(record) {
    move(record, "modelNumber", "model")
  },
  DiagnosticReport(record) {
    move(record, "encounter", "context")
    move(record, "media", "image")
    move(record, "conclusionCode", "codedDiagnosis")
    single(record, "category")
    record.performer = record.performer?.map((actor: unknown) => ({ actor }))
  },
  DocumentReference(record) {
    move(record, "date", "indexed")
    if (record.category?.length === 1) {
      record.class = record.category[0]
      delete record.category
    }
    if (record.context !== undefined) {
      single(record.context, "encounter")
      record.context.related = record.context.related?.map((ref: unknown) => ({ ref }))
    }
  },
  Encounter(record) {
    move(record, "reasonCode", "reason")
    move(record, "basedOn", "incomingReferral")
    single(record, "appointment")
    for (const diagnosis of record.diagnosis ?? []) move(diagnosis, "use", "role")
  },
  FamilyMemberHistory(record) {
    if (record.sex !== undefined) {
      record.gender = record.sex.coding[0].code
      delete record.sex
    }
    notDone(record, "health-unknown", "notDone")
    move(record, "dataAbsentReason", "notDoneReason")
  },
  Immunization(record) {
    move(record, "occurrenceDateTime", "date")
    move(record, "performer", "practitioner")
    for (const one of record.practitioner ?? []) move(one, "function", "role")
    notDone(record, "not-done", "notGiven")
    const { reasonCode, statusReason } = record
    if (reasonCode !== undefined) record.explanation = { reason: reasonCode }
    if (statusReason !== undefined) record.explanation = { ...record.explanation, reasonNotGiven: [statusReason] }
    delete record.reasonCode
    delete record.statusReason
    move(record, "protocolApplied", "vaccinationProtocol")
    for (const one of record.vaccinationProtocol ?? []) {
      move(one, "doseNumberPositiveInt", "doseSequence")
      move(one, "seriesDosesPositiveInt", "seriesDoses")
    }
  },
  Location(record) {
    single(record, "type")
  },
  Medication(record) {
    for (const one of record.ingredient ?? []) move(one, "strength", "amount")
  },
  MedicationAdministration(record) {
    move(record, "request", "prescription")
    notDone(record, "not-done", "notGiven")
    move(record, "statusReason", "reasonNotGiven")
  },
  MedicationDispense(record) {
    dosagesOfStu3(record, "dosageInstruction")
    notDone(record, "declined", "notDone")
    move(record, "statusReasonCodeableConcept", "notDoneReasonCodeableConcept")
    move(record, "statusReasonReference", "notDoneReasonReference")
  },
  MedicationRequest(record) {
    move(record, "encounter", "context")
    dosagesOfStu3(record, "dosageInstruction")
    if (record.requester !== undefined) record.requester = { agent: record.requester }
    if (record.substitution !== undefined) move(record.substitution, "allowedBoolean", "allowed")
    single(record, "category")
  },
  MedicationStatement(record) {
    dosagesOfStu3(record, "dosage")
    record.taken = record.status === "not-taken" ? "n" : "y"
    if (record.status === "not-taken") record.status = "completed"
    move(record, "statusReason", "reasonNotTaken")
  },
  Observation(record) {
    move(record, "encounter", "context")
    single(record, "interpretation")
    for (const component of record.component ?? []) single(component, "interpretation")
    const [note, ...others] = record.note ?? []
    if (note !== undefined && others.length === 0 && Object.keys(note).length === 1) {
      record.comment = note.text
      delete record.note
    }
    const related = ([["hasMember", "has-member"], ["derivedFrom", "derived-from"]] as const).flatMap(
      ([name, type]) => {
        const targets: ReadonlyArray<unknown> = record[name] ?? []
        delete record[name]
        return targets.map((target) => ({ type, target }))
      }
    )
    if (related.length > 0) record.related = related
  },
  Procedure(record) {
    move(record, "encounter", "context")
    restate(record, { "on-hold": "suspended", stopped: "aborted" })
    notDone(record, "not-done", "notDone")
    move(record, "statusReason", "notDoneReason")
    for (const performer of record.performer ?? []) move(performer, "function", "role")
  },
  RelatedPerson(record) {
    single(record, "relationship")
  },
  ServiceRequest(record) {
    record.resourceType = "ProcedureRequest"
    move(record, "encounter", "context")
    requested(record)
    single(record, "performer")
  },
  Task(record) {
    move(record, "encounter", "context")
    if (record.requester !== undefined) record.requester = { agent: record.requester }
    move(record, "reasonCode", "reason")
  }
}

/** Numbers keep their digits. */
const parse = (text: string): Open => {
  const value = JSON.parse(
    text,
    (_, value, { source }) => typeof value === "number" && source !== undefined ? JSON.rawJSON(source) : value
  )
  if (!isJsonObject(value)) throw new Error("a record is a JSON object")
  return value
}

/** A record of R4 as R5 or STU3 has it, with the records in it; a Bundle with its entries. */
export const writeVersion = (record: Json, version: "R5" | "STU3"): Json => {
  const text = JSON.stringify(record)
  const written = parse(
    version === "R5"
      ? text
      : text.replaceAll("\"ServiceRequest/", "\"ProcedureRequest/").replaceAll("/ServiceRequest/", "/ProcedureRequest/")
  )
  if (written.resourceType === "Bundle") {
    for (const entry of written.entry ?? []) {
      if (entry.resource !== undefined) entry.resource = writeVersion(entry.resource, version)
    }
    return written
  }
  if (written.contained !== undefined) {
    written.contained = written.contained.map((one: Json) => writeVersion(one, version))
  }
  const write = (version === "R5" ? writeR5 : writeStu3)[String(written.resourceType)]
  write?.(written)
  return parse(JSON.stringify(written))
}
