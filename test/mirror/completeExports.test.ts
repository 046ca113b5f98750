import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import { at } from "../../src/at.ts"
import { readMirror } from "../../src/mirror/Mirror.ts"
import { ServerError } from "../../src/mirror/ServerError.ts"
import { present } from "../present.ts"
import { fetchFrom, noSecrets, withServer } from "./fetching.ts"
import { type FhirServer, type Resource, type ServerOptions, stored } from "./fhirServer.ts"

const patients: ReadonlyArray<Resource> = [0, 1, 2].map((index) => stored({ resourceType: "Patient", id: `p${index}` }))

const encounters: ReadonlyArray<Resource> = [0, 1, 2].map((index) =>
  stored({ resourceType: "Encounter", id: `e${index}`, subject: { reference: `Patient/p${index}` } })
)

const hospital = [...patients, ...encounters]

const later = (server: FhirServer) => {
  server.now += 3_600_000
}

const full = (server: FhirServer, mirror: string, more: Parameters<typeof fetchFrom>[2] = {}) =>
  fetchFrom(server, mirror, more, noSecrets, true)

const groupOf = (...entities: ReadonlyArray<object>): Resource =>
  stored({ resourceType: "Group", id: "g1", member: entities.map((entity) => ({ entity })) })

const patient = (id: string) => ({ reference: `Patient/${id}` })

/** The ids of the records of a type in an export. */
const idsIn = (folder: string, type: string): ReadonlyArray<string> =>
  readdirSync(folder).filter((name) => name.startsWith(`${type}.`)).flatMap((name) =>
    gunzipSync(readFileSync(join(folder, name))).toString("utf8").split("\n").filter((line) => line !== "")
      .map((line): string => JSON.parse(line).id)
  ).toSorted()

describe("An export is not complete", () => {
  const outcome = (...severities: ReadonlyArray<string>) =>
    JSON.stringify({ resourceType: "OperationOutcome", issue: severities.map((severity) => ({ severity })) })

  for (
    const [severities, isComplete] of [
      [["information", "warning"], true],
      [["information", "error"], false],
      [["fatal"], false],
      [["success"], false],
      [[], false]
    ] as const
  ) {
    it.live(`${isComplete ? "only " : ""}if an error file reports an error: ${severities.join(", ")}`, () =>
      withServer(hospital, {
        manifest: (real) => ({ ...real, error: [{ type: "OperationOutcome", url: "/errors" }] }),
        instead: ({ url }) =>
          url.pathname === "/errors" ? { status: 200, body: `${outcome(...severities)}\n` } : undefined
      }, (server, mirror) =>
        Effect.gen(function*() {
          const { problems } = yield* fetchFrom(server, mirror)
          assert.strictEqual(problems.length === 0, isComplete)
          later(server)
          const next = yield* fetchFrom(server, mirror)
          assert.strictEqual(next.since !== null, isComplete)
        })))
  }

  it.live("if it lacks a record that the server still has, and nothing is deleted then", () => {
    const without: ServerOptions = {
      manifest: (real) => ({ ...real, output: real.output.map(({ type, url }) => ({ type, url })) }),
      instead: ({ url }) =>
        /\/files\/1\/Encounter/u.test(url.pathname)
          ? { status: 200, body: `${JSON.stringify(encounters[0])}\n` }
          : undefined
    }
    return withServer(hospital, without, (server, mirror) =>
      Effect.gen(function*() {
        yield* fetchFrom(server, mirror)
        server.records.delete("Encounter/e2")
        later(server)
        const partial = yield* full(server, mirror)
        assert.deepStrictEqual(partial.problems, [
          "the export lacks Encounter records that the mirror and the server have"
        ])
        assert.strictEqual(partial.vanished.size, 0)
        later(server)
        const whole = yield* full(server, mirror)
        assert.deepStrictEqual(whole.problems, [])
        assert.deepStrictEqual([...whole.vanished], [["Encounter", 1]])
      }))
  })

  it.live("if the results of a search have an error of the server", () =>
    withServer(hospital, { bulk: false, ordered: false }, (server, mirror) =>
      Effect.gen(function*() {
        server.options = {
          ...server.options,
          instead: ({ url }) =>
            url.pathname === "/fhir/Encounter" && url.searchParams.get("_summary") === null
              ? {
                status: 200,
                body: JSON.stringify({
                  resourceType: "Bundle",
                  entry: [
                    ...encounters.map((resource) => ({ resource })),
                    { resource: JSON.parse(outcome("warning", "error")), search: { mode: "outcome" } }
                  ]
                })
              }
              : undefined
        }
        // An interruption after the page does not hide its error.
        const { instead } = server.options
        let isDown = true
        server.options = {
          ...server.options,
          instead: (request) =>
            isDown && request.url.pathname === "/fhir/Encounter" && request.url.searchParams.get("_summary") !== null
              ? { status: 500 }
              : instead?.(request)
        }
        yield* Effect.flip(fetchFrom(server, mirror))
        isDown = false
        server.options = { ...server.options, instead: () => undefined }
        const { isResumed, problems } = yield* fetchFrom(server, mirror)
        assert.isTrue(isResumed)
        assert.deepStrictEqual(problems, ["the server reported an error in the search for Encounter"])
      })))
})

describe("What a complete export has none of", () => {
  it.live("is listed, if the server counts records of the type or does not list it", () =>
    withServer(
      [...hospital, stored({ resourceType: "Observation", id: "o1" })],
      { manifest: (real) => ({ ...real, output: real.output.filter(({ type }) => type !== "Observation") }) },
      (server, mirror) =>
        Effect.gen(function*() {
          const first = yield* fetchFrom(server, mirror)
          assert.deepStrictEqual(first.problems, [])
          assert.deepStrictEqual([...first.notExported], [["Observation", 1]])
          assert.deepStrictEqual(first.notListed, ["Practitioner"])
          later(server)
          assert.strictEqual((yield* fetchFrom(server, mirror)).notExported.size, 0)
        })
    ))
})

describe("The next export begins", () => {
  it.live("at the earliest of the server's times and that of this machine", () =>
    withServer(hospital, { bulk: false }, (server, mirror) =>
      Effect.gen(function*() {
        const before = Date.now()
        server.now = before + 30 * 86_400_000
        yield* fetchFrom(server, mirror)
        const { since } = yield* fetchFrom(server, mirror)
        assert.isBelow(Date.parse(present(since)), Date.now())
      })))

  it.live("also if the server's clock is no date", () =>
    withServer(hospital, {
      bulk: false,
      instead: ({ url }) =>
        url.pathname === "/fhir/metadata"
          ? {
            status: 200,
            headers: { date: "unknown" },
            body: JSON.stringify({ resourceType: "CapabilityStatement" })
          }
          : undefined
    }, (server, mirror) =>
      Effect.gen(function*() {
        yield* fetchFrom(server, mirror)
        assert.isNotNull((yield* fetchFrom(server, mirror)).since)
      })))
})

describe("A group", () => {
  const search = { level: "group", group: "g1", mode: "search" } as const

  it.live("is searched for the records of its patients; members that name no patient are counted", () =>
    withServer(
      [
        ...hospital,
        groupOf(
          patient("p0"),
          { reference: "Patient/p2/_history/3" },
          { reference: "Practitioner/d1" },
          { identifier: { value: "A-17" } },
          { reference: "Group/g2" }
        )
      ],
      { bulk: false },
      (server, mirror) =>
        Effect.gen(function*() {
          const { folder, unreadMembers } = yield* fetchFrom(server, mirror, search)
          assert.deepStrictEqual(idsIn(folder, "Encounter"), ["e0", "e2"])
          assert.strictEqual(unreadMembers, 2)
        })
    ))

  for (const mode of ["bulk", "search"] as const) {
    it.live(`is exported completely when its members have changed (${mode})`, () =>
      withServer([...hospital, groupOf(patient("p0"))], {}, (server, mirror) =>
        Effect.gen(function*() {
          const settings = { ...search, mode }
          yield* fetchFrom(server, mirror, settings)
          later(server)
          assert.isNotNull((yield* fetchFrom(server, mirror, settings)).since)
          server.records.set("Group/g1", groupOf(patient("p0"), patient("p1")))
          later(server)
          const { since, why } = yield* fetchFrom(server, mirror, settings)
          assert.isNull(since)
          assert.strictEqual(why, "the group has other members than before")
          assert.strictEqual(readMirror(mirror).length, 3)
        })))
  }

  it.live("that cannot be read is reported with an export of changes", () =>
    withServer(hospital, {}, (server, mirror) =>
      Effect.gen(function*() {
        const settings = { ...search, mode: "bulk" } as const
        assert.isFalse((yield* fetchFrom(server, mirror, settings)).isGroupUnread)
        later(server)
        const { isGroupUnread, since } = yield* fetchFrom(server, mirror, settings)
        assert.isNotNull(since)
        assert.isTrue(isGroupUnread)
      })))

  it.live("loses what belongs to patients who have left it", () =>
    withServer([...hospital, groupOf(patient("p0"), patient("p1"))], {}, (server, mirror) =>
      Effect.gen(function*() {
        yield* fetchFrom(server, mirror, search)
        server.records.set("Group/g1", groupOf(patient("p0")))
        later(server)
        const { problems, vanished } = yield* fetchFrom(server, mirror, search)
        assert.deepStrictEqual(problems, [])
        assert.deepStrictEqual([...vanished].toSorted(), [["Encounter", 1], ["Patient", 1]])
      })))

  it.live("cannot be searched if the server ignores whose records are wanted", () =>
    withServer(
      [...hospital, groupOf(patient("p0"))],
      { ignoresPatient: true },
      (server, mirror) =>
        Effect.gen(function*() {
          const error = yield* Effect.flip(fetchFrom(server, mirror, search))
          assert.instanceOf(error, ServerError)
          assert.include(JSON.stringify(error), "records of others")
        })
    ))

  it.live("is not searched as if all patients were in it, if it cannot be read", () =>
    withServer(hospital, { bulk: false }, (server, mirror) =>
      Effect.gen(function*() {
        const error = yield* Effect.flip(fetchFrom(server, mirror, { ...search, mode: "auto" }))
        assert.include(JSON.stringify(error), "the group `g1`")
      })))
})

describe("A mirror with the exports of a server", () => {
  it.live("takes none of another server, whose records can have the same ids", () =>
    withServer(hospital, {}, (other, mirror) =>
      withServer(hospital, {}, (server) =>
        Effect.gen(function*() {
          yield* fetchFrom(other, mirror)
          const error = yield* Effect.flip(fetchFrom(server, mirror))
          assert.match(JSON.stringify(error), /InvalidSetting.*has exports of another server/u)
          assert.strictEqual(readMirror(mirror).length, 1)
          yield* fetchFrom(server, join(mirror, "second"))
        }))))

  it.live("takes those of another level or group of it", () =>
    withServer([...hospital, groupOf(patient("p0"))], {}, (server, mirror) =>
      Effect.gen(function*() {
        yield* fetchFrom(server, mirror)
        later(server)
        assert.isNull((yield* fetchFrom(server, mirror, { level: "group", group: "g1", mode: "search" })).since)
        later(server)
        assert.isNull((yield* fetchFrom(server, mirror, { level: "patient" })).since)
      })))
})

describe("References", () => {
  it.live("are looked up also if they begin with the server's address, or name a version", () =>
    withServer(hospital, {}, (server, mirror) =>
      Effect.gen(function*() {
        for (const id of ["d1", "d2"]) {
          server.records.set(`Practitioner/${id}`, stored({ resourceType: "Practitioner", id }))
        }
        server.records.set(
          "Encounter/e9",
          stored({
            resourceType: "Encounter",
            id: "e9",
            participant: [
              { individual: { reference: `${server.url}/Practitioner/d1` } },
              { individual: { reference: "Practitioner/d2/_history/1" } },
              { individual: { reference: "https://elsewhere.example/fhir/Practitioner/d3" } }
            ]
          })
        )
        const { lookedUp } = yield* fetchFrom(server, mirror, { types: ["Patient", "Encounter"] })
        assert.deepStrictEqual([...lookedUp], [["Practitioner", { found: 2, absent: 0 }]])
      })))
})

describe("An export that another program has begun in the mirror", () => {
  it.live("is neither continued nor deleted, because only that program knows whether it still runs", () =>
    withServer(hospital, {}, (server, mirror) =>
      Effect.gen(function*() {
        const folder = join(mirror, "001-20261101T000000Z")
        mkdirSync(folder)
        const kickoff = {
          exportId: "x",
          timestamp: "2026-11-01T00:00:00Z",
          eventId: "kickoff",
          eventDetail: { exportUrl: `${server.url}/$export`, requestParameters: {}, responseHeaders: {} }
        }
        writeFileSync(join(folder, "log.ndjson"), `${JSON.stringify(kickoff)}\n`)
        writeFileSync(join(folder, "Patient.001.ndjson"), `${JSON.stringify(patients[0])}\n`)
        for (const isFull of [false, true]) {
          const fetched = yield* fetchFrom(server, mirror, {}, noSecrets, isFull)
          assert.isFalse(fetched.isResumed)
          assert.notStrictEqual(fetched.folder, folder)
          assert.deepStrictEqual(readdirSync(folder).toSorted(), ["Patient.001.ndjson", "log.ndjson"])
        }
      })))
})

describe("The deletion of an export", () => {
  const files = 3000
  const program = "const { removeExport } = await import('./src/mirror/Mirror.ts'); "
    + "const { runSync } = (await import('effect')).Effect; console.log('begins'); runSync(removeExport(process.argv[1]))"

  /** The files of the export that an input folder would have. */
  const visible = (mirror: string) =>
    readdirSync(mirror).filter((name) => !name.startsWith(".")).flatMap((name) => readdirSync(join(mirror, name)))

  it.live("leaves the whole export or none of it in the mirror, whenever the process dies", () =>
    withServer(hospital, {}, (server, mirror) =>
      Effect.gen(function*() {
        for (const delay of [0, 4, 8, 16]) {
          const folder = join(mirror, "001-20261101T000000Z")
          mkdirSync(folder, { recursive: true })
          for (let file = 0; file < files; file++) writeFileSync(join(folder, `Patient.${file}.ndjson`), "")
          yield* Effect.promise(() =>
            new Promise((resolve) => {
              const child = spawn(process.execPath, ["--input-type=module", "-e", program, folder])
              child.stdout.once("data", () => setTimeout(() => child.kill("SIGKILL"), delay))
              child.once("close", resolve)
            })
          )
          assert.include([0, files], visible(mirror).length)
        }
        // the next fetch ends what was begun
        mkdirSync(join(mirror, ".removed-002"))
        rmSync(join(mirror, "001-20261101T000000Z"), { recursive: true, force: true })
        yield* fetchFrom(server, mirror)
        assert.deepStrictEqual(readdirSync(mirror).filter((name) => name.startsWith(".removed")), [])
      })))
})

describe("An export in the place of an interrupted one", () => {
  const observations: ReadonlyArray<Resource> = [0, 1, 2].map((index) =>
    stored({
      resourceType: "Observation",
      id: `o${index}`,
      subject: patient(`p${index}`),
      performer: [{ reference: `Practitioner/d${index}` }]
    })
  )
  const doctors: ReadonlyArray<Resource> = [0, 1, 2].map((index) =>
    stored({
      resourceType: "Practitioner",
      id: `d${index}`,
      qualification: [{ issuer: { reference: "Organization/h" } }]
    })
  )
  const changed = (server: FhirServer, record: Resource): void => {
    later(server)
    const meta = { versionId: "2", lastUpdated: new Date(server.now).toISOString() }
    server.records.set(`${record.resourceType}/${record.id}`, { ...record, meta })
    later(server)
  }
  const failing = (path: string): ServerOptions => ({
    instead: ({ url }) => url.pathname.startsWith(path) ? { status: 503 } : undefined
  })

  it.live("searches from its beginning, at whichever server", () =>
    withServer(
      [...hospital, ...observations],
      failing("/fhir/Patient"),
      (other, mirror) =>
        withServer(hospital, {}, (server) =>
          Effect.gen(function*() {
            other.now += 9_000_000
            for (const record of observations) changed(other, record)
            yield* Effect.flip(fetchFrom(other, mirror, { mode: "search" }))
            for (const record of observations) server.records.set(`Observation/${record.id}`, record)
            const { folder, problems } = yield* fetchFrom(server, mirror, { mode: "search" })
            assert.deepStrictEqual(problems, [])
            assert.deepStrictEqual(idsIn(folder, "Observation"), ["o0", "o1", "o2"])
          }))
    ))

  it.live("searches for everything if it is a complete one", () =>
    withServer([...hospital, ...observations], {}, (server, mirror) =>
      Effect.gen(function*() {
        yield* fetchFrom(server, mirror, { mode: "search" })
        changed(server, stored({ resourceType: "Observation", id: "o3", subject: patient("p0") }))
        server.options = failing("/fhir/Patient")
        yield* Effect.flip(fetchFrom(server, mirror, { mode: "search" }))
        server.options = {}
        const { folder, problems, vanished } = yield* full(server, mirror, { mode: "search" })
        assert.deepStrictEqual([problems, vanished.size], [[], 0])
        assert.deepStrictEqual(idsIn(folder, "Observation"), ["o0", "o1", "o2", "o3"])
      })))

  it.live("looks up what only the interrupted one held, which was deleted", () =>
    withServer(
      [...hospital, ...doctors, stored({ resourceType: "Organization", id: "h" })],
      {},
      (server, mirror) =>
        Effect.gen(function*() {
          const patientsOnly = { level: "patient", types: ["Patient", "Encounter", "Observation"] } as const
          yield* fetchFrom(server, mirror, patientsOnly)
          for (const record of observations) changed(server, record)
          // The practitioners have been read, and the export has not ended.
          server.options = failing("/fhir/Organization")
          yield* Effect.flip(fetchFrom(server, mirror, patientsOnly))
          rmSync(at(readMirror(mirror), 1).folder, { recursive: true })
          server.options = {}
          const { folder } = yield* fetchFrom(server, mirror, patientsOnly)
          assert.deepStrictEqual(idsIn(folder, "Practitioner"), ["d0", "d1", "d2"])
        })
    ))

  it.live("of changes begins with the last one that had all its types", () =>
    withServer([...hospital, ...observations], {}, (server, mirror) =>
      Effect.gen(function*() {
        yield* fetchFrom(server, mirror)
        for (const record of observations) changed(server, record)
        yield* fetchFrom(server, mirror, { types: ["Patient", "Encounter"] })
        later(server)
        const { folder, since } = yield* fetchFrom(server, mirror)
        assert.isNotNull(since)
        assert.deepStrictEqual(idsIn(folder, "Observation"), ["o0", "o1", "o2"])
      })))
})
