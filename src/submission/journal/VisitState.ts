import type { Outcome } from "../../service/responses/Outcome.ts"

/** The states of a visit in the journal, the most urgent first. */
export const visitStates = [
  /** Sent, outcome unknown. */
  "UNKNOWN",
  /** A request may be on its way. */
  "SENDING",
  /** The service reports that it holds the code. The list must show whose visit it is. */
  "VERIFY",
  /** The list cannot show whose visit it is, or several runs had the same unclear response. */
  "DOUBT",
  /** It conflicts with another visit, or with another admission date. */
  "CONFLICT",
  /** The service holds another sender's record under the code. */
  "DUPLICATE",
  /** The service refused it in its current form. */
  "REFUSED",
  /** The service holds it in part (status 3). */
  "PARTIAL",
  /** Frozen, not sent. */
  "READY",
  /** The service holds it, complete (status 1). */
  "STORED"
] as const
export type VisitState = (typeof visitStates)[number]

/** The states that end in a verdict against the visit: the service does not hold it, and does not take it unchanged. */
export const verdictStates: ReadonlyArray<VisitState> = ["CONFLICT", "DUPLICATE", "REFUSED"]

/** The state that decides the next step for a visit. */
export interface VisitStatus {
  readonly state: VisitState
  /** An attempt had no clear response and may have been stored; no evidence has resolved it yet. */
  readonly open: boolean
  /** The service is known to hold a partial record of ours: another attempt is an update of it. */
  readonly held: boolean
  /** The visit was looked up in the processed list after the last attempt. */
  readonly looked: boolean
  /** It is STORED according to the service's response, and a later lookup in the list did not show it as ours. */
  readonly unlisted: boolean
}

/** A visit that has just been frozen for the first time. */
export const unsent: VisitStatus = { state: "READY", open: false, held: false, looked: false, unlisted: false }

/** The status that the list shows for a visit of ours. `other` is neither 1 nor 3 (§3); `none` is a list without a status (§4.6). */
export type ListedStatus = "stored" | "partial" | "other" | "none"

/** The evidence of the processed list about a visit's code (§4.6). */
export type ListEvidence =
  /** Our code with our patient and admission time. */
  | { readonly _tag: "Ours"; readonly status: ListedStatus }
  /** Our code with other details. */
  | { readonly _tag: "Anothers" }
  /** Our code, without details that show whose it is; or a row without a code, whose details do not contradict ours. */
  | { readonly _tag: "Untold" }
  /** The whole list was read and our code is not in it. */
  | { readonly _tag: "NotListed" }
  /**
   * The service refused the visit because of another visit at the same admission time. The whole list shows such a visit under another
   * code, and ours not at all: the service cannot hold both (§3).
   */
  | { readonly _tag: "Taken" }
  /** There is no list to read: it is absent, forbidden or not understood. `status` is the status of the response, if there was one. */
  | { readonly _tag: "NoList"; readonly status?: number | "incomplete" }

/** What a held visit shares with a sent one: the patient's admission time (§3), or the code of an encounter (§4.5 rule 3). */
export type UniquenessConflict = "admission-time-taken" | "duplicate-code"

export type VisitEvent =
  /** New bytes are frozen: the source or the mapping changed. */
  | { readonly _tag: "Changed" }
  /** W1: an attempt is about to be made. */
  | { readonly _tag: "Intended"; readonly attempt?: string }
  /** The service certainly did not process the attempt. */
  | { readonly _tag: "NotSent" }
  /** W2: the outcome of the attempt. */
  | { readonly _tag: "Answered"; readonly outcome: Outcome }
  /** A new run opened the journal; attempts that were on their way when the last run ended have no response. */
  | { readonly _tag: "Reopened" }
  /** It is not sent, because of another visit that was sent. */
  | { readonly _tag: "Withheld"; readonly because: UniquenessConflict }
  /** A person who has checked with the operator decided that it may be sent again. */
  | { readonly _tag: "Released" }
  /** A person who has checked with the operator decided that the service holds it as ours. */
  | { readonly _tag: "Accepted" }
  /** Several runs had the same unclear response, and no list shows the visit: the operator must decide. */
  | { readonly _tag: "LeftToOperator" }
  /** The visit was looked up in the processed list. */
  | { readonly _tag: "Looked"; readonly evidence: ListEvidence }
