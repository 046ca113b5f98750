import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { standardData } from "../../src/service/sandbox/data/standardData.ts"
import { present } from "../present.ts"
import { typed } from "./sandboxUser.ts"
import { visitJson } from "./visitFiles.ts"

/**
 * The tables of §2 of the specification, written independently of `src/visit`, for a strict service. A `code` is a code
 * or an identifier and is never empty (§4.5 rule 7). `?` may be null, `text` may be empty, and `a|b` are the documented values.
 */
type Shape = string | { readonly [field: string]: Shape } | readonly [Shape]

const place = { code: "code", name: "text" }
const ofVisit = { patient_code: "patient", visit_code: "visit" }
const written = { created_at: "time", updated_at: "time" }
const by = { recorded_at: "time", recorded_by: "text", title: "text" }
const request = {
  ...ofVisit,
  encounter_code: "encounter",
  request_code: "code",
  requested_at: "time",
  collected_at: "time",
  requested_by: "text",
  collected_by: "text",
  title: "text"
}
const verified = { verified_at: "time", recorded_at: "time", verified_by: "text", recorded_by: "text" }
const encounter = {
  visit_code: "visit",
  code: "code",
  name: "text",
  service_type: "text",
  encountered_by: "text",
  title: "text",
  symptoms: "texts",
  started_at: "time",
  ended_at: "time",
  ...written
}
const line = {
  invoice_code: "code",
  price: "number",
  payment: "number",
  discount: "number",
  paid: "boolean",
  discount_type: "text?"
}
const visitShape: Shape = {
  health_facility_code: "code",
  patient_code: "code",
  code: "code",
  admission_type: "list:admission_types",
  discharge_type: "list:discharge_types",
  visit_outcome: "list:visit_outcomes",
  visit_type: "list:visit_types",
  admitted_at: "time",
  discharged_at: "time",
  followup_at: "time?",
  ...written,
  patient: {
    code: "patient",
    surname: "text",
    name: "text",
    sex: "M|F",
    birthdate: "date",
    phone: "text",
    nationality: "text",
    disabilities: "text",
    occupation: "text",
    marital_status: "list:marital_statuses",
    photos: "text",
    address: {
      province: place,
      district: place,
      commune: place,
      village: place,
      house_number: "text",
      street_number: "text",
      location: "text"
    },
    identifications: [{ patient_code: "patient", card_code: "code", card_type: "list:card_types" }],
    death_at: "time?",
    spid: "code",
    created_at: "time",
    updated_at: "time?"
  },
  triages: [{ ...ofVisit, code: "code", chief_complaint: "text", height: "number", weight: "number", ...by }],
  vital_signs: [{
    encounter_code: "encounter",
    ...by,
    observations: [{
      name:
        "Systolic Blood Pressure|Diastolic Blood Pressure|Heart Rate|Respiratory Rate|Temperature|Blood Oxygen|Random Blood Glucose",
      value: "number"
    }]
  }],
  medical_histories: [{
    ...ofVisit,
    encounter_code: "encounter",
    name:
      "Immunization History|Allergies|Past Surgical History|Past Medical History|Family History|Current Illness History|Current Medication",
    value: "texts"
  }],
  physical_examinations: [{
    ...ofVisit,
    encounter_code: "encounter",
    name: "General Appearance|Skin|Digestive System",
    value_type: "text|complex",
    value: "examination",
    value_unit: "text?"
  }],
  outpatients: [encounter],
  inpatients: [encounter],
  emergencies: [encounter],
  surgeries: [{
    visit_code: "visit",
    encounter_code: "encounter",
    code: "code",
    symptoms: "texts",
    theater_name: "text",
    service_type: "text",
    reason: "text",
    anesthesia_type: "text",
    procedure_notes: "text",
    complications: "texts",
    specimens: "texts",
    blood_loss: "text",
    surgeon_name: "text",
    anesthetist_name: "text",
    assistant_names: "texts",
    started_at: "time",
    ended_at: "time",
    ...written
  }],
  progress_notes: [{
    visit_code: "visit",
    encounter_code: "encounter",
    code: "code",
    encountered_by: "text",
    title: "text",
    started_at: "time",
    ended_at: "time",
    ...written
  }],
  soaps: [{
    encounter_code: "encounter",
    code: "code",
    subjective: "text",
    objective: "text",
    assessment: "text",
    plan: "text",
    evaluation: "text?",
    ...by
  }],
  laboratories: [{
    ...request,
    results: [{
      name: "text",
      category: "text",
      value: "result",
      value_type: "string|float",
      value_unit: "text?",
      reference_range: "text",
      interpretation: "text",
      ...verified
    }]
  }],
  imageries: [{
    ...request,
    results: [{ name: "text", category: "text", images: "texts", result: "text", conclusion: "text?", ...verified }]
  }],
  diagnosis: [{
    ...ofVisit,
    encounter_code: "encounter?",
    diagnosis_type_name: "list:diagnosis_types",
    diagnosis_code: "list:diagnoses",
    diagnosis_name: "text",
    diagnosis_description: "text",
    diagnosed_at: "time",
    diagnosed_by: "text",
    title: "text"
  }],
  consultations: "texts",
  prescriptions: [{
    ...ofVisit,
    code: "code",
    encounter_code: "encounter?",
    prescribed_by: "text",
    title: "text",
    prescribed_at: "time",
    medications: [{
      code: "list:medications",
      medicine_name: "text",
      strength: "text",
      form: "text",
      method: "text",
      unit: "text",
      note: "text",
      morning: "number?",
      afternoon: "number?",
      evening: "number?",
      night: "number?",
      days: "number",
      interval: "text?"
    }]
  }],
  referrals: {
    referred_from: "any",
    referred_to: {
      code: "code",
      referral_number: "code",
      transportation: "text",
      reason: "text",
      health_facility: { name: "text", code: "list:health_facilities", label: "text", type: "text" },
      has_called: "boolean",
      caretaker_name: "text",
      caretaker_phone: "text",
      referred_by: "text",
      referred_by_phone: "text",
      referred_at: "time",
      received_by: "text?",
      received_at: "time?",
      medications: "text"
    }
  },
  invoices: [{
    ...ofVisit,
    encounter_code: "encounter",
    code: "code",
    cashier: "text",
    payment_type: "list:payment_types",
    invoice_date: "time",
    ...written,
    total: "number",
    services: [{ ...line, service_code: "code", service_name: "text", service_category: "text" }],
    medications: [{
      ...line,
      medicine_code: "list:medications",
      medicine_name: "text",
      unit: "text",
      quantity: "number"
    }]
  }]
}

type Json = null | boolean | number | string | ReadonlyArray<Json> | { readonly [key: string]: Json }
type Fields = { readonly [key: string]: Json }
const isFields = (value: Json | undefined): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)
const isTexts = (value: Json): boolean => Array.isArray(value) && value.every((one) => typeof one === "string")
const isList = (value: Json | undefined): value is ReadonlyArray<Json> => Array.isArray(value)
const rowsOf = (value: Json | undefined): ReadonlyArray<Fields> => isList(value) ? value.filter(isFields) : []
const parse = (json: string): Fields => JSON.parse(json)
const codesOf = (visit: Fields, ...keys: ReadonlyArray<string>) =>
  keys.flatMap((key) => rowsOf(visit[key]).map(({ code }) => String(code)))

/** Fields that a visit may omit, and objects that may be null: what the specification does not show. */
const optional = new Set(["symptoms", "label", "type"])
const nullable = new Set(["referrals", "referred_to"])

/** Everything that a strict service would refuse in a visit. */
const mistakesIn = (visit: Fields): ReadonlyArray<string> => {
  const encounters = codesOf(visit, "outpatients", "inpatients", "emergencies", "triages")
  const lists: Readonly<Record<string, ReadonlyArray<{ readonly code: string; readonly name: string }>>> = standardData
  const names = (list: string) => present(lists[list])
  const isOf = (kind: string, value: Json): boolean => {
    switch (kind) {
      case "any":
        return true
      case "code":
        return typeof value === "string" && value.trim() !== ""
      case "text":
        return typeof value === "string"
      case "texts":
        return isTexts(value)
      case "number":
        return typeof value === "number" && value >= 0
      case "boolean":
        return typeof value === "boolean"
      case "time":
        return typeof value === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d$/u.test(value) &&
          !Number.isNaN(Date.parse(value))
      case "date":
        return typeof value === "string" && /^\d{4}-\d\d-\d\d$/u.test(value) && !Number.isNaN(Date.parse(value))
      case "patient":
        return value === visit["patient_code"]
      case "visit":
        return value === visit["code"]
      case "encounter":
        return typeof value === "string" && encounters.includes(value)
      case "result":
        return typeof value === "string" || typeof value === "number"
      case "examination":
        return typeof value === "string" ||
          (Array.isArray(value) &&
            value.every((one: Json) =>
              isFields(one) && Object.entries(one).length === 1 &&
              Object.entries(one).every(([key, text]) =>
                ["inspection", "palpation", "percussion", "auscultation"].includes(key) && typeof text === "string"
              )
            ))
      default:
        return kind.startsWith("list:")
          ? names(kind.slice(5)).some(({ code, name }) => value === name || value === code)
          : kind.split("|").includes(String(value))
    }
  }
  const found: Array<string> = []
  const check = (shape: Shape, value: Json | undefined, path: string): void => {
    const key = path.slice(path.lastIndexOf(".") + 1)
    if (value === undefined) return void (optional.has(key) || found.push(`${path} is missing`))
    if (typeof shape === "string") {
      const kind = shape.endsWith("?") ? shape.slice(0, -1) : shape
      if (value === null && kind !== shape) return
      if (!isOf(kind, value)) found.push(`${path} is no ${kind}: ${JSON.stringify(value)}`)
      return
    }
    if (Array.isArray(shape)) {
      if (!isList(value)) return void found.push(`${path} is no list`)
      for (const [at, one] of value.entries()) check(shape[0], one, `${path}[${at}]`)
      return
    }
    if (value === null && nullable.has(key)) return
    if (!isFields(value)) return void found.push(`${path} is no object`)
    for (const [field, inner] of Object.entries(shape)) check(inner, value[field], `${path}.${field}`)
    for (const field of Object.keys(value)) if (!(field in shape)) found.push(`${path}.${field} is not in §2`)
    for (const [from, to] of [["started_at", "ended_at"], ["admitted_at", "discharged_at"]] as const) {
      const [begin, end] = [value[from], value[to]]
      if (typeof begin === "string" && typeof end === "string" && Date.parse(begin) > Date.parse(end)) {
        found.push(`${path}.${to} is before ${from}`)
      }
    }
    if (value["value_type"] === "float" && typeof value["value"] !== "number") found.push(`${path}.value is no number`)
    if (value["value_type"] === "text" && typeof value["value"] !== "string") found.push(`${path}.value is no text`)
    if (value["value_type"] === "complex" && !Array.isArray(value["value"])) found.push(`${path}.value is no list`)
  }
  check(visitShape, visit, "visit")
  for (const invoice of rowsOf(visit["invoices"])) {
    for (const { invoice_code } of [...rowsOf(invoice["services"]), ...rowsOf(invoice["medications"])]) {
      if (invoice_code !== invoice["code"]) found.push("a line of an invoice names another invoice")
    }
  }
  for (const { name, value_unit } of rowsOf(visit["physical_examinations"])) {
    if (value_unit !== null) found.push(`the examination ${String(name)} has the unit ${String(value_unit)}`)
  }
  if (/refer|transfer/iu.test(String(visit["discharge_type"])) && visit["referrals"] === null) {
    found.push("the patient is transferred without a referral (rule 6)")
  }
  const birthdate = isFields(visit["patient"]) ? visit["patient"]["birthdate"] : null
  if (String(birthdate) > String(visit["admitted_at"]).slice(0, 10)) found.push("born after the admission")
  return found
}

describe("generate", () => {
  it.live("generates visits that a strict service accepts: 400 of 400", () =>
    Effect.gen(function*() {
      const { code, stderr, stdout } = yield* typed(["generate", "--visits", "400"])
      assert.strictEqual(code, 0, stderr)
      const visits = stdout.trim().split("\n").map(parse)
      assert.strictEqual(visits.length, 400)
      assert.deepStrictEqual(
        visits.flatMap((visit) => mistakesIn(visit).map((mistake) => `${String(visit["code"])}: ${mistake}`)),
        []
      )
      const unique = (what: string, codes: ReadonlyArray<string>) =>
        assert.strictEqual(new Set(codes).size, codes.length, what)
      unique("visit codes (rule 2)", visits.map(({ code }) => String(code)))
      unique(
        "admissions (§7)",
        visits.map((visit) => `${String(visit["patient_code"])} ${String(visit["admitted_at"])}`)
      )
      unique(
        "encounter codes (rule 3)",
        visits.flatMap((visit) => codesOf(visit, "outpatients", "inpatients", "emergencies"))
      )
    }))

  it("the strict check finds every damage of a valid visit", () => {
    const good = parse(visitJson(1))
    const spoiled: ReadonlyArray<readonly [from: string | RegExp, to: string, mistake: string]> = [
      ["\"visit_type\":\"IPD\"", "\"visit_type\":\"XPD\"", "visit.visit_type is no list:visit_types"],
      ["\"code\":\"V000001\"", "\"code\":\"\"", "visit.code is no code"],
      [/"recorded_at":"[^"]*"/, "\"recorded_at\":\"2026-03-01\"", "recorded_at is no time"],
      [/"encounter_code":"V000001-IPD"/, "\"encounter_code\":\"other\"", "encounter_code is no encounter"],
      [/"value_type":"text","value":"[^"]*"/, "\"value_type\":\"text\",\"value\":[]", "value is no text"],
      ["\"value_unit\":null", "\"value_unit\":\"Cough\"", "has the unit Cough"],
      ["\"sex\":\"F\",", "", "visit.patient.sex is missing"]
    ]
    const before = mistakesIn(good)
    for (const [from, to, mistake] of spoiled) {
      const json = visitJson(1).replace(from, to)
      const found = mistakesIn(parse(json)).filter((one) => !before.includes(one))
      assert.isTrue(found.some((one) => one.includes(mistake)), `${mistake}: ${found.join("; ")}`)
    }
  })
})
