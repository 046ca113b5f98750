import fc from "fast-check"
import { type Decimal, toDecimal, toNumber } from "../../json/Decimal.ts"
import { historyNames } from "../../visit/components/MedicalHistory.ts"
import { examinationNames } from "../../visit/components/PhysicalExamination.ts"
import { signNames } from "../../visit/components/VitalSign.ts"
import type { Field, ReferenceListType } from "../../visit/Field.ts"
import { visitFields } from "../../visit/fields.ts"
import { knownValues } from "../../visit/values/knownValues.ts"
import { toEpochMillis } from "../../visit/values/Timestamp.ts"
import type { Visit } from "../../visit/Visit.ts"
import { copyOf, forEachObject, mutable, type MutableObject, rowsIn } from "./MutableObject.ts"

const scripts = [
  "ភូមិ ១",
  "ជំងឺ\u200Bគ្រុនឈាម",
  "តេស្ត\u200B\u200Bហ្វីស្ទ",
  "Nguyễn Thị Ánh",
  "山田 太郎",
  "فاطمة",
  "e\u0301 is not é",
  "🤒🩺",
  "line one\nline two\tcolumn",
  "\"quoted\" \\ back / slash",
  "null",
  "7.20",
  "\u2028\u2029",
  ""
]

/** Texts that look like something else: an amount with a unit, a list, a code, a date, markup. */
const shapes = [
  "500 mg",
  "0.50 g/5 ml",
  "37.0",
  "<5",
  "Mother: diabetes, asthma",
  ": ",
  "a - b - c",
  "BCG (2020-01-31)",
  "BCG (2020-02-31)",
  "8867-4",
  "29463-7",
  "2024-02-29",
  "true",
  "<b>bold</b> &amp; <br/>",
  "  two  spaces  ",
  "\u3000",
  "\u0007bell",
  "laboratory",
  "Patient/1"
]

/** The surrogates are no code points of a text. */
const surrogates = { from: 0xd800, count: 0x800 }

/** Any code point. Like fast-check's unit `binary`, but without its index of all code points, which takes most of a second to build. */
export const codePoint = fc.nat({ max: 0x10ffff - surrogates.count }).map(
  (index) => String.fromCodePoint(index < surrogates.from ? index : index + surrogates.count),
  (character) => {
    const point = typeof character === "string" ? character.codePointAt(0) : undefined
    if (point === undefined || character !== String.fromCodePoint(point)) throw new Error("not one code point")
    return point < surrogates.from ? point : point - surrogates.count
  }
)

/** Any text that a field can hold: several scripts, zero-width spaces, quotes, every code point, in Unicode form NFC. */
export const arbitraryText: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...scripts) },
  { weight: 1, arbitrary: fc.constantFrom(...shapes) },
  { weight: 3, arbitrary: fc.string({ maxLength: 12 }) },
  { weight: 1, arbitrary: fc.string({ maxLength: 8, unit: codePoint }) }
).map((written) => written.normalize("NFC"))

const diagnosisCode = fc.stringMatching(/^[A-Z][0-9]{2}(?:\.?[0-9]{1,2})?$/u)

const code = fc.oneof(
  { weight: 3, arbitrary: fc.stringMatching(/^[A-Z]{1,3}\d{1,8}$/) },
  {
    weight: 2,
    arbitrary: fc.constantFrom("00000001", "12010101", "a/b c", "កខ១", "A01.0", "x".repeat(64), " a  b ", "a\tb")
  }
)

const digits = (max: number) => fc.stringMatching(new RegExp(`^\\d{1,${max}}$`))

/** Decimals in their canonical form: whole, fractional, with trailing zeros, with more digits than a double has. */
export const arbitraryDecimal: fc.Arbitrary<Decimal> = fc.oneof(
  fc.integer(),
  fc.constantFrom(
    "0",
    "0.00",
    "7.20",
    "37.0",
    "-0.5",
    "0.0000001",
    "12345678901234567890.123456789",
    "1000000000000000000000",
    "5e-324",
    "1.7976931348623157e308"
  )
    .map((source) => toDecimal(source)),
  fc.tuple(fc.constantFrom("", "-"), digits(24), digits(12)).map(([sign, whole, fraction]) =>
    toDecimal(`${sign}${whole.replace(/^0+(?=\d)/, "")}.${fraction}`)
  ),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => toDecimal(String(number)))
)

const two = (n: number): string => String(n).padStart(2, "0")

const rendered = (epochMillis: number, offset: number): string => {
  const local = new Date(epochMillis + offset * 60_000).toISOString().slice(0, -1)
  const minutes = Math.abs(offset)
  return `${local}${offset < 0 ? "-" : "+"}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
}

/** Timestamps of the years 0001 to 9999 with any offset, including leap days and year ends. */
export const arbitraryTimestamp: fc.Arbitrary<string> = fc.oneof(
  fc.tuple(
    fc.integer({ min: -62_135_500_000_000, max: 253_402_200_000_000 }),
    fc.integer({ min: -14 * 60, max: 14 * 60 })
  ).map(([epoch, offset]) => rendered(epoch, offset)),
  fc.tuple(fc.integer({ min: 946_684_800_000, max: 1_893_456_000_000 }), fc.constant(420)).map(([epoch, offset]) =>
    rendered(epoch, offset)
  ),
  fc.constantFrom(
    "2024-02-29T23:59:59.999+07:00",
    "2000-02-29T00:00:00.000+00:00",
    "2023-12-31T23:59:59.999-11:30",
    "1899-12-31T12:00:00.000+06:42",
    "2026-03-29T02:30:00.000+05:45"
  )
)

const date = fc.oneof(
  fc.integer({ min: -719_162, max: 2_932_896 }).map((days) => new Date(days * 86_400_000).toISOString().slice(0, 10)),
  fc.constantFrom("2024-02-29", "1900-02-28", "0001-01-01", "9999-12-31")
)

const names = new Map<string, ReadonlyArray<string>>([
  ["§2.6 VitalSign", signNames],
  ["§2.6 MedicalHistory", historyNames],
  ["§2.6 PhysicalExamination", examinationNames]
])

/** Typical values of the standard data. */
const lists: Partial<Record<ReferenceListType, ReadonlyArray<string>>> = {
  ...knownValues,
  visit_types: ["OPD", "IPD"],
  diagnosis_types: ["Primary", "Secondary", "Differential", "In", "Out"]
}

/** A choice of values for the fields of a visit. */
export interface Leaves {
  /** The values of a field; `undefined` for the default ones. */
  readonly valuesOf: (field: Field) => fc.Arbitrary<unknown> | undefined
  /** Whether the field is sometimes null. */
  readonly canBeNull: (field: Field) => boolean
}

const plain = (field: Field, leaves: Leaves): fc.Arbitrary<unknown> => {
  const chosen = leaves.valuesOf(field)
  if (chosen !== undefined) return chosen
  if (field.values !== undefined) return fc.constantFrom(...field.values)
  switch (field.kind) {
    case "code":
    case "identifier":
      return field.name === "diagnosis_code" ? diagnosisCode : code
    case "timestamp":
      return arbitraryTimestamp
    case "date":
      return date
    case "text": {
      const known = field.list !== undefined
        ? lists[field.list]
        : field.name === "name"
        ? names.get(field.section)
        : undefined
      if (field.mandatory) return code
      return known === undefined ? arbitraryText : fc.oneof(arbitraryText, fc.constantFrom(...known))
    }
    case "decimal":
      // A measured height or weight is never 0.
      return field.name === "height" || field.name === "weight"
        ? arbitraryDecimal.filter((one) => toNumber(one) !== 0)
        : arbitraryDecimal
    case "text-or-decimal":
      return fc.oneof(arbitraryText, arbitraryDecimal)
    case "boolean":
      return fc.boolean()
    case "strings":
      return fc.array(arbitraryText, { maxLength: 3 })
    case "object":
      return field.fields === undefined
        ? fc.dictionary(fc.stringMatching(/^[a-z]{1,6}$/), fc.oneof(arbitraryText, fc.integer()), {
          maxKeys: 2,
          noNullPrototype: true
        })
        : arbitraryComponent(field.fields, leaves)
    case "list":
      return fc.array(arbitraryComponent(field.fields ?? [], leaves), { maxLength: 2, size: "max" })
    case "examination":
      return fc.constant(null)
  }
}

const value = (field: Field, leaves: Leaves): fc.Arbitrary<unknown> =>
  leaves.canBeNull(field) ? fc.option(plain(field, leaves), { nil: null, freq: 5 }) : plain(field, leaves)

const defaultValues: Leaves = { valuesOf: () => undefined, canBeNull: ({ nullable }) => nullable }

/** Any object with these fields. */
export const arbitraryComponent = (
  fields: ReadonlyArray<Field>,
  leaves: Leaves = defaultValues
): fc.Arbitrary<Record<string, unknown>> =>
  fc.record(Object.fromEntries(fields.map((field) => [field.name, value(field, leaves)])), {
    requiredKeys: fields.filter((field) => !field.optional).map((field) => field.name),
    noNullPrototype: true
  }).chain((record) =>
    fields.some((field) => field.kind === "examination")
      ? examined(record.value_type).map((found) => Object.assign(copyOf(record), { value: found }))
      : fc.constant(record)
  )

const examined = (valueType: unknown): fc.Arbitrary<unknown> =>
  valueType === "complex"
    ? fc.array(
      fc.tuple(fc.constantFrom("inspection", "palpation", "percussion", "auscultation"), arbitraryText).map((
        [key, found]
      ) => ({
        [key]: found
      })),
      { maxLength: 3 }
    )
    : valueType === "text"
    ? fc.option(arbitraryText, { nil: null })
    : fc.constant(null)

const encounterLists = ["triages", "outpatients", "inpatients", "emergencies", "progress_notes", "surgeries"] as const

/** Makes the codes of a visit consistent: §4.5 rules 2 and 3, and every reference inside the visit. */
export const linkParts = (visit: MutableObject): Visit => {
  const { code, patient_code: patientCode } = visit
  if (encounterLists.every((list) => rowsIn(visit, list).length === 0)) {
    rowsIn(visit, "outpatients").push({
      visit_code: code,
      code: "",
      name: null,
      service_type: null,
      encountered_by: null,
      title: null,
      started_at: visit.admitted_at,
      ended_at: visit.discharged_at,
      created_at: visit.created_at,
      updated_at: visit.updated_at
    })
  }
  const encounters = encounterLists.flatMap((list) => rowsIn(visit, list))
  for (const [index, entry] of encounters.entries()) entry.code = `${code}-E${index + 1}`
  let next = 0
  const relink = (object: MutableObject): void => {
    if ("patient_code" in object) object.patient_code = patientCode
    if ("visit_code" in object) object.visit_code = code
    if (typeof object.encounter_code === "string") object.encounter_code = encounters[next++ % encounters.length]?.code
  }
  const { referrals, ...rest } = visit
  relink(visit)
  forEachObject(Object.values(rest), relink)
  const referral = mutable(referrals)
  if (referral !== undefined) relink(referral)
  const patient = mutable(visit.patient)
  if (patient !== undefined) patient.code = patientCode
  for (const [list, prefix] of [["soaps", "S"], ["prescriptions", "R"], ["invoices", "I"]] as const) {
    rowsIn(visit, list).forEach((entry, index) => {
      entry.code = `${code}-${prefix}${index + 1}`
      const lines = list === "invoices" ? [...rowsIn(entry, "services"), ...rowsIn(entry, "medications")] : []
      for (const line of lines) line.invoice_code = entry.code
    })
  }
  // `arbitraryComponent` made the parts from the fields of the Visit, and linking them keeps their types.
  return visit as unknown as Visit
}

const mainSpans = [["admitted_at", "discharged_at"], ["started_at", "ended_at"]] as const

/** Swaps the start and the end of a span that ends before it begins. */
export const orderSpans = (
  object: MutableObject,
  spans: ReadonlyArray<readonly [start: string, end: string]> = mainSpans
): void => {
  for (const [start, end] of spans) {
    const first = object[start]
    const last = object[end]
    if (typeof first === "string" && typeof last === "string" && toEpochMillis(last) < toEpochMillis(first)) {
      object[start] = last
      object[end] = first
    }
  }
}

/** Any visit that the specification allows: all sections, nullable fields sometimes null, optional fields sometimes absent. */
export const arbitraryVisit: fc.Arbitrary<Visit> = fc.tuple(arbitraryComponent(visitFields), fc.boolean()).map(
  ([visit, ordered]) => {
    const copy = copyOf(visit)
    if (ordered) forEachObject(copy, (object) => orderSpans(object))
    // A visit that ends before it begins is an error.
    orderSpans(copy)
    return linkParts(copy)
  }
)
