import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Result } from "effect"
import { TestClock } from "effect/testing"
import fc from "fast-check"
import { at } from "../../src/at.ts"
import { minTokenWaitMillis } from "../../src/service/auth/Token.ts"
import { makeMemoryWindows, maxPauseMillis } from "../../src/service/countRequests.ts"
import { makePace } from "../../src/service/limits.ts"
import { atPace } from "../../src/service/retrySchedule.ts"
import { documentedLimits } from "../../src/service/wire.ts"
import { present } from "../present.ts"

/** Returns the maximum of times in any time range of this length, without its end. */
const most = (times: ReadonlyArray<number>, windowMillis: number): number =>
  times.reduce(
    (found, start) => Math.max(found, times.filter((at) => at >= start && at < start + windowMillis).length),
    0
  )

describe("a token endpoint that requests waits", () => {
  for (const stated of ["0", "1", undefined]) {
    it.effect(`gets at most five requests in any minute: Retry-After ${stated ?? "missing"}`, () =>
      Effect.gen(function*() {
        const requested: Array<number> = []
        const answer = { status: 429, headers: stated === undefined ? {} : { "retry-after": stated }, body: "" }
        const grant = Effect.suspend(() =>
          Effect.map(Clock.currentTimeMillis, (now) => {
            requested.push(now)
            return answer
          })
        )
        const pace = makePace(makeMemoryWindows(), "token", documentedLimits.token, {
          maxWaitMillis: 3_900_000,
          reserve: 0
        })
        const running = yield* Effect.forkChild(
          Effect.exit(atPace(pace, "front", grant, { minWaitMillis: minTokenWaitMillis }))
        )
        yield* TestClock.adjust("3 hours")
        yield* Fiber.join(running)
        assert.isAtLeast(requested.length, 8)
        assert.isAtMost(most(requested, 60_000), 5)
      }))
  }
})

describe("§8 limits are kept in every span of a window's length", () => {
  it("keeps the limit for any rhythm and length of a run, and no request waits longer than needed", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 8 }),
        fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 80 }),
        (limit, pauses) => {
          const store = makeMemoryWindows()
          const take = (now: number) => Effect.runSync(store.take("data", { count: limit, windowMillis: 1000 }, now))
          const sent: Array<number> = []
          let now = 0
          for (const pause of pauses) {
            now += pause
            const wait = take(now)
            if (wait > 0) {
              assert.isAbove(take(now + wait - 1), 0)
              now += wait
              assert.strictEqual(take(now), 0)
            }
            sent.push(now)
          }
          assert.isAtMost(most(sent, 1000), limit)
        }
      )
    )
  })

  it("a clock that is set back gives no requests back, and does not stop them for ever", () => {
    const store = makeMemoryWindows()
    const take = (now: number) => Effect.runSync(store.take("data", { count: 2, windowMillis: 1000 }, now))
    assert.deepStrictEqual([take(1_000_000), take(1_000_000)], [0, 0])
    // Requests are counted by parts of a window: a sixtieth, rounded up to milliseconds.
    assert.strictEqual(take(0), 1017)
    assert.strictEqual(take(1016), 1)
    assert.strictEqual(take(1017), 0)
  })

  it("the service's own count only reduces what is left", () => {
    const store = makeMemoryWindows()
    const take = (now: number) => Effect.runSync(store.take("data", { count: 10, windowMillis: 1000 }, now))
    Effect.runSync(store.correct("data", 1, 1500))
    assert.strictEqual(take(0), 0)
    assert.strictEqual(take(1), 1499)
    // An older answer that arrives late says more than is left.
    Effect.runSync(store.correct("data", 3, 1500))
    assert.strictEqual(take(2), 1498)
    assert.strictEqual(take(1500), 0)
    Effect.runSync(store.correct("data", 1_000_000, 3000))
    for (let n = 0; n < 9; n++) assert.strictEqual(take(1501), 0)
    assert.isAbove(take(1502), 0)
  })

  it("keeps to a count of the service until it ends, and for a day at most", () => {
    const store = makeMemoryWindows()
    const take = (now: number) => Effect.runSync(store.take("data", { count: 10, windowMillis: 1000 }, now))
    Effect.runSync(store.correct("data", 0, 100_000))
    assert.strictEqual(take(5000), 95_000)
    assert.strictEqual(take(100_000), 0)
    // Such a time comes from a clock that was set back.
    Effect.runSync(store.correct("data", 0, 1e12))
    assert.strictEqual(take(200_000), maxPauseMillis)
    assert.strictEqual(take(200_000 + maxPauseMillis), 0)
  })

  const run = (count: number, limit: { readonly count: number; readonly windowMillis: number }) =>
    Effect.gen(function*() {
      const pace = makePace(makeMemoryWindows(), "data", limit, { maxWaitMillis: 3_900_000, reserve: 10 })
      const sent: Array<number> = []
      const fiber = yield* Effect.forkChild(
        Effect.forEach(
          Array.from({ length: count }),
          () =>
            Effect.flatMap(pace.enter("bulk"), (entered) =>
              Effect.flatMap(Clock.currentTimeMillis, (now) => {
                sent.push(now)
                return pace.leave(entered, null)
              })),
          { concurrency: 4, discard: true }
        )
      )
      yield* TestClock.adjust("5 hours")
      yield* Fiber.join(fiber)
      return sent
    })

  it.effect(
    "three thousand visits at 1000 an hour take three hours, never more than 1000 in one",
    () =>
      Effect.gen(function*() {
        const sent = yield* run(3000, documentedLimits.data)
        assert.strictEqual(sent.length, 3000)
        const spans = sent.map((start) => sent.filter((at) => at >= start && at < start + 3_600_000).length)
        assert.isAtMost(Math.max(...spans), 1000)
        assert.isBelow(present(sent.at(-1)) - at(sent, 0), 3.1 * 3_600_000)
      })
  )

  it.effect("counts a slow request when it ends, because its time of arrival is unknown", () =>
    Effect.gen(function*() {
      const pace = makePace(makeMemoryWindows(), "data", { count: 1, windowMillis: 3_600_000 }, {
        maxWaitMillis: 3_900_000,
        reserve: 0
      })
      const entered = yield* pace.enter("bulk")
      yield* TestClock.adjust("40 seconds")
      yield* pace.leave(entered, null)
      const next = yield* Effect.forkChild(pace.enter("bulk"))
      yield* TestClock.adjust("2 hours")
      assert.isAtLeast((yield* Fiber.join(next)) - entered, 3_640_000)
    }))

  it.effect("gives no requests back when the time of day jumps, forward or back", () =>
    Effect.gen(function*() {
      const pace = makePace(makeMemoryWindows(), "data", { count: 2, windowMillis: 3_600_000 }, {
        maxWaitMillis: 1000,
        reserve: 0
      })
      const clock = yield* Clock.Clock
      const ahead = (millis: number): Clock.Clock => ({
        ...clock,
        currentTimeMillis: Effect.map(clock.currentTimeMillis, (now) => now + millis),
        currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe() + millis
      })
      yield* pace.enter("bulk")
      yield* Effect.provideService(pace.enter("bulk"), Clock.Clock, ahead(10 * 3_600_000))
      for (const millis of [0, 10 * 3_600_000, -10 * 3_600_000]) {
        const { reason } = yield* Effect.flip(Effect.provideService(pace.enter("bulk"), Clock.Clock, ahead(millis)))
        assert.strictEqual(reason._tag, "RateLimited")
      }
    }))

  it.effect("leaves the reserve of a bulk run to interactive users", () =>
    Effect.gen(function*() {
      const pace = makePace(makeMemoryWindows(), "data", { count: 100, windowMillis: 3_600_000 }, {
        maxWaitMillis: 1000,
        reserve: 2
      })
      for (let n = 0; n < 98; n++) yield* pace.enter("bulk")
      const { reason } = yield* Effect.flip(pace.enter("bulk"))
      assert.strictEqual(reason._tag, "RateLimited")
      assert.isAbove(reason._tag === "RateLimited" ? reason.retryAfterSeconds : 0, 3600)
      yield* pace.enter("front")
      yield* pace.enter("front")
      assert.strictEqual((yield* Effect.flip(pace.enter("front"))).reason._tag, "RateLimited")
    }))

  it.effect("applies a requested wait to all requests, and later responses do not end it", () =>
    Effect.gen(function*() {
      const pace = makePace(makeMemoryWindows(), "data", documentedLimits.data, {
        maxWaitMillis: 100_000,
        reserve: 0
      })
      const entered = yield* pace.enter("bulk")
      yield* pace.pause(60_000)
      yield* pace.leave(entered, {
        status: 200,
        headers: { "x-ratelimit-remaining": "500", "x-ratelimit-reset": "3000" },
        body: ""
      })
      const fiber = yield* Effect.forkChild(Effect.andThen(pace.enter("front"), Clock.currentTimeMillis))
      yield* TestClock.adjust("2 minutes")
      assert.strictEqual(yield* Fiber.join(fiber), 60_000)
    }))

  it.effect("limits a wait of fifty-seven years, in an unexpected unit, to a day", () =>
    Effect.gen(function*() {
      const pace = makePace(makeMemoryWindows(), "data", documentedLimits.data, {
        maxWaitMillis: 100 * 3_600_000,
        reserve: 0
      })
      yield* pace.pause(1_795_235_711_000)
      const fiber = yield* Effect.forkChild(Effect.andThen(pace.enter("front"), Clock.currentTimeMillis))
      yield* TestClock.adjust("3 days")
      assert.strictEqual(yield* Fiber.join(fiber), 24 * 3_600_000)
    }))

  it.effect("waits when nothing is left for longer than a window; ignores such a time when something is left", () =>
    Effect.gen(function*() {
      for (const [remaining, waited] of [["0", 9000], ["7", null]] as const) {
        const pace = makePace(makeMemoryWindows(), "data", documentedLimits.data, { maxWaitMillis: 1000, reserve: 0 })
        const entered = yield* pace.enter("bulk")
        const headers = { "x-ratelimit-remaining": remaining, "x-ratelimit-reset": "9000" }
        yield* pace.leave(entered, { status: 200, headers, body: "" })
        const next = yield* Effect.result(pace.enter("bulk"))
        const reason = Result.isFailure(next) ? next.failure.reason : null
        assert.strictEqual(reason?._tag === "RateLimited" ? reason.retryAfterSeconds : null, waited)
      }
    }))
})
