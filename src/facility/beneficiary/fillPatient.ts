import { isDecimal } from "../../json/Decimal.ts"
import { isJsonObject } from "../../json/JsonObject.ts"
import type { PatientCode } from "../../visit/values/Code.ts"
import type { FillableField } from "../Facility.ts"
import type { KnownBeneficiary } from "./Beneficiary.ts"

export type VisitObject = Readonly<Record<string, unknown>>

/** The cards that the service knows and the visit lacks: those to add, and those without a type, which a visit must state (§2.5). */
export const missingCards = (visit: VisitObject, { cards }: KnownBeneficiary) => {
  const there = new Set(cardNumbers(visit))
  const { typed = [], untyped = [] } = Object.groupBy(
    cards.filter(({ number }) => !there.has(number)),
    ({ type }) => (type === null ? "untyped" : "typed")
  )
  return { typed, untyped }
}

/** The numbers of the patient's cards, in their order. */
export const cardNumbers = (visit: VisitObject): ReadonlyArray<string> =>
  cardsOf(visit).map((card) => card["card_code"]).filter((code): code is string =>
    typeof code === "string" && code !== ""
  )

/** Returns true if one of these fields could be filled. A complete visit needs no lookup. */
export const hasGap = (visit: VisitObject, fields: ReadonlyArray<FillableField>): boolean => {
  const patient = patientOf(visit)
  return fields.some((field) => field === "identifications" || isEmpty(patient[field]))
}

/** Returns true if the patient's code and `spid` depend on the record. */
export const needsIdentity = (visit: VisitObject, fields: ReadonlyArray<FillableField>): boolean =>
  hasGap(visit, fields.filter((field) => field !== "identifications"))

/**
 * Fills what the mapping left empty from the service's record of the patient. These are the code wherever the visit has it, the `spid`, and
 * cards that the visit lacks. Values of the mapping are kept.
 */
export const fillPatient = (
  visit: VisitObject,
  known: KnownBeneficiary,
  fields: ReadonlyArray<FillableField>
): VisitObject => {
  const given = patientOf(visit)
  let filled: VisitObject = visit
  if (fields.includes("code") && known.patientCode !== null && isEmpty(given["code"])) {
    filled = withPatient(withPatientCode(filled, known.patientCode), { code: known.patientCode })
  }
  if (fields.includes("spid") && known.spid !== null && isEmpty(given["spid"])) {
    filled = withPatient(filled, { spid: known.spid })
  }
  if (fields.includes("identifications")) {
    const { typed: more } = missingCards(filled, known)
    const code = patientOf(filled)["code"] ?? null
    if (more.length > 0) {
      filled = withPatient(filled, {
        identifications: [
          ...cardsOf(filled),
          ...more.map(({ number, type }) => ({ patient_code: code, card_code: number, card_type: type }))
        ]
      })
    }
  }
  return filled
}

const isEmpty = (value: unknown): boolean => value === null || value === undefined || value === ""

/** The patient of a visit, if it has one. */
export const patientOf = (visit: VisitObject): Readonly<Record<string, unknown>> =>
  isJsonObject(visit["patient"]) ? visit["patient"] : {}

const cardsOf = (visit: VisitObject): ReadonlyArray<Readonly<Record<string, unknown>>> => {
  const { identifications } = patientOf(visit)
  return Array.isArray(identifications) ? identifications.filter(isJsonObject) : []
}

/** Keys keep their positions: their order is the specification's. */
const withPatient = (visit: VisitObject, changes: Readonly<Record<string, unknown>>): VisitObject => ({
  ...visit,
  patient: { ...patientOf(visit), ...changes }
})

/** Fills every empty `patient_code` of an object and its parts. */
const withPatientCode = (object: VisitObject, code: PatientCode): VisitObject =>
  Object.fromEntries(
    Object.entries(object).map(([key, inner]) => [
      key,
      key === "patient_code" && isEmpty(inner) ? code : fill(inner, code)
    ])
  )

const fill = (value: unknown, code: PatientCode): unknown => {
  if (Array.isArray(value)) return value.map((item) => fill(item, code))
  // an exact number is also an object
  return isJsonObject(value) && !isDecimal(value) ? withPatientCode(value, code) : value
}
