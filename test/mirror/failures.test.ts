import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { generateKeyPairSync } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { createServer as createProxy } from "node:http"
import { createServer } from "node:https"
import type { Server } from "node:net"
import { join } from "node:path"
import { ServerError } from "../../src/mirror/ServerError.ts"
import { typed } from "../cli/sandboxUser.ts"
import { portOf } from "../portOf.ts"
import { present } from "../present.ts"
import { encounter, patient } from "../run/smallRecords.ts"
import { authority, good, key } from "../service/certificates.ts"
import { fetchFrom, noSecrets, withServer } from "./fetching.ts"
import { type FhirServer, type ServerOptions, stored } from "./fhirServer.ts"

const records = [patient("a"), encounter("e1", "a")].map((record) => stored(record))

/** The reason for which a fetch ends. */
const reasonOf = <A, E, R>(fetching: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(fetching), (error) => {
    if (!(error instanceof ServerError)) return assert.fail(String(error))
    return error.reason
  })

/** `fetch` as a user types it. */
const typedFetch = (url: string, mirror: string, { service = "", source: settings = "" } = {}) =>
  Effect.suspend(() => {
    const source = `source: {server: "${url}", level: system, mirror: "${mirror}"${settings}}`
    mkdirSync(mirror, { recursive: true })
    writeFileSync(
      join(mirror, "facility.yaml"),
      `facility: HF0001\ntimezone: Asia/Phnom_Penh\n${source}\n${service}`
    )
    return typed(["fetch", "--facility", mirror])
  })

/** A server while it is used, on a free port. */
const listeningOn = (server: Server) =>
  Effect.acquireRelease(
    Effect.callback<Server>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    () => Effect.sync(() => server.close())
  )

const requests = ({ log }: FhirServer, path: string): number => log.filter((one) => one.endsWith(path)).length

describe("a disk that fails", () => {
  /** Puts something in the place of the file of patients before its download begins. */
  const blocked = (mirror: string, block: (file: string) => void): ServerOptions => ({
    instead: ({ count, url }) => {
      if (count > 1 || !url.pathname.includes("/status/")) return
      const folder = present(readdirSync(mirror).find((name) => name.startsWith("001")))
      block(join(mirror, folder, "Patient.001.ndjson.gz.part"))
    }
  })

  it.live.skipIf(!existsSync("/dev/full"))(
    "is full: nothing is downloaded again, and the next step is shown",
    () =>
      withServer(records, {}, (server, mirror) =>
        Effect.gen(function*() {
          server.options = blocked(mirror, (file) => symlinkSync("/dev/full", file))
          const seen = yield* typedFetch(server.url, mirror)
          assert.strictEqual(seen.code, 3)
          assert.include(seen.stderr, `cannot read or write \`${mirror}/001`)
          assert.include(seen.stderr, "no space left on the disk (ENOSPC)")
          assert.include(seen.stderr, "free space on the disk of the mirror")
          assert.include(seen.stderr, "run the same command again")
          assert.notInclude(seen.stderr, "cannot reach")
          assert.strictEqual(requests(server, "/files/0/Patient/0"), 1)
        }))
  )

  it.live("has something in the place of a file", () =>
    withServer(records, {}, (server, mirror) =>
      Effect.gen(function*() {
        server.options = blocked(mirror, (file) => mkdirSync(file))
        const reason = yield* reasonOf(fetchFrom(server, mirror))
        if (reason._tag !== "MirrorUnusable") return assert.fail(reason._tag)
        assert.strictEqual(reason.why, "failed")
        assert.include(reason.detail, "Patient.001.ndjson.gz.part`: the disk or the path failed (EISDIR)")
        assert.strictEqual(requests(server, "/files/0/Patient/0"), 1)
      })))

  for (const bulk of [true, false]) {
    it.live(`loses the index, which locks the mirror: the fetch ends without another change (${bulk ? "bulk" : "search"})`, () =>
      withServer(records, { bulk }, (server, mirror) =>
        Effect.gen(function*() {
          let lines = 0
          server.options = {
            bulk,
            instead: ({ url }) => {
              if (lines > 0 || !/\/(?:files|Patient|Encounter)\b/u.test(url.pathname)) return undefined
              const folder = present(readdirSync(mirror).find((name) => name.startsWith("001")))
              lines = readFileSync(join(mirror, folder, "log.ndjson"), "utf8").length
              rmSync(join(mirror, ".index.sqlite"))
              writeFileSync(join(mirror, ".index.sqlite"), "")
              return undefined
            }
          }
          const reason = yield* reasonOf(fetchFrom(server, mirror))
          if (reason._tag !== "MirrorUnusable") return assert.fail(reason._tag)
          assert.include(reason.detail, "was deleted during the fetch, so another fetch may be using the mirror")
          const folder = present(readdirSync(mirror).find((name) => name.startsWith("001")))
          assert.lengthOf(readFileSync(join(mirror, folder, "log.ndjson"), "utf8"), lines)
          assert.deepStrictEqual(readdirSync(join(mirror, folder)).filter((name) => name.endsWith(".gz")), [])
          // The next fetch continues.
          server.options = { bulk }
          rmSync(join(mirror, ".index.sqlite"))
          yield* fetchFrom(server, mirror)
        })))
  }

  it.live("has something in the place of a log", () =>
    withServer(records, {}, (server, mirror) =>
      Effect.gen(function*() {
        mkdirSync(join(mirror, "001-20261120T120000Z", "log.ndjson"), { recursive: true })
        const reason = yield* reasonOf(fetchFrom(server, mirror))
        if (reason._tag !== "MirrorUnusable") return assert.fail(reason._tag)
        assert.include(reason.detail, `\`${mirror}\`: the disk or the path failed (EISDIR)`)
      })))
})

describe("a failure of the connection that no retry changes", () => {
  it.live("is reported at once, as one of the certificate or of the protocol", () =>
    withServer(records, {}, (server, mirror) =>
      Effect.gen(function*() {
        const secured = yield* listeningOn(createServer({ key, cert: good }).on("tlsClientError", () => {}))
        let connections = 0
        secured.on("connection", () => connections++)
        const untrusted = yield* typedFetch(`https://127.0.0.1:${portOf(secured)}`, mirror)
        assert.strictEqual(connections, 1)
        const plain = yield* typedFetch(server.url.replace("http:", "https:"), mirror)
        for (
          const [seen, name] of [
            [untrusted, "the certificate is from an untrusted authority"],
            [plain, "the port uses http, not https"]
          ] as const
        ) {
          assert.strictEqual(seen.code, 3)
          assert.include(seen.stderr, name)
          assert.include(seen.stderr, "correct this before you run again")
          assert.notInclude(seen.stderr, "run the same command again")
        }
        assert.include(untrusted.stderr, "`service: {caFile: ca.pem}`")
        assert.include(untrusted.stderr, "ask the server's administrator")
        assert.notInclude(plain.stderr, "caFile")
      }).pipe(Effect.scoped)))

  it.live("is one of a proxy that requires a password", () =>
    withServer([], {}, (_, mirror) =>
      Effect.gen(function*() {
        let requested = 0
        const proxy = yield* listeningOn(
          createProxy().on("connect", (_, socket) => {
            requested++
            socket.end("HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n")
          })
        )
        process.env["HTTPS_PROXY"] = `http://127.0.0.1:${portOf(proxy)}`
        const seen = yield* typedFetch("https://fhir.example/r4", mirror)
        assert.strictEqual(seen.code, 3)
        assert.strictEqual(requested, 1)
        assert.include(seen.stderr, "the proxy responded with status 407: it requires a user name and a password")
        assert.include(seen.stderr, "check the proxy in HTTPS_PROXY")
        assert.include(seen.stderr, "correct this before you run again")
      }).pipe(Effect.ensuring(Effect.sync(() => delete process.env["HTTPS_PROXY"])), Effect.scoped)))

  it.live("is one of a server that requires a client certificate", () =>
    withServer([], {}, (_, mirror) =>
      Effect.gen(function*() {
        const secured = yield* listeningOn(
          createServer({ key, cert: good, requestCert: true, ca: authority, maxVersion: "TLSv1.2" }).on(
            "tlsClientError",
            () => {}
          )
        )
        writeFileSync(join(mirror, "ca.pem"), authority)
        const url = `https://127.0.0.1:${portOf(secured)}`
        const seen = yield* typedFetch(url, mirror, { service: "service: {caFile: ca.pem}\n" })
        assert.include(seen.stderr, "it may require a client certificate")
        assert.include(seen.stderr, "`source: {certificate}`")
      }).pipe(Effect.scoped)))

  it.live("is an invalid setting: a key of another certificate, or a token that no header can hold", () =>
    withServer(records, {}, (server, mirror) =>
      Effect.gen(function*() {
        mkdirSync(mirror, { recursive: true })
        writeFileSync(join(mirror, "cert.pem"), authority)
        writeFileSync(join(mirror, "key.pem"), key)
        const source = ", certificate: {certFile: cert.pem, keyFile: key.pem}"
        const seen = yield* typedFetch(server.url, mirror, { source })
        assert.strictEqual(seen.code, 2)
        assert.include(seen.stderr, "the client certificate and its key cannot be used together")
        const secrets = { ...noSecrets, token: Redacted.make("two words") }
        const reason = yield* reasonOf(fetchFrom(server, mirror, { auth: "token" }, secrets))
        assert.strictEqual(reason._tag, "InvalidSetting")
        assert.deepStrictEqual(server.log, [])
      })))
})

describe("a request for an export", () => {
  const isKickOff = ({ url }: { readonly url: URL }): boolean => url.pathname.endsWith("/$export")

  const unclear: ReadonlyArray<readonly [name: string, detail: string, ServerOptions]> = [
    ["whose response is lost", "the connection was closed", { losesResponse: isKickOff }],
    ["with status 502", "status 502 at", { instead: (one) => isKickOff(one) ? { status: 502 } : undefined }],
    ["with status 503", "status 503 at", { instead: (one) => isKickOff(one) ? { status: 503 } : undefined }]
  ]
  for (const [name, detail, options] of unclear) {
    it.live(`${name} is not repeated, and the mirror keeps nothing of it`, () =>
      withServer(records, options, (server, mirror) =>
        Effect.gen(function*() {
          const seen = yield* typedFetch(server.url, mirror)
          assert.strictEqual(seen.code, 3)
          assert.include(seen.stderr, "the request for an export has no clear response: ")
          assert.include(seen.stderr, detail)
          assert.include(seen.stderr, "the server may have begun the export")
          assert.strictEqual(requests(server, "/$export"), 1)
          assert.deepStrictEqual(readdirSync(mirror).filter((name) => name.startsWith("001")), [])
          server.options = {}
          assert.strictEqual((yield* fetchFrom(server, mirror)).isResumed, false)
        })))
  }

  it.live("that the log cannot hold is ended at the server", () =>
    withServer(records, {}, (server, mirror) =>
      Effect.gen(function*() {
        server.options = {
          instead: (one) => {
            if (!isKickOff(one)) return undefined
            mkdirSync(join(mirror, present(readdirSync(mirror).find((name) => name.startsWith("001"))), "log.ndjson"))
            return undefined
          }
        }
        const reason = yield* reasonOf(fetchFrom(server, mirror))
        assert.strictEqual(reason._tag, "MirrorUnusable")
        assert.strictEqual(server.jobs(), 1)
        assert.strictEqual(requests(server, "/status/0"), 1)
      })))

  it.live("that the server refused is repeated: 429, and 503 with a wait", () =>
    withServer(records, {
      instead: ({ count, url }) =>
        !isKickOff({ url }) || count > 2
          ? undefined
          : count === 1
          ? { status: 429 }
          : { status: 503, headers: { "retry-after": "0" } }
    }, (server, mirror) =>
      Effect.gen(function*() {
        yield* fetchFrom(server, mirror)
        assert.strictEqual(requests(server, "/$export"), 3)
        assert.strictEqual(server.jobs(), 1)
      })))

  it.live("that never left is not in doubt", () =>
    withServer(records, {
      instead: (one) => isKickOff(one) ? { status: 307, headers: { location: "http://127.0.0.1:1/" } } : undefined
    }, (server, mirror) =>
      Effect.gen(function*() {
        const reason = yield* reasonOf(fetchFrom(server, mirror))
        if (reason._tag !== "Unreachable") return assert.fail(reason._tag)
        assert.strictEqual(reason.detail, "http://127.0.0.1:1/: the connection was refused")
        assert.isFalse(reason.isSent)
      })))
})

describe("a request for a token", () => {
  it.live("is signed again if its response is lost: the server accepts an assertion once", () => {
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-384" })
    const pem = String(privateKey.export({ format: "pem", type: "pkcs8" }))
    const secrets = { ...noSecrets, clientId: Redacted.make("client"), key: Redacted.make(pem) }
    const options: ServerOptions = {
      publicKey,
      losesResponse: ({ count, url }) => url.pathname === "/token" && count === 1
    }
    return withServer(records, options, (server, mirror) =>
      Effect.gen(function*() {
        yield* fetchFrom(server, mirror, { auth: "backend" }, secrets)
        assert.strictEqual(requests(server, "/token"), 2)
      }))
  })
})

describe("an export that takes long", () => {
  const slow: ServerOptions = { polls: 12 }
  const logOf = (mirror: string): string =>
    join(mirror, present(readdirSync(mirror).find((name) => name.startsWith("001"))), "log.ndjson")

  it.live("is waited for as long as the settings allow, and is reported to run since its request", () =>
    withServer(records, slow, (server, mirror) =>
      Effect.gen(function*() {
        const reason = yield* reasonOf(fetchFrom(server, mirror, { patienceMillis: 0 }))
        if (reason._tag !== "StillRunning") return assert.fail(reason._tag)
        const [kickoff = ""] = readFileSync(logOf(mirror), "utf8").split("\n")
        assert.strictEqual(reason.since, JSON.parse(kickoff).timestamp)
        // The request is long ago.
        writeFileSync(logOf(mirror), kickoff.replace(/"timestamp":"[^"]*"/u, "\"timestamp\":\"2026-01-02T03:04:05Z\""))
        const seen = yield* typedFetch(server.url, mirror)
        assert.strictEqual(seen.code, 3)
        assert.include(seen.stderr, "is still running; it was requested 2026-01-02 03:04Z")
        assert.include(seen.stderr, "`source: {patience}`")
        assert.include(seen.stderr, `delete \`${join(mirror, "001")}`)
        assert.notInclude(seen.stderr, "asks to wait")
      })))

  it.live("is not waited for without end if its log does not state when it was requested", () =>
    withServer(records, slow, (server, mirror) =>
      Effect.gen(function*() {
        yield* reasonOf(fetchFrom(server, mirror, { patienceMillis: 0 }))
        const text = readFileSync(logOf(mirror), "utf8")
        writeFileSync(logOf(mirror), text.replaceAll(/"timestamp":"[^"]*",/gu, ""))
        const reason = yield* reasonOf(fetchFrom(server, mirror))
        if (reason._tag !== "StillRunning") return assert.fail(reason._tag)
        assert.isNull(reason.since)
      })))
})

describe("a server that responds with status 429 again and again", () => {
  for (const [headers, expected] of [[{}, "ServerFailed"], [{ "retry-after": "0" }, "AskedToWait"]] as const) {
    it.live(`${expected === "AskedToWait" ? "asks" : "does not ask"} to wait: ${JSON.stringify(headers)}`, () =>
      withServer(records, { instead: () => ({ status: 429, headers }) }, (server, mirror) =>
        Effect.gen(function*() {
          assert.strictEqual((yield* reasonOf(fetchFrom(server, mirror)))._tag, expected)
        })))
  }
})
