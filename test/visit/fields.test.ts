import { assert, describe, it } from "@effect/vitest"
import { type Field, referenceListTypes } from "../../src/visit/Field.ts"
import { fieldAt, fieldOfValue, fieldPaths, visitFields } from "../../src/visit/fields.ts"
import { present } from "../present.ts"
import { leafPaths } from "./leafPaths.ts"

/**
 * The tables of §2.4 to §2.6, copied from the specification a second time: field, kind, and the marks below.
 *
 * - `!` mandatory (§4.5 rule 7, or "required"), `?` may be null, `""` an empty string is the blank, `opt` may be omitted
 * - `@list` the list its value comes from, `=a|b` a closed set, `:Component` the component it holds
 */
const specification: Readonly<Record<string, string>> = {
  Visit: `§2.4
    health_facility_code code !
    patient_code code !
    code code !
    admission_type text ? @admission_types
    discharge_type text ? @discharge_types
    visit_outcome text ? @visit_outcomes
    visit_type text ? @visit_types
    admitted_at timestamp !
    discharged_at timestamp !
    followup_at timestamp ?
    created_at timestamp !
    updated_at timestamp !
    patient object ! :Patient
    triages list :Triage
    vital_signs list :VitalSign
    medical_histories list :MedicalHistory
    physical_examinations list :PhysicalExamination
    outpatients list :Encounter
    inpatients list :Encounter
    emergencies list :Encounter
    surgeries list :Surgery
    progress_notes list :ProgressNote
    soaps list :Soap
    laboratories list :Laboratory
    imageries list :Imagery
    diagnosis list :Diagnosis
    consultations strings
    prescriptions list :Prescription
    referrals object ? :Referral
    invoices list :Invoice`,
  Patient: `§2.5
    code code !
    surname text ?
    name text ?
    sex text ? =M|F
    birthdate date ?
    phone text ?
    nationality text ? "" @nationalities
    disabilities text ? ""
    occupation text ?
    marital_status text ? @marital_statuses
    photos text ? ""
    address object ! :Address
    identifications list :Identification
    death_at timestamp ?
    spid identifier !
    created_at timestamp !
    updated_at timestamp ?`,
  Address: `§2.5 Address
    province object ! :Part
    district object ! :Part
    commune object ! :Part
    village object ! :Part
    house_number text ? ""
    street_number text ? ""
    location text ? ""`,
  Part: `§2.5 Address
    code code !
    name text ?`,
  Identification: `§2.5 Identification
    patient_code code !
    card_code code !
    card_type text ? @card_types`,
  Triage: `§2.6 Triage
    patient_code code !
    visit_code code !
    code code !
    chief_complaint text ?
    height decimal ?
    weight decimal ?
    recorded_at timestamp !
    recorded_by text ?
    title text ?`,
  VitalSign: `§2.6 VitalSign
    encounter_code code !
    recorded_at timestamp !
    recorded_by text ?
    title text ?
    observations list :Observation`,
  Observation: `§2.6 VitalSign
    name text ?
    value decimal ?`,
  MedicalHistory: `§2.6 MedicalHistory
    patient_code code !
    visit_code code !
    encounter_code code !
    name text ?
    value strings`,
  PhysicalExamination: `§2.6 PhysicalExamination
    patient_code code !
    visit_code code !
    encounter_code code !
    name text ?
    value_type text ? =text|complex
    value examination ?
    value_unit text ?`,
  Encounter: `§2.6 Encounter
    visit_code code !
    code code !
    name text ?
    service_type text ?
    encountered_by text ?
    title text ?
    symptoms strings opt
    started_at timestamp !
    ended_at timestamp !
    created_at timestamp !
    updated_at timestamp !`,
  Surgery: `§2.6 Surgery
    visit_code code !
    encounter_code code !
    code code !
    symptoms strings opt
    theater_name text ?
    service_type text ?
    reason text ?
    anesthesia_type text ?
    procedure_notes text ? ""
    complications strings
    specimens strings
    blood_loss text ?
    surgeon_name text ?
    anesthetist_name text ?
    assistant_names strings
    started_at timestamp !
    ended_at timestamp !
    created_at timestamp !
    updated_at timestamp !`,
  ProgressNote: `§2.6 ProgressNote
    visit_code code !
    encounter_code code !
    code code !
    encountered_by text ?
    title text ?
    started_at timestamp !
    ended_at timestamp !
    created_at timestamp !
    updated_at timestamp !`,
  Soap: `§2.6 Soap
    encounter_code code !
    code code !
    subjective text ?
    objective text ?
    assessment text ?
    plan text ?
    evaluation text ?
    recorded_at timestamp !
    recorded_by text ?
    title text ?`,
  Laboratory: `§2.6 Laboratory
    patient_code code !
    visit_code code !
    encounter_code code !
    request_code code !
    requested_at timestamp !
    collected_at timestamp !
    requested_by text ?
    collected_by text ?
    title text ?
    results list :LabResult`,
  LabResult: `§2.6 LabResult
    name text ?
    category text ?
    value text-or-decimal ?
    value_type text ? =string|float
    value_unit text ?
    reference_range text ?
    interpretation text ?
    verified_at timestamp !
    recorded_at timestamp !
    verified_by text ?
    recorded_by text ?`,
  Imagery: `§2.6 Imagery
    patient_code code !
    visit_code code !
    encounter_code code !
    request_code code !
    requested_at timestamp !
    collected_at timestamp !
    requested_by text ?
    collected_by text ?
    title text ?
    results list :ImageryResult`,
  ImageryResult: `§2.6 ImageryResult
    name text ?
    category text ?
    images strings
    result text ?
    conclusion text ?
    verified_at timestamp !
    recorded_at timestamp !
    verified_by text ?
    recorded_by text ?`,
  Diagnosis: `§2.6 Diagnosis
    patient_code code !
    visit_code code !
    encounter_code code ?
    diagnosis_type_name text ? @diagnosis_types
    diagnosis_code code ! @diagnoses
    diagnosis_name text ?
    diagnosis_description text ?
    diagnosed_at timestamp !
    diagnosed_by text ?
    title text ?`,
  Prescription: `§2.6 Prescription
    patient_code code !
    visit_code code !
    code code !
    prescribed_by text ?
    title text ?
    encounter_code code ?
    prescribed_at timestamp !
    medications list :PrescribedMedication`,
  PrescribedMedication: `§2.6 PrescribedMedication
    code code ! @medications
    medicine_name text ?
    strength text ?
    form text ?
    method text ?
    unit text ?
    note text ?
    morning decimal ?
    afternoon decimal ?
    evening decimal ?
    night decimal ?
    days decimal ?
    interval text ?`,
  Referral: `§2.6 Referral
    referred_from object ?
    referred_to object ? :ReferredTo`,
  ReferredTo: `§2.6 referred_to
    code code !
    referral_number identifier !
    transportation text ?
    reason text ?
    health_facility object ! :Facility
    has_called boolean ?
    caretaker_name text ?
    caretaker_phone text ?
    referred_by text ?
    referred_by_phone text ?
    referred_at timestamp !
    received_by text ?
    received_at timestamp ?
    medications text ?`,
  Facility: `§2.6 referred_to.health_facility
    name text !
    code code ! @health_facilities
    label text ? opt
    type text ? opt`,
  Invoice: `§2.6 Invoice
    patient_code code !
    visit_code code !
    encounter_code code !
    code code !
    cashier text ?
    payment_type text ? @payment_types
    invoice_date timestamp !
    created_at timestamp !
    updated_at timestamp !
    total decimal ?
    services list :InvoiceService
    medications list :InvoiceMedication`,
  InvoiceService: `§2.6 InvoiceService
    invoice_code code !
    service_code code !
    service_name text ?
    service_category text ?
    price decimal ?
    payment decimal ?
    discount decimal ?
    paid boolean ?
    discount_type text ?`,
  InvoiceMedication: `§2.6 InvoiceMedication
    invoice_code code !
    medicine_code code ! @medications
    medicine_name text ?
    unit text ?
    quantity decimal ?
    price decimal ?
    payment decimal ?
    discount decimal ?
    paid boolean ?
    discount_type text ?`
}

/** A field as one line again, with what it holds indented under it, so that both sides can be compared as text. */
const line = (field: Field): string =>
  [
    field.name,
    field.kind,
    field.mandatory ? "!" : "",
    field.nullable ? "?" : "",
    field.blank === "" ? "\"\"" : "",
    field.optional ? "opt" : "",
    field.list === undefined ? "" : `@${field.list}`,
    field.values === undefined ? "" : `=${field.values.join("|")}`
  ].filter((word) => word !== "").join(" ")

const declared = (fields: ReadonlyArray<Field>, indent = ""): ReadonlyArray<string> =>
  fields.flatMap((
    field
  ) => [`${indent}${field.section}: ${line(field)}`, ...declared(field.fields ?? [], indent + "  ")])

const transcribed = (component: string, indent = ""): ReadonlyArray<string> => {
  const [section, ...lines] = present(specification[component]).split("\n").map((text) => text.trim())
  return lines.flatMap((text) => {
    const [words, of] = text.split(" :")
    const field = [`${indent}${section}: ${words}`]
    return of === undefined ? field : field.concat(transcribed(of, indent + "  "))
  })
}

describe("§2.4 to §2.6: the fields of the Visit", () => {
  it("are exactly those of the specification's tables, in their order", () => {
    assert.deepStrictEqual(declared(visitFields), transcribed("Visit"))
  })

  it("§4.5 rule 7: every code, timestamp and identifier is mandatory, unless its type allows null", () => {
    for (const path of fieldPaths) {
      const field = present(fieldAt(path))
      const isNamedSo = /(?:^|_)code$|_at$|^invoice_date$|^spid$|^referral_number$/.test(field.name)
      const held = field.kind === "code" || field.kind === "identifier" || field.kind === "timestamp"
      assert.strictEqual(held, isNamedSo, path)
      if (held) assert.strictEqual(field.mandatory, !field.nullable, path)
    }
  })

  it("§2: only the fields marked optional can be omitted", () => {
    assert.deepStrictEqual(fieldPaths.filter((path) => fieldAt(path)?.optional), [
      "outpatients.symptoms",
      "inpatients.symptoms",
      "emergencies.symptoms",
      "surgeries.symptoms",
      "referrals.referred_to.health_facility.label",
      "referrals.referred_to.health_facility.type"
    ])
  })

  it("each has a description of one sentence", () => {
    for (const path of fieldPaths) assert.match(present(fieldAt(path)).description, /^[A-Z].+\.$/, path)
  })

  it("are found by path, with and without indexes", () => {
    assert.strictEqual(fieldAt("vital_signs.observations.value")?.kind, "decimal")
    assert.strictEqual(fieldAt("vital_signs.observation.value"), undefined)
    assert.strictEqual(fieldOfValue(["vital_signs", 3, "recorded_by"]), fieldAt("vital_signs.recorded_by"))
    assert.strictEqual(fieldAt("diagnosis.diagnosis_code")?.list, "diagnoses")
  })

  it("have leaves: everything that is not a component or a list of components", () => {
    assert.include(leafPaths, "consultations")
    assert.include(leafPaths, "patient.address.village.code")
    assert.notInclude(leafPaths, "patient.address")
    assert.notInclude(leafPaths, "invoices")
    for (const path of leafPaths) assert.strictEqual(present(fieldAt(path)).fields, undefined)
  })

  it("§4.3: take their values from the twelve lists of the standard data", () => {
    assert.strictEqual(new Set(referenceListTypes).size, 12)
    const used = new Set(fieldPaths.map((path) => present(fieldAt(path)).list).filter((list) => list !== undefined))
    assert.deepStrictEqual([...used].toSorted(), referenceListTypes.toSorted())
  })
})
