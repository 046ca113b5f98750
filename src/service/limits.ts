import { Clock, Context, DateTime, Effect, Semaphore } from "effect"
import { OperatorError, RateLimited } from "./OperatorError.ts"
import { readRemaining } from "./responses/readWait.ts"
import type { ServiceResponse } from "./responses/ServiceResponse.ts"
import type { Limit } from "./wire.ts"

/**
 * Remembers when requests were made, so that no span of a window's length holds more of them than the limit, wherever the service lets
 * its own windows begin (§8). Times are milliseconds of its own clock. An implementation may share its memory between runs.
 */
export interface WindowStore {
  /** The time by which requests are counted: a clock that is set forward or back does not move it. */
  readonly now: Effect.Effect<number>
  /** Takes one request of `key` and returns 0, or takes none and returns the milliseconds until it is worth asking again. */
  readonly take: (key: string, limit: number, windowMs: number, now: number) => Effect.Effect<number>
  /** A request that was taken at `from` was still on its way: the service may have counted it as late as `to`. */
  readonly delay: (key: string, windowMs: number, from: number, to: number) => Effect.Effect<void>
  /** The service's own count: until `until`, at most `remaining` further requests of `key`. */
  readonly correct: (key: string, remaining: number, until: number) => Effect.Effect<void>
  /** The service asks for a wait: until `until` no request of `key` is taken, whatever it counts meanwhile. */
  readonly pause: (key: string, until: number) => Effect.Effect<void>
  /** Whether the service itself wants no request of `key` now: it asked for a wait, or said that nothing is left. */
  readonly isStated: (key: string, now: number) => Effect.Effect<boolean>
}

/**
 * The longest wait that is believed: a moment in a unit that nobody foresaw must not hold everything up for years. When it is over,
 * the next request hears again.
 */
export const maxPauseMillis = 24 * 3_600_000

/** The limit allows no request for so long, and the run does not wait that long. */
export const rateLimited = (waitMillis: number, ours = false): Effect.Effect<never, OperatorError> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    new OperatorError({
      reason: new RateLimited({
        retryAfterSeconds: Math.ceil(waitMillis / 1000),
        until: DateTime.formatIso(DateTime.makeUnsafe(now + waitMillis)),
        ...(ours ? { ours } : {})
      })
    }))

/** A clock that goes on by itself from `start`, which it showed at `since`, whatever becomes of the time of day. */
export const monotonicClock = (start: number, since: bigint): Effect.Effect<number> =>
  Effect.map(Clock.monotonicTimeNanos, (nanos) => start + Number((nanos - since) / 1_000_000n))

/** The memory of one process. */
export const makeMemoryWindows = (): WindowStore => {
  interface Window {
    times: Array<number>
    /** Where the times that still count begin. */
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
        // A clock that was set back leaves times in the future; they count as made now.
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
        // It is over, or so far ahead that a clock must have been set back meanwhile.
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
        // An answer that is older than the last one must not give back what was used since.
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

/** Where the requests are counted. `null`, the default, is the memory of one client. */
export const Windows = Context.Reference<WindowStore | null>("fhir2visit/operator/Windows", {
  defaultValue: () => null
})

/** What somebody waits for. */
export type Wait =
  /** A limit of requests: the service's word, or our own count of what it allows (§8). */
  | { readonly _tag: "Limit"; readonly seconds: number; readonly ours: boolean }
  /** An answer that did not come for so long, and is waited for as long in all. */
  | { readonly _tag: "Silence"; readonly seconds: number; readonly ofSeconds: number }

/** Is told of a wait: of one for a limit once for all who wait. */
export const ReportWait = Context.Reference<(wait: Wait) => Effect.Effect<void>>("fhir2visit/service/ReportWait", {
  defaultValue: () => () => Effect.void
})

/** The pace of one kind of request. */
export interface Pace {
  /**
   * Waits until one more request may be made. Fails when the wait would be longer than the run may take. `bulk` leaves the reserve
   * to `front`, so that somebody at a desk need not wait behind an upload. Gives the moment it was let in.
   */
  readonly enter: (lane: "bulk" | "front") => Effect.Effect<number, OperatorError>
  /** To be called once for each `enter`, with what it gave, and the answer, or `null` when none came. */
  readonly leave: (entered: number, answer: ServiceResponse | null) => Effect.Effect<void>
  /** The service asks for a wait: nobody enters before it is over, in this run or the next, or before a day is. */
  readonly pause: (millis: number) => Effect.Effect<void>
  /** The longest wait for a limit. */
  readonly maxWaitMillis: number
}

/** Requests made a window apart may arrive closer together: a second more than the service's window, less for short ones. */
const slackMillis = (windowMillis: number): number => Math.min(1000, Math.ceil(windowMillis / 10))

/** A request that takes longer than this is counted when it ends, for nobody knows when it arrived. */
const slowMillis = (windowMillis: number): number => slackMillis(windowMillis) / 2

export const makePace = (
  store: WindowStore,
  key: string,
  limit: Limit,
  options: { readonly maxWaitMillis: number; readonly reserve: number }
): Pace => {
  const windowMillis = limit.windowMillis + slackMillis(limit.windowMillis)
  let inFlight = 0
  let announced = 0
  // Each lane is a queue: whoever came first waits, and nobody is overtaken for ever.
  const queues = { bulk: Semaphore.makeUnsafe(1), front: Semaphore.makeUnsafe(1) }
  const takeTurn = Effect.fnUntraced(function*(lane: "bulk" | "front") {
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
      // One line for a wait, however many wait.
      if (now >= announced) {
        announced = now + wait
        yield* Effect.logInfo("waiting for the limit of requests").pipe(
          Effect.annotateLogs({ limit: key.split(" ", 1)[0], seconds: Math.ceil(wait / 1000) })
        )
        const tell = yield* ReportWait
        yield* tell({ _tag: "Limit", seconds: Math.ceil(wait / 1000), ours })
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
    leave: Effect.fnUntraced(function*(entered, answer) {
      inFlight -= 1
      const now = yield* store.now
      if (now - entered > slowMillis(limit.windowMillis)) yield* store.delay(key, windowMillis, entered, now)
      if (answer === null) return
      const stated = readRemaining(answer.headers, yield* Clock.currentTimeMillis)
      if (stated === null) return
      // No window ends later than a window from now; but when nothing is left until then, nothing is sent before.
      if (stated.waitMillis > 2 * limit.windowMillis) {
        if (stated.remaining === 0) yield* pause(stated.waitMillis)
        return
      }
      // What is in flight was not counted when this answer was written.
      yield* store.correct(key, Math.max(0, stated.remaining - inFlight), now + stated.waitMillis)
    }),
    pause
  }
}
