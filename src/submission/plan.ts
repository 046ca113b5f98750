import { Redacted } from "effect"
import type { ValuePath } from "../visit/VisitProblem.ts"
import { sameAdmissionDate } from "./AdmissionTime.ts"
import type { JournalVisit } from "./journal/JournalVisit.ts"
import type { UniquenessConflict } from "./journal/VisitState.ts"
import { mayChange } from "./nextState.ts"
import type { VisitFacts } from "./Submission.ts"

/** Why a visit is sent. */
export type SendReason =
  | "new"
  /** Frozen by an earlier run that did not come to it. */
  | "left-over"
  | "changed-after-refusal"
  | "changed-after-conflict"
  | "update-of-partial"
  /** Refused before and unchanged, sent once more because that was asked for. */
  | "asked-for-again"
  /** Refused for a field that time may mend, some time ago: the patient may be registered by now. */
  | "may-be-mended"

/** Why there is nothing to do for a visit. */
export type SkipReason = "stored" | "same-visit-twice"

/** Why a visit is not sent although it is not stored, or not as it now is. */
export type HoldReason =
  /** The service holds it complete; it would refuse the new version (§3). */
  | "stored-and-changed"
  | "partial-and-unchanged"
  /** §3: a resubmission whose admission date differs from the original is rejected. */
  | "partial-with-other-admission-date"
  /** The facility sends no updates. */
  | "partial-and-held"
  | "refused-and-unchanged"
  | "conflict-and-unchanged"
  | "duplicate"
  | "in-doubt"
  /** Its code is that of an earlier visit of this input, which is not alike: that one goes. */
  | "given-twice"
  /** The patient has another visit at the service, or on its way there, with this admission time (§3). */
  | "admission-time-known"
  /** Another visit at the service, or on its way there, has an encounter with the same code (§4.5 rule 3). */
  | "encounter-code-known"
  | "other-facility"
  /** It is not over, or over too recently to be sent. */
  | "still-open"

/** Why the service is asked before anything is decided. */
export type LookupReason = "no-answer-yet" | "no-answer-yet-and-changed"

/** What a run does with one visit. */
export type Decision =
  | {
    readonly _tag: "Send"
    readonly why: SendReason
    /** The code of another visit of the patient that was sent, with this admission minute and not this time. */
    readonly near?: string
  }
  | { readonly _tag: "Skip"; readonly why: SkipReason }
  | { readonly _tag: "Settle"; readonly why: LookupReason }
  | {
    readonly _tag: "Hold"
    readonly why: HoldReason
    /** The code of the visit that was sent before. */
    readonly earlier?: string
    /** Where in the visit that stands which is known. */
    readonly path?: ValuePath
    /** Where the earlier one of two stands. */
    readonly other?: string | null
    /** Of a visit that is still open: when it can be sent (ISO), or `null` if it is not over. */
    readonly readyAt?: string | null
  }
export type PlanReason = Decision["why"]

export interface PlannedVisit {
  readonly code: string
  readonly admittedAt: string
  readonly source: string | null
  readonly decision: Decision
}

/** What a run would do: data. */
export interface Plan {
  /** In the order of the input. */
  readonly visits: Iterable<PlannedVisit>
}

/** A visit that the service holds, or may hold. */
export type SentVisit = Pick<JournalVisit, "code" | "patientCode" | "admittedAt">

/** What the service holds, or may hold, as far as the journal knows. */
export interface Sent {
  /** Visits by the code of their patient. */
  readonly ofPatient: ReadonlyMap<string, ReadonlyArray<SentVisit>>
  /** Codes of visits by the code of an encounter. */
  readonly withEncounter: ReadonlyMap<string, ReadonlyArray<string>>
}

export interface PlanOptions {
  readonly facility: string
  /** Sends no update of a visit that is stored in part, whatever its source has now. */
  readonly holdPartial?: boolean
  /** Sends a visit although another one of its patient with its admission time was sent before. */
  readonly sendSameAdmission?: boolean
  /** Takes the same minute for the same time. */
  readonly holdSameMinute?: boolean
  /** Sends a visit although another one with an encounter of the same code was sent before. */
  readonly sendSameEncounter?: boolean
  /**
   * A visit that the service refused because it does not know the patient is sent again when the last attempt was before this moment
   * (ISO); without it never.
   */
  readonly unknownPatientBefore?: string
  /** A visit that was over, or had a record changed, less than `millis` before `now` is still open. */
  readonly settle?: { readonly millis: number; readonly now: number }
}

/** Decides about one visit. */
export const decide = (
  visit: VisitFacts,
  known: JournalVisit | undefined,
  options: PlanOptions,
  sent: Sent
): Decision => {
  const decision = decideClosed(visit, known, options, sent)
  if (decision._tag !== "Send" || options.settle === undefined) return decision
  const { lastChangeAt = Number.NaN } = visit
  const readyAt = lastChangeAt + options.settle.millis
  return readyAt <= options.settle.now ? decision : {
    _tag: "Hold",
    why: "still-open",
    readyAt: Number.isNaN(readyAt) ? null : new Date(Math.min(readyAt, maxDate)).toISOString()
  }
}

/** The last instant that a date can hold, in milliseconds. */
const maxDate = 8_640_000_000_000_000

/** Decides about a visit that is over, and has been for long enough. */
const decideClosed = (
  visit: VisitFacts,
  known: JournalVisit | undefined,
  options: PlanOptions,
  sent: Sent
): Decision => {
  const decision = decideAlone(visit, known, options)
  // A person has looked at this one.
  if (decision._tag !== "Send" || known?.problem === "released") return decision
  const near = sameMinute(visit, sent)
  return (options.sendSameAdmission === true ? null : sameAdmission(visit, sent))
    ?? (options.sendSameEncounter === true ? null : sameEncounter(visit, sent))
    ?? (near === undefined
      ? decision
      : options.holdSameMinute === true
      ? { _tag: "Hold", why: "admission-time-known", earlier: near }
      : { ...decision, near })
}

const sameAdmission = (visit: VisitFacts, sent: Sent): Decision | null => {
  const at = Date.parse(visit.admittedAt)
  const earlier = otherOf(visit, sent, (instant) => instant === at)
  return earlier === undefined ? null : { _tag: "Hold", why: "admission-time-known", earlier }
}

/** A visit that was sent in the same minute, and not at the same time. */
const sameMinute = (visit: VisitFacts, sent: Sent): string | undefined => {
  const at = Date.parse(visit.admittedAt)
  const minute = (instant: number) => Math.floor(instant / 60_000)
  return otherOf(visit, sent, (instant) => instant !== at && minute(instant) === minute(at))
}

const otherOf = (visit: VisitFacts, { ofPatient }: Sent, is: (instant: number) => boolean): string | undefined =>
  ofPatient.get(visit.patientCode)?.find(({ admittedAt, code }) => code !== visit.code && is(Date.parse(admittedAt)))
    ?.code

const sameEncounter = (visit: VisitFacts, { withEncounter }: Sent): Decision | null => {
  for (const { code, path } of visit.encounters) {
    const earlier = withEncounter.get(code)?.find((other) => other !== visit.code)
    if (earlier !== undefined) return { _tag: "Hold", why: "encounter-code-known", earlier, path }
  }
  return null
}

const decideAlone = (visit: VisitFacts, known: JournalVisit | undefined, options: PlanOptions): Decision => {
  if (visit.facility !== options.facility) return { _tag: "Hold", why: "other-facility" }
  if (known === undefined) return { _tag: "Send", why: "new" }
  const changed = known.fingerprint !== visit.fingerprint
  switch (known.state) {
    case "READY":
      if (known.held && options.holdPartial === true) return { _tag: "Hold", why: "partial-and-held" }
      if (known.held && !sameDate(visit, known)) return { _tag: "Hold", why: "partial-with-other-admission-date" }
      return { _tag: "Send", why: known.held ? "update-of-partial" : "left-over" }
    case "STORED":
      return changed ? { _tag: "Hold", why: "stored-and-changed" } : { _tag: "Skip", why: "stored" }
    case "PARTIAL":
      if (!changed) return { _tag: "Hold", why: "partial-and-unchanged" }
      if (options.holdPartial === true) return { _tag: "Hold", why: "partial-and-held" }
      return sameDate(visit, known)
        ? { _tag: "Send", why: "update-of-partial" }
        : { _tag: "Hold", why: "partial-with-other-admission-date" }
    case "REFUSED":
    case "CONFLICT": {
      const refused = known.state === "REFUSED"
      // It was never sent: whether the other one still stands against it is looked at once more.
      if (hasConflict(known)) return { _tag: "Send", why: "left-over" }
      if (!changed && refused && mayBeMended(known, options) && mayChange(known)) {
        return { _tag: "Send", why: "may-be-mended" }
      }
      if (!changed && known.problem !== "released") {
        return { _tag: "Hold", why: refused ? "refused-and-unchanged" : "conflict-and-unchanged" }
      }
      if (!mayChange(known)) return settle(changed)
      if (known.held && options.holdPartial === true) return { _tag: "Hold", why: "partial-and-held" }
      if (known.held && !sameDate(visit, known)) return { _tag: "Hold", why: "partial-with-other-admission-date" }
      if (!changed) return { _tag: "Send", why: "asked-for-again" }
      return { _tag: "Send", why: refused ? "changed-after-refusal" : "changed-after-conflict" }
    }
    case "DUPLICATE":
      return { _tag: "Hold", why: "duplicate" }
    case "DOUBT":
      return { _tag: "Hold", why: "in-doubt" }
    case "SENDING":
    case "UNKNOWN":
    case "VERIFY":
      return settle(changed)
  }
}

/** The patient may be registered by now (§4.5 rule 1). A code that is missing stays missing until the source has it. */
export const isUnknownPatient = ({ field, problem, said: stated }: JournalVisit): boolean =>
  problem === "field-refused" && field === "patient_code" &&
  !(stated !== null && /\brequired\b/iu.test(Redacted.value(stated)))

const mayBeMended = (known: JournalVisit, { unknownPatientBefore }: PlanOptions): boolean =>
  unknownPatientBefore !== undefined && !known.held && isUnknownPatient(known) &&
  known.attemptedAt !== null && known.attemptedAt <= unknownPatientBefore

/** What the journal says of a visit that is held because of another one that was sent, or `null` for every other decision. */
export const conflictOf = ({ why }: Decision): UniquenessConflict | null => {
  switch (why) {
    case "admission-time-known":
      return "admission-time-taken"
    case "encounter-code-known":
      return "duplicate-code"
    default:
      return null
  }
}

/** Whether it was held because of another visit, and never sent. */
export const hasConflict = ({ attempts, problem, state }: JournalVisit): boolean =>
  state === "CONFLICT" && attempts === 0 && (problem === "admission-time-taken" || problem === "duplicate-code")

const settle = (changed: boolean): Decision => ({
  _tag: "Settle",
  why: changed ? "no-answer-yet-and-changed" : "no-answer-yet"
})

const sameDate = (visit: VisitFacts, known: JournalVisit): boolean =>
  sameAdmissionDate(visit.admittedAt, known.heldAdmittedAt ?? known.admittedAt)
