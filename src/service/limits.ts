import { Clock, Context, DateTime, Effect, Semaphore } from "effect"
import { maxPauseMillis, type WindowStore } from "./countRequests.ts"
import { OperatorError } from "./OperatorError.ts"
import { readRemaining } from "./responses/readWait.ts"
import type { ServiceResponse } from "./responses/ServiceResponse.ts"
import type { Limit } from "./wire.ts"

/** Fails because the limit allows no request for this time, and the run does not wait that long. */
export const rateLimited = (waitMillis: number, ours = false): Effect.Effect<never, OperatorError> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    new OperatorError({
      reason: {
        _tag: "RateLimited",
        retryAfterSeconds: Math.ceil(waitMillis / 1000),
        until: DateTime.formatIso(DateTime.makeUnsafe(now + waitMillis)),
        ...(ours ? { ours } : {})
      }
    }))

/** The reason for a wait. */
export type Wait =
  /** A request limit: stated by the service, or by our own count of what it allows (§8). */
  | { readonly _tag: "Limit"; readonly seconds: number; readonly ours: boolean }
  /** A response that is overdue by this time, and the deadline for it. */
  | { readonly _tag: "Silence"; readonly seconds: number; readonly ofSeconds: number }

/** Receives each wait; a wait for a limit once for all concurrent requests. */
export const ReportWait = Context.Reference<(wait: Wait) => Effect.Effect<void>>("fhir2visit/service/ReportWait", {
  defaultValue: () => () => Effect.void
})

/** `front` is an interactive user, `bulk` everything else: it leaves the reserve of the limit to `front`. */
export type Lane = "bulk" | "front"

/** The rate limit of one kind of request. */
export interface Pace {
  /**
   * Waits until one more request may be made, and returns the time of entry. Fails when the wait would be longer than the run may take.
   */
  readonly enter: (lane: Lane) => Effect.Effect<number, OperatorError>
  /** Must be called once for each `enter`, with its result and the response, or `null` without one. */
  readonly leave: (entered: number, response: ServiceResponse | null) => Effect.Effect<void>
  /** Blocks all requests until the wait that the service requests is over, at most 24 hours, in this run and the next. */
  readonly pause: (millis: number) => Effect.Effect<void>
  /** The longest wait for a limit. */
  readonly maxWaitMillis: number
}

/**
 * Returns the margin in milliseconds. Requests made a window apart may arrive closer together, so a second is added to the service's
 * window, less for short ones.
 */
const slackMillis = (windowMillis: number): number => Math.min(1000, Math.ceil(windowMillis / 10))

/** A request that takes longer than this is counted when it ends, because its time of arrival is unknown. */
const slowMillis = (windowMillis: number): number => slackMillis(windowMillis) / 2

export const makePace = (
  store: WindowStore,
  key: string,
  limit: Limit,
  options: { readonly maxWaitMillis: number; readonly reserve: number }
): Pace => {
  const windowMillis = limit.windowMillis + slackMillis(limit.windowMillis)
  let inFlight = 0
  /** The end of the last wait that was reported. */
  let reportedUntil = 0
  // Each lane is a first-in, first-out queue, so that no request waits forever.
  const queues = { bulk: Semaphore.makeUnsafe(1), front: Semaphore.makeUnsafe(1) }
  const takeTurn = Effect.fnUntraced(function*(lane: Lane) {
    const count = Math.max(1, limit.count - (lane === "front" ? 0 : options.reserve))
    let waited = 0
    while (true) {
      const now = yield* store.now
      const wait = yield* store.take(key, { count, windowMillis }, now)
      if (wait <= 0) {
        inFlight += 1
        return now
      }
      const ours = !(yield* store.isStated(key, now))
      if (waited + wait > options.maxWaitMillis) return yield* rateLimited(wait, ours)
      // Report a wait once, however many requests wait for it.
      if (now >= reportedUntil) {
        reportedUntil = now + wait
        yield* Effect.logInfo("waiting for the limit of requests").pipe(
          Effect.annotateLogs({ code: "waiting", limit: key.split(" ", 1)[0], seconds: Math.ceil(wait / 1000) })
        )
        const report = yield* ReportWait
        yield* report({ _tag: "Limit", seconds: Math.ceil(wait / 1000), ours })
      }
      yield* Effect.sleep(wait)
      waited += wait
    }
  })
  const pause = (millis: number) =>
    Effect.flatMap(store.now, (now) => store.pause(key, now + Math.min(millis, maxPauseMillis)))
  return {
    maxWaitMillis: options.maxWaitMillis,
    enter: (lane) => queues[lane].withPermit(takeTurn(lane)),
    leave: Effect.fnUntraced(function*(entered, response) {
      inFlight -= 1
      const now = yield* store.now
      if (now - entered > slowMillis(limit.windowMillis)) {
        yield* store.delay(key, windowMillis, { from: entered, to: now })
      }
      if (response === null) return
      const stated = readRemaining(response.headers, yield* Clock.currentTimeMillis)
      if (stated === null) return
      // No window ends later than a window from now; but when nothing is left until then, nothing is sent before.
      if (stated.waitMillis > 2 * limit.windowMillis) {
        if (stated.remaining === 0) yield* pause(stated.waitMillis)
        return
      }
      // This response does not count the requests in flight.
      yield* store.correct(key, Math.max(0, stated.remaining - inFlight), now + stated.waitMillis)
    }),
    pause
  }
}
