import type { Outcome } from "../../service/responses/Outcome.ts"

/**
 * The states of a visit in the journal.
 *
 * `READY` frozen, not sent · `SENDING` a request may be on its way · `STORED` the service holds it, complete (status 1) ·
 * `PARTIAL` the service holds it in part (status 3) · `REFUSED` the service does not take it as it is · `CONFLICT` another
 * visit or another admission date stands against it · `UNKNOWN` sent, and no clear answer came · `VERIFY` the service says it
 * holds the code and the list is to be asked whose it is · `DUPLICATE` the code is somebody else's record · `DOUBT` the list
 * cannot tell whose it is, or several runs had the same unclear answer.
 */
export const visitStates = [
  "READY",
  "SENDING",
  "STORED",
  "PARTIAL",
  "REFUSED",
  "CONFLICT",
  "UNKNOWN",
  "VERIFY",
  "DUPLICATE",
  "DOUBT"
] as const
export type VisitState = (typeof visitStates)[number]

/** Where a visit stands: all that decides what may happen to it next. */
export interface VisitStatus {
  readonly state: VisitState
  /** An attempt had no clear answer and may have been stored; no evidence has settled it yet. */
  readonly open: boolean
  /** The service is known to hold a partial record of ours: another attempt is an update of it. */
  readonly held: boolean
  /** The processed list was asked since the last attempt. */
  readonly looked: boolean
  /** It is STORED by the service's own word, and the list, asked later, did not show it as ours. */
  readonly unlisted: boolean
}

/** A visit that has just been frozen for the first time. */
export const unsent: VisitStatus = { state: "READY", open: false, held: false, looked: false, unlisted: false }

/** The status the list shows for a visit of ours: `other` is neither 1 nor 3 (§3), `none` says that the list shows no status (§4.6). */
export type ListedStatus = "stored" | "partial" | "other" | "none"

/** What the processed list says about a visit's code (§4.6). */
export type ListEvidence =
  /** Our code with our patient and admission time. */
  | { readonly _tag: "Ours"; readonly status: ListedStatus }
  /** Our code with other details. */
  | { readonly _tag: "Anothers" }
  /** Our code, and no details to tell whose it is. */
  | { readonly _tag: "Untold" }
  /** The whole list was read and our code is not in it. */
  | { readonly _tag: "NotListed" }
  /**
   * The service refused the visit because of another one at the same admission time, and the whole list shows such a one under
   * another code and ours not at all: two of them cannot be held (§3).
   */
  | { readonly _tag: "Taken" }
  /** There is no list to read: it is absent, forbidden or not understood. `status` is that of the answer, where there was one. */
  | { readonly _tag: "NoList"; readonly status?: number }

/** What a visit that was sent has of one that is not: its patient's admission time (§3), or the code of an encounter (§4.5 rule 3). */
export type UniquenessConflict = "admission-time-taken" | "duplicate-code"

/** What can happen to a visit. */
export type VisitEvent =
  /** New bytes are frozen: the source or the mapping changed. */
  | { readonly _tag: "Changed" }
  /** W1: an attempt is about to be made. */
  | { readonly _tag: "Intended"; readonly attempt?: string }
  /** The attempt certainly was not looked at. */
  | { readonly _tag: "NotSent" }
  /** W2: what came of the attempt. */
  | { readonly _tag: "Answered"; readonly outcome: Outcome }
  /** A new run opened the journal; whatever was on its way when the last one ended has had no answer. */
  | { readonly _tag: "Reopened" }
  /** It is not sent, because of another visit that was. */
  | { readonly _tag: "Withheld"; readonly because: UniquenessConflict }
  /** Somebody who has asked the operator decided that it may be sent once more. */
  | { readonly _tag: "Released" }
  /** Somebody who has asked the operator says that the service holds it, and that it is ours. */
  | { readonly _tag: "Accepted" }
  /** Several runs had the same unclear answer, and no list has shown it: what becomes of it is for the operator to decide. */
  | { readonly _tag: "LeftToOperator" }
  /** The processed list was asked. */
  | { readonly _tag: "Looked"; readonly evidence: ListEvidence }
