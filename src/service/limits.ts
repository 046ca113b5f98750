import { Clock, Context, DateTime, Effect, Semaphore } from "effect"
import { OperatorError, RateLimited } from "./OperatorError.ts"
import { readRemaining } from "./responses/readWait.ts"
import type { ServiceResponse } from "./responses/ServiceResponse.ts"
import type { Limit } from "./wire.ts"

/**
 * Counts requests by time. No time range of a window's length holds more of them than the limit, wherever the service's windows begin
 * (§8). Times are milliseconds of its own clock. An implementation may share its counts between runs.
 */
export interface WindowStore {
  /** The time by which requests are counted: changes of the system clock do not move it. */
  readonly now: Effect.Effect<number>
  /** Takes one request of `key` and returns 0, or takes none and returns the milliseconds until the next attempt is useful. */
  readonly take: (key: string, limit: number, windowMs: number, now: number) => Effect.Effect<number>
  /** Notes that a request taken at `from` was still on its way: the service may have counted it as late as `to`. */
  readonly delay: (key: string, windowMs: number, from: number, to: number) => Effect.Effect<void>
  /** The service's own count: until `until`, at most `remaining` further requests of `key`. */
  readonly correct: (key: string, remaining: number, until: number) => Effect.Effect<void>
  /** Applies a wait that the service requests: until `until` no request of `key` is taken, whatever its later counts. */
  readonly pause: (key: string, until: number) => Effect.Effect<void>
  /** Whether the service itself accepts no request of `key` now: it requested a wait, or reported that nothing is left. */
  readonly isStated: (key: string, now: number) => Effect.Effect<boolean>
}

/**
 * The longest wait that is accepted: a time in an unexpected unit must not block everything for years. After it, the next response
 * states the wait again.
 */
export const maxPauseMillis = 24 * 3_600_000

/** Fails because the limit allows no request for this time, and the run does not wait that long. */
export const rateLimited = (waitMillis: number, ours = false): Effect.Effect<never, OperatorError> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    new OperatorError({
      reason: new RateLimited({
        retryAfterSeconds: Math.ceil(waitMillis / 1000),
        until: DateTime.formatIso(DateTime.makeUnsafe(now + waitMillis)),
        ...(ours ? { ours } : {})
      })
    }))

/** Returns a monotonic clock that starts at `start`, its value at `since`, and is independent of the time of day. */
export const monotonicClock = (start: number, since: bigint): Effect.Effect<number> =>
  Effect.map(Clock.monotonicTimeNanos, (nanos) => start + Number((nanos - since) / 1_000_000n))

/** Counts in the memory of one process. */
export const makeMemoryWindows = (): WindowStore => {
  interface Window {
    times: Array<number>
    /** Index of the first time that still counts. */
    first: number
    cap: { remaining: number; readonly until: number } | null
    pausedUntil: number
  }
  const windows = new Map<string, Window>()
  const windowOf = (key: string): Window => {
    let window = windows.get(key)
    if (window === undefined) windows.set(key, window = { times: [], first: 0, cap: null, pausedUntil: 0 })
    return window
  }
  return {
    now: monotonicClock(0, 0n),
    take: (key, limit, windowMs, now) =>
      Effect.sync(() => {
        const window = windowOf(key)
        const { times } = window
        // After the clock was set back, times in the future count as made now.
        if ((times.at(-1) ?? now) > now) window.times = times.map((time) => Math.min(time, now))
        while (window.first < window.times.length && window.times[window.first]! <= now - windowMs) window.first++
        if (window.first > 4096) {
          window.times = window.times.slice(window.first)
          window.first = 0
        }
        if (window.pausedUntil > now) {
          window.pausedUntil = Math.min(window.pausedUntil, now + maxPauseMillis)
          return window.pausedUntil - now
        }
        // It is over, or so far ahead that the clock must have been set back since.
        if (window.cap !== null && (window.cap.until <= now || window.cap.until > now + 2 * windowMs)) window.cap = null
        if (window.cap !== null && window.cap.remaining <= 0) return window.cap.until - now
        if (window.times.length - window.first >= limit) {
          return window.times[window.times.length - limit]! + windowMs - now
        }
        window.times.push(now)
        if (window.cap !== null) window.cap.remaining -= 1
        return 0
      }),
    delay: (key, _windowMs, from, to) =>
      Effect.sync(() => {
        const { first, times } = windowOf(key)
        const at = times.indexOf(from, first)
        if (at < 0) return
        times.splice(at, 1)
        times.splice(times.findLastIndex((time) => time <= to) + 1, 0, to)
      }),
    correct: (key, remaining, until) =>
      Effect.sync(() => {
        const window = windowOf(key)
        const same = window.cap !== null && Math.abs(window.cap.until - until) < 2000
        // A response that is older than the last one must not give back what was used since.
        window.cap = { remaining: same ? Math.min(window.cap!.remaining, remaining) : remaining, until }
      }),
    pause: (key, until) =>
      Effect.sync(() => {
        const window = windowOf(key)
        window.pausedUntil = Math.max(window.pausedUntil, until)
      }),
    isStated: (key, now) =>
      Effect.sync(() => {
        const { cap, pausedUntil } = windowOf(key)
        return pausedUntil > now || (cap !== null && cap.remaining <= 0 && cap.until > now)
      })
  }
}

/** The store that counts the requests. `null`, the default, counts in the memory of one client. */
export const Windows = Context.Reference<WindowStore | null>("fhir2visit/operator/Windows", {
  defaultValue: () => null
})

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
      const wait = yield* store.take(key, count, windowMillis, now)
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
      if (now - entered > slowMillis(limit.windowMillis)) yield* store.delay(key, windowMillis, entered, now)
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
