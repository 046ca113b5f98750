import { isJsonObject, type JsonObject } from "../../json/JsonObject.ts"
import { encounterCodesOf } from "../../visit/encounterCodes.ts"
import { sentences } from "../wire.ts"

/** Checks the links between the components of a visit whose fields are valid. Returns the first error as a sentence, or `null`. */
export const checkLinks = (
  visit: JsonObject,
  path: string,
  options: { readonly transferValues: ReadonlyArray<string> }
): string | null => checkInside(visit, path) ?? checkReferral(visit, path, options.transferValues)

/**
 * Checks that the codes inside a visit are its own: patient, visit, and an encounter of the six kinds. A line of an invoice names its
 * invoice.
 */
const checkInside = (visit: JsonObject, path: string): string | null => {
  const patient = visit["patient"]
  if (isJsonObject(patient) && patient["code"] !== visit["patient_code"]) return invalid(`${path}.patient.code`)
  const encounters = new Set<string>(encounterCodesOf(visit).map(({ code }) => code))
  const expected: JsonObject = {
    patient_code: visit["patient_code"],
    visit_code: visit["code"]
  }
  const walk = (value: unknown, at: string, invoice: unknown): string | null => {
    if (Array.isArray(value)) return first(value, (item, index) => walk(item, `${at}.${index}`, invoice))
    if (!isJsonObject(value)) return null
    for (const key of ["patient_code", "visit_code"]) {
      if (typeof value[key] === "string" && value[key] !== expected[key]) return invalid(`${at}.${key}`)
    }
    const encounter = value["encounter_code"]
    if (typeof encounter === "string" && !encounters.has(encounter)) return invalid(`${at}.encounter_code`)
    if (typeof value["invoice_code"] === "string" && value["invoice_code"] !== invoice) {
      return invalid(`${at}.invoice_code`)
    }
    return first(Object.entries(value), ([key, inner]) => walk(inner, `${at}.${key}`, value["code"]))
  }
  return first(
    Object.entries(visit),
    ([key, value]) => key === "referrals" ? null : walk(value, `${path}.${key}`, null)
  )
}

/** §4.5 rule 6: referral data is required when the patient is transferred. */
const checkReferral = (
  visit: JsonObject,
  path: string,
  transferValues: ReadonlyArray<string>
): string | null => {
  const transferred = transferValues.includes(String(visit["discharge_type"]))
  const referral = visit["referrals"]
  if (!transferred || (isJsonObject(referral) && isJsonObject(referral["referred_to"]))) return null
  return sentences.fieldRequired(`${path}.referrals${isJsonObject(referral) ? ".referred_to" : ""}`)
}

const invalid = (path: string): string => `The selected ${path} is invalid.`

/** Returns the first error that a check finds. */
const first = <A>(items: ReadonlyArray<A>, check: (item: A, index: number) => string | null): string | null => {
  for (const [index, item] of items.entries()) {
    const error = check(item, index)
    if (error !== null) return error
  }
  return null
}
