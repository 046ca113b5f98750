import { Redacted } from "effect"
import { isJsonObject, type JsonObject, oneOrMore } from "../../json/JsonObject.ts"
import type { Field } from "../../visit/Field.ts"
import { visitFields } from "../../visit/fields.ts"
import { VisitCode } from "../../visit/values/Code.ts"
import type { OperatorErrorReason } from "../OperatorError.ts"
import { uuidKey } from "../wire.ts"
import type { Outcome } from "./Outcome.ts"
import { contradictsStatus, holdsErrors, holdsNoMessage, messagesIn, successOf } from "./readEnvelope.ts"
import { isLimit } from "./readWait.ts"
import { documentedRules, plainStatus, type ResponseRules } from "./ResponseRules.ts"
import { isRedirect, jsonOf, nonEmptyText, redirectWords, type ServiceResponse } from "./ServiceResponse.ts"

/** The meaning of a response to a submission. */
export type ParsedOutcome =
  /** Evidence about the visits. */
  | { readonly _tag: "Read"; readonly outcome: Outcome }
  /** 401: refused before the service processed it; a new token may help. */
  | { readonly _tag: "TokenErrorResponse" }
  /** Refused before the service processed it; a wait may help. */
  | { readonly _tag: "LimitReached" }
  /** Refused before the service processed it; every further visit would fail too. */
  | { readonly _tag: "Stopped"; readonly reason: OperatorErrorReason }

/**
 * Statuses that depend on the content of a request. A firewall or a proxy that returns one of them does so every time; a server error
 * or a lost response is temporary.
 */
export const contentStatuses: ReadonlySet<number | null> = new Set([400, 403, 406, 413, 422])

/**
 * Classifies the response to one POST of visits (§3, §4.5, §7). It is strict about verdicts. Only a 200 with `success`, a known status
 * and one of our own codes means stored; only the service's own envelope means refused. A response that is not understood means outcome
 * unknown. `sentCodes` are the visit codes in the order they were sent.
 */
export const readOutcome = (
  response: ServiceResponse,
  sentCodes: ReadonlyArray<string>,
  rules: ResponseRules = documentedRules
): ParsedOutcome => {
  const { status } = response
  if (status === 200 || status === 201) return { _tag: "Read", outcome: readSuccess(response, sentCodes, rules) }
  if (status === 401) return { _tag: "TokenErrorResponse" }
  if (isLimit(response)) return { _tag: "LimitReached" }
  if (contentStatuses.has(status)) {
    const envelope = refusalEnvelope(response)
    if (envelope === null) {
      return unknown(status, `the response is ${status}, and not in the form of the service's responses`)
    }
    if (status === 403) {
      return {
        _tag: "Stopped",
        reason: { _tag: "AccessDenied", detail: "the service responded with 403 to a submission" }
      }
    }
    if (status === 422 || (status === 400 && namesVisit(envelope))) {
      return { _tag: "Read", outcome: { ...readRefusal(envelope, sentCodes, rules), status } }
    }
    if (status === 413) return { _tag: "Read", outcome: { _tag: "Refused", reason: "too-large", status } }
  }
  // 408, 409 and 425 leave the outcome of the visits unknown.
  if (status >= 400 && status < 500 && status !== 408 && status !== 409 && status !== 425) {
    return {
      _tag: "Stopped",
      reason: { _tag: "UnexpectedResponse", status, detail: `the service responded with ${status} to a submission` }
    }
  }
  return unknown(status, whyUnknown(status))
}

const unknown = (status: number, why: string): ParsedOutcome => ({
  _tag: "Read",
  outcome: { _tag: "Unknown", why, status }
})

const whyUnknown = (status: number): string =>
  isRedirect(status)
    ? redirectWords
    : status >= 200 && status < 300
    ? `the response is ${status}, which the specification does not define`
    : `the service responded with ${status}`

const readSuccess = (
  { body, headers, status: httpStatus }: ServiceResponse,
  sentCodes: ReadonlyArray<string>,
  rules: ResponseRules
): Outcome => {
  const unclear = (why: string): Outcome => ({ _tag: "Unknown", why, status: httpStatus })
  const envelope = jsonOf(headers, body)
  if (!isJsonObject(envelope)) return unclear("the response is not a JSON object")
  if (successOf(envelope) !== true) return unclear("the response does not declare success")
  if (contradictsStatus(envelope, httpStatus)) return unclear("the response contradicts its own status")
  if (holdsErrors(envelope)) return unclear("the response declares success, and contains errors")
  const data = envelope["data"]
  const results = oneOrMore(data).filter(isJsonObject)
  const last = results.at(-1)
  if (last === undefined) return unclear("the response has no data")
  const codes = results.map((result) => nonEmptyText(result["visit_code"]))
  if (!codes.every((code) => code !== null && sentCodes.includes(code))) {
    return unclear("the response names another visit")
  }
  // One object is the result of the submission (§4.5), a list has one for each visit.
  if (Array.isArray(data) && !sentCodes.every((code) => codes.includes(code))) {
    return unclear("the response does not name every visit")
  }
  const [status = "", ...otherStatuses] = new Set(
    results.map((result) => plainStatus(nonEmptyText(result["status"]) ?? ""))
  )
  const isStored = rules.stored.includes(status)
  if (otherStatuses.length > 0 || !(isStored || rules.partial.includes(status))) {
    return unclear("the response has an unknown status")
  }
  const uuid = nonEmptyText(last[uuidKey]) ?? nonEmptyText(last["uuid"]) ?? nonEmptyText(last["id"])
  return { _tag: isStored ? "Stored" : "PartlyStored", uuid }
}

/**
 * Returns the envelope of a refusal (§2.1): `success` is false, it holds a reason, and `http_code` does not contradict the status. The
 * service's framework may omit `success`; then the response must name a visit of the request. Any other body comes from a firewall or a
 * proxy, or is truncated, and is no evidence about the visits.
 */
const refusalEnvelope = ({ body, headers, status }: ServiceResponse): JsonObject | null => {
  const envelope = jsonOf(headers, body)
  if (!isJsonObject(envelope) || [envelope["message"], envelope["errors"]].every(holdsNoMessage)) return null
  if (contradictsStatus(envelope, status)) return null
  const success = successOf(envelope)
  return success === false || (success === undefined && namesVisit(envelope)) ? envelope : null
}

/** Whether a refusal is about a visit of the request, and not about the request. */
const namesVisit = (envelope: JsonObject): boolean =>
  messagesIn(envelope["errors"]).some((text) => readField(text) !== null)

const readRefusal = (
  envelope: JsonObject,
  sentCodes: ReadonlyArray<string>,
  rules: ResponseRules
): Omit<Refused, "status"> => {
  const all = [...messagesIn(envelope["message"]), ...messagesIn(envelope["errors"])].join("\n")
  const blocked = readBlocked(all, rules)
  if (blocked !== null) {
    const index = sentCodes.indexOf(blocked.visitCode ?? "")
    return refused(blocked.reason, all, index >= 0 ? { index } : {})
  }
  const location = { ...readField(all), ...moreOf(all, envelope["errors"]) }
  return refused("index" in location ? "field-refused" : "refused-other", all, location)
}

type Refused = Extract<Outcome, { readonly _tag: "Refused" }>

const refused = (
  reason: Refused["reason"],
  message: string,
  location: { readonly index?: number; readonly field?: string; readonly more?: number }
): Omit<Refused, "status"> => ({
  _tag: "Refused",
  reason,
  ...location,
  ...(message === "" ? {} : { said: Redacted.make(shortened(message), { label: "refusal" }) })
})

/** Limits a message to a readable length, and to what a text column can hold. */
const shortened = (message: string): string => message.slice(0, 2000).toWellFormed().replaceAll("\0", "\uFFFD")

/**
 * Matches the three sentences of §7 that block a submission, by meaning rather than by spelling. The facility's settings hold them in
 * other languages.
 */
const readBlocked = (
  text: string,
  { blocked }: ResponseRules
): { readonly reason: Refused["reason"]; readonly visitCode?: VisitCode } | null => {
  const start = text.slice(0, 10_000)
  for (const { pattern, reason } of blocked) {
    // A sentence on which a pattern takes too long stays a refusal, whose reason is only not known from this pattern.
    const found = pattern.exec(start) ?? undefined
    if (found !== undefined) return { reason, ...(found[1] === undefined ? {} : { visitCode: VisitCode(found[1]) }) }
  }
  const [, visitCode] = /visit code\s+(\S+)\s+has already been submitted/iu.exec(text) ?? []
  if (visitCode !== undefined) return { reason: "visit-already-submitted", visitCode: VisitCode(visitCode) }
  if (/already\s+(?:been\s+)?submitted/iu.test(text)) return { reason: "visit-already-submitted" }
  if (/admission date\b[^.]*\boriginal/iu.test(text)) return { reason: "admission-date-changed" }
  if (/same admission/iu.test(text) || /abnormal claim/iu.test(text)) return { reason: "admission-time-taken" }
  if (/admission date\b[^.]*\bmatch/iu.test(text)) return { reason: "admission-date-changed" }
  return null
}

/** `The visits.0.triages.1.code field is required.` names visit 0 of the request and its `triages[1].code` (§7). */
const readField = (text: string): { readonly index: number; readonly field?: string } | null => {
  const found = /\bvisits\.(\d{1,6})(?:\.([A-Za-z0-9_]+(?:\.[A-Za-z0-9_]+)*))?/u.exec(text)
  if (found === null) return null
  const field = definedPath(found[2]?.split(".") ?? [])
  return { index: Number(found[1]), ...(field === "" ? {} : { field }) }
}

/** Returns the beginning of a path that §2 defines: any other key may be data. */
const definedPath = (keys: ReadonlyArray<string>): string => {
  let path = ""
  let fields: ReadonlyArray<Pick<Field, "name" | "kind" | "fields" | "keys">> = visitFields
  let entries = false
  for (const key of keys) {
    if (entries && /^\d{1,4}$/u.test(key)) {
      path += `[${Number(key)}]`
      entries = false
      continue
    }
    const field = fields.find(({ name }) => name === key)
    if (field === undefined) break
    path += path === "" ? key : `.${key}`
    entries = field.kind === "list" || field.kind === "strings" || field.kind === "examination"
    fields = field.fields ?? (field.keys ?? []).map((name) => ({ name, kind: "text" }))
  }
  return path
}

/** Counts the errors beyond the first: those that a response only counts, `(and 2 more errors)`, or those of a list of several. */
const moreOf = (text: string, errors: unknown): { readonly more?: number } => {
  const counted = Number(/\band (\d{1,4}) more errors?\b/iu.exec(text)?.[1] ?? 0)
  const listed = isJsonObject(errors)
    ? Object.values(errors).flatMap(messagesIn).length
    : Array.isArray(errors)
    ? messagesIn(errors).length
    : 0
  const more = Math.max(counted, listed - 1)
  return more > 0 ? { more } : {}
}
