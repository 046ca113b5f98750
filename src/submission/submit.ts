import { Effect, Random, Redacted, type Scope, type Stream } from "effect"
import type { Operator } from "../service/Operator.ts"
import type { OperatorError } from "../service/OperatorError.ts"
import type { Outcome } from "../service/responses/Outcome.ts"
import { maxSilences } from "../service/retrySchedule.ts"
import { defaultRetry, type RetrySettings, waitBefore } from "../service/settings/RetrySettings.ts"
import type { WireForm } from "../service/wireForm.ts"
import { TextSet } from "../visit/rules/TextSet.ts"
import { chunks } from "./chunks.ts"
import { confirm } from "./confirm.ts"
import { type ExchangeLimits, exchangeLimits, exchangeVisits } from "./exchangeVisits.ts"
import { intake } from "./intake.ts"
import { Journal } from "./journal/Journal.ts"
import type { JournalError } from "./journal/JournalError.ts"
import type { JournalVisit } from "./journal/JournalVisit.ts"
import type { Plan, PlanOptions } from "./plan.ts"
import { queryListFirst } from "./queryListFirst.ts"
import { isLasting, isSilent, reconcile, type Reconciled, type ReconcileOptions } from "./reconcile.ts"
import type { RunSummary } from "./RunSummary.ts"
import type { Submission } from "./Submission.ts"
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
  /** Sends on whatever is refused; else so many visits in a row that are refused alike end the run. */
  readonly keepGoing?: boolean
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
): Effect.Effect<SubmitResult, E | JournalError, Exclude<R, Scope.Scope> | Journal | Operator> =>
  Effect.gen(function*() {
    const journal = yield* Journal
    const run = new Run(options)
    yield* run.ask
    yield* run.confirm
    const plan = yield* intake(visits, { ...options, facility: journal.facility })
    if (options.onPlan !== undefined) yield* options.onPlan(plan, yield* journal.requestsOfTheHour)
    const sending = Effect.gen(function*() {
      const listed = run.wantsList(journal.fresh) ? yield* run.listFirst(plan) : undefined
      yield* run.sendSettled
      yield* run.sendAll(toSend(plan, listed), options.batch ?? 1)
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
  }).pipe(Effect.scoped)

/**
 * The codes to send, but for those in `except`, in the order of the input. What time may have mended comes last, for it may be refused as
 * before.
 */
function* toSend(plan: Plan, except?: ReadonlySet<string>): Generator<string> {
  for (const isLast of [false, true]) {
    for (const { code, decision } of plan.visits) {
      if (decision._tag !== "Send" || (decision.why === "may-be-mended") !== isLast) continue
      if (except?.has(code) !== true) yield code
    }
  }
}

/** So many visits in a row that are refused alike have one fault, which the next one has as well. */
export const mostAlike = 20

/** After so many runs with the same unclear answer a visit is left to the operator. */
export const maxUnclearRuns = 5

/** The list is asked less and less often while it proves that only answers are lost: after so many times as many requests at most. */
const maxPatienceMillis = 16

/** The course of one run. */
class Run {
  readonly options: SubmitOptions
  readonly retry: RetrySettings
  /** Codes that were part of a request in this run. */
  readonly sent = new TextSet()
  /** Codes that the list settled in this run. */
  readonly settled = new TextSet()
  stopped: Stopped | null = null
  listings = 0
  /** Nothing was heard when a list was asked for last: another one is not waited for. */
  #silent = false
  /** What came in place of the last answers in a row that were not clear. */
  #unclear: Array<Unclear> = []
  /** Grows while the list proves that only the answers are lost. */
  #patience = 1
  /** The last refusals in a row that were alike. */
  #alike: { readonly key: string; count: number } | null = null

  constructor(options: SubmitOptions) {
    this.options = options
    this.retry = options.retry ?? defaultRetry
  }

  wantsList(fresh: boolean): boolean {
    const { listFirst = "auto" } = this.options
    return this.stopped === null && (listFirst === "auto" ? fresh : listFirst)
  }

  /** Asks the service about open outcomes; an error of the world stops the run. */
  readonly ask: Effect.Effect<void, JournalError, Journal | Operator> = Effect.suspend(() => this.#reconcile).pipe(
    Effect.asVoid
  )

  /** The same, with what came of it; `null` when it stopped the run. */
  readonly #reconcile: Effect.Effect<Reconciled | null, JournalError, Journal | Operator> = Effect.suspend(() =>
    reconcile(this.options)
  ).pipe(
    Effect.tap(({ error, listings, visits }) =>
      Effect.sync(() => {
        this.listings += listings
        if (listings > 0) this.#silent = isSilent(error)
        for (const { code } of visits) this.settled.add(code)
      })
    ),
    Effect.catchTag("OperatorError", (error) => Effect.as(this.#stop(error), null))
  )

  /** Asks the list about visits whose outcome is told. */
  readonly confirm: Effect.Effect<void, JournalError, Journal | Operator> = Effect.suspend(() =>
    this.stopped === null && !this.#silent
      ? Effect.map(confirm(this.options), ({ listings, settled, silent }) => {
        this.listings += listings
        this.#silent = silent
        for (const { code } of settled) this.settled.add(code)
      })
      : Effect.void
  )

  /** Takes the list before anything is sent, and returns the codes of the visits that it shows. */
  listFirst(plan: Plan): Effect.Effect<ReadonlySet<string>, JournalError, Journal | Operator> {
    if (this.#silent) return Effect.succeed(new Set())
    return queryListFirst(plan, this.options).pipe(
      Effect.map(({ found, listings, silent }) => {
        this.listings += listings
        this.#silent = silent
        const there = new Set(found.flatMap(({ code, state }) => state === "READY" ? [] : [code]))
        for (const code of there) this.settled.add(code)
        return there
      }),
      Effect.catchTag("OperatorError", (error) => Effect.as(this.#stop(error), new Set<string>()))
    )
  }

  sendAll(codes: Iterable<string>, batch: number): Effect.Effect<void, JournalError, Journal | Operator> {
    return Effect.gen({ self: this }, function*() {
      // so many requests are made from codes that are read at a time
      for (const requests of chunks(chunks(codes, Math.max(1, batch)), 100)) {
        if (this.stopped !== null) return
        yield* Effect.forEach(requests, (group) => this.#send(group), {
          concurrency: Math.max(1, this.options.concurrency ?? 1),
          discard: true
        })
      }
    })
  }

  /**
   * What earlier runs left without an answer and the list does not show goes first, so that the next run has less to ask about. It
   * goes last when it was tried often, or gets no answer again.
   */
  readonly sendSettled: Effect.Effect<void, JournalError, Journal | Operator> = Effect.gen(
    { self: this },
    function*() {
      const journal = yield* Journal
      yield* leaveToOperator
      const open = yield* journal.visits(["UNKNOWN"])
      for (const { attempts, code, looked } of open) {
        if (looked && attempts < 3 && this.#unclear.length < 2) yield* this.#send([code])
      }
      // silence goes on where it was
      if (this.#unclear.at(-1)?.silent !== true) this.#unclear = []
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
        this.#unclear = []
        yield* this.sendAll(codes, 1)
      }
      if (this.stopped !== null) return
      yield* this.ask
      yield* leaveToOperator
      // the list may lag behind what was just sent
      const doubtful = (yield* journal.visits(["DOUBT"])).some(({ code }) => this.sent.has(code))
      if (doubtful && this.stopped === null) {
        yield* this.#pause(2)
        yield* this.ask
      }
    }
  )

  /** One request, and what follows from it for the run. */
  readonly #send: (
    codes: ReadonlyArray<string>,
    unreachable?: number
  ) => Effect.Effect<void, JournalError, Journal | Operator> = Effect.fnUntraced(
    { self: this },
    function*(codes: ReadonlyArray<string>, unreachable = 0) {
      if (this.stopped !== null) return
      const result = yield* exchangeVisits(codes, this.options.limits ?? exchangeLimits, (sent) => {
        for (const code of sent) this.sent.add(code)
      }, { isNamed: this.options.nameAttempts, form: this.options.form })
      switch (result._tag) {
        case "NotSent":
          if (result.error === undefined) return
          // no connection: worth another try, for nothing has left
          if (
            result.error.reason._tag !== "Unreachable" || isLasting(result.error.reason) ||
            unreachable >= (result.error.reason.silent === true ? maxSilences - 1 : this.retry.reads)
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
          this.#compare(result.outcome, result.visits)
          yield* this.#weigh(result.outcome, codes)
      }
    }
  )

  /** Counts refusals that are alike, and gives up when there are too many in a row. */
  #compare(outcome: Outcome, visits: ReadonlyArray<JournalVisit>): void {
    const refused = outcome._tag === "Refused"
      ? visits.find(({ state }) => state === "REFUSED" || state === "CONFLICT")
      : undefined
    if (refused === undefined || outcome._tag !== "Refused") {
      this.#alike = null
      return
    }
    const { field, reason } = outcome
    const key = JSON.stringify([reason, field?.replaceAll(/\[\d+\]/gu, ""), sayingOf(refused)])
    if (this.#alike?.key === key) this.#alike.count++
    else this.#alike = { key, count: 1 }
    if (this.options.keepGoing === true || this.#alike.count < mostAlike) return
    this.stopped ??= { _tag: "SameRefusal", visits: this.#alike.count, reason, field: field ?? null }
  }

  /**
   * Counts answers that say nothing, and waits longer after each. When there are too many, the list is asked once: it may show that
   * the visits arrive, and that only the answers are lost. Else the run gives up.
   */
  readonly #weigh: (
    outcome: Outcome,
    codes: ReadonlyArray<string>
  ) => Effect.Effect<void, JournalError, Journal | Operator> = Effect.fnUntraced(
    { self: this },
    function*(outcome: Outcome, codes: ReadonlyArray<string>) {
      if (outcome._tag !== "Unknown") {
        this.#unclear = []
        return
      }
      this.#unclear.push({ codes, why: outcome.why, silent: outcome.silent === true })
      const { status = null } = outcome
      if (status !== null && status >= 300 && status < 400) return this.#giveUp("not asked")
      const silences = this.#unclear.length - 1 - this.#unclear.findLastIndex(({ silent }) => !silent)
      const isOver = this.#unclear.length >= this.retry.stopAfter * this.#patience ||
        silences >= maxSilences * this.#patience
      // what the list has proven once need not be waited for again
      if (!isOver) return yield* this.#pause(this.#patience > 1 ? 1 : this.#unclear.length)
      if (this.stopped !== null) return
      const requested = this.#silent ? null : yield* this.#reconcile
      if (requested === null) return this.#giveUp("no list")
      const sent = new Set(this.#unclear.flatMap(({ codes }) => codes))
      const arrived = requested.visits.some(({ code, state }) =>
        sent.has(code) && (state === "STORED" || state === "PARTIAL")
      )
      if (!arrived) return this.#giveUp(requested.unreadable > 0 ? "no list" : "shows none")
      this.#unclear = []
      this.#patience = Math.min(maxPatienceMillis, this.#patience * 2)
    }
  )

  #giveUp(list: Extract<Stopped, { readonly _tag: "NoClearAnswer" }>["list"]): void {
    const kinds = Map.groupBy(this.#unclear, ({ why }) => why)
    this.stopped ??= {
      _tag: "NoClearAnswer",
      requests: this.#unclear.length,
      kinds: Array.from(kinds, ([why, { length }]) => [why, length] as const),
      list
    }
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

/**
 * Statuses that depend on the content of a request. Where a firewall or a proxy answers with one of them, it does so every time;
 * a server error or a lost answer passes.
 */
const contentStatuses: ReadonlySet<number | null> = new Set([413, 422])

/** Leaves visits to the operator that had the same unclear answer in several runs and that no list has shown. */
const leaveToOperator: Effect.Effect<void, JournalError, Journal> = Effect.gen(function*() {
  const journal = yield* Journal
  for (const { code, looked, status } of yield* journal.visits(["UNKNOWN"])) {
    if (!looked || !contentStatuses.has(status)) continue
    const history = yield* journal.history(code)
    const answers = history.slice(history.findLastIndex(({ event }) => event === "Released") + 1)
      .filter(({ event }) => event === "Answered")
    const last = answers.at(-1)?.detail
    const same = answers.slice(answers.findLastIndex(({ detail }) => detail !== last) + 1)
    if (new Set(same.map(({ run }) => run)).size < maxUnclearRuns) continue
    yield* journal.record([{ code, event: { _tag: "LeftToOperator" } }])
  }
})

/** What came in place of a clear answer to a request. */
interface Unclear {
  readonly codes: ReadonlyArray<string>
  readonly why: string
  readonly silent: boolean
}

/** The words of a refusal without what names the visit: they are only compared. */
const sayingOf = ({ code, patientCode, said: stated }: JournalVisit): string =>
  (stated === null ? "" : Redacted.value(stated)).replaceAll(code, "").replaceAll(patientCode, "").replaceAll(
    /\.\d+\b/gu,
    ""
  )
