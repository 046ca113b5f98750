import { Effect, Iterable } from "effect"
import type { OperatorError } from "../../service/OperatorError.ts"
import type { VisitCode } from "../../visit/values/Code.ts"
import { Journal } from "../journal/Journal.ts"
import type { JournalError } from "../journal/JournalError.ts"
import { isContradicted, type JournalVisit } from "../journal/JournalVisit.ts"
import { visitStates } from "../journal/VisitState.ts"
import { planReasons } from "../plan/explainPlan.ts"
import { knownUnsent, otherThanPlanned, type OtherVisits, type UnsentVisits } from "../plan/otherVisits.ts"
import type { Decision, Plan } from "../plan/plan.ts"
import { isPending, noOutcomes, type OutcomeCounts, outcomeOfState, type SendingOutcome } from "./sendingOutcomes.ts"

/** The number of visits of an input with each outcome at the end of a run; `visits` is their sum. */
interface SubmitCounts extends OutcomeCounts {
  readonly visits: number
  /** Part of a request in this run, whatever its outcome. */
  readonly sent: number
  /** Stored or skipped, and the source has other contents now than the service. */
  readonly changedSince: number
}

/** Why a run ended early. Nothing is lost: the same command resumes it. */
export type Stopped =
  | { readonly _tag: "OperatorError"; readonly error: OperatorError }
  /** Too many requests in a row without a clear response, or a redirect: something else responds in place of the service. */
  | {
    readonly _tag: "NoClearResponse"
    readonly requests: number
    /** The reasons for the missing responses, each with its count. */
    readonly kinds: ReadonlyArray<readonly [why: string, count: number]>
    /** The result of the one lookup of these visits in the list. */
    readonly list: "not asked" | "no list" | "shows none"
  }
  /** The service refused this many visits in a row for one reason, which affects all of them. */
  | { readonly _tag: "SameRefusal"; readonly visits: number; readonly reason: string; readonly field: string | null }

/** One visit of the input that is reported individually. */
export interface VisitResult {
  readonly code: VisitCode
  readonly source: string | null
  readonly decision: Decision
  readonly outcome: SendingOutcome
  /** The visit in the journal; `null` if it was never frozen. */
  readonly visit: JournalVisit | null
}

export interface SubmitResult extends OtherVisits {
  readonly counts: SubmitCounts
  /** The states of the first visits of the input, by code. */
  readonly first: ReadonlyMap<string, SendingOutcome>
  /**
   * Every visit that is not simply stored, in the order of the input. Visits that only wait to be sent are limited to the first 500.
   * Visits that were stored before this journal sent them, or are near another visit, are included.
   */
  readonly notable: ReadonlyArray<VisitResult>
  /** Visits of other inputs whose outcome is unknown. */
  readonly openElsewhere: number
  /** Other visits, of any input, that were acknowledged as stored and are contradicted by the list; reported in every run. */
  readonly contradicted: ReadonlyArray<VisitResult>
  /** Number of requests for the processed list. */
  readonly listings: number
  /** Why the run ended early, or `null`. */
  readonly stopped: Stopped | null
}

/** The facts of a run that the tally needs. */
interface RunFacts {
  readonly sent: Pick<ReadonlySet<string>, "has">
  readonly settled: Pick<ReadonlySet<string>, "has">
  readonly listings: number
  readonly stopped: Stopped | null
  readonly unsent: UnsentVisits
}

/** Maximum of visits whose state is kept individually. */
const maxFirst = 100_000
/** Maximum of reported visits that only wait to be sent. */
const maxWaiting = 500

/** Counts the visits of a plan by their current state in the journal. */
export const tally = Effect.fnUntraced(function*(
  plan: Plan,
  run: RunFacts
): Effect.fn.Return<SubmitResult, JournalError, Journal> {
  const journal = yield* Journal
  const counts = { ...noOutcomes, changedSince: 0 }
  const notable: Array<VisitResult> = []
  const first = new Map<string, SendingOutcome>()
  const unsent = yield* knownUnsent(journal, run.unsent)
  /** The codes that are in the plan, too. */
  const planned = new Set<VisitCode>()
  let visits = 0
  let sent = 0
  /** Visits of the input whose outcome is unknown, and those that are frozen and not sent. */
  const here = { open: 0, left: 0 }
  let left = 0
  for (const group of Iterable.chunksOf(plan.visits, 500)) {
    visits += group.length
    const known = yield* journal.find(group.map(({ code }) => code))
    for (const { code, decision, source } of group) {
      if (unsent.codes.has(code)) planned.add(code)
      if (decision.why !== "same-visit-twice" && decision.why !== "given-twice") {
        if (run.sent.has(code)) sent++
        const state = known.get(code)?.state
        if (state === "READY") here.left++
        else if (state !== undefined && isPending(state)) here.open++
      }
      const visit = decision.why === "other-facility" ? null : known.get(code) ?? null
      const outcome = outcomeOf(decision, visit, run)
      counts[outcome]++
      if (first.size < maxFirst && !first.has(code)) first.set(code, outcome)
      const isDelivered = outcome === "stored" || outcome === "skipped"
      if (isDelivered && visit?.state === "STORED" && visit.changedSince) counts.changedSince++
      const isNear = decision._tag === "Send" && (decision.near ?? decision.spelled ?? decision.replaces) !== undefined
      const isNotable = outcome === "stored"
        ? isNear || visit?.unseen === true || visit?.changedSince === true
        : outcome === "open"
        ? false
        : outcome !== "skipped" || decision._tag === "Hold"
      // report only the first of the visits that wait to be sent
      const waits = outcome === "left" && decision._tag === "Send" && !isNear
      if (waits) left++
      if (isNotable && !(waits && left > maxWaiting)) {
        notable.push({ code, source, decision, outcome, visit })
      }
    }
  }
  const all = yield* journal.counts
  const reported = new Set(notable.map(({ code }) => code))
  const open = visitStates.reduce((sum, state) => sum + (isPending(state) ? all[state] : 0), 0)
  return {
    counts: { visits, sent, ...counts },
    first,
    notable,
    openElsewhere: open - here.open,
    ...yield* otherThanPlanned(journal, unsent, { planned, ready: here.left }),
    contradicted: (yield* journal.notAsSource).filter((visit) => isContradicted(visit) && !reported.has(visit.code))
      .map((visit) => ({
        code: visit.code,
        source: visit.source,
        decision: { _tag: "Skip", why: "stored" },
        outcome: "skipped",
        visit
      })),
    listings: run.listings,
    stopped: run.stopped
  }
})

const outcomeOf = (decision: Decision, visit: JournalVisit | null, run: RunFacts): SendingOutcome => {
  const { isFinal, outcome } = planReasons[decision.why]
  if (isFinal === true) return outcome
  if (visit === null) return "left"
  if (visit.state === "STORED" && visit.unlisted) return "doubt"
  // The service holds it in part, and its update is not sent.
  if (visit.state === "READY" && visit.held && decision._tag === "Hold") return outcome
  return outcome === "skipped" && !run.settled.has(visit.code) ? outcome : outcomeOfState(visit.state)
}
