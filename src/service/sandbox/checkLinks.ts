import { isJsonObject } from "../../json/JsonObject.ts"
import { sentences } from "../wire.ts"

/** The components that are encounters: every `encounter_code` elsewhere is the code of one of them. */
const encounterSections = [
  "triages",
  "outpatients",
  "inpatients",
  "emergencies",
  "surgeries",
  "progress_notes"
] as const

/** Returns the codes of a visit's encounters with their paths below the visit, in order. */
export const encounterCodes = (
  visit: Readonly<Record<string, unknown>>
): ReadonlyArray<readonly [code: string, path: string]> =>
  encounterSections.flatMap((section) => {
    const list = visit[section]
    return !Array.isArray(list) ?
      [] :
      list.flatMap((item: unknown, index) =>
        isJsonObject(item) && typeof item["code"] === "string"
          ? [[item["code"], `${section}.${index}.code`] as const]
          : []
      )
  })

/** Checks the links between the components of a visit whose fields are valid. Returns the first error as a sentence, or `null`. */
export const checkLinks = (
  visit: Readonly<Record<string, unknown>>,
  path: string,
  options: { readonly transferValues: ReadonlyArray<string> }
): string | null => checkInside(visit, path) ?? checkReferral(visit, path, options.transferValues)

/**
 * Checks that the codes inside a visit are its own: patient, visit, and an encounter of the six kinds. A line of an invoice names its
 * invoice.
 */
const checkInside = (visit: Readonly<Record<string, unknown>>, path: string): string | null => {
  const patient = visit["patient"]
  if (isJsonObject(patient) && patient["code"] !== visit["patient_code"]) return invalid(`${path}.patient.code`)
  const encounters = new Set(encounterCodes(visit).map(([code]) => code))
  const expected: Readonly<Record<string, unknown>> = {
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
  visit: Readonly<Record<string, unknown>>,
  path: string,
  transferValues: ReadonlyArray<string>
): string | null => {
  const transferred = transferValues.includes(String(visit["discharge_type"]))
  const referral = visit["referrals"]
  if (!transferred || (isJsonObject(referral) && isJsonObject(referral["referred_to"]))) return null
  return sentences.fieldRequired(`${path}.referrals${isJsonObject(referral) ? ".referred_to" : ""}`)
}

const invalid = (path: string): string => `The selected ${path} is invalid.`

const first = <A>(items: ReadonlyArray<A>, check: (item: A, index: number) => string | null): string | null => {
  for (let index = 0; index < items.length; index++) {
    const fault = check(items[index]!, index)
    if (fault !== null) return fault
  }
  return null
}
