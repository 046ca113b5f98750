import { Effect, Random, type Stream } from "effect"
import type { Operator } from "../operator/Operator.ts"
import type { OperatorError } from "../operator/OperatorError.ts"
import type { Outcome } from "../operator/Outcome.ts"
import { type RetrySettings, usualRetry, waitBefore } from "../operator/RetrySettings.ts"
import type { WireForm } from "../operator/wireForm.ts"
import { confirm } from "./confirm.ts"
import { exchange, type ExchangeLimits, exchangeLimits } from "./exchange.ts"
import { intake } from "./intake.ts"
import { Journal } from "./Journal.ts"
import type { JournalError } from "./JournalError.ts"
import type { JournalVisit } from "./JournalVisit.ts"
import type { Plan, PlanOptions } from "./plan.ts"
import { isLasting, reconcile, type ReconcileOptions } from "./reconcile.ts"
import type { RunSummary } from "./RunSummary.ts"
import type { Submission } from "./Submission.ts"
import { takeListFirst } from "./takeListFirst.ts"
import { type Stopped, type SubmitResult, tally } from "./tally.ts"

export interface SubmitOptions extends ReconcileOptions, Omit<PlanOptions, "facility"> {
  /** Hash of the mapping that made the visits. */
  readonly mapping?: string
  /** Visits in one request; 1 unless the operator has said what an answer to several means (§4.5 shows one visit code). */
  readonly batch?: number
  /** Requests at a time. One is enough for 1000 an hour as long as an answer takes less than 3.6 seconds. */
  readonly concurrency?: number
  readonly retry?: RetrySettings
  readonly limits?: ExchangeLimits
  /** Each attempt has an id that the service and the journal are told. */
  readonly nameAttempts?: boolean
  /** How the operator wants visits written. One that is sent again keeps the form it had. */
  readonly form?: WireForm
  /** Takes the processed list before the first request; `auto` with a fresh journal, for it may be one that was lost. */
  readonly listFirst?: boolean | "auto"
  /** The plan is known, and nothing is sent yet; so many requests of the last hour count against the limit. */
  readonly onPlan?: (plan: Plan, used: number) => Effect.Effect<void>
  /** After each request: how many visits have been sent in this run. */
  readonly onSent?: (visits: number) => Effect.Effect<void>
  /** What the input was worth, to be kept with the run; asked when it has been read to its end. */
  readonly summary?: () => RunSummary
  /** The run was interrupted; what was in flight is in the journal. */
  readonly onInterrupted?: (result: SubmitResult) => Effect.Effect<void>
  /** The journal gave out on the way, as by a full disk: where each visit stands by what it still tells. */
  readonly onBroken?: (result: SubmitResult) => Effect.Effect<void>
}

/**
 * Submits every visit of an input once: settles what earlier runs left open, freezes the input in the journal, sends it one
 * visit after the other in the order of the input, asks the service about whatever had no clear answer, and sends that again
 * with the same bytes.
 *
 * Succeeds also when the world stopped it (`result.stopped`), for the result then still says where each visit stands. Fails with
 * what reading the input fails with, before anything was sent, and with `JournalError`.
 */
export const submit = <E, R>(
  visits: Stream.Stream<Submission, E, R>,
  options: SubmitOptions = {}
): Effect.Effect<SubmitResult, E | JournalError, R | Journal | Operator> =>
  Effect.gen(function*() {
    const journal = yield* Journal
    const run = new Run(options)
    yield* run.ask
    yield* run.confirm
    const plan = yield* intake(visits, { ...options, facility: journal.facility })
    if (options.onPlan !== undefined) yield* options.onPlan(plan, yield* journal.requestsOfTheHour)
    const sending = Effect.gen(function*() {
      let codes = plan.visits.flatMap(({ code, decision }) => decision._tag === "Send" ? [code] : [])
      if (run.wantsList(journal.fresh)) codes = yield* run.listFirst(codes)
      yield* run.sendSettled
      yield* run.sendAll(codes, options.batch ?? 1)
      yield* run.sendOpenAgain
      const result = yield* tally(plan, run)
      yield* journal.finish(run.stopped === null ? "done" : "stopped", { ...result.counts }, options.summary?.())
      return result
    })
    const tell = (listener: SubmitOptions["onInterrupted"]) =>
      listener === undefined ? Effect.void : Effect.ignore(Effect.flatMap(tally(plan, run), listener))
    return yield* sending.pipe(
      Effect.onInterrupt(() => tell(options.onInterrupted)),
      Effect.tapError(() => tell(options.onBroken))
    )
  })

/** The course of one run. */
class Run {
  readonly options: SubmitOptions
  readonly retry: RetrySettings
  /** Codes that were part of a request in this run. */
  readonly sent = new Set<string>()
  /** Codes that the list settled in this run. */
  readonly settled = new Set<string>()
  /** Visits about which the list says otherwise than the answer did. */
  contradicted: ReadonlyArray<JournalVisit> = []
  stopped: Stopped | null = null
  listings = 0
  /** Requests in a row without a clear answer. */
  #unclear = 0

  constructor(options: SubmitOptions) {
    this.options = options
    this.retry = options.retry ?? usualRetry
  }

  wantsList(fresh: boolean): boolean {
    const { listFirst = "auto" } = this.options
    return this.stopped === null && (listFirst === "auto" ? fresh : listFirst)
  }

  /** Asks the service about open outcomes; an error of the world stops the run. */
  readonly ask: Effect.Effect<void, JournalError, Journal | Operator> = Effect.suspend(() => reconcile(this.options))
    .pipe(
      Effect.map(({ listings, visits }) => {
        this.listings += listings
        for (const { code } of visits) this.settled.add(code)
      }),
      Effect.catchTag("OperatorError", (error) => this.#stop(error))
    )

  /** Asks the list about what earlier runs were told is stored. */
  readonly confirm: Effect.Effect<void, JournalError, Journal | Operator> = Effect.suspend(() =>
    this.stopped === null
      ? Effect.map(confirm(this.options), ({ contradicted, listings }) => {
        this.listings += listings
        this.contradicted = contradicted
      })
      : Effect.void
  )

  /** Takes the list before anything is sent, and gives back what is still to be sent. */
  listFirst(codes: ReadonlyArray<string>): Effect.Effect<Array<string>, JournalError, Journal | Operator> {
    return takeListFirst(codes, this.options).pipe(
      Effect.map(({ found, listings }) => {
        this.listings += listings
        const there = new Set(found.flatMap(({ code, state }) => state === "READY" ? [] : [code]))
        for (const code of there) this.settled.add(code)
        return codes.filter((code) => !there.has(code))
      }),
      Effect.catchTag("OperatorError", (error) => Effect.as(this.#stop(error), []))
    )
  }

  sendAll(codes: ReadonlyArray<string>, batch: number): Effect.Effect<void, JournalError, Journal | Operator> {
    return Effect.forEach(
      chunks(codes, Math.max(1, batch)),
      (group) => this.#send(group),
      { concurrency: Math.max(1, this.options.concurrency ?? 1), discard: true }
    )
  }

  /**
   * What earlier runs left without an answer and the list does not show goes first, so that the next run has less to ask about. It
   * goes last when it was tried often, or gets no answer again.
   */
  readonly sendSettled: Effect.Effect<void, JournalError, Journal | Operator> = Effect.gen(
    { self: this },
    function*() {
      const journal = yield* Journal
      const open = yield* journal.visits(["UNKNOWN"])
      for (const { attempts, code, looked } of open) {
        if (looked && attempts < 3 && this.#unclear < 2) yield* this.#send([code])
      }
      this.#unclear = 0
    }
  )

  /**
   * Whatever had no clear answer is looked up and sent again, one by one. Visits with few attempts come first, so that one that
   * never gets an answer does not stand in the way of the others.
   */
  readonly sendOpenAgain: Effect.Effect<void, JournalError, Journal | Operator> = Effect.gen(
    { self: this },
    function*() {
      const journal = yield* Journal
      for (let tried = 1; tried < this.retry.visits && this.stopped === null; tried++) {
        if ((yield* journal.visits(["UNKNOWN"])).length === 0) break
        if (tried > 1) yield* this.#pause(tried)
        yield* this.ask
        if (this.stopped !== null) return
        const open = (yield* journal.visits(["UNKNOWN"])).filter(({ looked }) => looked)
        const codes = open.toSorted((a, b) => a.attempts - b.attempts).map(({ code }) => code)
        this.#unclear = 0
        yield* this.sendAll(codes, 1)
      }
      if (this.stopped !== null) return
      yield* this.ask
      // the list may lag behind what was just sent
      const doubtful = (yield* journal.visits(["DOUBT"])).some(({ code }) => this.sent.has(code))
      if (doubtful && this.stopped === null) {
        yield* this.#pause(2)
        yield* this.ask
      }
    }
  )

  /** One request, and what follows from it for the run. */
  #send(codes: ReadonlyArray<string>, unreachable = 0): Effect.Effect<void, JournalError, Journal | Operator> {
    return Effect.gen({ self: this }, function*() {
      if (this.stopped !== null) return
      const result = yield* exchange(codes, this.options.limits ?? exchangeLimits, (sent) => {
        for (const code of sent) this.sent.add(code)
      }, { isNamed: this.options.nameAttempts, form: this.options.form })
      switch (result._tag) {
        case "NotSent":
          if (result.error === undefined) return
          // no connection: worth another try, for nothing has left
          if (
            result.error.reason._tag !== "Unreachable" || isLasting(result.error.reason) ||
            unreachable >= this.retry.reads
          ) {
            return yield* this.#stop(result.error)
          }
          yield* this.#pause(unreachable + 1)
          return yield* this.#send(codes, unreachable + 1)
        case "TooLarge": {
          const half = Math.ceil(codes.length / 2)
          yield* this.#send(codes.slice(0, half))
          return yield* this.#send(codes.slice(half))
        }
        case "Answered":
          if (this.options.onSent !== undefined) yield* this.options.onSent(this.sent.size)
          yield* this.#weigh(result.outcome)
      }
    })
  }

  /** Counts answers that say nothing, waits longer after each, and gives up when there are too many. */
  #weigh(outcome: Outcome): Effect.Effect<void> {
    return Effect.suspend(() => {
      if (outcome._tag !== "Unknown") {
        this.#unclear = 0
        return Effect.void
      }
      this.#unclear++
      const status = outcome.status ?? null
      const redirected = status !== null && status >= 300 && status < 400
      if (!redirected && this.#unclear < this.retry.stopAfter) return this.#pause(this.#unclear)
      this.stopped ??= { _tag: "NoClearAnswer", requests: this.#unclear, why: outcome.why, status }
      return Effect.void
    })
  }

  /** A random half of the wait is left out, so that many clients do not come back at once. */
  #pause(nth: number): Effect.Effect<void> {
    return Effect.flatMap(Random.next, (chance) => Effect.sleep(waitBefore(nth, this.retry) * (0.5 + chance / 2)))
  }

  #stop(error: OperatorError): Effect.Effect<void> {
    return Effect.sync(() => {
      this.stopped ??= { _tag: "OperatorError", error }
    })
  }
}

const chunks = <A>(all: ReadonlyArray<A>, size: number): ReadonlyArray<ReadonlyArray<A>> => {
  const groups: Array<ReadonlyArray<A>> = []
  for (let at = 0; at < all.length; at += size) groups.push(all.slice(at, at + size))
  return groups
}
