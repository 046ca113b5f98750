import type { Decision, Plan } from "./plan.ts"
import type { SendingOutcome } from "./sendingOutcomes.ts"

/** `left` is a visit to send: none that is held. */
const outcomeOfHold: Readonly<
  Record<Extract<Decision, { readonly _tag: "Hold" }>["why"], Exclude<SendingOutcome, "left">>
> = {
  "stored-and-changed": "skipped",
  "partial-and-unchanged": "partial",
  "partial-with-other-admission-date": "partial",
  "partial-and-held": "partial",
  "refused-and-unchanged": "refused",
  "conflict-and-unchanged": "conflict",
  duplicate: "duplicate",
  "in-doubt": "doubt",
  "given-twice": "conflict",
  "admission-time-known": "conflict",
  "encounter-code-known": "conflict",
  "other-facility": "conflict",
  "still-open": "open"
}

/** Returns the outcome of a visit in a dry run: as if nothing changed, so that a visit to send is `left`. */
export const plannedOutcome = (decision: Decision): SendingOutcome =>
  decision._tag === "Hold" ? outcomeOfHold[decision.why] : decision._tag === "Skip" ? "skipped" : "left"

/** Counts the visits of a plan by their outcomes. */
export const countPlanned = (plan: Plan): Partial<Record<SendingOutcome, number>> => {
  const counts: Partial<Record<SendingOutcome, number>> = {}
  for (const { decision } of plan.visits) {
    const outcome = plannedOutcome(decision)
    counts[outcome] = (counts[outcome] ?? 0) + 1
  }
  return counts
}
