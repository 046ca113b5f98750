import type { Decision, Plan, Why } from "./plan.ts"

/** What a plan comes to: what `--dry-run` prints, as data. */
export interface PlanSummary {
  readonly visits: number
  /** One line for each reason that occurs, in the order of the table. */
  readonly lines: ReadonlyArray<
    { readonly verb: Verb; readonly why: Why; readonly count: number; readonly words: string }
  >
  /** Requests that submit visits; asking the list comes on top, a handful. */
  readonly requests: number
  readonly perHour: number
  /** At the service's limit, without waiting for anything else (§8). */
  readonly minutes: number
}

export type Verb = "send" | "ask" | "hold" | "skip"

export interface ExplainOptions {
  /** Visits in one request; 1 unless the operator has said otherwise. */
  readonly batch?: number
  /** §8: 1000 requests an hour for each user. */
  readonly perHour?: number
}

/** Counts a plan. */
export const summarisePlan = (plan: Plan, options: ExplainOptions = {}): PlanSummary => {
  const perHour = options.perHour ?? 1000
  const counts = new Map<Why, number>()
  let sent = 0
  let asked = 0
  for (const { decision } of plan.visits) {
    counts.set(decision.why, (counts.get(decision.why) ?? 0) + 1)
    if (decision._tag === "Send") sent++
    if (decision._tag === "Settle") asked++
  }
  // what has no answer yet may have to be sent again, one by one
  const requests = Math.ceil(sent / Math.max(1, options.batch ?? 1)) + asked
  return {
    visits: plan.visits.length,
    lines: table.flatMap(([verb, why, words]) => {
      const count = counts.get(why) ?? 0
      return count === 0 ? [] : [{ verb, why, count, words }]
    }),
    requests,
    perHour,
    minutes: Math.ceil((requests / perHour) * 60)
  }
}

/** The plan as a table for people. */
export const explainPlan = (plan: Plan, options: ExplainOptions = {}): string => {
  const summary = summarisePlan(plan, options)
  const lines = summary.lines.map(({ count, verb, words }) =>
    `  ${number(count).padStart(9)}  ${verb.padEnd(4)}  ${words}`
  )
  return [
    `  ${number(summary.visits).padStart(9)}  ${summary.visits === 1 ? "visit" : "visits"} in the input`,
    "",
    ...lines,
    ...(lines.length === 0 ? [] : [""]),
    summary.requests === 0
      ? "  nothing to send"
      : `  ${number(summary.requests)} ${summary.requests === 1 ? "request" : "requests"}, `
        + `at most ${number(summary.perHour)} an hour: about ${duration(summary.minutes)}`,
    ""
  ].join("\n")
}

const table: ReadonlyArray<readonly [verb: Verb, why: Why, words: string]> = [
  ["send", "new", "new"],
  ["send", "left-over", "left over from an earlier run"],
  ["send", "changed-after-refusal", "refused before, changed since"],
  ["send", "changed-after-conflict", "in conflict before, changed since"],
  ["send", "update-of-partial", "stored in part, changed since: an update"],
  ["send", "asked-for-again", "refused before, sent again as asked"],
  ["ask", "no-answer-yet", "sent before without an answer: the service is asked first"],
  ["ask", "no-answer-yet-and-changed", "the same, and changed since: the old version is settled first"],
  ["hold", "stored-and-changed", "stored, and changed since: the service takes no second version"],
  ["hold", "partial-and-unchanged", "stored in part, waiting for an update"],
  ["hold", "partial-with-other-admission-date", "stored in part, with another admission date than now"],
  ["hold", "refused-and-unchanged", "refused, and not changed since"],
  ["hold", "conflict-and-unchanged", "in conflict with another visit, and not changed since"],
  ["hold", "duplicate", "the service holds another record under this code"],
  ["hold", "in-doubt", "the service holds this code and does not show whose it is"],
  ["hold", "given-twice", "one code, visits that are not alike"],
  ["hold", "other-facility", "of another facility"],
  ["skip", "stored", "stored before, unchanged"],
  ["skip", "same-visit-twice", "the same visit again"]
]

/** The words for a decision. */
export const wordsFor = (decision: Decision): string =>
  table.find(([, why]) => why === decision.why)?.[2] ?? decision.why

const number = (value: number): string => value.toLocaleString("en-US")

const duration = (minutes: number): string => {
  if (minutes < 60) return `${minutes} ${minutes === 1 ? "minute" : "minutes"}`
  const hours = Math.floor(minutes / 60)
  const rest = minutes % 60
  return `${number(hours)} h${rest === 0 ? "" : ` ${rest} min`}`
}
