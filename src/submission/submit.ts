import { Effect, Iterable, Random, Redacted, type Scope, type Stream } from "effect"
import type { Operator } from "../service/Operator.ts"
import type { OperatorError } from "../service/OperatorError.ts"
import type { Outcome } from "../service/responses/Outcome.ts"
import { contentStatuses } from "../service/responses/readOutcome.ts"
import { isRedirect } from "../service/responses/ServiceResponse.ts"
import { maxSilences } from "../service/retrySchedule.ts"
import { defaultRetry, type RetrySettings, waitBefore } from "../service/settings/RetrySettings.ts"
import type { WireForm } from "../service/wireForm.ts"
import { TextSet } from "../visit/rules/TextSet.ts"
import type { VisitCode } from "../visit/values/Code.ts"
import { type ExchangeLimits, exchangeVisits } from "./exchangeVisits.ts"
import { Journal } from "./journal/Journal.ts"
import type { JournalError } from "./journal/JournalError.ts"
import type { JournalVisit } from "./journal/JournalVisit.ts"
import { confirm } from "./list/confirm.ts"
import { queryListFirst } from "./list/queryListFirst.ts"
import { isLasting, isSilent, reconcile, type Reconciled, type ReconcileOptions } from "./list/reconcile.ts"
import { intake } from "./plan/intake.ts"
import { knownUnsent, type UnsentVisits } from "./plan/otherVisits.ts"
import type { Plan, PlanOptions } from "./plan/plan.ts"
import type { RunSummary } from "./status/RunSummary.ts"
import { type Stopped, type SubmitResult, tally } from "./status/tally.ts"
import type { Submission } from "./Submission.ts"

export interface SubmitOptions extends ReconcileOptions, Omit<PlanOptions, "facility"> {
  /** Hash of the mapping that produced the visits. */
  readonly mapping?: string
  /** Visits per request (default: 1). Several need the operator's word on what a response to them means: §4.5 shows one visit code. */
  readonly batch?: number
  readonly retry?: RetrySettings
  readonly limits?: ExchangeLimits
  /** Gives each attempt an id, which is sent to the service and written to the journal. */
  readonly nameAttempts?: boolean
  /** The form in which the operator expects visits. A visit that is sent again keeps its earlier form. */
  readonly form?: WireForm
  /** Continues whatever the service refuses. Otherwise `maxSameRefusals` identical refusals in a row end the run. */
  readonly keepGoing?: boolean
  /** Reads the processed list before the first request. `auto` does so for a fresh journal, because an earlier one may be lost. */
  readonly listFirst?: boolean | "auto"
  /**
   * Called when the plan is known and nothing is sent yet. `used` is the number of requests of the last hour that count against the
   * limit.
   */
  readonly onPlan?: (plan: Plan, used: number) => Effect.Effect<void>
  /** Called after each request with the number of visits sent in this run. */
  readonly onSent?: (visits: number) => Effect.Effect<void>
  /** The quality of the input, stored with the run; called when the input is read to its end. */
  readonly summary?: () => RunSummary
  /** Returns the visits that are rejected or excluded; called when the input is read to its end. */
  readonly unsent?: () => UnsentVisits
  /** Called when the run was interrupted. Requests in flight are in the journal. */
  readonly onInterrupted?: (result: SubmitResult) => Effect.Effect<void>
  /** Called when the journal failed during the run, for example on a full disk. The result holds what can still be read from it. */
  readonly onBroken?: (result: SubmitResult) => Effect.Effect<void>
}

/**
 * Submits every visit of an input once. It resolves what earlier runs left pending and freezes the input in the journal. It sends the
 * visits one after the other, in the order of the input. It looks up every visit whose outcome is unknown, and sends it again with the
 * same bytes.
 *
 * Also succeeds when an external failure stopped the run (`result.stopped`): the result still holds the state of each visit. Fails with
 * the error of reading the input, before anything is sent, and with `JournalError`.
 */
export const submit = <E, R>(
  visits: Stream.Stream<Submission, E, R>,
  options: SubmitOptions = {}
): Effect.Effect<SubmitResult, E | JournalError, Exclude<R, Scope.Scope> | Journal | Operator> =>
  Effect.gen(function*() {
    const journal = yield* Journal
    const run = new Run(options)
    yield* run.lookUp
    yield* run.confirm
    let plan = yield* intake(visits, { ...options, facility: journal.facility })
    yield* run.noteWithdrawn(plan)
    if (options.onPlan !== undefined) yield* options.onPlan(plan, yield* journal.requestsOfTheHour)
    const sending = Effect.gen(function*() {
      const listed = run.needsList(journal.fresh) ? yield* run.listFirst(plan) : undefined
      if (options.holdPartial === true && listed !== undefined) plan = holdUpdates(plan, listed)
      yield* run.sendLookedUp
      yield* run.sendAll(toSend(plan, listed), options.batch ?? 1)
      yield* run.sendUnknownAgain
      const result = yield* tally(plan, run)
      yield* journal.finish(run.stopped === null ? "done" : "stopped", { ...result.counts }, options.summary?.())
      return result
    })
    const notify = (listener: SubmitOptions["onInterrupted"]) =>
      listener === undefined ? Effect.void : Effect.ignore(Effect.flatMap(tally(plan, run), listener))
    return yield* sending.pipe(
      Effect.onInterrupt(() => notify(options.onInterrupted)),
      Effect.tapError(() => notify(options.onBroken))
    )
  }).pipe(Effect.scoped)

/** Returns a plan that sends no update of a visit that the list shows as stored in part. */
const holdUpdates = ({ visits }: Plan, listed: ReadonlyMap<string, JournalVisit>): Plan => ({
  visits: Iterable.map(visits, (visit) =>
    visit.decision._tag === "Send" && listed.get(visit.code)?.held === true
      ? { ...visit, decision: { _tag: "Hold", why: "partial-and-held" } }
      : visit)
})

/**
 * Returns the codes to send, without those that the list shows to be complete or another's, in the order of the input. Visits that time may have fixed come last, because
 * the service may refuse them as before.
 */
function* toSend(plan: Plan, listed?: ReadonlyMap<string, JournalVisit>): Generator<VisitCode> {
  for (const isLast of [false, true]) {
    for (const { code, decision } of plan.visits) {
      if (decision._tag !== "Send" || (decision.why === "may-be-mended") !== isLast) continue
      const { state = "READY" } = listed?.get(code) ?? {}
      if (state === "READY") yield code
    }
  }
}

/** Maximum of identical refusals in a row. They have one cause, which the next visit shares. */
export const maxSameRefusals = 20

/** After this many runs with the same unclear response, a visit is left to the operator. */
const maxUnclearRuns = 5

/** Maximum of `#patience`. */
const maxPatience = 16

class Run {
  readonly options: SubmitOptions
  readonly retry: RetrySettings
  /** Codes that were part of a request in this run. */
  readonly sent = new TextSet()
  /** Codes that the list resolved in this run. */
  readonly settled = new TextSet()
  stopped: Stopped | null = null
  listings = 0
  /** The last lookup got no response at all, so no further lookup is waited for. */
  #silent = false
  /** The reasons of the last consecutive responses that were not clear. */
  #unclear: Array<Unclear> = []
  /** Factor of the unclear responses after which the list is read. It doubles while the list proves that only the responses are lost. */
  #patience = 1
  /** The identical refusals in a row, up to the last response. */
  #sameRefusals: { readonly key: string; count: number } | null = null

  constructor(options: SubmitOptions) {
    this.options = options
    this.retry = options.retry ?? defaultRetry
  }

  get unsent(): UnsentVisits {
    return this.options.unsent?.() ?? { rejected: new Set(), excluded: new Set() }
  }

  /** Notes the visits that the source has withdrawn: their earlier bytes are not sent again, in this run and in later ones. */
  readonly noteWithdrawn = Effect.fnUntraced({ self: this }, function*(plan: Plan) {
    const journal = yield* Journal
    const codes = new Set((yield* knownUnsent(journal, this.unsent)).withdrawnOfAll.keys())
    if (codes.size > 0) { for (const { code } of plan.visits) codes.delete(code) }
    yield* journal.noteWithdrawn([...codes])
  })

  /** The visits without a clear response that are sent again if the list does not show them. */
  readonly unanswered = Effect.gen({ self: this }, function*() {
    const journal = yield* Journal
    return (yield* journal.visits(["UNKNOWN"])).filter(({ withdrawn }) => !withdrawn)
  })

  needsList(fresh: boolean): boolean {
    const { listFirst = "auto" } = this.options
    return this.stopped === null && (listFirst === "auto" ? fresh : listFirst)
  }

  /** Looks up the visits whose outcome is unknown; an external error stops the run. */
  readonly lookUp: Effect.Effect<void, JournalError, Journal | Operator> = Effect.suspend(() => this.#reconcile).pipe(
    Effect.asVoid
  )

  /** The same, with its result; `null` if it stopped the run. */
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

  /** Looks up visits whose outcome is known. */
  readonly confirm: Effect.Effect<void, JournalError, Journal | Operator> = Effect.suspend(() =>
    this.stopped === null && !this.#silent
      ? Effect.map(confirm(this.options), ({ listings, settled, silent }) => {
        this.listings += listings
        this.#silent = silent
        for (const { code } of settled) this.settled.add(code)
      })
      : Effect.void
  )

  /** Reads the list before anything is sent, and returns the visits that it shows. */
  listFirst(plan: Plan): Effect.Effect<ReadonlyMap<string, JournalVisit>, JournalError, Journal | Operator> {
    if (this.#silent) return Effect.succeed(new Map())
    return queryListFirst(plan, this.options).pipe(
      Effect.map(({ found: visits, listings, silent }) => {
        this.listings += listings
        this.#silent = silent
        for (const { code, state } of visits) if (state !== "READY") this.settled.add(code)
        return new Map(visits.map((visit) => [visit.code, visit]))
      }),
      Effect.catchTag("OperatorError", (error) => Effect.as(this.#stop(error), new Map<string, JournalVisit>()))
    )
  }

  sendAll(codes: Iterable<VisitCode>, batch: number): Effect.Effect<void, JournalError, Journal | Operator> {
    return Effect.gen({ self: this }, function*() {
      // codes are read in chunks of 100 requests
      for (const requests of Iterable.chunksOf(Iterable.chunksOf(codes, batch), 100)) {
        if (this.stopped !== null) return
        yield* Effect.forEach(requests, (group) => this.#send(group), { discard: true })
      }
    })
  }

  /**
   * Sends first what earlier runs left without a response and the list does not show, so that the next run has less to look up. A visit
   * goes last if it was tried often, or gets no response again.
   */
  readonly sendLookedUp: Effect.Effect<void, JournalError, Journal | Operator> = Effect.gen(
    { self: this },
    function*() {
      yield* leaveToOperator
      const open = yield* this.unanswered
      for (const { attempts, code, looked } of open) {
        if (looked && attempts < 3 && this.#unclear.length < 2) yield* this.#send([code])
      }
      // keep counting requests without a response across the two phases
      if (this.#unclear.at(-1)?.silent !== true) this.#unclear = []
    }
  )

  /**
   * Looks up and sends again, one by one, every visit without a clear response. Visits with few attempts come first, so that one that
   * never gets a response does not block the others.
   */
  readonly sendUnknownAgain: Effect.Effect<void, JournalError, Journal | Operator> = Effect.gen(
    { self: this },
    function*() {
      const journal = yield* Journal
      for (let tried = 1; tried < this.retry.visits && this.stopped === null; tried++) {
        if ((yield* this.unanswered).length === 0) break
        if (tried > 1) yield* this.#pause(tried)
        yield* this.lookUp
        if (this.stopped !== null) return
        const open = (yield* this.unanswered).filter(({ looked }) => looked)
        const codes = open.toSorted((a, b) => a.attempts - b.attempts).map(({ code }) => code)
        this.#unclear = []
        yield* this.sendAll(codes, 1)
      }
      if (this.stopped !== null) return
      yield* this.lookUp
      yield* leaveToOperator
      // the list may lag behind the last submissions
      const doubtful = (yield* journal.visits(["DOUBT"])).some(({ code }) => this.sent.has(code))
      if (doubtful && this.stopped === null) {
        yield* this.#pause(2)
        yield* this.lookUp
      }
    }
  )

  /** Sends one request, and applies its consequences to the run. */
  readonly #send: (
    codes: ReadonlyArray<VisitCode>,
    unreachable?: number
  ) => Effect.Effect<void, JournalError, Journal | Operator> = Effect.fnUntraced(
    { self: this },
    function*(codes: ReadonlyArray<VisitCode>, unreachable = 0) {
      if (this.stopped !== null) return
      const result = yield* exchangeVisits(codes, {
        limits: this.options.limits,
        onSent: (sent) => {
          for (const code of sent) this.sent.add(code)
        },
        isNamed: this.options.nameAttempts,
        form: this.options.form
      })
      switch (result._tag) {
        case "NotSent":
          if (result.error === undefined) return
          // no connection: retry, because nothing was sent; a token was requested several times already
          if (
            result.error.reason._tag !== "Unreachable" || isLasting(result.error.reason) ||
            result.error.withoutToken === true ||
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
          this.#countRefusal(result.outcome, result.visits)
          yield* this.#countUnclear(result.outcome, codes)
      }
    }
  )

  /** Counts identical refusals, and stops the run when there are too many in a row. */
  #countRefusal(outcome: Outcome, visits: ReadonlyArray<JournalVisit>): void {
    const refused = outcome._tag === "Refused"
      ? visits.find(({ state }) => state === "REFUSED" || state === "CONFLICT")
      : undefined
    if (refused === undefined || outcome._tag !== "Refused") {
      this.#sameRefusals = null
      return
    }
    const { field, reason } = outcome
    const key = JSON.stringify([reason, field?.replaceAll(/\[\d+\]/gu, ""), comparableMessage(refused)])
    if (this.#sameRefusals?.key === key) this.#sameRefusals.count++
    else this.#sameRefusals = { key, count: 1 }
    if (this.options.keepGoing === true || this.#sameRefusals.count < maxSameRefusals) return
    this.stopped ??= { _tag: "SameRefusal", visits: this.#sameRefusals.count, reason, field: field ?? null }
  }

  /**
   * Counts unclear responses, and waits longer after each. When there are too many, it reads the list once: it may show that the visits
   * arrive and only the responses are lost. Otherwise the run stops.
   */
  readonly #countUnclear: (
    outcome: Outcome,
    codes: ReadonlyArray<VisitCode>
  ) => Effect.Effect<void, JournalError, Journal | Operator> = Effect.fnUntraced(
    { self: this },
    function*(outcome: Outcome, codes: ReadonlyArray<VisitCode>) {
      if (outcome._tag !== "Unknown") {
        this.#unclear = []
        return
      }
      this.#unclear.push({ codes, why: outcome.why, silent: outcome.silent === true })
      const { status = null } = outcome
      if (status !== null && isRedirect(status)) return this.#stopUnclear("not asked")
      const silences = this.#unclear.length - 1 - this.#unclear.findLastIndex(({ silent }) => !silent)
      const isOver = this.#unclear.length >= this.retry.stopAfter * this.#patience ||
        silences >= maxSilences * this.#patience
      // once the list has proven that visits arrive, the waits do not grow
      if (!isOver) return yield* this.#pause(this.#patience > 1 ? 1 : this.#unclear.length)
      if (this.stopped !== null) return
      const reconciled = this.#silent ? null : yield* this.#reconcile
      if (reconciled === null) return this.#stopUnclear("no list")
      const sent = new Set(this.#unclear.flatMap(({ codes }) => codes))
      const arrived = reconciled.visits.some(({ code, state }) =>
        sent.has(code) && (state === "STORED" || state === "PARTIAL")
      )
      if (!arrived) return this.#stopUnclear(reconciled.unreadable > 0 ? "no list" : "shows none")
      this.#unclear = []
      this.#patience = Math.min(maxPatience, this.#patience * 2)
    }
  )

  #stopUnclear(list: Extract<Stopped, { readonly _tag: "NoClearResponse" }>["list"]): void {
    const reasons = Map.groupBy(this.#unclear, ({ why }) => why)
    this.stopped ??= {
      _tag: "NoClearResponse",
      requests: this.#unclear.length,
      kinds: Array.from(reasons, ([why, { length }]) => [why, length] as const),
      list
    }
  }

  /** Waits a random half to whole of the delay, so that many clients do not return at once. */
  #pause(nth: number): Effect.Effect<void> {
    return Effect.flatMap(Random.next, (chance) => Effect.sleep(waitBefore(nth, this.retry) * (0.5 + chance / 2)))
  }

  #stop(error: OperatorError): Effect.Effect<void> {
    return Effect.sync(() => {
      this.stopped ??= { _tag: "OperatorError", error }
    })
  }
}

/** Leaves visits to the operator that had the same unclear response in several runs and are in no list. */
const leaveToOperator: Effect.Effect<void, JournalError, Journal> = Effect.gen(function*() {
  const journal = yield* Journal
  for (const { code, looked, status } of yield* journal.visits(["UNKNOWN"])) {
    if (!looked || !contentStatuses.has(status)) continue
    const history = yield* journal.history(code)
    const responses = history.slice(history.findLastIndex(({ event }) => event === "Released") + 1)
      .filter(({ event }) => event === "Answered")
    const last = responses.at(-1)?.detail
    const same = responses.slice(responses.findLastIndex(({ detail }) => detail !== last) + 1)
    if (new Set(same.map(({ run }) => run)).size < maxUnclearRuns) continue
    yield* journal.record([{ code, event: { _tag: "LeftToOperator" } }])
  }
})

/** The reason why a request has no clear response. */
interface Unclear {
  readonly codes: ReadonlyArray<VisitCode>
  readonly why: string
  readonly silent: boolean
}

/** Returns the text of a refusal without what identifies the visit, for comparison only. */
const comparableMessage = ({ code, patientCode, said }: JournalVisit): string =>
  (said === null ? "" : Redacted.value(said)).replaceAll(code, "").replaceAll(patientCode, "").replaceAll(
    /\.\d+\b/gu,
    ""
  )
