import { number, plural } from "../diagnostic/count.ts"
import type { Forecast } from "./forecast.ts"
import type { Decision, Plan, PlanReason } from "./plan.ts"

/** The summary of a plan: the output of `--dry-run`, as data. */
export interface PlanSummary {
  readonly visits: number
  /** One line for each reason that occurs, in the order of the table. */
  readonly lines: ReadonlyArray<
    { readonly verb: Verb; readonly why: PlanReason; readonly count: number; readonly words: string }
  >
  /** Requests that submit visits, at most: a visit that a lookup finds stored is not sent again. */
  readonly requests: number
  /** Requests for lists, at least: a list of unknown length may have more pages. */
  readonly listings: number
  /** Visits of any input that are looked up before anything is sent. */
  readonly asked: number
  readonly perHour: number
  /** Requests of the last hour; they count against the limit (§8). */
  readonly used: number
  /** The time (ISO) before which the service accepts no request, or `null`. */
  readonly waitUntil: string | null
  /** Minutes that the run waits for the service's limit. */
  readonly minutes: number
}

export type Verb = "send" | "ask" | "hold" | "skip"

interface ExplainOptions {
  /** Visits per request (default: 1). */
  readonly batch?: number
  /** §8: 1000 requests an hour for each user. */
  readonly perHour?: number
  readonly forecast?: Forecast
}

/** Summarises a plan. */
export const summarisePlan = (plan: Plan, options: ExplainOptions = {}): PlanSummary => {
  const { batch = 1, forecast = { asked: 0, listings: 0, used: 0, waitUntil: null }, perHour = 1000 } = options
  const counts = new Map<PlanReason, number>()
  let visits = 0
  let sent = 0
  let requested = 0
  for (const { decision } of plan.visits) {
    visits++
    counts.set(decision.why, (counts.get(decision.why) ?? 0) + 1)
    if (decision._tag === "Send") sent++
    if (decision._tag === "Settle") requested++
  }
  // visits without a response may have to be sent again, one by one
  const requests = Math.ceil(sent / Math.max(1, batch)) + requested
  const late = requests + forecast.listings - Math.max(0, perHour - forecast.used)
  return {
    visits,
    lines: table.flatMap(([verb, why, words]) => {
      const count = counts.get(why) ?? 0
      return count === 0 ? [] : [{ verb, why, count, words }]
    }),
    requests,
    ...forecast,
    perHour,
    // the allowed requests are sent at once, and the next when the first is an hour ago
    minutes: Math.max(0, Math.ceil(late / perHour)) * 60
  }
}

/** Formats the plan as a table for people. */
export const explainPlan = (plan: Plan, options: ExplainOptions = {}): string => {
  const summary = summarisePlan(plan, options)
  const { asked: requested, listings, perHour, requests, used } = summary
  const lines = summary.lines.map(({ count, verb, words }) =>
    `  ${number(count).padStart(9)}  ${verb.padEnd(4)}  ${words}`
  )
  const needed = [
    ...(requests === 0 ? [] : [`${plural(requests, "request")} to send`]),
    ...(listings === 0
      ? []
      : [
        `at least ${number(listings)} to ask what the service holds${
          requested === 0 ? "" : `, about ${plural(requested, "visit")}`
        }`
      ])
  ]
  return [
    `  ${number(summary.visits).padStart(9)}  ${summary.visits === 1 ? "visit" : "visits"} in the input`,
    "",
    ...lines,
    ...(lines.length === 0 ? [] : [""]),
    ...(requests === 0 ? ["  nothing to send"] : []),
    ...(needed.length === 0 ? [] : [
      `  ${needed.join(", ")}`,
      `  ${number(perHour)} an hour are allowed${used === 0 ? "" : `, ${number(used)} of them used`}: ${
        duration(summary)
      }`
    ]),
    ""
  ].join("\n")
}

const table: ReadonlyArray<readonly [verb: Verb, why: PlanReason, words: string]> = [
  ["send", "new", "new"],
  ["send", "left-over", "left over from an earlier run"],
  ["send", "changed-after-refusal", "refused before, changed since"],
  ["send", "changed-after-conflict", "in conflict before, changed since"],
  ["send", "update-of-partial", "stored in part, changed since: an update"],
  ["send", "asked-for-again", "refused before, sent again as asked"],
  ["send", "may-be-mended", "refused before for a reason that may have passed"],
  ["ask", "no-answer-yet", "sent before, outcome unknown: looked up first"],
  ["ask", "no-answer-yet-and-changed", "the same, and changed since: the old version is resolved first"],
  ["hold", "stored-and-changed", "stored, and changed since: the service takes no second version"],
  ["hold", "partial-and-unchanged", "stored in part, waiting for an update"],
  ["hold", "partial-with-other-admission-date", "stored in part, with another admission date than now"],
  ["hold", "partial-and-held", "stored in part, changed since: the facility sends no updates"],
  ["hold", "refused-and-unchanged", "refused, and not changed since"],
  ["hold", "conflict-and-unchanged", "in conflict with another visit, and not changed since"],
  ["hold", "duplicate", "the service holds another record under this code"],
  ["hold", "in-doubt", "no evidence shows whether the service holds it as ours"],
  ["hold", "given-twice", "the code of an earlier visit of the input, which is not alike"],
  ["hold", "admission-time-known", "another visit of the patient was sent with this admission time"],
  ["hold", "encounter-code-known", "another visit that was sent has an encounter with the same code"],
  ["hold", "other-facility", "of another facility"],
  ["hold", "still-open", "still open: not over, or over too recently"],
  ["skip", "stored", "stored before, unchanged"],
  ["skip", "same-visit-twice", "the same visit again"]
]

/** Returns the text for a decision. */
export const wordsFor = (decision: Decision): string =>
  table.find(([, why]) => why === decision.why)?.[2] ?? decision.why

/** Formats the duration. A wait that the service requested is reported on its own line. */
const duration = ({ minutes, waitUntil }: PlanSummary): string =>
  minutes > 0
    ? `about ${plural(Math.ceil(minutes / 60), "hour")}`
    : waitUntil === null
    ? "no waiting"
    : "no waiting after the one that the service asked for"
