import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Result } from "effect"
import { join } from "node:path"
import { at } from "../../src/at.ts"
import { Operator } from "../../src/service/Operator.ts"
import type { OperatorConfig } from "../../src/service/settings/OperatorConfig.ts"
import { defaultSending } from "../../src/service/settings/SendingSettings.ts"
import { present } from "../present.ts"
import { temporaryFolder } from "../submission/samples.ts"
import { submittedCodes } from "../visitCodes.ts"
import { configFor } from "./configFor.ts"
import { type Say, scripted, token } from "./scripted.ts"

const visit = (code = "V1") => JSON.stringify({ code, admitted_at: "…" })

const fast = { readRetryMillis: 10, deadlineMillis: 400 }

/** Asks a scripted service that gives tokens and says the rest as the test wants. */
const asking = <A, E>(
  say: (path: string, nth: number, query: URLSearchParams) => Say,
  body: (operator: Operator["Service"], service: Effect.Success<ReturnType<typeof scripted>>) => Effect.Effect<A, E>,
  over: Partial<OperatorConfig> = {}
) =>
  Effect.gen(function*() {
    const service = yield* scripted((request, nth) =>
      request.path === "/oauth/token" ? token(nth) : say(request.path, nth, request.query)
    )
    return yield* Effect.gen(function*() {
      return yield* body(yield* Operator, service)
    }).pipe(Effect.provide(Operator.layer(configFor(service.url, { ...fast, ...over })), { local: true }))
  }).pipe(Effect.scoped)

const stored = (code = "V1"): Say => [200, {
  success: true,
  http_code: 200,
  message: "Save successfully",
  data: { status: 1, uuld: "u", visit_code: code }
}]

describe("§4.1 what is sent", () => {
  it.live("sends the five headers on every data call, the exact text of the visits, and accepts no compression", () =>
    asking(
      (path) =>
        path.endsWith("/visits") ? stored() : [200, { success: true, data: path.includes("search") ? null : [] }],
      (operator, { arrived }) =>
        Effect.gen(function*() {
          const text = "{\"code\":\"V1\",\"total\":7.20,\"name\":\"ភូមិ\u200B\"}"
          yield* operator.submit([text])
          yield* operator.processed("2026-03-01", "2026-03-02")
          yield* operator.beneficiaries("1 & 2")
          const [grant, ...calls] = arrived
          assert.strictEqual(grant?.headers["content-type"], "application/x-www-form-urlencoded")
          assert.strictEqual(grant?.headers["accept"], "application/json")
          assert.notProperty(grant?.headers, "x-system-code")
          assert.strictEqual(calls.length, 3)
          for (const { headers } of calls) {
            assert.strictEqual(headers["authorization"], "Bearer access-1")
            assert.strictEqual(headers["accept"], "application/json")
            assert.strictEqual(headers["content-type"], "application/json")
            assert.strictEqual(headers["x-system-code"], "SYS")
            assert.strictEqual(headers["x-health-facility-code"], "F1")
            assert.strictEqual(headers["accept-encoding"], "identity")
            assert.isUndefined(headers["traceparent"])
          }
          assert.strictEqual(calls[0]?.body, `{"visits":[${text}]}`)
          assert.strictEqual(calls[1]?.query.get("admitted_at_from"), "2026-03-01")
          assert.strictEqual(calls[1]?.query.get("admitted_at_to"), "2026-03-02")
          assert.strictEqual(calls[2]?.query.get("card_number"), "1 & 2")
        })
    ))

  it.live("compresses a submission and gives it an id only if the facility requires it; reads have neither", () =>
    Effect.gen(function*() {
      const sent = (over: Partial<OperatorConfig>) =>
        asking(
          (path) => path.endsWith("/visits") ? stored() : [200, { success: true, data: [] }],
          (operator, { arrived }) =>
            Effect.gen(function*() {
              yield* operator.submit([visit()], { attempt: "attempt-1" })
              yield* operator.processed("2026-03-01", "2026-03-02")
              return arrived.slice(1).map(({ headers }) => [headers["content-encoding"], headers["x-request-id"]])
            }),
          over
        )
      assert.deepStrictEqual(yield* sent({}), [[undefined, undefined], [undefined, undefined]])
      assert.deepStrictEqual(
        yield* sent({ sending: { ...defaultSending, gzip: true, requestIdHeader: "X-Request-Id" } }),
        [["gzip", "attempt-1"], [undefined, undefined]]
      )
    }))

  it.live("keeps the id of an attempt when it is repeated: after 401 with another token, after 429", () =>
    asking(
      (_, nth) => nth === 1 ? [401] : nth === 2 ? [429, "", { "retry-after": "0" }] : stored(),
      (operator, { arrived }) =>
        Effect.gen(function*() {
          assert.strictEqual((yield* operator.submit([visit()], { attempt: "attempt-1" }))._tag, "Stored")
          const posts = arrived.filter(({ path }) => path.endsWith("/visits"))
          assert.deepStrictEqual(posts.map(({ headers }) => headers["idempotency-key"]), [
            "attempt-1",
            "attempt-1",
            "attempt-1"
          ])
        }),
      { sending: { ...defaultSending, requestIdHeader: "Idempotency-Key" } }
    ))

  it.live("§4.2 sends secrets with special characters unchanged", () =>
    asking(
      () => [200, { data: [] }],
      (operator, { arrived }) =>
        Effect.gen(function*() {
          yield* operator.processed("2026-03-01", "2026-03-02")
          const form = new URLSearchParams(at(arrived, 0).body)
          assert.strictEqual(form.get("grant_type"), "password")
          assert.strictEqual(form.get("password"), "a b+c&d%e=f é☃\"'")
          assert.strictEqual(form.get("client_secret"), "&=?")
        }),
      { password: Redacted.make("a b+c&d%e=f é☃\"'"), clientSecret: Redacted.make("&=?") }
    ))

  it.live("accepts base URLs that end with a slash or /api", () =>
    Effect.gen(function*() {
      const service = yield* scripted(({ path }) => path === "/x/oauth/token" ? token(1) : [200, { data: [] }])
      const over = { baseUrl: `${service.url}/y/api/`, authUrl: `${service.url}/x/` }
      yield* Effect.flatMap(Operator, (operator) => operator.processed("2026-03-01", "2026-03-02")).pipe(
        Effect.provide(Operator.layer(configFor(service.url, over)), { local: true })
      )
      assert.strictEqual(service.arrived.at(-1)?.path, "/y/api/v1/external/visits/processed")
    }).pipe(Effect.scoped))
})

describe.concurrent("what an outcome of a POST means, on the wire", () => {
  const unknowns: ReadonlyArray<readonly [string, Say]> = [
    ["the connection is reset", (response) => present(response.socket).resetAndDestroy()],
    ["the connection ends without a response", (response) => present(response.socket).end()],
    ["half a body", (response) => {
      response.writeHead(200, { "content-type": "application/json", "content-length": "1000" })
      response.write("{\"success\":true,", () => present(response.socket).destroy())
    }],
    ["no answer", () => {}],
    ["an answer that drips", (response) => {
      response.writeHead(200, { "content-type": "application/json" })
      const timer = setInterval(() => response.write(" "), 50)
      response.on("close", () => clearInterval(timer))
    }],
    ["an answer without end", (response) => {
      response.writeHead(200, { "content-type": "application/json" })
      const more = (): void => {
        while (!response.destroyed && response.write("x".repeat(65_536)));
        if (!response.destroyed) response.once("drain", more)
      }
      more()
    }],
    ["bytes that are not UTF-8", (response) => response.writeHead(200).end(Buffer.from([0x7b, 0xff, 0x7d]))],
    ["not HTTP", (response) => present(response.socket).end("hello\r\n\r\n")]
  ]
  for (const [name, say] of unknowns) {
    it.live(`${name}: unknown, and nothing is sent twice`, () =>
      asking(() => say, (operator, { arrived }) =>
        Effect.gen(function*() {
          const outcome = yield* operator.submit([visit()])
          assert.strictEqual(outcome._tag, "Unknown")
          assert.strictEqual(
            arrived.filter(({ method, path }) => method === "POST" && path !== "/oauth/token").length,
            1
          )
        }), { maxResponseBytes: 100_000 }))
  }

  it.live("waits for two deadlines in a read, one in a submission, and distinguishes silence from half a response", () =>
    asking(
      (path) =>
        path.endsWith("/visits")
          ? (response) => {
            response.writeHead(200, { "content-type": "application/json" })
            response.write("{")
          }
          : () => undefined,
      (operator, { arrived }) =>
        Effect.gen(function*() {
          const { reason } = yield* Effect.flip(operator.processed("2026-03-01", "2026-03-02"))
          assert.isTrue(reason._tag === "Unreachable" && reason.silent === true)
          assert.strictEqual(arrived.filter(({ path }) => path.endsWith("/processed")).length, 2)
          const outcome = yield* operator.submit([visit()])
          assert.deepStrictEqual(outcome, { _tag: "Unknown", why: "the response did not end in time" })
        })
    ))

  it.live("reports a closed port as not sent", () =>
    Effect.gen(function*() {
      const service = yield* scripted(() => [200])
      const operator = yield* Operator
      service.close()
      const error = yield* Effect.flip(operator.submit([visit()]))
      assert.strictEqual(error.reason._tag, "Unreachable")
    }).pipe(
      Effect.provide(Operator.layer(configFor("http://127.0.0.1:9", { ...fast, readRetries: 1 })), { local: true }),
      Effect.scoped
    ))

  it.live("reports NotSent, not unknown, when the service disappears after the token was issued", () =>
    asking(() => stored(), (operator, service) =>
      Effect.gen(function*() {
        assert.strictEqual((yield* operator.submit([visit()]))._tag, "Stored")
        service.close()
        yield* Effect.sleep(50)
        const error = yield* Effect.flip(operator.submit([visit("V2")]))
        assert.strictEqual(error.reason._tag, "Unreachable")
      })))

  for (const status of [301, 302, 303, 307, 308]) {
    it.live(`I9 ${status} to another host is not followed: the visit does not go there`, () =>
      Effect.gen(function*() {
        const trap = yield* scripted(() => stored())
        yield* asking(
          () => [status, "", { location: `${trap.url}/api/v1/external/visits` }],
          (operator) =>
            Effect.gen(function*() {
              const outcome = yield* operator.submit([visit()])
              assert.strictEqual(outcome._tag, "Unknown")
              assert.strictEqual(outcome._tag === "Unknown" && outcome.status, status)
            })
        )
        assert.deepStrictEqual(trap.arrived, [])
      }).pipe(Effect.scoped))
  }

  it.live("reports a redirect of the token endpoint and of reads as such", () =>
    Effect.gen(function*() {
      const redirect: Say = [302, "<html>Sign in</html>", { location: "https://elsewhere.example/login" }]
      for (const ofToken of [true, false]) {
        const service = yield* scripted(({ path }) => path === "/oauth/token" && !ofToken ? token(1) : redirect)
        const errors = yield* Effect.gen(function*() {
          const { beneficiaries, processed, standardData } = yield* Operator
          return [
            yield* Effect.flip(beneficiaries("1")),
            yield* Effect.flip(processed("2026-03-01", "2026-03-02")),
            yield* Effect.flip(standardData("visit_types"))
          ]
        }).pipe(
          Effect.provide(Operator.layer(configFor(service.url, { ...fast, deadlineMillis: 5000 })), { local: true })
        )
        for (const { reason } of errors) {
          assert.strictEqual(
            reason._tag === "UnexpectedResponse" && reason.detail,
            "the response is a redirect, which is not followed"
          )
        }
      }
    }).pipe(Effect.scoped))

  it.live("stops at 404, 405 and 415: the address or the settings are wrong", () =>
    asking((_, nth) => [at([404, 405, 415], nth - 1), "<html/>"], (operator) =>
      Effect.gen(function*() {
        for (const status of [404, 405, 415]) {
          const { reason } = yield* Effect.flip(operator.submit([visit()]))
          assert.strictEqual(reason._tag === "UnexpectedResponse" && reason.status, status)
        }
      })))

  it.live("§8 doubles the waits after 429 without a stated wait, and ends the run with the time of a wait that is too long", () =>
    asking(
      (_, nth) =>
        nth === 1 ? [429, "Too Many Attempts."] : nth === 2 ? stored() : [429, "", { "retry-after": "86400" }],
      (operator) =>
        Effect.gen(function*() {
          assert.strictEqual((yield* operator.submit([visit()]))._tag, "Stored")
          const { reason } = yield* Effect.flip(operator.submit([visit()]))
          assert.strictEqual(reason._tag, "RateLimited")
          assert.isAtLeast(reason._tag === "RateLimited" ? reason.retryAfterSeconds : 0, 86_400)
        })
    ))
})

describe.concurrent("§8 a limit without status 429", () => {
  const nothingLeft = { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "1" }

  it.live("waits after 403 with nothing left in the window; 403 with something left denies access", () =>
    asking(
      (_, nth) =>
        nth === 1 ? [403, "", nothingLeft] : nth === 2
          ? stored()
          : [403, { success: false, message: "Access denied" }, { "x-ratelimit-remaining": "7" }],
      (operator) =>
        Effect.gen(function*() {
          const began = Date.now()
          assert.strictEqual((yield* operator.submit([visit()]))._tag, "Stored")
          assert.isAtLeast(Date.now() - began, 900)
          assert.strictEqual((yield* Effect.flip(operator.submit([visit()]))).reason._tag, "AccessDenied")
        })
    ))

  it.live("does not repeat a submission after 503 with nothing left, and delays the next request", () =>
    asking(
      (path, nth) => path.endsWith("/visits") && nth === 1 ? [503, "", nothingLeft] : [200, { data: [] }],
      (operator, { arrived }) =>
        Effect.gen(function*() {
          const began = Date.now()
          assert.strictEqual((yield* operator.submit([visit()]))._tag, "Unknown")
          yield* operator.processed("2026-03-01", "2026-03-02")
          assert.isAtLeast(Date.now() - began, 900)
          assert.strictEqual(arrived.filter(({ path }) => path.endsWith("/visits")).length, 1)
        })
    ))
})

describe.concurrent("§5 tokens", () => {
  const grants = (arrived: ReadonlyArray<{ readonly path: string; readonly body: string }>) =>
    arrived.filter(({ path }) => path === "/oauth/token").map(({ body }) => new URLSearchParams(body).get("grant_type"))

  it.live("renews the token once for eight concurrent workers with 401", () =>
    Effect.gen(function*() {
      let good = ""
      const service = yield* scripted((request, nth) => {
        if (request.path === "/oauth/token") {
          good = `access-${nth}`
          return (response) =>
            setTimeout(() => {
              response.writeHead(200, { "content-type": "application/json" })
              response.end(
                JSON.stringify({ access_token: good, refresh_token: `refresh-${nth}`, expires_in: "172800" })
              )
            }, 30)
        }
        if (nth === 1) good = "none"
        if (request.headers["authorization"] !== `Bearer ${good}`) return [401, "<html/>"]
        return stored(at(submittedCodes(request.body), 0))
      })
      const outcomes = yield* Effect.flatMap(Operator, (operator) =>
        Effect.forEach(
          Array.from({ length: 8 }, (_, n) => `V${n}`),
          (code) => operator.submit([visit(code)]),
          {
            concurrency: 8
          }
        )).pipe(Effect.provide(Operator.layer(configFor(service.url)), { local: true }))
      assert.isTrue(outcomes.every(({ _tag }) => _tag === "Stored"))
      assert.deepStrictEqual(grants(service.arrived), ["password", "refresh_token"])
    }).pipe(Effect.scoped))

  it.live("tries a third token after a second 401, stops after the third, and uses no token twice", () =>
    asking(() => [401, "Unauthenticated"], (operator, { arrived }) =>
      Effect.gen(function*() {
        const { reason } = yield* Effect.flip(operator.submit([visit()]))
        assert.isTrue(reason._tag === "Unauthenticated" && reason.issued === true)
        assert.deepStrictEqual(grants(arrived), ["password", "refresh_token", "password"])
        assert.strictEqual(arrived.length, 6)
        const used = arrived.flatMap(({ headers }) => headers["authorization"] ?? [])
        assert.strictEqual(new Set(used).size, 3)
      })))

  it.live("continues when the service accepts a new token only after a while", () =>
    asking((_, nth) => nth < 3 ? [401, "Unauthenticated"] : stored(), (operator) =>
      Effect.gen(function*() {
        assert.strictEqual((yield* operator.submit([visit()]))._tag, "Stored")
      })))

  it.live("requests one token for each refusal from an endpoint that issues the same one again", () =>
    Effect.gen(function*() {
      const service = yield* scripted((request, nth) =>
        request.path === "/oauth/token" ? token(1) : nth === 1 ? [401] : stored()
      )
      yield* Effect.gen(function*() {
        const operator = yield* Operator
        for (let n = 0; n < 4; n++) assert.strictEqual((yield* operator.submit([visit()]))._tag, "Stored")
      }).pipe(Effect.provide(Operator.layer(configFor(service.url, fast)), { local: true }))
      assert.deepStrictEqual(grants(service.arrived), ["password", "refresh_token"])
    }).pipe(Effect.scoped))

  it.live("does not use refused tokens in the next process", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      let accepts = false
      const service = yield* scripted((request, nth) =>
        request.path === "/oauth/token" ? token(nth) : accepts ? stored() : [401, "Unauthenticated"]
      )
      const config = configFor(service.url, { ...fast, tokenFile: join(folder, "token") })
      const submit = Effect.flatMap(Operator, (operator) => operator.submit([visit()]))
      const process = Effect.result(submit.pipe(Effect.provide(Operator.layer(config), { local: true })))
      assert.isTrue(Result.isFailure(yield* process))
      assert.isTrue(Result.isFailure(yield* process))
      accepts = true
      assert.isTrue(Result.isSuccess(yield* process))
      const used = service.arrived.flatMap(({ headers }) => headers["authorization"] ?? [])
      assert.strictEqual(new Set(used).size, used.length)
      // one that is good is kept
      assert.isTrue(Result.isSuccess(yield* process))
      assert.strictEqual(service.arrived.at(-1)?.headers["authorization"], present(used.at(-1)))
    }).pipe(Effect.scoped))

  const lostRefreshes: ReadonlyArray<readonly [string, Say]> = [
    ["is refused with 400 invalid_grant", [400, { error: "invalid_grant", error_description: "used" }]],
    ["is refused with 401 invalid_request", [401, { error: "invalid_request" }]],
    ["gets no answer", (response) => present(response.socket).destroy()],
    ["gets 502", [502, "<html/>"]],
    ["gets a body that holds no token", [200, { token: "?" }]]
  ]
  for (const [name, say] of lostRefreshes) {
    it.live(`§5 rule 7 a refresh that ${name} falls back to the password grant`, () =>
      Effect.gen(function*() {
        const service = yield* scripted((request, nth) =>
          request.path !== "/oauth/token"
            ? request.headers["authorization"] === "Bearer access-1" ? [401] : stored()
            : request.body.includes("refresh_token")
            ? say
            : token(nth)
        )
        const outcome = yield* Effect.flatMap(Operator, (operator) => operator.submit([visit()])).pipe(
          Effect.provide(Operator.layer(configFor(service.url, fast)), { local: true })
        )
        assert.strictEqual(outcome._tag, "Stored")
        assert.deepStrictEqual(grants(service.arrived), ["password", "refresh_token", "password"])
      }).pipe(Effect.scoped))
  }

  it.live("tries wrong credentials once, for any number of callers", () =>
    Effect.gen(function*() {
      const service = yield* scripted(() => [400, { error: "invalid_grant", error_description: "wrong" }])
      yield* Effect.gen(function*() {
        const operator = yield* Operator
        const results = yield* Effect.forEach(
          [1, 2, 3, 4, 5],
          () => Effect.result(operator.submit([visit()])),
          { concurrency: 5 }
        )
        for (const result of results) {
          assert.isTrue(Result.isFailure(result) && result.failure.reason._tag === "Unauthenticated")
        }
        const error = yield* Effect.flip(operator.beneficiaries("1"))
        assert.include(JSON.stringify(error), "invalid_grant")
      }).pipe(Effect.provide(Operator.layer(configFor(service.url, fast)), { local: true }))
      assert.strictEqual(service.arrived.length, 1)
    }).pipe(Effect.scoped))

  it.live("shows the message of the token endpoint, unless it repeats a secret", () =>
    Effect.gen(function*() {
      const details: Array<string> = []
      for (
        const body of [
          { error: "invalid_grant", error_description: "The account is\nlocked." },
          { message: "Client authentication failed" },
          { error: "invalid_grant", error_description: "No user sandbox" }
        ]
      ) {
        const service = yield* scripted(() => [400, body])
        const { reason } = yield* Effect.flip(Effect.flatMap(Operator, (operator) => operator.submit([visit()]))).pipe(
          Effect.provide(Operator.layer(configFor(service.url, fast)), { local: true })
        )
        details.push(reason._tag === "Unauthenticated" ? reason.detail : reason._tag)
      }
      assert.deepStrictEqual(details, [
        "the token endpoint responded with 400 invalid_grant, \"The account is locked.\"",
        "the token endpoint responded with 400, \"Client authentication failed\"",
        "the token endpoint responded with 400 invalid_grant"
      ])
    }).pipe(Effect.scoped))

  it.live("retries a failing token endpoint a few times, then stops", () =>
    Effect.gen(function*() {
      const service = yield* scripted((request, nth) =>
        request.path === "/oauth/token" ? nth < 4 ? [503, "<html/>"] : token(nth) : stored()
      )
      const submit = Effect.flatMap(Operator, (operator) => operator.submit([visit()]))
      const outcome = yield* submit.pipe(Effect.provide(Operator.layer(configFor(service.url, fast)), { local: true }))
      assert.strictEqual(outcome._tag, "Stored")
      const down = yield* scripted(() => [500])
      const { reason } = yield* Effect.flip(submit).pipe(
        Effect.provide(Operator.layer(configFor(down.url, fast)), { local: true })
      )
      assert.strictEqual(reason._tag, "ServiceFailed")
      assert.strictEqual(down.arrived.length, 5)
    }).pipe(Effect.scoped))

  const failing: ReadonlyArray<readonly [name: string, say: Say]> = [
    ["responds with 500", [500]],
    ["closes the connection", (response) => response.destroy()]
  ]
  for (const [name, say] of failing) {
    it.live(`§8 requests five tokens in a minute from an endpoint that ${name}, whatever they are for`, () =>
      Effect.gen(function*() {
        const service = yield* scripted(() => say)
        yield* Effect.gen(function*() {
          const { beneficiaries, processed, submit } = yield* Operator
          const errors = [
            yield* Effect.flip(processed("2026-03-01", "2026-03-02")),
            yield* Effect.flip(submit([visit()])),
            yield* Effect.flip(beneficiaries("1"))
          ]
          assert.deepStrictEqual(errors.map(({ withoutToken }) => withoutToken), [true, true, true])
        }).pipe(
          Effect.provide(Operator.layer(configFor(service.url, { ...fast, deadlineMillis: 5000 })), { local: true })
        )
        assert.deepStrictEqual(service.arrived.map(({ path }) => path), Array(5).fill("/oauth/token"))
      }).pipe(Effect.scoped))
  }

  it.live("reads a token from incomplete responses", () =>
    Effect.gen(function*() {
      for (
        const over of [
          { refresh_token: null },
          { token_type: "bearer" },
          ...["3600", 0, null, 1e308, "1e400"].map(
            (expires_in) => ({ expires_in })
          )
        ]
      ) {
        const service = yield* scripted((request) => request.path === "/oauth/token" ? token(1, over) : stored())
        const outcome = yield* Effect.flatMap(Operator, (operator) => operator.submit([visit()])).pipe(
          Effect.provide(Operator.layer(configFor(service.url, fast)), { local: true })
        )
        assert.strictEqual(outcome._tag, "Stored")
      }
      for (
        const body of ["", "<html/>", {}, { access_token: "" }, { access_token: "a\r\nx: y" }]
      ) {
        const service = yield* scripted((request) => request.path === "/oauth/token" ? [200, body] : stored())
        const result = yield* Effect.result(
          Effect.flatMap(Operator, (operator) => operator.submit([visit()])).pipe(
            Effect.provide(Operator.layer(configFor(service.url, fast)), { local: true })
          )
        )
        assert.strictEqual(
          Result.isFailure(result) && "reason" in result.failure && result.failure.reason._tag,
          "UnexpectedResponse"
        )
      }
    }).pipe(Effect.scoped))
})

describe("§4.3, §4.4, §4.6 reading lists and records of any shape", () => {
  it.live("§4.3 uses the other documented path after a 404, and remembers it", () =>
    asking(
      (path) => path.startsWith("/api/") ? [404, "<html/>"] : [200, { data: { data: ["OPD", "IPD"], last_page: 1 } }],
      (operator, { arrived }) =>
        Effect.gen(function*() {
          assert.deepStrictEqual(yield* operator.standardData("visit_types"), [
            { code: "OPD", name: "OPD" },
            { code: "IPD", name: "IPD" }
          ])
          yield* operator.standardData("visit_types")
          assert.deepStrictEqual(arrived.map(({ path }) => path.slice(0, 4)), ["/api", "/v1/", "/v1/"])
        })
    ))

  it.live("§4.3 identifies rows without a code by id, or by name; numbers become texts", () =>
    asking(
      () => [200, {
        data: { data: [{ id: 7, name: "A" }, { name: "B" }, { code: 12 }, { code: "C", id: 1 }], last_page: 1 }
      }],
      (operator) =>
        Effect.gen(function*() {
          const rows = yield* operator.standardData("visit_types")
          assert.deepStrictEqual(rows.map(({ code }) => code), ["7", "B", "12", "C"])
        })
    ))

  it.live("§4.3 reports a wrong address if neither path exists", () =>
    asking(() => [404, "<html/>"], (operator) =>
      Effect.gen(function*() {
        const { reason } = yield* Effect.flip(operator.standardData("visit_types"))
        assert.strictEqual(reason._tag === "UnexpectedResponse" && reason.status, 404)
      })))

  it.live("§4.6 reads a list without an order if the service fails to sort it, and does not ask for one again", () => {
    const sorted: Array<boolean> = []
    return asking(
      (_, __, query) => {
        const page = Number(query.get("page"))
        sorted.push(query.has("sort_by"))
        return query.has("sort_by")
          ? [500, { success: false, http_code: 500, message: "Internal server error" }]
          : [200, { data: [{ visit_code: `V${page}`, patient_code: "P", admitted_at: "t" }], meta: { last_page: 2 } }]
      },
      (operator) =>
        Effect.gen(function*() {
          for (const _ of [1, 2]) {
            const list = yield* operator.processed("2026-03-01", "2026-03-02")
            assert.deepStrictEqual(list.map(({ visitCode }) => `${visitCode}`), ["V1", "V2"])
          }
          assert.deepStrictEqual(sorted.slice(sorted.indexOf(false)), [false, false, false, false])
        })
    )
  })

  it.live("§4.6 does not change the order of a list within it", () =>
    asking(
      (_, __, query) =>
        query.has("sort_by") && query.get("page") === "2"
          ? [500, { success: false }]
          : [200, { data: [{ visit_code: `V${query.get("page")}` }], meta: { last_page: 2 } }],
      (operator) =>
        Effect.gen(function*() {
          const { reason } = yield* Effect.flip(operator.processed("2026-03-01", "2026-03-02"))
          assert.strictEqual(reason._tag === "ServiceFailed" && reason.status, 500)
        })
    ))

  it.live("§4.6 reads other keys, skips another facility's visits, and reads a list that cannot be sorted", () =>
    asking(
      (_, __, query) =>
        query.has("sort_by")
          ? [422, { success: false, message: "sort_by" }]
          : [200, {
            data: [
              { visit_code: "A", patient_code: "P", admitted_at: "t", processing_status: "done", uuid: 7, x: 1 },
              { code: "B", visit: { patient_code: "Q" }, health_facility_code: "F1" },
              { code: "C", health_facility_code: "F9" },
              { visit: { code: "D", admitted_at: "u" }, patient: { code: "R" } },
              null
            ],
            meta: { last_page: 1 }
          }],
      (operator) =>
        Effect.gen(function*() {
          const list = yield* operator.processed("2026-03-01", "2026-03-02")
          assert.deepStrictEqual(
            list.map((item) => [item.visitCode, item.patientCode, item.admittedAt, item.status, item.uuid]),
            [
              ["A", "P", "t", "done", "7"],
              ["B", "Q", null, null, null],
              ["D", "R", "u", null, null],
              // It can be of any visit.
              [null, null, null, null, null]
            ]
          )
        })
    ))

  const noLists: ReadonlyArray<readonly [string, Say]> = [
    ["HTML", [200, "<html/>"]],
    ["no list", [200, { success: true, data: {} }]],
    ["success false", [200, { success: false, data: [] }]],
    ["no visit codes", [200, { data: [{ id: 1 }], meta: { last_page: 1 } }]],
    ["pages that never move", [200, { data: [{ code: "A" }], meta: { current_page: 1, last_page: 5, total: 99 } }]]
  ]
  for (const [name, say] of noLists) {
    it.live(`§4.6 ${name}: is an error, and not an empty list`, () =>
      asking(() => say, (operator) =>
        Effect.gen(function*() {
          const { reason } = yield* Effect.flip(operator.processed("2026-03-01", "2026-03-02"))
          assert.strictEqual(reason._tag, "UnexpectedResponse")
        })))
  }

  const searches: ReadonlyArray<readonly [string, Say, string | null | "error"]> = [
    ["the record as data", [200, { success: true, data: { patient_code: "P" } }], "P"],
    ["an array of one", [200, { success: true, data: [{ patient_code: "P" }] }], "P"],
    ["a page of one", [200, { success: true, data: { data: [{ patient_code: "P" }], total: 1 } }], "P"],
    ["the bare record", [200, { patient_code: "P" }], "P"],
    ["several, and one has the card", [200, {
      data: [{ patient_code: "O" }, { patient_code: "P", benefit_cards: [{ no: "C1" }] }]
    }], "P"],
    ["data null", [200, { success: true, data: null }], null],
    ["an empty array", [200, { success: true, data: [] }], null],
    ["an empty object", [200, { success: true, data: {} }], null],
    ["204 without a body", [204], null],
    ["404 in the envelope", [404, { success: false, message: "Not found" }], null],
    ["422 in the envelope", [422, { success: false, message: "Invalid request data" }], null],
    ["404 of a wrong address", [404, { message: "The route api/v1 could not be found." }], "error"],
    ["404 as HTML", [404, "<html/>"], "error"],
    ["200 as HTML", [200, "<html/>"], "error"],
    ["several that all have it", [200, {
      data: [{ patient_code: "O", benefit_cards: ["C1"] }, { patient_code: "P", benefit_cards: ["C1"] }]
    }], "O P"],
    ["several that show no cards", [200, { data: [{ patient_code: "O" }, { patient_code: "P" }] }], "O P"],
    ["several with other cards", [200, {
      data: [{ patient_code: "O", benefit_cards: ["C2"] }, { patient_code: "P", benefit_cards: ["C3"] }]
    }], null],
    ["the first of several pages", [200, { data: { data: [{ patient_code: "P" }], last_page: 2 } }], "error"]
  ]
  for (const [name, say, expected] of searches) {
    it.live(`§4.4 ${name}: ${expected ?? "card not found"}`, () =>
      asking(() => say, (operator) =>
        Effect.gen(function*() {
          const found = yield* Effect.result(operator.beneficiaries("C1"))
          assert.strictEqual(
            Result.isFailure(found) ? "error" : found.success.map((record) => record["patient_code"]).join(" ") || null,
            expected
          )
        })))
  }
})
