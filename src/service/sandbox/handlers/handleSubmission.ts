import { Array as Arr, Result } from "effect"
import { randomUUID } from "node:crypto"
import { isJsonObject, jsonIn, type JsonObject } from "../../../json/JsonObject.ts"
import { scanText } from "../../../json/scanJson.ts"
import { encounterCodesOf } from "../../../visit/encounterCodes.ts"
import { type FacilityCode, PatientCode, type SystemCode, VisitCode } from "../../../visit/values/Code.ts"
import { AccessDeniedResponse, UnprocessableResponse } from "../../responses/Envelope.ts"
import { sentences, uuidKey } from "../../wire.ts"
import { type SandboxState, storedFrom } from "../SandboxState.ts"
import { checkFields } from "./checkFields.ts"
import { checkLinks } from "./checkLinks.ts"

/** The user and the time of a submission. */
interface Submitter {
  readonly systemCode: SystemCode
  readonly facilityCode: FacilityCode
  readonly now: number
  /** A fault: whole visits are stored with status 3. */
  readonly partial: boolean
}

/**
 * Checks a submission and stores all of it or nothing (§3, §4.5, §7). A visit of status 3 may be replaced by the same code with the
 * same admission; a visit of status 1 is final. The response names the last visit of the request.
 */
export const handleSubmission = (
  state: SandboxState,
  from: Submitter,
  body: string
): Result.Result<
  { readonly status: 1 | 3; readonly [uuidKey]: string; readonly visit_code: string },
  UnprocessableResponse | AccessDeniedResponse
> => {
  const visits = readVisits(body, state.options.maxVisits)
  if (typeof visits === "string") return Result.fail(UnprocessableResponse.invalid(visits))
  // The facility of the request decides what may be written (§7), before the contents are checked.
  const foreign = visits.some((visit) =>
    isJsonObject(visit) && typeof visit["health_facility_code"] === "string" &&
    visit["health_facility_code"] !== from.facilityCode
  )
  if (foreign) return Result.fail(AccessDeniedResponse.documented(sentences.notThisFacility))

  const checked = checkForm(state, visits)
  if (typeof checked === "string") return Result.fail(UnprocessableResponse.invalid(checked))
  const duplicate = checkRequest(state, from, checked)
  if (duplicate !== null) return Result.fail(UnprocessableResponse.invalid(duplicate))
  const blocked = checkBlocked(state, from, checked)
  if (blocked !== null) return Result.fail(UnprocessableResponse.blocked(blocked))

  const texts = visitTexts(body)
  const uuid = randomUUID()
  const stored = checked.map((visit) =>
    storedFrom(visit, {
      state,
      ...from,
      uuid,
      before: state.store.visit(from.facilityCode, VisitCode(String(visit["code"])))
    })
  )
  state.store.put(Arr.zip(stored, texts))
  const last = stored.at(-1)
  return Result.succeed({ status: last?.status === 3 ? 3 : 1, [uuidKey]: uuid, visit_code: last?.code ?? "" })
}

/** The text of each element of `visits`, exactly as it was received. */
export const visitTexts = (body: string): ReadonlyArray<string> => {
  const bytes = Buffer.from(body, "utf8")
  const elements = scanText(bytes, "visits")?.[0]?.list?.elements ?? []
  return elements.map(({ scan }) => bytes.toString("utf8", scan.start, scan.end))
}

/** Returns the visits of a body, or the sentence of the refusal. */
const readVisits = (body: string, maxVisits: number): ReadonlyArray<unknown> | string => {
  const request = jsonIn(body)
  if (request === undefined) return "The request body must be valid JSON."
  if (!isJsonObject(request)) return "The request body must be a JSON object."
  const { visits } = request
  if (visits === undefined || visits === null) return sentences.fieldRequired("visits")
  if (!Array.isArray(visits)) return "The visits field must be an array."
  if (visits.length === 0) return sentences.fieldRequired("visits")
  if (visits.length > maxVisits) return `The visits field must not have more than ${maxVisits} items.`
  return visits
}

/** Checks each visit by itself: its fields, its inner links, its patient. Returns the visits, or the sentence of the refusal. */
const checkForm = (state: SandboxState, visits: ReadonlyArray<unknown>): ReadonlyArray<JsonObject> | string => {
  const checked: Array<JsonObject> = []
  for (const [index, visit] of visits.entries()) {
    const path = `visits.${index}`
    if (!isJsonObject(visit)) return `The ${path} field must be an object.`
    const error = checkFields(visit, path, state.options) ?? checkLinks(visit, path, state.options)
    if (error !== null) return error
    if (state.patients !== null && !state.patients.has(String(visit["patient_code"]))) {
      return `The selected ${path}.patient_code is invalid.`
    }
    checked.push(visit)
  }
  return checked
}

/** Checks uniqueness (§4.5 rules 2 and 3): within the request, and encounter codes within the system. */
const checkRequest = (state: SandboxState, from: Submitter, visits: ReadonlyArray<JsonObject>): string | null => {
  const codes = new Set<unknown>()
  const encounters = new Set<string>()
  for (const [index, visit] of visits.entries()) {
    if (codes.has(visit["code"])) return `The visits.${index}.code field has a duplicate value.`
    codes.add(visit["code"])
    for (const located of encounterCodesOf(visit)) {
      const { code } = located
      const path = located.path.join(".")
      if (encounters.has(code)) return `The visits.${index}.${path} field has a duplicate value.`
      encounters.add(code)
      const holder = state.store.encounter(from.systemCode, code)
      if (holder !== null && (holder.code !== visit["code"] || holder.facilityCode !== from.facilityCode)) {
        return `The visits.${index}.${path} has already been taken.`
      }
    }
  }
  return null
}

/** The three sentences that block a submission (§3, §7). */
const checkBlocked = (state: SandboxState, from: Submitter, visits: ReadonlyArray<JsonObject>): string | null => {
  const admissions = new Set<string>()
  for (const visit of visits) {
    const code = VisitCode(String(visit["code"]))
    const instant = Date.parse(String(visit["admitted_at"]))
    const before = state.store.visit(from.facilityCode, code)
    if (before !== null && before.status !== 3) return sentences.alreadySubmitted(code)
    if (before !== null && Date.parse(before.admittedAt) !== instant) return sentences.admissionDateChanged
    // A visit keeps its patient: a different patient under its code means a different visit.
    if (before !== null && before.patientCode !== visit["patient_code"]) return sentences.alreadySubmitted(code)
    const patientCode = PatientCode(String(visit["patient_code"]))
    const admission = `${patientCode}\n${instant}`
    const same = state.store.admitted(patientCode, instant)
    const another = same !== null && (same.code !== code || same.facilityCode !== from.facilityCode)
    if (another || admissions.has(admission)) return sentences.admissionTimeTaken
    admissions.add(admission)
  }
  return null
}
