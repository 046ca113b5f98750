import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer as createProxy, type Server } from "node:http"
import { createServer, type ServerOptions } from "node:https"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Duplex } from "node:stream"
import { Operator } from "../../src/service/Operator.ts"
import { checkConfig, type OperatorConfig, OperatorConfigError } from "../../src/service/settings/OperatorConfig.ts"
import { FacilityCode, SystemCode } from "../../src/visit/values/Code.ts"
import { builtProgram, start } from "../cli/builtProgram.ts"
import { portOf } from "../portOf.ts"
import { present } from "../present.ts"
import { authority, expired, good, key, otherName } from "./certificates.ts"
import { configFor } from "./configFor.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "tls-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

/** A service with TLS that has one list; `asked` counts the requests that got through. */
const secured = (options: ServerOptions) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly url: string; readonly asked: () => number; readonly close: () => void }>((resume) => {
      let requested = 0
      const server = createServer({ key, ...options }, (_, response) => {
        requested++
        response.writeHead(200, { "content-type": "application/json" }).end(
          "{\"success\":true,\"data\":[{\"code\":\"OPD\"}]}"
        )
      })
      server.on("tlsClientError", () => {})
      server.listen(0, "127.0.0.1", () =>
        resume(Effect.succeed({
          url: `https://127.0.0.1:${portOf(server)}`,
          asked: () => requested,
          close: () => {
            server.closeAllConnections()
            server.close()
          }
        })))
    }),
    ({ close }) => Effect.sync(close)
  )

const ask = (config: OperatorConfig) =>
  Effect.flatMap(Operator, (operator) => operator.standardData("visit_types")).pipe(
    Effect.provide(Operator.layer(config), { local: true })
  )

describe("§1, §5 HTTPS with TLS 1.2 or higher, certificates verified", () => {
  const refused: ReadonlyArray<readonly [string, ServerOptions, boolean, boolean]> = [
    ["the authority is not trusted", { cert: good }, false, true],
    ["the certificate is for another name", { cert: otherName }, true, true],
    ["the certificate has expired", { cert: expired }, true, true],
    [
      "TLS 1.1 is the highest version",
      {
        cert: good,
        minVersion: "TLSv1",
        maxVersion: "TLSv1.1",
        ciphers: "DEFAULT@SECLEVEL=0"
      },
      true,
      true
    ]
  ]
  for (const [name, options, trusted, lasting] of refused) {
    it.live(`${name}: sends nothing${lasting ? ", and does not retry" : ""}`, () =>
      Effect.gen(function*() {
        const caFile = join(yield* folder, "ca.pem")
        writeFileSync(caFile, authority)
        const service = yield* secured(options)
        const error = yield* Effect.flip(
          ask(configFor(service.url, { readRetries: 1, readRetryMillis: 10, ...(trusted ? { caFile } : {}) }))
        )
        assert.strictEqual(error._tag, "OperatorError")
        if (error._tag !== "OperatorError") return
        assert.strictEqual(error.reason._tag, "Unreachable")
        assert.strictEqual(error.reason._tag === "Unreachable" && error.reason.lasting === true, lasting)
        assert.strictEqual(service.asked(), 0)
      }).pipe(Effect.scoped))
  }

  it.live("trusts a private authority from a file", () =>
    Effect.gen(function*() {
      const caFile = join(yield* folder, "ca.pem")
      writeFileSync(caFile, authority)
      const service = yield* secured({ cert: good })
      assert.deepStrictEqual(yield* ask(configFor(service.url, { caFile })), [{ code: "OPD" }])
      for (const file of ["not-there.pem", ""]) {
        const error = yield* Effect.flip(ask(configFor(service.url, { caFile: join(caFile, "..", file) })))
        assert.strictEqual(error._tag, "OperatorConfigError")
      }
    }).pipe(Effect.scoped))
})

describe("a file of authorities is read certificate by certificate", () => {
  const garbage = "-----BEGIN CERTIFICATE-----\nQ2FuYXJ5\n-----END CERTIFICATE-----\n"
  const files: ReadonlyArray<readonly [name: string, text: string, places: ReadonlyArray<number>]> = [
    ["an invalid one", garbage, [1]],
    ["an invalid one before the valid one", `# ours\n${garbage}${authority}\n`, [2]],
    ["a truncated one after the valid one", `${authority}\n${authority.slice(0, 300)}`, [12]],
    ["no certificate at all", `${key}\n`, [1]]
  ]
  for (const [name, text, places] of files) {
    it.live(`${name}: sends nothing, and reports its line`, () =>
      Effect.gen(function*() {
        const caFile = join(yield* folder, "ca.pem")
        writeFileSync(caFile, text)
        const service = yield* secured({ cert: good })
        const error = yield* Effect.flip(ask(configFor(service.url, { caFile })))
        assert.instanceOf(error, OperatorConfigError)
        const { problems } = error
        assert.strictEqual(problems.length, places.length)
        for (const [at, line] of places.entries()) assert.include(problems[at], `${caFile}:${line}: `)
        assert.strictEqual(service.asked(), 0)
      }).pipe(Effect.scoped))
  }

  it.live("trusts several certificates with text between them", () =>
    Effect.gen(function*() {
      const caFile = join(yield* folder, "ca.pem")
      writeFileSync(caFile, `the hospital's\r\n${good}\r\nthe ministry's\r\n${authority.replaceAll("\n", "\r\n")}`)
      const service = yield* secured({ cert: good })
      assert.deepStrictEqual(yield* ask(configFor(service.url, { caFile })), [{ code: "OPD" }])
    }).pipe(Effect.scoped))
})

/** What a proxy does with a request for a tunnel. */
const proxyThat = (answers: (socket: Duplex) => void) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly url: string; readonly asked: () => number; readonly server: Server }>((resume) => {
      const open = new Set<Duplex>()
      let requested = 0
      const server = createProxy()
      server.on("connect", (_, socket) => {
        requested++
        open.add(socket)
        socket.on("error", () => undefined)
        answers(socket)
      })
      server.on("close", () => open.forEach((socket) => socket.destroy()))
      server.listen(0, "127.0.0.1", () =>
        resume(Effect.succeed({
          url: `http://127.0.0.1:${portOf(server)}`,
          asked: () => requested,
          server
        })))
    }),
    ({ server }) =>
      Effect.sync(() => {
        server.emit("close")
        server.close()
      })
  )

const withProxy = <A, E, R>(proxy: string, work: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    process.env["HTTPS_PROXY"] = proxy
    return work
  }).pipe(Effect.ensuring(Effect.sync(() => delete process.env["HTTPS_PROXY"])))

describe("a proxy that blocks the connection", () => {
  const says = (status: string) => (socket: Duplex) =>
    socket.end(`HTTP/1.1 ${status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`)
  const proxies: ReadonlyArray<readonly [(socket: Duplex) => void, detail: string, lasting: boolean]> = [
    [
      says("407 Proxy Authentication Required"),
      "the proxy responded with status 407: it requires a user name and a password",
      true
    ],
    [says("403 Forbidden"), "the proxy responded with status 403: it denies access to this address", true],
    [
      (socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 14\r\n\r\n<html>Sign in"),
      "the proxy responded with status 200 and a page: it may require a login",
      true
    ],
    [says("502 Bad Gateway"), "the proxy responded with status 502", false],
    [(socket) => socket.destroy(), "at the proxy, the connection was closed", false],
    [() => undefined, "the proxy does not respond", false]
  ]
  for (const [answers, detail, lasting] of proxies) {
    it.live(`${detail}${lasting ? ", without a retry" : ""}`, () =>
      Effect.gen(function*() {
        const proxy = yield* proxyThat(answers)
        const config = configFor("https://service.example", {
          readRetries: 1,
          readRetryMillis: 10,
          deadlineMillis: 1000
        })
        const error = yield* Effect.flip(withProxy(proxy.url, ask(config)))
        assert.strictEqual(error._tag, "OperatorError")
        if (error._tag !== "OperatorError" || error.reason._tag !== "Unreachable") return assert.fail(String(error))
        assert.strictEqual(error.reason.detail, detail)
        assert.strictEqual(error.reason.at, "proxy")
        assert.strictEqual(error.reason.lasting === true, lasting)
        assert.strictEqual(proxy.asked(), lasting ? 1 : 2)
      }).pipe(Effect.scoped))
  }

  it.live("reports a proxy that cannot be reached", () =>
    Effect.gen(function*() {
      const { url } = yield* Effect.scoped(proxyThat(() => undefined))
      const error = yield* Effect.flip(
        withProxy(url, ask(configFor("https://service.example", { readRetries: 0 })))
      )
      assert.strictEqual(
        error._tag === "OperatorError" && error.reason._tag === "Unreachable" && error.reason.detail,
        "at the proxy, the connection was refused"
      )
    }))

  it.live("rejects an invalid proxy address, and does not show it", () =>
    Effect.gen(function*() {
      for (const address of ["socks5://u:hush@127.0.0.1:1080", "proxy.example:3128", "u:hush@proxy", "http://"]) {
        const error = yield* Effect.flip(withProxy(address, ask(configFor("https://service.example"))))
        assert.instanceOf(error, OperatorConfigError)
        assert.include(error.message, "HTTPS_PROXY must be the address of a proxy")
        assert.include(error.message, "http:// or https://")
        assert.notInclude(error.message, "hush")
      }
    }))
})

describe("through the proxy of a hospital's network", () => {
  it.live(
    "a private authority may be named in the environment, too, as for every program of this runtime",
    () =>
      Effect.gen(function*() {
        builtProgram()
        const at = yield* folder
        const service = yield* secured({ cert: good })
        const facility = join(at, "facility.yaml")
        writeFileSync(facility, `timezone: UTC\nservice: {baseUrl: "${service.url}"}\nretry: {reads: 0}\n`)
        writeFileSync(join(at, "ca.pem"), authority)
        const pull = (env: Record<string, string>) =>
          Effect.promise(() => start(["codes", "pull", "--facility", facility], { cwd: at, env }).ended)
        assert.strictEqual(yield* pull({}), 3)
        assert.strictEqual(service.asked(), 0)
        assert.strictEqual(yield* pull({ NODE_EXTRA_CA_CERTS: join(at, "ca.pem") }), 0)
        assert.isAbove(service.asked(), 0)
      }).pipe(Effect.scoped)
  )

  it.live("tunnels through HTTPS_PROXY except to this machine, and verifies certificates", () =>
    Effect.gen(function*() {
      const caFile = join(yield* folder, "ca.pem")
      writeFileSync(caFile, authority)
      const service = yield* secured({ cert: otherName })
      const tunnels: Array<string> = []
      const proxy = yield* Effect.acquireRelease(
        Effect.callback<Server>((resume) => {
          const server = createProxy()
          server.on("connect", (request, socket) => {
            tunnels.push(present(request.url))
            const inner = connect(Number(new URL(service.url).port), "127.0.0.1", () => {
              socket.write("HTTP/1.1 200 Connection established\r\n\r\n")
              inner.pipe(socket)
              socket.pipe(inner)
            })
            inner.on("error", () => socket.destroy())
            socket.on("error", () => inner.destroy())
          })
          server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
        }),
        (server) => Effect.sync(() => server.close())
      )
      process.env["HTTPS_PROXY"] = `http://127.0.0.1:${portOf(proxy)}`
      const config = (url: string) => configFor(url, { caFile, readRetries: 0 })
      assert.deepStrictEqual(yield* ask(config("https://service.example")), [{ code: "OPD" }])
      const error = yield* Effect.flip(ask(config("https://elsewhere.example")))
      assert.strictEqual(error._tag === "OperatorError" && error.reason._tag, "Unreachable")
      yield* Effect.flip(ask(config(service.url)))
      assert.deepStrictEqual([...new Set(tunnels)], ["service.example:443", "elsewhere.example:443"])
    }).pipe(Effect.ensuring(Effect.sync(() => delete process.env["HTTPS_PROXY"])), Effect.scoped))
})

describe("unsafe settings are rejected before anything is sent", () => {
  const urls: ReadonlyArray<readonly [string, boolean]> = [
    ["https://service.example", true],
    ["https://service.example:8443/emr/", true],
    ["http://127.0.0.1:8080", true],
    ["http://localhost", true],
    ["http://[::1]:9", true],
    ["http://service.example", false],
    ["http://10.0.0.1", false],
    ["http://127.0.0.1.example", false],
    ["http://localhost.example", false],
    ["http://service.localhost", false],
    ["ftp://service.example", false],
    ["service.example", false],
    ["", false],
    ["https://user:secret@service.example", false],
    ["https://service.example/?a=b", false],
    ["https://service.example/#x", false]
  ]
  for (const [url, fine] of urls) {
    it(`${JSON.stringify(url)} is ${fine ? "taken" : "refused"}`, () => {
      assert.strictEqual(checkConfig(configFor(url)).length === 0, fine)
      for (const problem of checkConfig(configFor(url))) assert.notInclude(problem, "secret")
    })
  }

  it("rejects codes that are missing or invalid in a header, and limits that allow nothing", () => {
    for (
      const over of [
        { systemCode: SystemCode("") },
        { facilityCode: FacilityCode("F1\r\nX: y") },
        { facilityCode: FacilityCode("é") },
        { limits: { ...configFor("http://localhost").limits, data: { count: 0, windowMillis: 1 } } }
      ]
    ) assert.strictEqual(checkConfig(configFor("http://localhost", over)).length, 1)
  })

  it.live("reports all problems at once", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(ask(configFor("http://service.example", { systemCode: SystemCode("") })))
      assert.instanceOf(error, OperatorConfigError)
      assert.strictEqual(error.problems.length, 3)
    }))

  it.live("rejects NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment", () =>
    Effect.gen(function*() {
      process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0"
      const error = yield* Effect.flip(ask(configFor("https://127.0.0.1:9")))
      assert.strictEqual(error._tag, "OperatorConfigError")
      assert.include(error.message, "NODE_TLS_REJECT_UNAUTHORIZED")
    }).pipe(Effect.ensuring(Effect.sync(() => delete process.env["NODE_TLS_REJECT_UNAUTHORIZED"]))))
})

describe("I8 nothing leaks", () => {
  it.live("shows no secret and no patient in an error, however it is printed", () =>
    Effect.gen(function*() {
      const canaries = ["hush-password", "hush-secret", "hush-user", "SOK Canary"]
      const config = configFor("http://127.0.0.1:9", {
        username: "hush-user",
        password: Redacted.make("hush-password"),
        clientSecret: Redacted.make("hush-secret"),
        readRetries: 0
      })
      const error = yield* Effect.flatMap(Operator, (operator) =>
        operator.submit(["{\"code\":\"V1\",\"name\":\"SOK Canary\"}"])).pipe(
          Effect.provide(Operator.layer(config), { local: true }),
          Effect.flip
        )
      const { inspect } = yield* Effect.promise(() =>
        import("node:util")
      )
      for (
        const text of [
          String(error),
          JSON.stringify(error),
          inspect(error, { depth: 10 }),
          error.stack ?? ""
        ]
      ) {
        for (const canary of canaries) assert.notInclude(text, canary)
      }
    }))
})
