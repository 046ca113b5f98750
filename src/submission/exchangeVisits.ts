import { Cause, Deferred, type Duration, Effect, Exit, Fiber, Option } from "effect"
import { randomUUID } from "node:crypto"
import { withoutAbsent } from "../objects.ts"
import { Operator } from "../service/Operator.ts"
import type { OperatorError } from "../service/OperatorError.ts"
import type { Outcome } from "../service/responses/Outcome.ts"
import type { WireForm } from "../service/wireForm.ts"
import type { VisitCode } from "../visit/values/Code.ts"
import { Journal } from "./journal/Journal.ts"
import type { JournalError } from "./journal/JournalError.ts"
import type { JournalVisit } from "./journal/JournalVisit.ts"
import type { Recorded } from "./journal/JournalWriter.ts"

/** Time limits of one request. */
export interface ExchangeLimits {
  /**
   * Maximum time until the client has an outcome, including waits for a limit; after it the outcome is unknown. The client has its own
   * deadline for the exchange: this one applies if that one fails.
   */
  readonly deadline: Duration.Input
  /** The time that remains for it once the run is interrupted. */
  readonly grace: Duration.Input
}

const defaultLimits: ExchangeLimits = { deadline: "6 hours", grace: "3 seconds" }

interface ExchangeOptions {
  readonly limits?: ExchangeLimits | undefined
  /** Called after each request, before an interruption of the run takes effect. */
  readonly onSent: (codes: ReadonlyArray<VisitCode>) => void
  /** Gives the attempt an id, which is in the journal before it is sent. It is a random UUID, so it carries no patient data. */
  readonly isNamed?: boolean | undefined
  /** The form in which the operator expects visits. */
  readonly form?: WireForm | undefined
}

/** The result of one request. */
type Exchange =
  | { readonly _tag: "Answered"; readonly outcome: Outcome; readonly visits: ReadonlyArray<JournalVisit> }
  /**
   * The service certainly processed nothing; the visits keep their states. Without an error, the request was interrupted before it was
   * sent.
   */
  | { readonly _tag: "NotSent"; readonly error?: OperatorError }
  /** The request was too large as a whole and was not processed. */
  | { readonly _tag: "TooLarge" }

/**
 * Records the intention, sends one request with these visits, and records the outcome (§4.5). Between W1 and W2 it cannot be
 * interrupted. An interruption gives the request in flight the time of `grace`, and then the known outcome is written. If the process
 * is killed, the journal keeps SENDING, which the next run reads as "may have been stored".
 */
export const exchangeVisits = (
  codes: ReadonlyArray<VisitCode>,
  options: ExchangeOptions
): Effect.Effect<Exchange, JournalError, Journal | Operator> =>
  Effect.uninterruptibleMask((restore) => attemptOnce(restore, codes, options))

/** Allows interruption again inside of an uninterruptible effect. */
type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** The exchange itself. The generator function is created once, because V8 keeps closures per request until its next full collection. */
const attemptOnce = Effect.fnUntraced(function*(
  restore: Restore,
  codes: ReadonlyArray<VisitCode>,
  { form, isNamed = false, limits = defaultLimits, onSent }: ExchangeOptions
): Effect.fn.Return<Exchange, JournalError, Journal | Operator> {
  const journal = yield* Journal
  const operator = yield* Operator
  const attempt = isNamed ? randomUUID() : undefined
  const payloads = yield* journal.intend(codes, {
    ...withoutAbsent({ attempt, form })
  })
  let isWaiting = false
  const sending = operator.submit(payloads, {
    attempt,
    onWaiting: (waits) => {
      isWaiting = waits
    }
  })
  const exit = yield* within(sending, limits, restore, () => isWaiting)
  if (Exit.isFailure(exit)) {
    const error = Cause.findErrorOption(exit.cause)
    if (Option.isSome(error) || (isWaiting && Cause.hasInterruptsOnly(exit.cause))) {
      yield* journal.record(codes.map((code) => ({ code, event: { _tag: "NotSent" } })))
      return Option.isSome(error) ? { _tag: "NotSent", error: error.value } : { _tag: "NotSent" }
    }
    const why = Cause.hasInterruptsOnly(exit.cause) ? "no response in time" : "the client failed"
    const outcome: Outcome = { _tag: "Unknown", why }
    onSent(codes)
    const visits = yield* journal.record(answeredEvents(codes, outcome))
    if (Cause.hasInterruptsOnly(exit.cause)) return { _tag: "Answered", outcome, visits }
    return yield* Effect.die(Cause.squash(exit.cause))
  }
  const outcome = exit.value
  if (codes.length > 1 && outcome._tag === "Refused" && outcome.reason === "too-large") {
    yield* journal.record(codes.map((code) => ({ code, event: { _tag: "NotSent" } })))
    return { _tag: "TooLarge" }
  }
  onSent(codes)
  const visits = yield* journal.record(answeredEvents(codes, outcome))
  return { _tag: "Answered", outcome, visits }
})

/**
 * Returns the event of each visit of the request, from the outcome of the whole request. For a single visit it is that outcome.
 * The specification shows no response for several visits (§4.5): only "completely stored" applies to all of them. A refusal that names
 * an index applies to that visit, and the outcome of the others is unknown.
 */
const answeredEvents = (codes: ReadonlyArray<VisitCode>, outcome: Outcome): ReadonlyArray<Recorded> => {
  const appliesToAll = codes.length === 1 || outcome._tag === "Stored"
  const refused = outcome._tag === "Refused" ? outcome.index : undefined
  return codes.map((code, index) => ({
    code,
    event: {
      _tag: "Answered",
      outcome: appliesToAll || index === refused ? outcome : {
        _tag: "Unknown",
        why: outcome._tag === "Unknown" ? outcome.why : "the response does not apply to every visit of the request",
        ...("status" in outcome && outcome.status !== undefined ? { status: outcome.status } : {})
      }
    }
  }))
}

/** Runs an exchange in its own fiber, so that neither a deadline nor an interruption has to wait for it. */
const within = Effect.fnUntraced(function*<A, E, R>(
  sending: Effect.Effect<A, E, R>,
  limits: ExchangeLimits,
  restore: Restore,
  isWaiting: () => boolean
): Effect.fn.Return<Exit.Exit<A, E>, never, R> {
  const answer = yield* Deferred.make<Exit.Exit<A, E>>()
  const giveUp = (after: Duration.Input) =>
    Effect.interruptible(Effect.sleep(after)).pipe(
      Effect.andThen(Deferred.succeed(answer, Exit.interrupt())),
      Effect.forkDetach
    )
  const running = yield* Effect.interruptible(sending).pipe(
    Effect.exit,
    Effect.flatMap((exit) => Deferred.succeed(answer, exit)),
    Effect.forkDetach
  )
  const timers = [yield* giveUp(limits.deadline)]
  const first = yield* Effect.exit(restore(Deferred.await(answer)))
  // interrupted while the request is on its way
  if (Exit.isFailure(first) && !isWaiting()) timers.push(yield* giveUp(limits.grace))
  const exit = Exit.isSuccess(first) ? first.value : isWaiting() ? Exit.interrupt() : yield* Deferred.await(answer)
  // a request that only waits to be sent is cancelled
  if (isWaiting()) yield* Fiber.interrupt(running)
  yield* Effect.forkDetach(Fiber.interruptAll([running, ...timers]))
  return exit
})
