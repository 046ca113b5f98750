import { Result } from "effect"
import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import { atLevels } from "../../diagnostic/levels.ts"
import { didYouMean, suggest } from "../../diagnostic/suggest.ts"
import { findFault } from "../../json/findFault.ts"
import { isJsonObject, jsonObjectOf, jsonTextOf } from "../../json/JsonObject.ts"
import { fieldText } from "../../mapping/draft/VisitDraft.ts"
import { careServiceOf } from "../../run/checks/careUnitOf.ts"
import { fingerprint, type Submission } from "../../submission/Submission.ts"
import { parseJson } from "../../visit/decode.ts"
import { encodeVisit } from "../../visit/encode.ts"
import { encounterCodesOf } from "../../visit/encounterCodes.ts"
import { fieldOfValue, isMadeOfFieldWords, visitFields } from "../../visit/fields.ts"
import { defaultRuleSettings } from "../../visit/rules/Rule.ts"
import { TextSet } from "../../visit/rules/TextSet.ts"
import { makeUniqueInRun } from "../../visit/rules/uniqueInRun.ts"
import { visitIsNotTooLarge } from "../../visit/rules/visitIsNotTooLarge.ts"
import { hasNoErrors, validateVisit, type ValidationSettings } from "../../visit/validateVisit.ts"
import { PatientCode, VisitCode } from "../../visit/values/Code.ts"
import { toEpochMillis } from "../../visit/values/Timestamp.ts"
import type { Visit } from "../../visit/Visit.ts"
import type { ValuePath, VisitProblem } from "../../visit/VisitProblem.ts"
import { shellWord } from "../flags.ts"
import type { VisitText } from "./readVisits.ts"

/** A visit of a file, checked. */
export interface CheckedVisit {
  /** `null` if it has no readable code. */
  readonly code: VisitCode | null
  /** The admission time of the visit. */
  readonly admittedAt?: string
  readonly patientCode?: PatientCode
  /** The service that saw the patient. */
  readonly place?: string
  readonly origin: { readonly file: string; readonly line: number }
  readonly problems: ReadonlyArray<Diagnostic>
  /** The data to send; absent if a problem is an error. */
  readonly submission?: Submission
  /** An identical visit came earlier, so this one is not sent. */
  readonly again?: true
}

/**
 * Checks the visits of files one after the other: their form, the rules of each visit, and the rules between visits. The returned function
 * remembers what it needs of earlier visits. A repeated code is an error, and the first visit with it is kept, as in a conversion. With
 * `once`, an identical repeated visit counts as one visit.
 */
export const makeCheckVisit = (
  settings: ValidationSettings,
  repeats: "errors" | "once" = "errors"
): (item: VisitText) => CheckedVisit => {
  const uniqueInRun = makeUniqueInRun()
  /** Prefixes of the fingerprints of the first visit with each code. */
  const first = new TextSet()
  return (item) => {
    if (item._tag === "Unreadable") return unreadable(item.problem)
    const { file, line, text } = item
    const origin = { file, line }
    const parsed = parseJson(text)
    if (Result.isFailure(parsed)) {
      const fault = findFault(text)
      const [found] = parsed.failure
      if (fault === undefined && found !== undefined) return unreadable(asDiagnostic(null, origin)(found))
      return unreadable({
        code: "unreadable-record",
        severity: "error",
        title: "the line is not JSON",
        ...(fault === undefined ? {} : { label: `column ${fault.column}: ${fault.reason}` }),
        ...(fault?.help === undefined ? {} : { help: [fault.help] }),
        origin: { file, line, reference: "" }
      })
    }
    const value = parsed.success
    if (isResource(value)) return unreadable(fhirProblem(file, line))
    const code = codeOf(value)
    const facets = facetsOf(value)
    const own = validateVisit(value, settings)
    // A value without errors has the form of a visit, except that fields of `mayBeNull` can be null. No setting allows that for a field
    // that `submissionOf` reads as a text.
    const visit = hasNoErrors(atLevels(own, settings.levels)) ? value as Visit : undefined
    const payload = visit === undefined ? undefined : encodeVisit(visit)
    const size = payload === undefined
      ? undefined
      : visitIsNotTooLarge(payload, settings.maxBytes ?? defaultRuleSettings.maxBytes)
    const found = size === undefined ? [...own] : [...own, size]
    // As in a conversion, a visit that cannot be sent is not compared with others, so that it blocks none.
    const isSent = (problems: ReadonlyArray<VisitProblem>): boolean => hasNoErrors(atLevels(problems, settings.levels))
    const between = isSent(found) ? uniqueInRun(value, origin, isSent) : []
    const repeat = between.find(isRepeat)
    found.push(...between.filter((problem) => !isRepeat(problem)))
    const print = payload === undefined || repeats !== "once" ? undefined : fingerprint(payload).slice(0, 32)
    const again = repeat !== undefined && print !== undefined && first.has(print)
    if (repeat === undefined && print !== undefined) first.add(print)
    if (repeat !== undefined && !again) found.push(repeat)
    const problems = atLevels(found, settings.levels).map(asDiagnostic(code, origin))
    if (visit === undefined || payload === undefined || problems.some(({ severity }) => severity === "error")) {
      return { code, ...facets, origin, problems }
    }
    return {
      code,
      ...facets,
      origin,
      problems,
      ...(again ? { again } : {}),
      submission: submissionOf(visit, payload, `${file}:${line}`)
    }
  }
}

/** The facts of a visit that a submission needs. `newestAt`: the last change of its records, in milliseconds since 1970. */
export const submissionOf = (
  visit: Visit,
  payload: string,
  source: string,
  newestAt = Number.NEGATIVE_INFINITY
): Submission => ({
  code: visit.code,
  facility: visit.health_facility_code,
  patientCode: visit.patient_code,
  admittedAt: visit.admitted_at,
  encounters: encounterCodesOf(visit),
  lastChangeAt: Math.max(toEpochMillis(visit.discharged_at ?? ""), newestAt),
  payload,
  source
})

/** A visit of the specification has no `resourceType`. */
const isResource = (value: unknown): boolean =>
  isJsonObject(value) && typeof value.resourceType === "string" && !("admitted_at" in value)

const fhirProblem = (file: string, line: number): Diagnostic => ({
  code: "unreadable-record",
  severity: "error",
  title: "this is a FHIR resource, not a visit",
  origin: { file, line, reference: "" },
  help: [`make visits of it first:  fhir2visit convert ${shellWord(file)} -o visits.ndjson`]
})

/** The visit's own code was given before. */
const isRepeat = ({ code, path, severity }: VisitProblem): boolean =>
  code === "duplicate-code" && severity === "error" && path.length === 1 && path[0] === "code"

const unreadable = (problem: Diagnostic): CheckedVisit => ({
  code: null,
  origin: problem.origin ?? { file: "", line: 0 },
  problems: [problem]
})

const codeOf = (value: unknown): VisitCode | null => {
  const code = jsonTextOf(jsonObjectOf(value).code)
  return code === undefined ? null : VisitCode(code)
}

/** The properties by which reports group visits. */
const facetsOf = (value: unknown): Pick<CheckedVisit, "admittedAt" | "patientCode" | "place"> => {
  if (!isJsonObject(value)) return {}
  const { admitted_at: admittedAt, patient_code: patientCode } = value
  const place = careServiceOf(value)
  return {
    ...(typeof admittedAt === "string" ? { admittedAt } : {}),
    ...(typeof patientCode === "string" ? { patientCode: PatientCode(patientCode) } : {}),
    ...(place === undefined ? {} : { place })
  }
}

/** A problem of a visit, as reported for a visit of a file. */
export const asDiagnostic =
  (visit: string | null, { file, line }: CheckedVisit["origin"]) => (problem: VisitProblem): Diagnostic => {
    const { code, facts, path, severity, times, title } = problem
    const isUnexpected = code === "unexpected-field"
    const shownPath = isUnexpected ? path.slice(0, -1) : path
    const key = String(path.at(-1))
    const similar = isUnexpected ? near(shownPath, key) : undefined
    const help = isUnexpected ? didYouMean(similar) : problem.help
    // An unexpected key can be data: it is shown if it is like a name of the specification. Otherwise its position is.
    const isShown = isUnexpected && /^\w{5,40}$/.test(key) && (similar !== undefined || isMadeOfFieldWords(key))
    return {
      code,
      severity,
      title: isShown ? `the specification has no field \`${key}\` here` : title,
      origin: { file, line, reference: "" },
      ...(visit === null ? {} : { visit }),
      ...(shownPath.length === 0 ? {} : { field: fieldText(shownPath) }),
      ...(isUnexpected && !isShown ? { value: key } : {}),
      ...(facts === undefined || isShown ? {} : { facts }),
      ...(times === undefined ? {} : { times }),
      ...(help === undefined ? {} : { help: [help] })
    }
  }

/** Returns the field of the specification that is similar to a key. */
const near = (parent: ValuePath, key: string): string | undefined =>
  suggest(key, (parent.length === 0 ? visitFields : fieldOfValue(parent)?.fields ?? []).map(({ name }) => name))
