import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Fiber, Layer, type Scope } from "effect"
import { Windows } from "../../src/service/countRequests.ts"
import { Operator } from "../../src/service/Operator.ts"
import { JournalReader } from "../../src/submission/journal/JournalReader.ts"
import { openWindowStore } from "../../src/submission/journal/WindowStore.ts"
import { journalStatus } from "../../src/submission/status/status.ts"
import { present } from "../present.ts"
import { configFor } from "../service/configFor.ts"
import { type Say, scripted, token } from "../service/scripted.ts"
import { journalIn, temporaryFolder } from "./samples.ts"

const visit = JSON.stringify({ code: "V1", admitted_at: "…" })

/** A service that refuses, and processes one after the other on one journal that send to it. */
const refused = <A, E>(
  say: (path: string) => Say,
  body: (
    send: (maxWaitMillis?: number) => Effect.Effect<string, never>,
    service: Effect.Success<ReturnType<typeof scripted>>,
    folder: string
  ) => Effect.Effect<A, E, Scope.Scope>
) =>
  Effect.scoped(Effect.gen(function*() {
    const service = yield* scripted(({ path }) => say(path))
    const folder = yield* temporaryFolder
    const config = configFor(service.url)
    const send = (maxWaitMillis = 3_900_000) =>
      Effect.flatMap(Operator, (operator) => operator.submit([visit])).pipe(
        Effect.map(({ _tag }) => _tag),
        Effect.catch(({ reason }) => Effect.succeed(reason._tag)),
        Effect.provide(
          Operator.layer({ ...config, limits: { ...config.limits, maxWaitMillis } }).pipe(
            Layer.provide(Layer.orDie(Layer.effect(Windows, openWindowStore(journalIn(folder)))))
          ),
          { local: true }
        ),
        Effect.scoped,
        Effect.orDie
      )
    return yield* body(send, service, folder)
  }))

/** Epoch seconds. */
const inSeconds = (seconds: number): string => String(Math.floor(Date.now() / 1000) + seconds)

describe("I7: nothing is sent before a stated reset, whichever run heard of it", () => {
  const responses: ReadonlyArray<readonly [what: string, response: () => Say, first: string, hours: number]> = [
    ["429, Retry-After a day", () => [429, "", { "retry-after": "86400" }], "RateLimited", 24],
    [
      "429, X-RateLimit-Reset in two hours and a half",
      () => [429, "", {
        "x-ratelimit-reset": inSeconds(9000)
      }],
      "RateLimited",
      2.5
    ],
    ["503, Retry-After two hours", () => [503, "", { "retry-after": "7200" }], "Unknown", 2],
    [
      "429, Retry-After in an unexpected unit",
      () => [429, "", { "retry-after": "86400000" }],
      "RateLimited",
      24
    ]
  ]
  for (const [what, response, first, hours] of responses) {
    it.live(`${what}: the next run sends nothing, and the journal shows until when`, () =>
      refused(
        (path) => path === "/oauth/token" ? token(1) : response(),
        (send, { arrived }, folder) =>
          Effect.gen(function*() {
            assert.strictEqual(yield* send(), first)
            const before = arrived.length
            assert.strictEqual(yield* send(), "RateLimited")
            assert.deepStrictEqual(
              arrived.slice(before).map(({ path }) => path).filter((path) => path !== "/oauth/token"),
              []
            )
            const { waitUntil } = yield* Effect.provide(journalStatus, JournalReader.layer(journalIn(folder)), {
              local: true
            })
            const left = DateTime.toEpochMillis(DateTime.makeUnsafe(present(waitUntil))) - Date.now()
            assert.closeTo(left / 3_600_000, hours, 0.01)
          })
      ))
  }

  it.live("sends nothing to the token endpoint after its 429", () =>
    refused(() => [429, "", { "retry-after": "86400" }], (send, { arrived }) =>
      Effect.gen(function*() {
        assert.strictEqual(yield* send(), "RateLimited")
        assert.strictEqual(yield* send(), "RateLimited")
        assert.strictEqual(arrived.length, 1)
      })))

  it.live("a run that is stopped during a wait leaves the wait to the next", () =>
    refused(
      (path) => path === "/oauth/token" ? token(1) : [429, "", { "retry-after": "600" }],
      (send, { arrived }) =>
        Effect.gen(function*() {
          const visits = () => arrived.filter(({ path }) => path !== "/oauth/token").length
          const first = yield* Effect.forkChild(send())
          while (visits() === 0) yield* Effect.sleep(10)
          yield* Effect.sleep(100)
          yield* Fiber.interrupt(first)
          assert.strictEqual(yield* send(1000), "RateLimited")
          assert.strictEqual(visits(), 1)
        })
    ))
})
