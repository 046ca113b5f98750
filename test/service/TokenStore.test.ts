import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { spawnSync } from "node:child_process"
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { makeTokenFile } from "../../src/service/auth/TokenStore.ts"
import { Operator } from "../../src/service/Operator.ts"
import { startSandbox } from "../../src/service/sandbox/Sandbox.ts"
import type { OperatorConfig } from "../../src/service/settings/OperatorConfig.ts"
import { configFor } from "./configFor.ts"
import { scripted, token } from "./scripted.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "tokens-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

/** One run of the program: it asks for one thing. */
const run = (config: OperatorConfig) =>
  Effect.flatMap(Operator, (operator) => operator.beneficiaries("100-000-001")).pipe(
    Effect.provide(Operator.layer(config), { local: true })
  )

describe("§8 60 token requests a minute may be shared by a whole network: a token outlives the run", () => {
  it.live("uses the token of the last run, from a private file", () =>
    Effect.gen(function*() {
      const tokenFile = join(yield* folder, "token")
      const sandbox = yield* startSandbox()
      const config = configFor(sandbox.url, { tokenFile })
      for (let n = 0; n < 3; n++) assert.isNotNull(yield* run(config))
      assert.deepStrictEqual((yield* sandbox.stats).grants, { password: 1, refresh: 0 })
      assert.strictEqual(statSync(tokenFile).mode & 0o777, 0o600)
      assert.deepStrictEqual(readdirSync(join(tokenFile, "..")), ["token"])
      assert.notInclude(readFileSync(tokenFile, "utf8"), "sandbox")

      chmodSync(tokenFile, 0o644)
      yield* run(config)
      assert.strictEqual((yield* sandbox.stats).grants.password, 2)
      assert.strictEqual(statSync(tokenFile).mode & 0o777, 0o600)

      for (const text of ["", "{", "{}", "[]"]) {
        writeFileSync(tokenFile, text)
        yield* run(config)
      }
      assert.strictEqual((yield* sandbox.stats).grants.password, 6)
    }).pipe(Effect.scoped))

  it.live("§5 rule 7: uses the newer token of another run of the user before it fails", () =>
    Effect.gen(function*() {
      const tokenFile = join(yield* folder, "token")
      let keepTheirs = () => Promise.resolve()
      let good = "none"
      const service = yield* scripted((request, nth) => {
        if (request.path === "/oauth/token") return token(nth)
        if (request.headers["authorization"] === `Bearer ${good}`) return [200, { success: true, data: null }]
        return (response) => {
          if (nth === 2) good = "theirs"
          void (nth === 2 ? keepTheirs() : Promise.resolve()).then(() => response.writeHead(401).end())
        }
      })
      const config = configFor(service.url, { tokenFile })
      const another = makeTokenFile(config, tokenFile)
      const theirs = { access: Redacted.make("theirs"), refresh: null, expiresIn: 172_800 }
      const runPromise = Effect.runPromiseWith(yield* Effect.context<never>())
      keepTheirs = () => runPromise(another.write(theirs))
      yield* run(config)
      assert.deepStrictEqual(
        service.arrived.map(({ headers, path }) => path === "/oauth/token" ? "grant" : headers["authorization"]),
        ["grant", "Bearer access-1", "grant", "Bearer access-2", "Bearer theirs"]
      )
    }).pipe(Effect.scoped))

  it.live("does not use the token of a killed process, which may have been refused", () =>
    Effect.gen(function*() {
      const tokenFile = join(yield* folder, "token")
      const sandbox = yield* startSandbox()
      const config = configFor(sandbox.url, { tokenFile })
      const child = spawnSync(process.execPath, ["-e", ""])
      yield* run(config)
      // In a container, a killed process can have had the number of this one.
      for (const [pid, grants] of [[process.ppid, 1], [process.pid, 2], [child.pid, 3], [child.pid, 4]] as const) {
        writeFileSync(`${tokenFile}.used-by-${pid}`, "")
        yield* run(config)
        assert.strictEqual((yield* sandbox.stats).grants.password, grants, String(pid))
      }
      rmSync(`${tokenFile}.used-by-${process.ppid}`)
      assert.deepStrictEqual(readdirSync(join(tokenFile, "..")), ["token"])
    }).pipe(Effect.scoped))

  it.live("does not use a token of another user or another service", () =>
    Effect.gen(function*() {
      const tokenFile = join(yield* folder, "token")
      const sandbox = yield* startSandbox()
      const other = yield* startSandbox()
      yield* run(configFor(sandbox.url, { tokenFile }))
      yield* run(configFor(other.url, { tokenFile }))
      assert.strictEqual((yield* other.stats).grants.password, 1)
    }).pipe(Effect.scoped))

  it.live("renews an old or revoked token with its own refresh token", () =>
    Effect.gen(function*() {
      const tokenFile = join(yield* folder, "token")
      // a ninth of its life is over: that is early enough for one margin and not for the other
      const old = yield* startSandbox({ tokenLifetimeSeconds: 10 })
      yield* run(configFor(old.url, { tokenFile }))
      yield* Effect.sleep("1100 millis")
      yield* run(configFor(old.url, { tokenFile, auth: { refreshMargin: 0.8 } }))
      assert.deepStrictEqual((yield* old.stats).grants, { password: 1, refresh: 0 })
      yield* run(configFor(old.url, { tokenFile, auth: { refreshMargin: 0.9 } }))
      assert.deepStrictEqual((yield* old.stats).grants, { password: 1, refresh: 1 })
      // the answer says a second, and the service ends it sooner
      const ended = yield* startSandbox({ tokenLifetimeSeconds: 0.5 })
      yield* run(configFor(ended.url, { tokenFile }))
      yield* Effect.sleep("600 millis")
      yield* run(configFor(ended.url, { tokenFile }))
      assert.deepStrictEqual((yield* ended.stats).grants, { password: 1, refresh: 1 })
    }).pipe(Effect.scoped))

  it.live("encrypts the file with the secrets, and ignores it with others", () =>
    Effect.gen(function*() {
      const tokenFile = join(yield* folder, "token")
      const sandbox = yield* startSandbox()
      yield* run(configFor(sandbox.url, { tokenFile }))
      const kept = readFileSync(tokenFile, "latin1")
      for (const word of ["token", "owner", "http"]) assert.notInclude(kept, word)
      const changed = { tokenFile, password: Redacted.make("another") }
      const error = yield* Effect.flip(run(configFor(sandbox.url, changed)))
      assert.strictEqual(error._tag === "OperatorError" && error.reason._tag, "Unauthenticated")
    }).pipe(Effect.scoped))

  it.live("with rotation, the second of two concurrent runs uses the token of the first", () =>
    Effect.gen(function*() {
      const tokenFile = join(yield* folder, "token")
      const sandbox = yield* startSandbox({ tokenLifetimeSeconds: 2 })
      const config = configFor(sandbox.url, { tokenFile })
      const long = Effect.flatMap(
        Operator,
        (operator) =>
          Effect.forEach(Array.from({ length: 15 }), () => Effect.delay(operator.beneficiaries("100-000-001"), 100))
      ).pipe(
        Effect.provide(Operator.layer(config), { local: true })
      )
      yield* Effect.all([long, long], { concurrency: 2 })
      const { requests } = yield* sandbox.stats
      assert.strictEqual(requests["GET /api/v1/external/beneficiary/search"]?.["200"], 30)
    }).pipe(Effect.scoped))

  it.live("warns if the folder is missing, and continues", () =>
    Effect.gen(function*() {
      const sandbox = yield* startSandbox()
      const config = configFor(sandbox.url, { tokenFile: join(yield* folder, "no", "such", "token") })
      assert.isNotNull(yield* run(config))
    }).pipe(Effect.scoped))

  it("does not print secrets", () => {
    const config = configFor("http://127.0.0.1:1", {
      password: Redacted.make("hush-1"),
      clientSecret: Redacted.make("hush-2")
    })
    assert.notInclude(JSON.stringify(config), "hush")
  })
})
