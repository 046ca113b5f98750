import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Schema } from "effect"
import { generateKeyPairSync } from "node:crypto"
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync, gzipSync } from "node:zlib"
import { at } from "../../src/at.ts"
import { jsonObjectOf } from "../../src/json/JsonObject.ts"
import { openMirrorIndex } from "../../src/mirror/MirrorIndex.ts"
import { isResource } from "../../src/source/records/SourceRecord.ts"
import { present } from "../present.ts"
import { readJson } from "../readJson.ts"
import { runs, timeout } from "../runs.ts"
import { fetchFrom, noSecrets, withServer } from "./fetching.ts"
import { changedAt, type FhirServer, type Resource, type ServerOptions, serverStart } from "./fhirServer.ts"

/** A small hospital; numbers have digits that a double would lose. */
const hospital = (patients = 12): ReadonlyArray<Resource> =>
  Array.from({ length: patients }, (_, index) => {
    const meta = (minutes: number) => ({
      versionId: "1",
      lastUpdated: new Date(Date.parse("2026-11-01T08:00:00Z") + (index * 10 + minutes) * 60_000).toISOString()
    })
    return [
      { resourceType: "Patient", id: `p${index}`, meta: meta(0) },
      { resourceType: "Encounter", id: `e${index}`, meta: meta(1), subject: { reference: `Patient/p${index}` } },
      {
        resourceType: "Observation",
        id: `o${index}`,
        meta: meta(2),
        subject: { reference: `Patient/p${index}` },
        performer: [{ reference: `Practitioner/d${index % 3}` }]
      }
    ]
  }).flat()

const doctors: ReadonlyArray<Resource> = [0, 1].map((index) => ({
  resourceType: "Practitioner",
  id: `d${index}`,
  meta: { versionId: "1", lastUpdated: "2026-01-01T00:00:00Z" }
}))

/** A record of the mirror, with its keys in their order. */
const parsed = (line: string): Resource => {
  const record: unknown = JSON.parse(line)
  if (!isStored(record)) throw new Error(`this is no record of the server: ${line}`)
  return record
}

const isStored = (value: unknown): value is Resource =>
  isResource(value) && value.id !== undefined && typeof jsonObjectOf(value.meta).lastUpdated === "string"

const Deletions = Schema.Struct({
  entry: Schema.Array(Schema.Struct({ request: Schema.Struct({ url: Schema.String }) }))
})

/** What a reader of the mirror sees in the end: the last version of each record that was not deleted after it. */
const stateOf = (mirror: string): Map<string, Resource> => {
  const state = new Map<string, Resource>()
  for (const folder of readdirSync(mirror).filter((name) => /^\d{3}/u.test(name)).toSorted()) {
    const lines = (inside: string) =>
      !existsSync(inside) ?
        [] :
        readdirSync(inside).filter((name) => name.endsWith(".ndjson.gz")).toSorted().flatMap((name) =>
          gunzipSync(readFileSync(join(inside, name))).toString("utf8").split("\n").filter((line) => line !== "")
        )
    for (const line of lines(join(mirror, folder))) {
      const record = parsed(line)
      const key = `${record.resourceType}/${record.id}`
      const before = state.get(key)
      if (before === undefined || changedAt(before) <= changedAt(record)) state.set(key, record)
    }
    for (const line of lines(join(mirror, folder, "deleted"))) {
      for (const { request } of readJson(Deletions, line).entry) state.delete(request.url)
    }
  }
  return state
}

const sorted = (records: Iterable<Resource>) => [...records].map((record) => JSON.stringify(record)).toSorted()

const later = (server: FhirServer, minutes: number) => {
  server.now += minutes * 60_000
  return new Date(server.now).toISOString()
}

describe("fetch, bulk (Bulk Data Access 2.0)", () => {
  it.live("stores every record with the digits of its numbers, readable only by the owner", () =>
    withServer(
      [...hospital(), ...doctors],
      { polls: 2, filesPerType: 3, manifestPages: 2 },
      (server, mirror) =>
        Effect.gen(function*() {
          const fetched = yield* fetchFrom(server, mirror)
          assert.deepStrictEqual(sorted(stateOf(mirror).values()), sorted(server.records.values()))
          assert.strictEqual(fetched.mode, "bulk")
          assert.deepStrictEqual(fetched.problems, [])
          assert.strictEqual(statSync(fetched.folder).mode & 0o777, 0o700)
          assert.strictEqual(statSync(join(fetched.folder, "log.ndjson")).mode & 0o777, 0o600)
        })
    ))

  for (
    const [algorithm, pair] of [
      ["ES384", () => generateKeyPairSync("ec", { namedCurve: "P-384" })],
      ["RS384", () => generateKeyPairSync("rsa", { modulusLength: 2048 })]
    ] as const
  ) {
    it.live(`signs its assertion with ${algorithm}, and requests a new token after a 401, up to twice for a file`, () => {
      const { privateKey, publicKey } = pair()
      const jwk = { ...privateKey.export({ format: "jwk" }), alg: algorithm, kid: "k1" }
      const secrets = {
        ...noSecrets,
        clientId: Redacted.make("client"),
        key: Redacted.make(JSON.stringify({ keys: [jwk] }))
      }
      const instead: ServerOptions["instead"] = ({ count, url }) =>
        url.pathname.endsWith("/Patient/0") && count <= 2 ? { status: 401 } : undefined
      return withServer(
        hospital(),
        { publicKey, requiresToken: true, instead },
        (server, mirror) =>
          Effect.gen(function*() {
            yield* fetchFrom(server, mirror, { auth: "backend" }, secrets)
            assert.deepStrictEqual(sorted(stateOf(mirror).values()), sorted(server.records.values()))
            assert.strictEqual(server.log.filter((path) => path === "/token").length, 3)
            assert.notInclude(
              readFileSync(
                join(mirror, present(readdirSync(mirror).find((name) => name.startsWith("001"))), "log.ndjson"),
                "utf8"
              ),
              "Bearer"
            )
          })
      )
    })
  }

  it.live("requests the changes since the last complete export, minus the overlap, and writes the deletions that a full export shows", () =>
    withServer(hospital(), {}, (server, mirror) =>
      Effect.gen(function*() {
        yield* fetchFrom(server, mirror)
        const changed = later(server, 60)
        server.records.set("Encounter/e3", {
          resourceType: "Encounter",
          id: "e3",
          meta: { versionId: "2", lastUpdated: changed }
        })
        server.records.delete("Observation/o4")
        later(server, 60)
        const delta = yield* fetchFrom(server, mirror)
        assert.strictEqual(delta.since, new Date(serverStart - 10 * 60_000).toISOString())
        assert.strictEqual(delta.resources, 1)
        assert.isTrue(stateOf(mirror).has("Observation/o4"), "a delta cannot show what is gone")
        later(server, 60)
        const whole = yield* fetchFrom(server, mirror, {}, noSecrets, true)
        assert.deepStrictEqual([...whole.vanished], [["Observation", 1]])
        assert.deepStrictEqual(sorted(stateOf(mirror).values()), sorted(server.records.values()))
      })))

  it.live("writes no deletion after a full export with error files, without a type, or without its time", () => {
    const partial: ReadonlyArray<NonNullable<ServerOptions["manifest"]>> = [
      (real) => ({ ...real, error: [{ type: "OperationOutcome", url: at(real.output, 0).url }] }),
      (real) => ({ ...real, output: real.output.filter(({ type }) => type !== "Observation") }),
      (real) => ({ ...real, transactionTime: undefined })
    ]
    return Effect.forEach(partial, (manifest) =>
      withServer(hospital(), {}, (server, mirror) =>
        Effect.gen(function*() {
          yield* fetchFrom(server, mirror)
          server.records.delete("Encounter/e4")
          server.options = { manifest }
          later(server, 60)
          const fetched = yield* fetchFrom(server, mirror, {}, noSecrets, true)
          assert.lengthOf(fetched.problems, 1)
          assert.strictEqual(stateOf(mirror).size, 36)
          server.options = {}
          later(server, 60)
          const whole = yield* fetchFrom(server, mirror, {}, noSecrets, true)
          assert.deepStrictEqual([...whole.vanished], [["Encounter", 1]])
        })))
  })

  it.live("reports a damaged file of the mirror", () =>
    withServer(hospital(), {}, (server, mirror) =>
      Effect.gen(function*() {
        yield* fetchFrom(server, mirror)
        const folder = join(mirror, present(readdirSync(mirror).find((name) => /^\d{3}/u.test(name))))
        const file = join(folder, present(readdirSync(folder).find((name) => name.endsWith(".gz"))))
        const whole = readFileSync(file)
        const damages = [
          whole.subarray(0, -9),
          whole.subarray(0, 5),
          Buffer.from("PK\u0003\u0004"),
          gzipSync("{\"resourceType\":"),
          gzipSync(Buffer.of(0xe9, 0x0a))
        ]
        for (const damage of damages) {
          writeFileSync(file, damage)
          const error = yield* Effect.flip(fetchFrom(server, mirror))
          assert.deepInclude(error, { reason: { _tag: "MirrorDamaged", mirror, file } })
        }
      })))

  it.live("looks up dangling references once", () =>
    withServer([...hospital(), ...doctors], {}, (server, mirror) =>
      Effect.gen(function*() {
        const types = ["Patient", "Encounter", "Observation"]
        const fetched = yield* fetchFrom(server, mirror, { types })
        assert.deepStrictEqual([...fetched.lookedUp], [["Practitioner", { found: 2, absent: 1 }]])
        const requested = server.log.filter((path) => path.startsWith("/fhir/Practitioner")).length
        later(server, 60)
        yield* fetchFrom(server, mirror, { types })
        assert.strictEqual(server.log.filter((path) => path.startsWith("/fhir/Practitioner")).length, requested)
      })))

  it.live("looks up the references of records that it looked up, and all of them again with a full export", () => {
    const role: Resource = {
      resourceType: "PractitionerRole",
      id: "r1",
      practitioner: { reference: "Practitioner/d0" }
    }
    const seen: Resource = {
      resourceType: "Encounter",
      id: "e1",
      participant: [{ individual: { reference: "PractitionerRole/r1" } }]
    }
    return withServer([seen, role, at(doctors, 0)], {}, (server, mirror) =>
      Effect.gen(function*() {
        const settings = { types: ["Encounter"], level: "patient" } as const
        const lookedUp = (full: boolean) =>
          Effect.map(fetchFrom(server, mirror, settings, noSecrets, full), (fetched) =>
            Object.fromEntries(fetched.lookedUp))
        const found = { PractitionerRole: { found: 1, absent: 0 }, Practitioner: { found: 1, absent: 0 } }
        assert.deepStrictEqual(yield* lookedUp(false), found)
        later(server, 60)
        assert.deepStrictEqual(yield* lookedUp(false), {})
        assert.deepStrictEqual(yield* lookedUp(true), found)
      }))
  })

  it.live(
    "continues an interrupted export: one kick-off, and no whole file twice",
    () =>
      withServer(
        [...hospital(), ...doctors],
        { polls: 1, filesPerType: 4 },
        (server, mirror) =>
          Effect.gen(function*() {
            for (let stopAt = 1; stopAt < 60; stopAt++) {
              let requests = 0
              let isStopped = false
              // The process dies at its n-th request: that request and all after it get no answer.
              server.options = {
                ...server.options,
                instead: () => ++requests >= stopAt ? (isStopped = true, { status: 500 }) : undefined
              }
              const done = yield* Effect.result(fetchFrom(server, mirror, { downloads: 1 }))
              if (done._tag === "Success" && !isStopped) {
                break
              }
            }
            assert.deepStrictEqual(sorted(stateOf(mirror).values()), sorted(server.records.values()))
            assert.strictEqual(server.jobs(), 1)
            assert.deepStrictEqual(server.served, [...new Set(server.served)])
            assert.strictEqual(readdirSync(mirror).filter((name) => /^\d{3}/u.test(name)).length, 1)
          })
      )
  )

  it.live("sends the token to no other origin, whatever a redirection or a manifest requires", () => {
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-384" })
    const secrets = {
      ...noSecrets,
      clientId: Redacted.make("client"),
      key: Redacted.make(String(privateKey.export({ format: "pem", type: "pkcs8" })))
    }
    return withServer(hospital(1), {}, (trap) =>
      withServer(hospital(1), {
        publicKey,
        requiresToken: true,
        instead: ({ url }) =>
          url.pathname.startsWith("/files/")
            ? { status: 307, headers: { location: `${trap.url}/Patient/p0` } }
            : undefined
      }, (server, mirror) =>
        Effect.gen(function*() {
          yield* Effect.result(fetchFrom(server, mirror, { auth: "backend" }, secrets))
          assert.isAbove(trap.headers.length, 0)
          for (const headers of trap.headers) assert.isUndefined(headers.authorization)
        })))
  })

  for (const path of ["/$export", "/status/", "/files/"]) {
    it.live(`respects a retry-after time at ${path} in seconds, as a date or in epoch seconds`, () => {
      const forms = (now: number) => ["0", new Date(now).toUTCString(), String(Math.floor(now / 1000))]
      let requested = 0
      return withServer(hospital(2), {
        instead: ({ url }) =>
          url.pathname.includes(path) && requested < 3
            ? { status: 429, headers: { "retry-after": at(forms(Date.now()), requested++) } }
            : undefined
      }, (server, mirror) =>
        Effect.gen(function*() {
          // The same call handles each form of the wait; it is repeated if the attempts ran out.
          for (let round = 0; round < 3; round++) {
            const done = yield* Effect.result(fetchFrom(server, mirror))
            if (done._tag === "Success") break
          }
          assert.strictEqual(requested, 3)
          assert.strictEqual(server.jobs(), 1)
          assert.deepStrictEqual(sorted(stateOf(mirror).values()), sorted(server.records.values()))
        }))
    })
  }

  it.live("continues with a new token whenever one expires, and downloads no file twice", () => {
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-384" })
    const secrets = {
      ...noSecrets,
      clientId: Redacted.make("client"),
      key: Redacted.make(String(privateKey.export({ format: "pem", type: "pkcs8" })))
    }
    return withServer(
      [...hospital(), ...doctors],
      { publicKey, requiresToken: true, tokenUses: 3, filesPerType: 4, manifestPages: 3, polls: 2 },
      (server, mirror) =>
        Effect.gen(function*() {
          yield* fetchFrom(server, mirror, { auth: "backend" }, secrets)
          assert.deepStrictEqual(sorted(stateOf(mirror).values()), sorted(server.records.values()))
          assert.isAbove(server.log.filter((path) => path === "/token").length, 4)
          assert.strictEqual(server.jobs(), 1)
          assert.deepStrictEqual(server.served, [...new Set(server.served)])
        })
    )
  })

  it.live("reads the whole export of a server that ignores `_since`, and uses the last version", () =>
    withServer(hospital(), { ignoresSince: true }, (server, mirror) =>
      Effect.gen(function*() {
        yield* fetchFrom(server, mirror)
        const lastUpdated = later(server, 60)
        server.records.set("Encounter/e3", {
          resourceType: "Encounter",
          id: "e3",
          meta: { versionId: "2", lastUpdated }
        })
        later(server, 60)
        yield* fetchFrom(server, mirror)
        assert.deepStrictEqual(sorted(stateOf(mirror).values()), sorted(server.records.values()))
      })))

  it.live("searches if the server has no bulk export and no order of changes, by status 501", () =>
    withServer(hospital(), {
      instead: ({ url }) =>
        url.pathname.endsWith("$export") || url.searchParams.has("_sort") ? { status: 501 } : undefined
    }, (server, mirror) =>
      Effect.gen(function*() {
        yield* fetchFrom(server, mirror, { mode: "auto" })
        assert.deepStrictEqual(sorted(stateOf(mirror).values()), sorted(server.records.values()))
        assert.strictEqual(server.log.filter((path) => path.endsWith("$export")).length, 1)
      })))

  it.live("searches without an order if the server fails to sort", () =>
    withServer([...hospital(), ...doctors], {
      bulk: false,
      instead: ({ url }) => url.searchParams.has("_sort") ? { status: 500 } : undefined
    }, (server, mirror) =>
      Effect.gen(function*() {
        assert.deepStrictEqual((yield* fetchFrom(server, mirror)).problems, [])
        assert.deepStrictEqual(sorted(stateOf(mirror).values()), sorted(server.records.values()))
      })))

  it.live("rejects a search page that is not UTF-8, and replaces no character", () =>
    withServer(hospital(1), {
      instead: ({ url }) =>
        url.pathname.endsWith("/Patient") && !url.searchParams.has("_summary")
          ? { status: 200, body: Buffer.from("{\"resourceType\":\"Bundle\",\"id\":\"\u00E9\"}", "latin1") }
          : undefined
    }, (server, mirror) =>
      Effect.gen(function*() {
        const { reason } = yield* Effect.flip(fetchFrom(server, mirror, { mode: "search" }))
        assert.strictEqual(reason._tag, "InvalidResponse")
        assert.match("detail" in reason ? reason.detail : "", /Patient.* is not UTF-8$/u)
      })))

  it.live("repeats a compressed search page that breaks off", () =>
    withServer(hospital(), {
      instead: ({ count, url }) =>
        url.pathname.endsWith("/Patient") && count === 1
          ? {
            status: 200,
            headers: { "content-encoding": "gzip", "content-length": "9000" },
            body: gzipSync("{\"resourceType\":\"Bundle\"}").subarray(0, 20),
            isCut: true
          }
          : undefined
    }, (server, mirror) =>
      Effect.gen(function*() {
        yield* fetchFrom(server, mirror, { mode: "search" })
        assert.deepStrictEqual(sorted(stateOf(mirror).values()), sorted(server.records.values()))
      })))

  it.live("treats no export as complete while a page of its manifest is missing", () => {
    let isBroken = true
    return withServer(hospital(), {
      manifestPages: 3,
      instead: ({ url }) => isBroken && url.searchParams.get("page") === "2" ? { status: 500 } : undefined
    }, (server, mirror) =>
      Effect.gen(function*() {
        const first = yield* Effect.result(fetchFrom(server, mirror))
        assert.strictEqual(first._tag, "Failure")
        isBroken = false
        const second = yield* fetchFrom(server, mirror)
        assert.isNull(second.since)
        assert.strictEqual(server.jobs(), 1)
        assert.deepStrictEqual(sorted(stateOf(mirror).values()), sorted(server.records.values()))
      }))
  })

  it.live("reports a file with fewer lines than its manifest states, and begins the next export where the last complete one ended", () =>
    withServer(hospital(), { count: (real) => real + 1 }, (server, mirror) =>
      Effect.gen(function*() {
        const fetched = yield* fetchFrom(server, mirror)
        assert.isAbove(fetched.problems.length, 0)
        server.options = {}
        later(server, 60)
        const next = yield* fetchFrom(server, mirror)
        assert.isNull(next.since)
      })))

  for (
    const [what, reason, instead] of [
      ["has failed at the server", "Expired", { status: 500, body: "{}" }],
      ["has no manifest", "InvalidResponse", { status: 200, body: "{\"resourceType\":\"OperationOutcome\"}" }]
    ] as const
  ) {
    it.live(`begins a new export if the old one ${what}`, () =>
      withServer(
        hospital(),
        { instead: ({ url }) => url.pathname === "/fhir/status/0" ? instead : undefined },
        (server, mirror) =>
          Effect.gen(function*() {
            const first = yield* Effect.result(fetchFrom(server, mirror))
            assert.strictEqual(
              first._tag === "Failure" && first.failure._tag === "ServerError" ? first.failure.reason._tag : "",
              reason
            )
            yield* fetchFrom(server, mirror)
            assert.strictEqual(server.jobs(), 2)
            assert.deepStrictEqual(sorted(stateOf(mirror).values()), sorted(server.records.values()))
          })
      ))
  }

  it.live("keeps no file that is not NDJSON, and downloads it again", () => {
    let page: string | undefined = "<html>Please log in</html>"
    return withServer(hospital(), {
      instead: ({ url }) =>
        page !== undefined && url.pathname.startsWith("/files/") ? { status: 200, body: page } : undefined
    }, (server, mirror) =>
      Effect.gen(function*() {
        const first = yield* Effect.flip(fetchFrom(server, mirror))
        assert.match(JSON.stringify(first), /InvalidResponse.*is not NDJSON/u)
        page = undefined
        yield* fetchFrom(server, mirror)
        assert.strictEqual(server.jobs(), 1)
        assert.deepStrictEqual(sorted(stateOf(mirror).values()), sorted(server.records.values()))
      }))
  })

  it.live("begins a new export if a downloaded file has a line that is not JSON", () => {
    let isBroken = true
    return withServer(hospital(), {
      instead: ({ url }) =>
        isBroken && url.pathname === "/files/0/Encounter/0" ? { status: 200, body: "{}\n{\"id\"\n" } : undefined
    }, (server, mirror) =>
      Effect.gen(function*() {
        const first = yield* Effect.flip(fetchFrom(server, mirror))
        assert.match(JSON.stringify(first), /Expired.*Encounter\.001\.ndjson\.gz.*is not NDJSON/u)
        isBroken = false
        yield* fetchFrom(server, mirror)
        assert.strictEqual(server.jobs(), 2)
        assert.deepStrictEqual(sorted(stateOf(mirror).values()), sorted(server.records.values()))
      }))
  })

  it.live("decompresses a file that is compressed without a header", () =>
    withServer(hospital(1), {
      instead: ({ url }) =>
        url.pathname.startsWith("/files/")
          ? {
            status: 200,
            body: gzipSync(
              `${
                JSON.stringify(
                  at(hospital(1), url.pathname.includes("Patient") ? 0 : url.pathname.includes("Encounter") ? 1 : 2)
                )
              }\n`
            )
          }
          : undefined
    }, (server, mirror) =>
      Effect.gen(function*() {
        yield* fetchFrom(server, mirror)
        assert.deepStrictEqual(sorted(stateOf(mirror).values()), sorted(server.records.values()))
      })))

  it.live("begins a complete export on request, also in place of an interrupted export of changes", () => {
    let isBroken = false
    return withServer(hospital(), {
      instead: ({ url }) => isBroken && url.pathname.startsWith("/fhir/status/") ? { status: 400 } : undefined
    }, (server, mirror) =>
      Effect.gen(function*() {
        yield* fetchFrom(server, mirror)
        isBroken = true
        yield* Effect.flip(fetchFrom(server, mirror))
        isBroken = false
        assert.isNull((yield* fetchFrom(server, mirror, {}, noSecrets, true)).since)
      }))
  })

  it.live("begins a new export if the server no longer has the old one", () =>
    withServer(
      hospital(),
      { instead: ({ url }) => url.pathname.startsWith("/files/") ? { status: 410 } : undefined },
      (server, mirror) =>
        Effect.gen(function*() {
          const first = yield* Effect.result(fetchFrom(server, mirror))
          assert.strictEqual(
            first._tag === "Failure" && first.failure._tag === "ServerError" ? first.failure.reason._tag : "",
            "Expired"
          )
          server.options = {}
          yield* fetchFrom(server, mirror)
          assert.deepStrictEqual(sorted(stateOf(mirror).values()), sorted(server.records.values()))
        })
    ))
})

describe("the index of a mirror", () => {
  it.live("is readable only by the owner, with all files of its database", () =>
    withServer([], {}, (_, mirror) =>
      Effect.gen(function*() {
        chmodSync(mirror, 0o755)
        const index = yield* openMirrorIndex(mirror)
        index.noteAbsent({ type: "Patient", id: "p0" })
        const modes = readdirSync(mirror).toSorted().map((name) => [name, statSync(join(mirror, name)).mode & 0o777])
        assert.deepStrictEqual(modes, [[".index.sqlite", 0o600], [".index.sqlite-wal", 0o600]])
      })).pipe(Effect.scoped))
})

describe("fetch, search", () => {
  it.live("falls back to searches if the server has no bulk export", () =>
    withServer([...hospital(), ...doctors], { bulk: false }, (server, mirror) =>
      Effect.gen(function*() {
        const fetched = yield* fetchFrom(server, mirror)
        assert.strictEqual(fetched.mode, "search")
        assert.deepStrictEqual(sorted(stateOf(mirror).values()), sorted(server.records.values()))
      })))

  it.live("keeps the mirror readable when it finds nothing new", () =>
    withServer([...hospital(), ...doctors], { bulk: false }, (server, mirror) =>
      Effect.gen(function*() {
        for (let times = 0; times < 3; times++) {
          yield* fetchFrom(server, mirror)
          server.now += 86_400_000
        }
        assert.deepStrictEqual(sorted(stateOf(mirror).values()), sorted(server.records.values()))
      })))

  for (const ordered of [true, false]) {
    it.live(
      `loses nothing while records change between pages, ${ordered ? "in the order of changes" : "without that order"}`,
      () =>
        Effect.gen(function*() {
          for (let seed = 1; seed <= runs(6); seed++) {
            let state = seed
            const random = (below: number) => {
              state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
              return Math.floor((state / 2_147_483_648) * below)
            }
            let changes = 0
            const onPage = (records: Map<string, Resource>) => {
              if (++changes > 40 || random(2) === 0) return
              const keys = [...records.keys()]
              const key = present(keys[random(keys.length)])
              const record = present(records.get(key))
              // The server lists changed records last, as databases do.
              records.delete(key)
              records.set(key, {
                ...record,
                meta: {
                  versionId: String(changes + 1),
                  lastUpdated: new Date(serverStart + changes * 1000).toISOString()
                }
              })
            }
            yield* withServer(hospital(20), { bulk: false, ordered, onPage }, (server, mirror) =>
              Effect.gen(function*() {
                yield* fetchFrom(server, mirror, { types: ["Patient", "Encounter", "Observation"] })
                const found = stateOf(mirror)
                for (const key of server.records.keys()) assert.isTrue(found.has(key), `seed ${seed}: ${key}`)
              }))
          }
        }),
      timeout
    )
  }

  it.live("follows no page to another server", () =>
    withServer(hospital(), {
      bulk: false,
      ordered: false,
      instead: ({ url }) =>
        url.pathname === "/fhir/Patient" && url.searchParams.get("_summary") === null
          ? {
            status: 200,
            body: JSON.stringify({
              resourceType: "Bundle",
              entry: [],
              link: [{ relation: "next", url: "https://elsewhere.example/fhir/Patient?page=2" }]
            })
          }
          : undefined
    }, (server, mirror) =>
      Effect.gen(function*() {
        const done = yield* Effect.result(fetchFrom(server, mirror))
        assert.strictEqual(
          done._tag === "Failure" && done.failure._tag === "ServerError" ? done.failure.reason._tag : "",
          "InvalidResponse"
        )
      })))
})
