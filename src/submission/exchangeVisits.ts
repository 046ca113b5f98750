import { Cause, Deferred, type Duration, Effect, Exit, Fiber, Option } from "effect"
import { randomUUID } from "node:crypto"
import { Operator } from "../service/Operator.ts"
import type { OperatorError } from "../service/OperatorError.ts"
import type { Outcome } from "../service/responses/Outcome.ts"
import type { WireForm } from "../service/wireForm.ts"
import { Journal } from "./journal/Journal.ts"
import type { JournalError } from "./journal/JournalError.ts"
import type { JournalVisit } from "./journal/JournalVisit.ts"
import type { Recorded } from "./journal/JournalWriter.ts"

/** How long one request may take. */
export interface ExchangeLimits {
  /**
   * The longest time until the client has an outcome, waits for a limit included; then it is unknown. The client has a deadline
   * of its own for the exchange itself: this one is there should it not hold.
   */
  readonly deadline: Duration.Input
  /** What is left of it once the run is interrupted. */
  readonly grace: Duration.Input
}

export const exchangeLimits: ExchangeLimits = { deadline: "6 hours", grace: "3 seconds" }

/** What came of one request. */
export type Exchange =
  | { readonly _tag: "Answered"; readonly outcome: Outcome; readonly visits: ReadonlyArray<JournalVisit> }
  /** Certainly nothing was looked at; the visits stand as before. Without an error it was interrupted while it waited to be sent. */
  | { readonly _tag: "NotSent"; readonly error?: OperatorError }
  /** The request was too large as a whole and was not looked at. */
  | { readonly _tag: "TooLarge" }

/**
 * Intends, sends, records: one request with these visits (§4.5). Between W1 and W2 it cannot be interrupted; an interruption
 * gives the exchange that is on its way the time of `grace`, and then writes what is known. Whatever kills the process leaves
 * SENDING in the journal, which the next run reads as "may have been stored".
 */
export const exchangeVisits = Effect.fnUntraced(function*(
  codes: ReadonlyArray<string>,
  limits: ExchangeLimits,
  /** Told of a request that was made, before an interruption of the run is heeded. */
  onSent: (codes: ReadonlyArray<string>) => void = () => {},
  { form, isNamed = false }: {
    /** The attempt has an id, which is in the journal before it is sent. It is drawn by lot, so that it says nothing of the visit. */
    readonly isNamed?: boolean | undefined
    /** How the operator wants visits written. */
    readonly form?: WireForm | undefined
  } = {}
): Effect.fn.Return<Exchange, JournalError, Journal | Operator> {
  return yield* Effect.uninterruptibleMask((restore) => attemptOnce(restore, codes, limits, onSent, isNamed, form))
})

/** The exchange itself. Generator functions are made once here: what one of each request holds, V8 keeps until its next full collection. */
const attemptOnce = Effect.fnUntraced(function*(
  restore: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>,
  codes: ReadonlyArray<string>,
  limits: ExchangeLimits,
  onSent: (codes: ReadonlyArray<string>) => void,
  isNamed: boolean,
  form: WireForm | undefined
): Effect.fn.Return<Exchange, JournalError, Journal | Operator> {
  const journal = yield* Journal
  const operator = yield* Operator
  const attempt = isNamed ? randomUUID() : undefined
  const payloads = yield* journal.intend(codes, {
    ...(attempt === undefined ? {} : { attempt }),
    ...(form === undefined ? {} : { form })
  })
  let isWaiting = false
  const sending = operator.submit(payloads, (waits) => {
    isWaiting = waits
  }, attempt)
  const exit = yield* within(sending, limits, restore, () => isWaiting)
  if (Exit.isFailure(exit)) {
    const error = Cause.findErrorOption(exit.cause)
    if (Option.isSome(error) || (isWaiting && Cause.hasInterruptsOnly(exit.cause))) {
      yield* journal.record(codes.map((code) => ({ code, event: { _tag: "NotSent" } })))
      return Option.isSome(error) ? { _tag: "NotSent", error: error.value } as const : { _tag: "NotSent" } as const
    }
    const why = Cause.hasInterruptsOnly(exit.cause) ? "no answer in time" : "the client failed"
    const outcome: Outcome = { _tag: "Unknown", why }
    onSent(codes)
    const visits = yield* journal.record(settle(codes, outcome))
    if (Cause.hasInterruptsOnly(exit.cause)) return { _tag: "Answered", outcome, visits } as const
    return yield* Effect.die(Cause.squash(exit.cause))
  }
  const outcome = exit.value
  if (codes.length > 1 && outcome._tag === "Refused" && outcome.reason === "too-large") {
    yield* journal.record(codes.map((code) => ({ code, event: { _tag: "NotSent" } })))
    return { _tag: "TooLarge" } as const
  }
  onSent(codes)
  const visits = yield* journal.record(settle(codes, outcome))
  return { _tag: "Answered", outcome, visits } as const
})

/**
 * What one answer means for each visit of the request. For a single visit it is the answer itself. For several the
 * specification shows no answer of its own (§4.5): only "completely stored" speaks for all of them; a refusal that names an
 * index speaks for that one; about all the others nothing is known.
 */
export const settle = (codes: ReadonlyArray<string>, outcome: Outcome): ReadonlyArray<Recorded> => {
  const speaksForAll = codes.length === 1 || outcome._tag === "Stored"
  const refused = outcome._tag === "Refused" ? outcome.index : undefined
  return codes.map((code, index) => ({
    code,
    event: {
      _tag: "Answered",
      outcome: speaksForAll || index === refused ? outcome : {
        _tag: "Unknown",
        why: outcome._tag === "Unknown" ? outcome.why : "the answer does not speak for every visit of the request",
        ...("status" in outcome && outcome.status !== undefined ? { status: outcome.status } : {})
      }
    }
  }))
}

/** Runs an exchange in a fiber of its own, so that neither a deadline nor an interruption has to wait for it. */
const within: <A, E, R>(
  sending: Effect.Effect<A, E, R>,
  limits: ExchangeLimits,
  restore: <A2, E2, R2>(effect: Effect.Effect<A2, E2, R2>) => Effect.Effect<A2, E2, R2>,
  isWaiting: () => boolean
) => Effect.Effect<Exit.Exit<A, E>, never, R> = Effect.fnUntraced(
  function*<A, E, R>(
    sending: Effect.Effect<A, E, R>,
    limits: ExchangeLimits,
    restore: <A2, E2, R2>(effect: Effect.Effect<A2, E2, R2>) => Effect.Effect<A2, E2, R2>,
    isWaiting: () => boolean
  ) {
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
    const watches = [yield* giveUp(limits.deadline)]
    const first = yield* Effect.exit(restore(Deferred.await(answer)))
    // interrupted while the request is on its way
    if (Exit.isFailure(first) && !isWaiting()) watches.push(yield* giveUp(limits.grace))
    const exit = Exit.isSuccess(first) ? first.value : isWaiting() ? Exit.interrupt() : yield* Deferred.await(answer)
    // what only waits to be sent goes no further
    if (isWaiting()) yield* Fiber.interrupt(running)
    yield* Effect.forkDetach(Fiber.interruptAll([running, ...watches]))
    return exit
  }
)
