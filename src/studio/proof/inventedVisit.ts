import fc from "fast-check"
import { at } from "../../at.ts"
import { type Decimal, fromText, isDecimal, multiply, sum, toDecimal } from "../../json/Decimal.ts"
import type { StandardItem } from "../../service/responses/Page.ts"
import { examinationNames } from "../../visit/components/PhysicalExamination.ts"
import type { Field, ReferenceListType } from "../../visit/Field.ts"
import { visitFields } from "../../visit/fields.ts"
import type { Visit } from "../../visit/Visit.ts"
import { arbitraryComponent, type Leaves, linkParts, orderSpans } from "./arbitraryVisit.ts"
import { copyOf, forEachObject, mutable, type MutableObject, rowsIn } from "./MutableObject.ts"
import { makePlausible, people } from "./plausible.ts"

/** The facility and the lists of made-up visits. */
interface InventionOptions {
  readonly facility: string
  /** The standard data whose values they use. */
  readonly lists: Readonly<Record<ReferenceListType, ReadonlyArray<StandardItem>>>
}

const titles = ["Doctor", "Nurse", "Midwife", "Technician"]
const words = ["Fever", "Cough", "Headache", "Follow-up", "As advised", "Nothing unusual", "គ្រុនក្តៅ", "ក្អក"]
const surnames = ["SAMPLE", "EXAMPLE", "TEST", "គំរូ"]
const givenNames = ["Ann", "Dara", "Sophea", "Vannak", "បុប្ផា"]

/** The plausible ranges of vital signs. */
const signs: ReadonlyMap<string, readonly [minimum: number, maximum: number]> = new Map([
  ["Systolic Blood Pressure", [95, 165]],
  ["Diastolic Blood Pressure", [55, 90]],
  ["Heart Rate", [50, 130]],
  ["Respiratory Rate", [10, 30]],
  ["Temperature", [36, 40]],
  ["Blood Oxygen", [88, 100]],
  ["Random Blood Glucose", [70, 250]]
])

const number = (minimum: number, maximum: number, digits: number): fc.Arbitrary<Decimal> =>
  fc.integer({ min: minimum * 10 ** digits, max: maximum * 10 ** digits }).map((n) =>
    toDecimal((n / 10 ** digits).toFixed(digits))
  )

const hour = 3_600_000
const zoneOffset = 7 * hour

const timestampOf = (epochMillis: number): string =>
  `${new Date(epochMillis + zoneOffset).toISOString().slice(0, -1)}+07:00`

/** Minutes since the admission, as a timestamp that `makeConsistent` moves to the visit's day. */
const during = fc.integer({ min: 1, max: 300 }).map((minutes) => timestampOf(minutes * 60_000))

/**
 * Makes up a visit that is plausible and ready to be sent: values of the standard data, times in order, correct sums. Its people are
 * recognizably fictitious. The codes of the n-th visit are unique in its facility.
 */
export const inventedVisit = (n: number, options: InventionOptions): fc.Arbitrary<Visit> =>
  fc.tuple(
    arbitraryComponent(visitFields, leavesOf(options)),
    fc.integer({ min: 0, max: 700 * 24 * 12 }),
    fc.integer({ min: 0, max: 60 * 365 }),
    number(140, 190, 1),
    number(40, 95, 1),
    fc.constantFrom(0, 0, 1, 3)
  ).filter(([visit]) => rowsIn(visit, "diagnosis").length > 0 && rowsIn(visit, "outpatients").length > 0).map((
    [visit, fiveMinutes, ageInDays, height, weight, nights]
  ) =>
    makeConsistent(copyOf(visit), n, options, {
      admitted: start + fiveMinutes * 300_000,
      ageInDays,
      height,
      weight,
      nights
    })
  )

const start = Date.UTC(2024, 0, 1)

/** A field is null only if the specification shows it as null, so that a rehearsal has no warnings. */
const leavesOf = (options: InventionOptions): Leaves => ({
  valuesOf: (field) => valuesOf(options, field),
  canBeNull: ({ nullable, showsNull }) => nullable && showsNull === true
})

const valuesOf = ({ lists }: InventionOptions, field: Field): fc.Arbitrary<unknown> | undefined => {
  const rows = field.list === undefined ? [] : lists[field.list]
  const row = fc.nat(Math.max(0, rows.length - 1)).map((index) => at(rows, index))
  if (rows.length > 0 && field.kind === "text") return row.map(({ name }) => name)
  if (rows.length > 0 && field.kind === "code") return row.map(({ code }) => code)
  switch (field.kind) {
    case "code":
    case "identifier":
      return fc.integer({ min: 1, max: 99_999 }).map((n) => `S${String(n).padStart(5, "0")}`)
    case "timestamp":
      return during
    case "date":
      return fc.constant("1990-01-01")
    case "decimal":
      return number(1, 200, 2)
    case "text-or-decimal":
      return fc.oneof(number(1, 200, 1), fc.constantFrom("Negative", "Positive"))
    case "strings":
      return fc.uniqueArray(fc.constantFrom(...words), { maxLength: 3 })
    case "object":
      return field.fields === undefined ? fc.constant({ place: "Sample ward" }) : undefined
    case "text":
      return field.values !== undefined || field.mandatory
        ? undefined
        : field.name === "title"
        ? fc.constantFrom(...titles)
        : /(?:_by|_name|_names|cashier)$/u.test(field.name) && field.name !== "medicine_name"
        ? fc.constantFrom(...people)
        : field.section === "§2.6 VitalSign" && field.name === "name"
        ? fc.constantFrom(...signs.keys())
        : fc.constantFrom(...words)
    default:
      return undefined
  }
}

interface Course {
  readonly admitted: number
  readonly ageInDays: number
  readonly height: Decimal
  readonly weight: Decimal
  readonly nights: number
}

/** Makes the parts of a visit consistent with each other. */
const makeConsistent = (
  visit: MutableObject,
  n: number,
  { facility, lists }: InventionOptions,
  course: Course
): Visit => {
  const digits = String(n).padStart(7, "0")
  visit.health_facility_code = facility
  visit.code = `${facility}-V${digits}`
  visit.patient_code = `P${facility}${digits}`
  const { admitted } = course
  const nights = rowsIn(visit, "inpatients").length === 0 ? 0 : course.nights
  // Every tenth visit ends with a referral, if the lists have a value for that.
  const transfer = lists.discharge_types.find(({ name }) => transferWords.test(name))
  const referred = n % 10 === 9 && transfer !== undefined &&
    mutable(visit.referrals)?.referred_to != null
  const discharged = admitted + nights * 24 * hour + 6 * hour
  moveTimes(visit, admitted)
  Object.assign(visit, {
    admitted_at: timestampOf(admitted),
    discharged_at: timestampOf(discharged),
    created_at: timestampOf(admitted),
    updated_at: timestampOf(discharged),
    followup_at: visit.followup_at === null ? null : timestampOf(discharged + 7 * 24 * hour),
    visit_type: nights > 0
      ? chosen(lists.visit_types, /\b(?:ipd|inpatient)/iu)
      : chosen(lists.visit_types, /\b(?:opd|outpatient)/iu),
    admission_type: chosen(lists.admission_types, /walk|direct/iu, transferWords),
    discharge_type: referred
      ? transfer.name
      : chosen(
        lists.discharge_types,
        /^(?:authori[sz]ed|home|discharged?)\b/iu,
        /refer|transfer|dea[dt]|decease|die|abscond|unauthor/iu
      ),
    referrals: referred ? { ...mutable(visit.referrals), referred_from: null } : null,
    visit_outcome: chosen(lists.visit_outcomes, /improve|recover/iu, /dea[dt]|decease|die|hopeless/iu)
  })
  if (nights === 0) visit.inpatients = []
  else {
    visit.outpatients = []
    rowsIn(visit, "inpatients").splice(1)
  }
  const person = mutable(visit.patient) ?? {}
  fillPatient(person, n, course)
  person.marital_status = course.ageInDays < 18 * 365
    ? chosen(lists.marital_statuses, /single|unmarried|never/iu)
    : lists.marital_statuses[n % lists.marital_statuses.length]?.name ?? null
  for (const card of rowsIn(person, "identifications")) {
    card.card_type ??= lists.card_types[n % lists.card_types.length]?.name ?? null
  }
  for (const invoice of rowsIn(visit, "invoices")) {
    invoice.payment_type ??= lists.payment_types[n % lists.payment_types.length]?.name ?? null
  }
  for (const triage of rowsIn(visit, "triages")) {
    Object.assign(triage, { height: course.height, weight: course.weight })
  }
  for (const entry of rowsIn(visit, "vital_signs")) oncePerName(rowsIn(entry, "observations"))
  rowsIn(visit, "diagnosis").forEach((diagnosis, index) => {
    const known = lists.diagnoses[(n + index) % lists.diagnoses.length]
    Object.assign(diagnosis, {
      diagnosis_type_name: index === 0
        ? chosen(lists.diagnosis_types, primaryWords)
        : chosen(lists.diagnosis_types, /second/iu, primaryWords),
      diagnosis_code: known?.code,
      diagnosis_name: known?.name,
      diagnosis_description: known?.description ?? known?.name
    })
  })
  for (const result of rowsIn(visit, "laboratories").flatMap((one) => rowsIn(one, "results"))) {
    result.value_type = typeof result.value === "string" || result.value === null ? "string" : "float"
  }
  for (const history of rowsIn(visit, "medical_histories")) history.name = "Past Medical History"
  const examinations = rowsIn(visit, "physical_examinations").slice(0, examinationNames.length)
  visit["physical_examinations"] = examinations
  for (const [index, examination] of examinations.entries()) {
    examination.name = examinationNames[index]
    if (typeof examination.value === "string") examination.value = "Nothing unusual"
    else if (Array.isArray(examination.value)) examination.value = [{ inspection: "Nothing unusual" }]
  }
  for (const [list, ...contents] of hollowRows) {
    visit[list] = rowsIn(visit, list).filter((row) => contents.some((name) => rowsIn(row, name).length > 0))
  }
  makePlausible(visit, n)
  nameRows(visit, lists)
  for (const invoice of rowsIn(visit, "invoices")) {
    const lines = [...rowsIn(invoice, "services"), ...rowsIn(invoice, "medications")]
    for (const line of lines) {
      const { price, quantity } = line
      const payment = isDecimal(price) && isDecimal(quantity) ? multiply(price, quantity) : price
      Object.assign(line, { payment, discount: fromText("0"), discount_type: null })
    }
    invoice.total = sum(lines.flatMap(({ payment }) => isDecimal(payment) ? [payment] : []))
  }
  linkParts(visit)
  return assignEncounters(visit)
}

/** Components, each with the lists without which its rows are empty. */
const hollowRows = [
  ["vital_signs", "observations"],
  ["laboratories", "results"],
  ["imageries", "results"],
  ["prescriptions", "medications"],
  ["invoices", "services", "medications"]
] as const

const transferWords = /refer|transfer/iu
const primaryWords = /primary|principal|main/iu

/** Returns the value of a list that matches `fits`, otherwise the first that does not match `not`, otherwise the first. */
const chosen = (rows: ReadonlyArray<StandardItem>, fits: RegExp, not?: RegExp): string | null =>
  (rows.find(({ name }) => fits.test(name) && !(not?.test(name) ?? false))
    ?? rows.find(({ name }) => !(not?.test(name) ?? false)) ?? rows[0])?.name ?? null

/** Sets the names of medicines and facilities to those that the lists have for their codes. */
const nameRows = (visit: MutableObject, lists: InventionOptions["lists"]): void => {
  const medicines = new Map(lists.medications.map(({ code, name }) => [code, name]))
  for (const entry of [...rowsIn(visit, "prescriptions"), ...rowsIn(visit, "invoices")]) {
    for (const line of rowsIn(entry, "medications")) {
      const code = String(line.code ?? line.medicine_code)
      line.medicine_name = medicines.get(code) ?? "Paracetamol"
    }
  }
  const facility = mutable(mutable(mutable(visit.referrals)?.referred_to)?.health_facility)
  const known = lists.health_facilities.find(({ code }) => code === facility?.code)
  if (facility !== undefined && known !== undefined) facility.name = known.name
}

/** Makes every encounter code that of an outpatient, inpatient or emergency encounter of the visit: there are no others (§2.4). */
const assignEncounters = (visit: MutableObject): Visit => {
  const encounters = ["outpatients", "inpatients", "emergencies"].flatMap((list) => rowsIn(visit, list))
  let next = 0
  forEachObject(visit, (object) => {
    if (typeof object.encounter_code === "string") object.encounter_code = encounters[next++ % encounters.length]?.code
  })
  // `arbitraryComponent` made the parts from the fields of the Visit, and no change above gives a field another type.
  return visit as unknown as Visit
}

const fillPatient = (patient: MutableObject, n: number, { admitted, ageInDays }: Course): void => {
  const village = 10_000_000 + (n * 7919) % 80_000_000
  const code = String(village)
  Object.assign(patient, {
    surname: surnames[n % surnames.length],
    name: givenNames[n % givenNames.length],
    birthdate: new Date(admitted - (ageInDays + 400) * 24 * hour).toISOString().slice(0, 10),
    phone: `000 000 ${String(n % 1000).padStart(3, "0")}`,
    sex: n % 2 === 0 ? "F" : "M",
    death_at: null,
    spid: `SP${String(n).padStart(8, "0")}`,
    created_at: timestampOf(admitted),
    updated_at: null,
    photos: "",
    nationality: patient.nationality ?? "",
    disabilities: patient.disabilities ?? "",
    address: {
      province: { code: code.slice(0, 2), name: "Sample Province" },
      district: { code: code.slice(0, 4), name: "Sample District" },
      commune: { code: code.slice(0, 6), name: "Sample Commune" },
      village: { code, name: "Sample Village" },
      house_number: "",
      street_number: "",
      location: ""
    }
  })
  for (const card of rowsIn(patient, "identifications")) card.card_code = `C-${String(n).padStart(8, "0")}`
}

/** Keeps one observation for each sign, with a plausible value. */
const oncePerName = (observations: Array<MutableObject>): void => {
  const seen = new Set<unknown>()
  for (const [index, observation] of [...observations.entries()].toReversed()) {
    const { name } = observation
    const range = signs.get(String(name))
    if (range === undefined || seen.has(name)) observations.splice(index, 1)
    else {
      seen.add(name)
      observation.value = fromText(String(range[0] + (index * 17 + seen.size * 5) % (range[1] - range[0])))
    }
  }
}

const spans = [["started_at", "ended_at"], ["requested_at", "collected_at"], ["recorded_at", "verified_at"], [
  "created_at",
  "updated_at"
], ["referred_at", "received_at"]] as const

/** Moves times, which count from the admission, to the visit's day, and puts starts before their ends. */
const moveTimes = (visit: MutableObject, admitted: number): void =>
  forEachObject(visit, (object) => {
    for (const [name, value] of Object.entries(object)) {
      if (name.endsWith("_at") && typeof value === "string") object[name] = timestampOf(admitted + Date.parse(value))
    }
    orderSpans(object, spans)
  })
