import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import fc from "fast-check"
import { existsSync, statSync } from "node:fs"
import { at } from "../../src/at.ts"
import type { WindowStore } from "../../src/service/countRequests.ts"
import { Journal } from "../../src/submission/journal/Journal.ts"
import { Machine } from "../../src/submission/journal/monotonicTime.ts"
import { openWindowStore } from "../../src/submission/journal/WindowStore.ts"
import { journalIn, temporaryFolder } from "./samples.ts"

const hour = 3_600_000
const start = Date.parse("2026-03-03T08:00:00Z")

/** Takes a request as often as the store allows, and tries again every ten seconds during a longer wait. */
const greedy = (store: WindowStore, limit: number, windowMs: number, until: number, step: (nth: number) => number) =>
  Effect.gen(function*() {
    const granted: Array<number> = []
    // the first requests come at the end of a part
    let now = start + 59_000
    for (let nth = 0; now < start + until; nth++) {
      const wait = yield* store.take("data", { count: limit, windowMillis: windowMs }, now)
      if (wait === 0) granted.push(now)
      now += wait === 0 ? step(nth) : Math.min(wait, 10_000)
    }
    return granted
  })

/** Returns the maximum of requests in any time range of a window's length. */
const peak = (times: ReadonlyArray<number>, windowMs: number): number => {
  let most = 0
  let from = 0
  for (let to = 0; to < times.length; to++) {
    while (at(times, to) - at(times, from) >= windowMs) from++
    most = Math.max(most, to - from + 1)
  }
  return most
}

describe("§8 limits, counted for every process on one journal", () => {
  it.effect("I7: any hour holds at most the limit, and nearly all of it is used", () =>
    Effect.gen(function*() {
      const store = yield* openWindowStore(journalIn(yield* temporaryFolder))
      const granted = yield* greedy(store, 100, hour, 3 * hour, () => 9)
      assert.strictEqual(peak(granted, hour), 100)
      // the third hour's requests come a second later than they might
      assert.strictEqual(granted.length, 300)
    }))

  it.effect("I7: for any rhythm, limit and window", () =>
    Effect.gen(function*() {
      const options = journalIn(yield* temporaryFolder)
      const store = yield* openWindowStore(options)
      let run = 0
      const runPromise = Effect.runPromiseWith(yield* Effect.context<never>())
      yield* Effect.promise(() =>
        fc.assert(
          fc.asyncProperty(
            fc.integer({ min: 1, max: 12 }),
            fc.integer({ min: 1, max: 5000 }),
            fc.array(fc.integer({ min: 0, max: 6000 }), { minLength: 1, maxLength: 40 }),
            async (limit, windowMs, gaps) => {
              const key = `rhythm ${run++}`
              const granted: Array<number> = []
              let now = start
              for (const gap of gaps) {
                now += gap
                if (await runPromise(store.take(key, { count: limit, windowMillis: windowMs }, now)) === 0) {
                  granted.push(now)
                }
              }
              assert.isAtMost(peak(granted, windowMs), limit)
              assert.strictEqual(granted[0], start + at(gaps, 0))
            }
          ),
          { numRuns: 30 }
        )
      )
    }))

  it.effect("a second process shares the budget, and a later one starts with what is left", () =>
    Effect.gen(function*() {
      const options = journalIn(yield* temporaryFolder)
      const first = yield* Effect.scoped(Effect.gen(function*() {
        const one = yield* openWindowStore(options)
        const other = yield* openWindowStore(options)
        const waits = []
        for (let at = 0; at < 5; at++) {
          waits.push(
            yield* one.take("data", { count: 6, windowMillis: hour }, start + at),
            yield* other.take("data", { count: 6, windowMillis: hour }, start + at)
          )
        }
        return waits
      }))
      assert.strictEqual(first.filter((wait) => wait === 0).length, 6)
      const later = yield* openWindowStore(options)
      const wait = yield* later.take("data", { count: 6, windowMillis: hour }, start + 60_000)
      assert.isAbove(wait, hour - 3 * 60_000)
      assert.isAtMost(wait, hour + 60_000)
      assert.strictEqual(yield* later.take("tokens", { count: 6, windowMillis: hour }, start + 60_000), 0)
    }))

  it.effect("gives no requests back when the clock is set back", () =>
    Effect.gen(function*() {
      const store = yield* openWindowStore(journalIn(yield* temporaryFolder))
      for (let at = 0; at < 3; at++) {
        assert.strictEqual(yield* store.take("data", { count: 3, windowMillis: hour }, start), 0)
      }
      const wait = yield* store.take("data", { count: 3, windowMillis: hour }, start - 5 * hour)
      assert.isAbove(wait, hour - 120_000)
      assert.isAtMost(wait, hour + 120_000)
    }))

  it.effect("a clock that is set between two runs gives nothing back and blocks nothing; a restart of the machine is distinguished", () =>
    Effect.gen(function*() {
      const options = journalIn(yield* temporaryFolder)
      const wait = (boot: string, sinceBoot: number, timeOfDay: number) =>
        Effect.scoped(Effect.gen(function*() {
          yield* TestClock.setTime(timeOfDay)
          const store = yield* openWindowStore(options).pipe(
            Effect.provideService(Machine, Effect.succeed({ boot, sinceBoot }))
          )
          return yield* store.take("data", { count: 1, windowMillis: hour }, yield* store.now)
        }))
      assert.strictEqual(yield* wait("monday", 1000, start), 0)
      assert.isAtLeast(yield* wait("monday", 2000, start + 5 * hour), hour - 1000)
      assert.isAtLeast(yield* wait("monday", 3000, start + 100), hour - 2000)
      assert.strictEqual(yield* wait("monday", 2000 + hour, start - 9 * hour), 0)
      assert.isAtLeast(yield* wait("tuesday", 5, start + hour + 5000), hour - 5000)
      assert.strictEqual(yield* wait("tuesday", 6 + hour, start), 0)
    }))

  it.effect("continues its clock from the time it was opened, however late the first request is", () =>
    Effect.gen(function*() {
      const options = journalIn(yield* temporaryFolder)
      const machine = { boot: "monday", sinceBoot: 1000 }
      const store = yield* openWindowStore(options).pipe(Effect.provideService(Machine, Effect.succeed(machine)))
      const opened = yield* Clock.currentTimeMillis
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual(yield* store.now, opened + 600_000)
    }))

  it.effect("counts a slow request when it ends", () =>
    Effect.gen(function*() {
      const store = yield* openWindowStore(journalIn(yield* temporaryFolder))
      assert.strictEqual(yield* store.take("data", { count: 1, windowMillis: hour }, start), 0)
      yield* store.delay("data", hour, { from: start, to: start + 50_000 })
      assert.isAtLeast(yield* store.take("data", { count: 1, windowMillis: hour }, start + hour + 10_000), 40_000)
      assert.strictEqual(yield* store.take("data", { count: 1, windowMillis: hour }, start + hour + 51_000), 0)
    }))

  it.effect("X-RateLimit-Remaining of the service corrects the count, and an older response gives nothing back", () =>
    Effect.gen(function*() {
      const store = yield* openWindowStore(journalIn(yield* temporaryFolder))
      yield* store.correct("data", 1, start + hour)
      assert.strictEqual(yield* store.take("data", { count: 1000, windowMillis: hour }, start), 0)
      yield* store.correct("data", 1, start + hour + 500)
      assert.strictEqual(yield* store.take("data", { count: 1000, windowMillis: hour }, start + 1000), hour - 500)
      assert.strictEqual(yield* store.take("data", { count: 1000, windowMillis: hour }, start + hour + 1000), 0)
    }))

  it.effect("I7: a requested wait outlives the process; neither a later count nor a shorter wait ends it", () =>
    Effect.gen(function*() {
      const options = journalIn(yield* temporaryFolder)
      yield* Effect.scoped(Effect.gen(function*() {
        const store = yield* openWindowStore(options)
        yield* store.pause("data", start + 2 * hour)
        yield* store.correct("data", 500, start + hour)
        yield* store.pause("data", start + hour)
      }))
      const store = yield* openWindowStore(options)
      assert.strictEqual(yield* store.take("data", { count: 1000, windowMillis: hour }, start + 1000), 2 * hour - 1000)
      assert.strictEqual(yield* store.take("token", { count: 60, windowMillis: hour }, start + 1000), 0)
      assert.strictEqual(yield* store.take("data", { count: 1000, windowMillis: hour }, start + 2 * hour), 0)
    }))

  it.effect("limits a wait to a day, whatever the clock shows after a restart of the machine", () =>
    Effect.gen(function*() {
      const store = yield* openWindowStore(journalIn(yield* temporaryFolder))
      yield* store.pause("data", start + 24 * hour)
      assert.strictEqual(
        yield* store.take("data", { count: 1000, windowMillis: hour }, start - 9 * 365 * 24 * hour),
        24 * hour
      )
      assert.strictEqual(
        yield* store.take("data", { count: 1000, windowMillis: hour }, start - 9 * 365 * 24 * hour + 24 * hour),
        0
      )
    }))

  it.effect("needs no lock: it counts while a run holds the journal, and can create the file", () =>
    Effect.gen(function*() {
      const options = journalIn(yield* temporaryFolder)
      const store = yield* openWindowStore(options)
      assert.isTrue(existsSync(options.file))
      assert.strictEqual(statSync(options.file).mode & 0o777, 0o600)
      const fresh = yield* Effect.provide(
        Effect.gen(function*() {
          assert.strictEqual(yield* store.take("data", { count: 10, windowMillis: hour }, start), 0)
          return (yield* Journal).fresh
        }),
        Journal.layer(options),
        { local: true }
      )
      assert.isTrue(fresh)
    }))

  it.effect("continues to count in the process when the file becomes unwritable", () =>
    Effect.gen(function*() {
      const options = journalIn(yield* temporaryFolder)
      yield* Effect.scoped(openWindowStore(options))
      // no room for a single page more
      const store = yield* openWindowStore({ ...options, maxBytes: 4096 })
      let granted = 0
      for (let at = 0; at < 200; at++) {
        if (
          yield* Effect.map(
            store.take(`key ${at}`.padEnd(400), { count: 1, windowMillis: hour }, start),
            (wait) => wait === 0
          )
        ) granted++
        if (
          yield* Effect.map(store.take(`key ${at}`.padEnd(400), { count: 1, windowMillis: hour }, start), (wait) =>
            wait === 0)
        ) {
          granted++
        }
      }
      assert.strictEqual(granted, 200)
    }))

  it.effect("reports it, and continues from what the file has", () =>
    Effect.gen(function*() {
      const options = journalIn(yield* temporaryFolder)
      const data = "data".padEnd(400)
      const limit = { count: 4, windowMillis: hour }
      yield* Effect.scoped(Effect.flatMap(openWindowStore(options), (store) =>
        Effect.forEach([0, 1, 2], (at) =>
          store.take(data, limit, start + at))))
      const warnings: Array<unknown> = []
      const waits = yield* Effect.flatMap(openWindowStore({ ...options, maxBytes: 4096 }), (store) =>
        Effect.andThen(
          // It has no room for the first, so all are counted in the process.
          Effect.forEach(Array(200).keys(), (at) =>
            store.take(`key ${at}`.padEnd(400), limit, start)),
          Effect.forEach([0, 1, 2], (at) => store.take(data, limit, start + 60_000 + at))
        )).pipe(Effect.provide(Logger.layer([Logger.make(({ message }) => void warnings.push(message))])))
      assert.strictEqual(waits.filter((wait) => wait === 0).length, 1)
      assert.match(
        String(warnings),
        /^\S+ cannot be written: this process counts its requests by itself\. Start no other run within an hour/u
      )
    }))
})
