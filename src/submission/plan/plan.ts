import { Redacted } from "effect"
import { withoutAbsent } from "../../objects.ts"
import type { EncounterCode, FacilityCode, PatientCode, VisitCode } from "../../visit/values/Code.ts"
import type { ValuePath } from "../../visit/VisitProblem.ts"
import type { JournalVisit } from "../journal/JournalVisit.ts"
import type { UniquenessConflict } from "../journal/VisitState.ts"
import { sameAdmissionDate } from "../list/AdmissionTime.ts"
import { mayChange } from "../nextState.ts"
import { mayBeHeld } from "../status/sendingOutcomes.ts"
import type { VisitFacts } from "../Submission.ts"

/** Why a visit is sent. */
type SendReason =
  | "new"
  /** Frozen by an earlier run that ended before sending it. */
  | "left-over"
  | "changed-after-refusal"
  | "changed-after-conflict"
  | "update-of-partial"
  /** Refused before and unchanged, sent again because the user requested it. */
  | "asked-for-again"
  /** Refused some time ago for a field that time may fix: the patient may be registered by now. */
  | "may-be-mended"

/** Why there is nothing to do for a visit. */
type SkipReason = "stored" | "same-visit-twice"

/** Why a visit is not sent although it is not stored, or is stored in an older version. */
type HoldReason =
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
  /** Its code is that of an earlier visit of this input with other contents; the earlier one is sent. */
  | "given-twice"
  /** The service holds, or may hold, a different visit under this code (§4.5 rule 2). */
  | "visit-code-known"
  /** The patient has another visit at the service, or on its way there, with this admission time (§3). */
  | "admission-time-known"
  /** Another visit at the service, or on its way there, has an encounter with the same code (§4.5 rule 3). */
  | "encounter-code-known"
  | "other-facility"
  /** It is not over, or over too recently to be sent. */
  | "still-open"

/** Why the visit is looked up before anything is decided. */
type LookupReason = "no-answer-yet" | "no-answer-yet-and-changed"

/** What a run does with one visit. */
export type Decision =
  | {
    readonly _tag: "Send"
    readonly why: SendReason
    /** The code of another sent visit of the patient in this admission minute, but not at the same time. */
    readonly near?: string
    /** The code of another sent visit of the patient, from which this one's code differs only in letter case. */
    readonly spelled?: string
    /** An earlier run had another visit with this code, of another patient on another day, which the service does not hold. */
    readonly replaces?: true
  }
  | { readonly _tag: "Skip"; readonly why: SkipReason }
  | { readonly _tag: "LookUp"; readonly why: LookupReason }
  | {
    readonly _tag: "Hold"
    readonly why: HoldReason
    /** The code of the visit that was sent before. */
    readonly earlier?: string
    /** The path in the visit of the value that is already known. */
    readonly path?: ValuePath
    /** The source location of the earlier of two visits. */
    readonly other?: string | null
    /** For a visit that is still open: when it can be sent (ISO), or `null` if it is not over. */
    readonly readyAt?: string | null
  }
export type PlanReason = Decision["why"]

export interface PlannedVisit {
  readonly code: VisitCode
  readonly admittedAt: string
  readonly source: string | null
  readonly decision: Decision
}

/** The plan of a run, as data. */
export interface Plan {
  /** In the order of the input. */
  readonly visits: Iterable<PlannedVisit>
}

/** A visit that the service holds, or may hold. */
export type SentVisit = Pick<JournalVisit, "code" | "patientCode" | "admittedAt">

/** The visits that the service holds, or may hold, according to the journal. */
export interface Sent {
  /** Visits by the code of their patient. */
  readonly ofPatient: ReadonlyMap<PatientCode, ReadonlyArray<SentVisit>>
  /** Codes of visits by the code of an encounter. */
  readonly withEncounter: ReadonlyMap<EncounterCode, ReadonlyArray<VisitCode>>
}

export interface PlanOptions {
  readonly facility: FacilityCode
  /** Sends no update of a partly stored visit, even if its source changed. */
  readonly holdPartial?: boolean
  /** Sends a visit although a different one of the same patient and admission time was sent before. */
  readonly sendSameAdmission?: boolean
  /** Treats the same minute as the same time. */
  readonly holdSameMinute?: boolean
  /** Sends a visit although a different one with an encounter of the same code was sent before. */
  readonly sendSameEncounter?: boolean
  /**
   * A visit that the service refused because the patient is unknown is sent again if its last attempt was before this time (ISO).
   * Without it, such a visit is never sent again.
   */
  readonly unknownPatientBefore?: string
  /** A visit that was over, or had a record changed, less than `millis` before `now` is still open. */
  readonly settle?: { readonly millis: number; readonly now: number }
}

export const decide = (
  visit: VisitFacts,
  known: JournalVisit | undefined,
  options: PlanOptions,
  sent: Sent
): Decision => {
  const decision = decideEnded(visit, known, options, sent)
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
const decideEnded = (
  visit: VisitFacts,
  known: JournalVisit | undefined,
  options: PlanOptions,
  sent: Sent
): Decision => {
  const decision = decideByJournal(visit, known, options)
  // A person has checked this visit.
  if (decision._tag !== "Send" || known?.problem === "released") return decision
  const near = sameMinute(visit, sent)
  const spelled = spelledOtherwise(visit, sent)
  return (options.sendSameAdmission === true ? null : sameAdmission(visit, sent))
    ?? (options.sendSameEncounter === true ? null : sameEncounter(visit, sent))
    ?? (near !== undefined && options.holdSameMinute === true
      ? { _tag: "Hold", why: "admission-time-known", earlier: near }
      : {
        ...decision,
        ...withoutAbsent({ near, spelled }),
        ...(known !== undefined && isOfAnother(visit, known) ? { replaces: true } : {})
      })
}

const spelledOtherwise = (visit: VisitFacts, { ofPatient }: Sent): string | undefined =>
  ofPatient.get(visit.patientCode)?.find(({ code }) =>
    code !== visit.code && code.toLowerCase() === visit.code.toLowerCase()
  )?.code

const sameAdmission = (visit: VisitFacts, sent: Sent): Decision | null => {
  const at = Date.parse(visit.admittedAt)
  const earlier = otherOf(visit, sent, (instant) => instant === at)
  return earlier === undefined ? null : { _tag: "Hold", why: "admission-time-known", earlier }
}

/** Returns the code of a visit that was sent in the same minute, but not at the same time. */
const sameMinute = (visit: VisitFacts, sent: Sent): string | undefined => {
  const at = Date.parse(visit.admittedAt)
  const minute = (instant: number) => Math.floor(instant / 60_000)
  return otherOf(visit, sent, (instant) => instant !== at && minute(instant) === minute(at))
}

/** Returns the code of another sent visit of the patient whose admission time satisfies a condition. */
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

/** Decides from the state of the visit in the journal. */
const decideByJournal = (visit: VisitFacts, known: JournalVisit | undefined, options: PlanOptions): Decision => {
  if (visit.facility !== options.facility) return { _tag: "Hold", why: "other-facility" }
  if (known === undefined) return { _tag: "Send", why: "new" }
  if (isAnother(visit, known)) return { _tag: "Hold", why: "visit-code-known" }
  const changed = known.fingerprint !== visit.fingerprint
  switch (known.state) {
    case "READY":
      return holdOfUpdate(visit, known, options) ??
        { _tag: "Send", why: known.held ? "update-of-partial" : "left-over" }
    case "STORED":
      if (known.unlisted) return { _tag: "Hold", why: "in-doubt" }
      return changed ? { _tag: "Hold", why: "stored-and-changed" } : { _tag: "Skip", why: "stored" }
    case "PARTIAL":
      if (!changed) return { _tag: "Hold", why: "partial-and-unchanged" }
      return holdOfUpdate(visit, known, options) ?? { _tag: "Send", why: "update-of-partial" }
    case "REFUSED":
    case "CONFLICT": {
      const refused = known.state === "REFUSED"
      // It was never sent, so the conflict with the other visit is checked again.
      if (hasConflict(known)) return { _tag: "Send", why: "left-over" }
      if (!changed && refused && mayBeMended(known, options) && mayChange(known)) {
        return { _tag: "Send", why: "may-be-mended" }
      }
      if (!changed && known.problem !== "released") {
        return { _tag: "Hold", why: refused ? "refused-and-unchanged" : "conflict-and-unchanged" }
      }
      if (!mayChange(known)) return lookUp(changed)
      return holdOfUpdate(visit, known, options) ?? {
        _tag: "Send",
        why: !changed ? "asked-for-again" : refused ? "changed-after-refusal" : "changed-after-conflict"
      }
    }
    case "DUPLICATE":
      return { _tag: "Hold", why: "duplicate" }
    case "DOUBT":
      return { _tag: "Hold", why: "in-doubt" }
    case "SENDING":
    case "UNKNOWN":
    case "VERIFY":
      return lookUp(changed)
  }
}

/** Whether the service holds, or may hold, a different visit under the code. */
const isAnother = (visit: VisitFacts, known: JournalVisit): boolean =>
  mayBeHeld(known) && known.problem !== "released" && isOfAnother(visit, known)

/** Whether the visit is of another patient on another day. Only one of the two is different after a correction of the visit. */
const isOfAnother = (visit: VisitFacts, known: JournalVisit): boolean =>
  visit.patientCode !== known.patientCode &&
  !sameAdmissionDate(visit.admittedAt, known.heldAdmittedAt ?? known.admittedAt)

/** Returns why the update of a partly stored visit is held, or `null` if it may be sent or the visit is no update. */
const holdOfUpdate = (visit: VisitFacts, known: JournalVisit, { holdPartial }: PlanOptions): Decision | null => {
  if (!known.held && known.state !== "PARTIAL") return null
  if (holdPartial === true) return { _tag: "Hold", why: "partial-and-held" }
  return sameAdmissionDate(visit.admittedAt, known.heldAdmittedAt ?? known.admittedAt)
    ? null
    : { _tag: "Hold", why: "partial-with-other-admission-date" }
}

/**
 * Whether the service refused the visit because the patient is unknown; the patient may be registered by now (§4.5 rule 1). A missing
 * code stays missing until the source has it.
 */
export const isUnknownPatient = ({ field, problem, said: message }: JournalVisit): boolean =>
  problem === "field-refused" && field === "patient_code" &&
  !(message !== null && /\brequired\b/iu.test(Redacted.value(message)))

const mayBeMended = (known: JournalVisit, { unknownPatientBefore }: PlanOptions): boolean =>
  unknownPatientBefore !== undefined && !known.held && isUnknownPatient(known) &&
  known.attemptedAt !== null && known.attemptedAt <= unknownPatientBefore

/** Whether a visit is held and the journal does not have it: `status` cannot list it. */
export const isOutsideJournal = ({ why }: Decision): boolean =>
  why === "given-twice" || why === "visit-code-known" || why === "other-facility"

/** Returns why a visit is held because of a different one that was sent, or `null` for every other decision. */
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

/** Whether the visit was held because of another visit, and never sent. */
export const hasConflict = ({ attempts, problem, state }: JournalVisit): boolean =>
  state === "CONFLICT" && attempts === 0 && (problem === "admission-time-taken" || problem === "duplicate-code")

const lookUp = (changed: boolean): Decision => ({
  _tag: "LookUp",
  why: changed ? "no-answer-yet-and-changed" : "no-answer-yet"
})
