import { Struct } from "effect"
import type { RefusalReason } from "../service/responses/Outcome.ts"
import type { ListedStatus, ListEvidence, VisitEvent, VisitState, VisitStatus } from "./journal/VisitState.ts"

/**
 * The state machine of a visit: returns the state after an event, or `null` when the event must not happen to it.
 *
 * It keeps these rules, which `nextState.test.ts` proves over every combination. A visit is sent only from READY and UNKNOWN; after an
 * attempt without a response it is sent only after a lookup in the list. STORED needs a plain 200, our own record in the list, or a
 * person's decision about a visit in doubt. DUPLICATE needs another sender's record in the list. A visit leaves STORED only by a
 * person's decision about a visit that the list does not show. DOUBT is never sent again automatically, and no decision erases the
 * evidence of an attempt of ours.
 */
export const nextState = (now: VisitStatus, event: VisitEvent): VisitStatus | null => {
  switch (event._tag) {
    case "Changed":
      return changed(now)
    case "Intended":
      return maySend(now) ? { ...now, state: "SENDING", looked: false } : null
    case "NotSent":
      return now.state === "SENDING" ? notSent(now) : null
    case "Answered":
      return now.state === "SENDING" ? answered(now, event.outcome) : null
    case "Reopened":
      return reopened(now)
    case "Withheld":
      return mayBeWithheld(now) ? { ...now, state: "CONFLICT", looked: true } : null
    case "Released":
      return mayBeReleased(now) ? released(now) : null
    case "Accepted":
      return mayBeAccepted(now) ? { ...stored, looked: true } : null
    case "LeftToOperator":
      return now.state === "UNKNOWN" && now.looked ? { ...now, state: "DOUBT" } : null
    case "Looked":
      return looked(now, event.evidence)
  }
}

/** A person's decision about a visit: to release it from its verdict, or that the service holds it as ours. */
type PersonsDecision = "release" | "accept"

/** The decisions that a person may make in each state. In the order of the help of `release`. */
const decisions: Readonly<Record<VisitState, ReadonlyArray<PersonsDecision>>> = {
  REFUSED: ["release"],
  CONFLICT: ["release"],
  DUPLICATE: ["release", "accept"],
  DOUBT: ["release", "accept"],
  // only if the list does not show it
  STORED: ["release", "accept"],
  PARTIAL: [],
  READY: [],
  // these have no response yet
  UNKNOWN: [],
  SENDING: [],
  VERIFY: []
}

const mayDecide = (decision: PersonsDecision, { state, unlisted }: VisitStatus): boolean =>
  decisions[state].includes(decision) && (state !== "STORED" || unlisted)

/** The states in which a person may release a visit. */
export const releasableStates = Struct.keys(decisions).filter((state) => decisions[state].includes("release"))

/**
 * Whether a person may release a visit from its verdict. A visit that the service acknowledged and lists, or that has no response yet,
 * may not be released.
 */
export const mayBeReleased = (visit: VisitStatus): boolean => mayDecide("release", visit)

/** Whether a person may decide that the service holds the visit as ours. */
export const mayBeAccepted = (visit: VisitStatus): boolean => mayDecide("accept", visit)

/** Whether the service certainly has nothing of the visit, so that it may be held because of another visit. */
export const mayBeWithheld = ({ held, open, state }: VisitStatus): boolean => state === "READY" && !open && !held

/** The service acknowledged a stored visit: that attempt may appear in the list, like any other that may have been stored. */
const released = (now: VisitStatus): VisitStatus => ({
  ...now,
  state: "REFUSED",
  open: now.open || now.state === "STORED",
  looked: true,
  unlisted: false
})

/** Whether a visit may be sent in its current state. */
export const maySend = ({ looked, open, state }: VisitStatus): boolean =>
  state === "READY" ? !open || looked : state === "UNKNOWN" && looked

/** Whether new bytes may replace the frozen ones. Bytes in doubt are resolved first. */
export const mayChange = ({ looked, open, state }: VisitStatus): boolean =>
  state === "PARTIAL" || ((state === "READY" || state === "REFUSED" || state === "CONFLICT") && (!open || looked))

const changed = (now: VisitStatus): VisitStatus | null => mayChange(now) ? { ...now, state: "READY" } : null

/** An earlier attempt may still have been stored; the lookup before this attempt stays valid. */
const notSent = (now: VisitStatus): VisitStatus =>
  now.open ? { ...now, state: "UNKNOWN", looked: true } : { ...now, state: "READY" }

const reopened = (now: VisitStatus): VisitStatus => {
  switch (now.state) {
    case "SENDING":
      return { ...now, state: "UNKNOWN", open: true, looked: false }
    case "UNKNOWN":
      return { ...now, looked: false }
    default:
      return now
  }
}

const stored: VisitStatus = { state: "STORED", open: false, held: false, looked: false, unlisted: false }
const partial: VisitStatus = { state: "PARTIAL", open: false, held: true, looked: false, unlisted: false }

const answered = (now: VisitStatus, outcome: Extract<VisitEvent, { _tag: "Answered" }>["outcome"]): VisitStatus => {
  switch (outcome._tag) {
    case "Stored":
      return stored
    case "PartlyStored":
      return partial
    case "Unknown":
      return { ...now, state: "UNKNOWN", open: true, looked: false }
    case "Refused":
      return { ...now, state: refused(now, outcome.reason), looked: false }
  }
}

const refused = (now: VisitStatus, reason: RefusalReason): "VERIFY" | "CONFLICT" | "REFUSED" => {
  switch (reason) {
    case "visit-already-submitted":
      return "VERIFY"
    // the conflicting visit may be this one, if an earlier attempt of it may have been stored
    case "admission-time-taken":
      return now.open || now.held ? "VERIFY" : "CONFLICT"
    // an earlier attempt had the same bytes and so the same date: it cannot be the conflicting visit
    case "admission-date-changed":
      return "CONFLICT"
    case "field-refused":
    case "refused-other":
    case "too-large":
      return "REFUSED"
  }
}

const looked = (now: VisitStatus, evidence: ListEvidence): VisitStatus | null => {
  if (now.state === "SENDING") return null
  switch (evidence._tag) {
    case "Ours":
      return ours({ ...now, looked: true }, evidence.status)
    case "Anothers":
      return { ...anothers(now), looked: true }
    case "Untold":
    case "NoList":
      return { ...now, state: now.state === "VERIFY" ? "DOUBT" : now.state, looked: true }
    case "NotListed":
      return { ...notListed(now), looked: true }
    case "Taken":
      return (now.state === "VERIFY" || now.state === "DOUBT") && !now.held
        ? { ...now, state: "CONFLICT", open: false, looked: true }
        : { ...notListed(now), looked: true }
  }
}

const ours = (now: VisitStatus, status: ListedStatus): VisitStatus => {
  if (now.state === "STORED") return { ...now, unlisted: false }
  switch (status) {
    case "stored":
      return { ...stored, looked: true }
    case "partial":
      switch (now.state) {
        // the record waits for its update, and the bytes of the update are available
        case "READY":
          return { ...now, open: false, held: true }
        // the listed record may be the one from before the update: only a response can show which
        case "UNKNOWN":
        // the update was refused, and its error is still to be reported
        case "REFUSED":
        case "CONFLICT":
          return now.held ? now : { ...partial, looked: true }
        default:
          return { ...partial, looked: true }
      }
    case "none":
      // a listed record is stored; if it was partly stored before, the list does not show whether it still is
      return now.held || now.state === "PARTIAL" ? verified(now) : { ...stored, looked: true }
    case "other":
      return now.held || now.state === "PARTIAL" ? verified(now) : { ...now, state: "DOUBT" }
  }
}

const anothers = (now: VisitStatus): VisitStatus => {
  switch (now.state) {
    case "UNKNOWN":
    case "VERIFY":
    case "DOUBT":
    case "CONFLICT":
    case "READY":
      // a visit that the service itself acknowledged as ours stays so if a list disagrees
      if (now.held || (now.state === "READY" && now.open)) return verified(now)
      return { state: "DUPLICATE", open: false, held: false, looked: true, unlisted: false }
    case "REFUSED":
      return closed(now)
    case "STORED":
      return { ...now, unlisted: true }
    default:
      return now
  }
}

const notListed = (now: VisitStatus): VisitStatus => {
  switch (now.state) {
    case "REFUSED":
    case "CONFLICT":
      return closed(now)
    case "STORED":
      return { ...now, unlisted: true }
    default:
      return verified(now)
  }
}

/**
 * The same bytes were refused, and the first lookup since then does not show the earlier attempt: that one was not stored either. A
 * visit that was looked up before, or released by a person, keeps its evidence.
 */
const closed = (now: VisitStatus): VisitStatus => ({ ...now, open: now.open && now.looked })

const verified = (now: VisitStatus): VisitStatus => now.state === "VERIFY" ? { ...now, state: "DOUBT" } : now
