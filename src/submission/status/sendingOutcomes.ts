import { memberNames, objectWith } from "../../objects.ts"
import type { VisitState, VisitStatus } from "../journal/VisitState.ts"

/** What a visit needs: nothing, time, a later run or the operator, or a correction. In the order of urgency. */
export const attentions = ["delivered", "open", "waiting", "correction"] as const
export type Attention = (typeof attentions)[number]

/**
 * The outcomes of the visits of an input at the end of a run, in the order of reports. Their counts add up to the visits that were ready
 * and those that are still open. `words` follow a count in the summary of a run.
 */
export const sendingOutcomes = {
  /** Stored completely in this run, according to a response or to the list. */
  stored: { attention: "delivered", words: "stored" },
  /** Stored partially by the service. */
  partial: { attention: "correction", words: "stored in part" },
  /** Refused by the service. */
  refused: { attention: "correction", words: "refused" },
  /** Its code belongs to a different record at the service. */
  duplicate: { attention: "correction", words: "with a code used by another record" },
  /** It conflicts with another visit, another admission date, or the facility of the run. */
  conflict: { attention: "correction", words: "in conflict" },
  /** It may or may not be the record that the service holds, or the service acknowledged it and its list does not show it. */
  doubt: { attention: "waiting", words: "in doubt" },
  /** Sent without a clear response: outcome unknown. */
  unknown: { attention: "waiting", words: "with unknown outcome" },
  /** Nothing to send: stored by an earlier run, or the same visit twice in the input. */
  skipped: { attention: "delivered", words: "skipped" },
  /** Not sent yet: left for the next run. */
  left: { attention: "waiting", words: "not sent" },
  /** Not over, or over too recently: a later run sends it. */
  open: { attention: "open", words: "still open" }
} as const satisfies Readonly<Record<string, { readonly attention: Attention; readonly words: string }>>

export type SendingOutcome = keyof typeof sendingOutcomes

export const outcomeNames: ReadonlyArray<SendingOutcome> = memberNames(sendingOutcomes)

/** The states of a visit that was not sent, besides `open`. A count of the ready visits is the sum of all outcomes but `open`. */
const unsentStates = {
  /** It may be sent. */
  ready: { attention: "delivered", words: "ready" },
  /** It is not sent because of an error. */
  rejected: { attention: "correction", words: "rejected" }
} as const satisfies Readonly<Record<string, { readonly attention: Attention; readonly words: string }>>

/** The states of a visit in a report, in the order of reports. */
export const reportStates = { ...unsentStates, ...sendingOutcomes }
export type ReportState = keyof typeof reportStates
export const reportStateNames: ReadonlyArray<ReportState> = memberNames(reportStates)

/** The state of a visit after it is converted and before it is sent. Their counts add up to all visits. */
export type ConvertedState = keyof typeof unsentStates | "open"

/** Returns the state of a converted visit. One that is not over is neither ready nor rejected. */
export const convertedState = (
  { notOver, ready }: { readonly notOver?: true; readonly ready: boolean }
): ConvertedState => notOver === true ? "open" : ready ? "ready" : "rejected"

export type OutcomeCounts = Readonly<Record<SendingOutcome, number>>

/** The number of visits whose outcome needs this. Reports of earlier versions do not have all counts. */
export const countNeeding = (counts: Partial<OutcomeCounts>, attention: Attention): number =>
  outcomeNames.reduce(
    (sum, name) => sendingOutcomes[name].attention === attention ? sum + (counts[name] ?? 0) : sum,
    0
  )

export const noOutcomes: OutcomeCounts = objectWith(outcomeNames, () => 0)

/** The outcome of a visit in each state of the journal, with the words for the state if they are not those of the outcome. */
const states: Readonly<Record<VisitState, { readonly outcome: SendingOutcome; readonly words?: string }>> = {
  UNKNOWN: { outcome: "unknown" },
  SENDING: { outcome: "unknown", words: "on the way" },
  VERIFY: { outcome: "unknown", words: "to be verified" },
  DOUBT: { outcome: "doubt" },
  CONFLICT: { outcome: "conflict" },
  DUPLICATE: { outcome: "duplicate" },
  REFUSED: { outcome: "refused" },
  PARTIAL: { outcome: "partial" },
  READY: { outcome: "left", words: "ready" },
  STORED: { outcome: "stored" }
}

export const outcomeOfState = (state: VisitState): SendingOutcome => states[state].outcome

export const stateWords = (state: VisitState): string =>
  states[state].words ?? sendingOutcomes[states[state].outcome].words

/** Whether only a lookup or a person can establish the outcome. */
export const isPending = (state: VisitState): boolean => ["unknown", "doubt"].includes(outcomeOfState(state))

/** Whether the service holds the visit, or may hold it. */
export const mayBeHeld = ({ held, open, state }: VisitStatus): boolean =>
  held || open || state === "STORED" || isPending(state)
