import { Record } from "effect"
import { number, plural } from "../../diagnostic/count.ts"
import { increment } from "../../maps.ts"
import type { SendingOutcome } from "../status/sendingOutcomes.ts"
import type { Forecast } from "./forecast.ts"
import type { Plan, PlanReason } from "./plan.ts"

export type Verb = "send" | "ask" | "hold" | "skip"

interface ReasonFacts {
  readonly verb: Verb
  /** The outcome of the visit in a dry run: as if nothing changed, so that a visit to send is `left`. */
  readonly outcome: SendingOutcome
  /** Planning decides the outcome: the state of the visit in the journal does not matter. */
  readonly isFinal?: true
  /** Describes the visit after a count of visits, and as the title of a problem. */
  readonly words: string
}

/** The reasons of a plan, in the order of its summary. */
export const planReasons: Readonly<Record<PlanReason, ReasonFacts>> = {
  new: { verb: "send", outcome: "left", words: "new" },
  "left-over": { verb: "send", outcome: "left", words: "left over from an earlier run" },
  "changed-after-refusal": { verb: "send", outcome: "left", words: "refused before, changed since" },
  "changed-after-conflict": { verb: "send", outcome: "left", words: "in conflict before, changed since" },
  "update-of-partial": { verb: "send", outcome: "left", words: "stored in part, changed since: an update" },
  "asked-for-again": { verb: "send", outcome: "left", words: "refused before, sent again as asked" },
  "may-be-mended": { verb: "send", outcome: "left", words: "refused before for a reason that may have passed" },
  "no-answer-yet": { verb: "ask", outcome: "left", words: "sent before, outcome unknown: looked up first" },
  "no-answer-yet-and-changed": {
    verb: "ask",
    outcome: "left",
    words: "the same, and changed since: the old version is resolved first"
  },
  "stored-and-changed": {
    verb: "hold",
    outcome: "skipped",
    words: "stored, and changed since: the service accepts no second version"
  },
  "partial-and-unchanged": { verb: "hold", outcome: "partial", words: "stored in part, waiting for an update" },
  "partial-with-other-admission-date": {
    verb: "hold",
    outcome: "partial",
    words: "stored in part, with another admission date than now"
  },
  "partial-and-held": {
    verb: "hold",
    outcome: "partial",
    words: "stored in part, changed since: the facility sends no updates"
  },
  "refused-and-unchanged": { verb: "hold", outcome: "refused", words: "refused, and not changed since" },
  "conflict-and-unchanged": {
    verb: "hold",
    outcome: "conflict",
    words: "in conflict with another visit, and not changed since"
  },
  duplicate: { verb: "hold", outcome: "duplicate", words: "the service has another record under this code" },
  "in-doubt": { verb: "hold", outcome: "doubt", words: "no evidence shows whether the service has it as ours" },
  "given-twice": {
    verb: "hold",
    outcome: "conflict",
    isFinal: true,
    words: "same code as an earlier, different visit of the input"
  },
  "visit-code-known": {
    verb: "hold",
    outcome: "conflict",
    isFinal: true,
    words: "a visit of another patient was sent with this code, for another day"
  },
  "admission-time-known": {
    verb: "hold",
    outcome: "conflict",
    isFinal: true,
    words: "another visit of the patient was sent with this admission time"
  },
  "encounter-code-known": {
    verb: "hold",
    outcome: "conflict",
    isFinal: true,
    words: "another visit that was sent has an encounter with the same code"
  },
  "other-facility": { verb: "hold", outcome: "conflict", isFinal: true, words: "of another facility" },
  "still-open": { verb: "hold", outcome: "open", isFinal: true, words: "still open: not over, or over too recently" },
  stored: { verb: "skip", outcome: "skipped", words: "stored before, unchanged" },
  "same-visit-twice": { verb: "skip", outcome: "skipped", isFinal: true, words: "the same visit again" }
}

/** Counts the visits of a plan by their outcomes in a dry run. */
export const countPlanned = (plan: Plan): Partial<Record<SendingOutcome, number>> => {
  const counts: Partial<Record<SendingOutcome, number>> = {}
  for (const { decision } of plan.visits) {
    const { outcome } = planReasons[decision.why]
    counts[outcome] = (counts[outcome] ?? 0) + 1
  }
  return counts
}

/** The summary of a plan: the output of `--dry-run`, as data. */
export interface PlanSummary {
  readonly visits: number
  /** One line for each reason that occurs, in the order of `planReasons`. */
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

interface ExplainOptions {
  /** Visits per request (default: 1). */
  readonly batch?: number
  /** §8: 1000 requests an hour for each user. */
  readonly perHour?: number
  readonly forecast?: Forecast
}

export const summarisePlan = (plan: Plan, options: ExplainOptions = {}): PlanSummary => {
  const { batch = 1, forecast = { asked: 0, listings: 0, used: 0, waitUntil: null }, perHour = 1000 } = options
  const counts = new Map<PlanReason, number>()
  let visits = 0
  let toSend = 0
  let toLookUp = 0
  for (const { decision } of plan.visits) {
    visits++
    increment(counts, decision.why)
    if (decision._tag === "Send") toSend++
    if (decision._tag === "LookUp") toLookUp++
  }
  // visits without a response may have to be sent again, one by one
  const requests = Math.ceil(toSend / Math.max(1, batch)) + toLookUp
  const excess = requests + forecast.listings - Math.max(0, perHour - forecast.used)
  return {
    visits,
    lines: Record.toEntries(planReasons).flatMap(([why, { verb, words }]) => {
      const count = counts.get(why) ?? 0
      return count === 0 ? [] : [{ verb, why, count, words }]
    }),
    requests,
    ...forecast,
    perHour,
    // the allowed requests are sent at once, and the next when the first is an hour ago
    minutes: Math.max(0, Math.ceil(excess / perHour)) * 60
  }
}

/** Formats the plan as a table for people. */
export const explainPlan = (plan: Plan, options: ExplainOptions = {}): string => {
  const summary = summarisePlan(plan, options)
  const { asked, listings, perHour, requests, used } = summary
  const lines = summary.lines.map(({ count, verb, words }) =>
    `  ${number(count).padStart(9)}  ${(verb === "ask" ? "look up" : verb).padEnd(7)}  ${words}`
  )
  const needed = [
    ...(requests === 0 ? [] : [`${plural(requests, "request")} to send`]),
    ...(listings === 0
      ? []
      : [
        `at least ${number(listings)} to ${
          asked === 0 ? "read the service's list" : `look up ${plural(asked, "visit")}`
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

/** Formats the duration. A wait that the service requested is reported on its own line. */
const duration = ({ minutes, waitUntil }: PlanSummary): string =>
  minutes > 0
    ? `about ${plural(Math.ceil(minutes / 60), "hour")}`
    : waitUntil === null
    ? "no waiting"
    : "no waiting after the one that the service asked for"
