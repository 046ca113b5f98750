import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { gzipSync } from "node:zlib"
import { InvalidInput } from "../../src/run/Conversion.ts"
import type { ConversionRequest } from "../../src/run/ConversionRequest.ts"
import { explainInputs } from "../../src/run/explainInputs.ts"
import { addressed, bothWays, converted, mappingFile, neutral, temporaryFolder, written } from "./converted.ts"
import { encounter, type Json, lines, patient } from "./smallRecords.ts"

const observation = (of: string, encounter: string): Json => ({
  resourceType: "Observation",
  id: `o-${encounter}`,
  status: "final",
  code: { coding: [{ system: "http://loinc.org", code: "8867-4" }] },
  valueQuantity: { value: 80, system: "http://unitsofmeasure.org", code: "/min" },
  effectiveDateTime: `2026-03-0${encounter.slice(1)}T08:10:00+07:00`,
  subject: { reference: `Patient/${of}` },
  encounter: { reference: `Encounter/${encounter}` }
})

/** Two patients; the first has two visits. */
const data = {
  "x/Patient.001.ndjson": lines(patient("a"), patient("b")),
  "x/Encounter.001.ndjson": lines(encounter("e1", "a"), encounter("e2", "a"), encounter("e3", "b")),
  "x/Observation.001.ndjson": lines(observation("a", "e1"), observation("a", "e2"), observation("b", "e3"))
}
const counts = { Patient: 2, Encounter: 3, Observation: 3 }

interface LogOptions {
  readonly id?: string
  readonly since?: string
  readonly types?: string
  readonly read?: string
  readonly started?: string
  readonly group?: string
  readonly counts?: Readonly<Record<string, number>>
}

const event = (id: string, eventId: string, eventDetail: Json, timestamp = "2026-04-01T10:00:01Z"): Json => ({
  exportId: id,
  timestamp,
  eventId,
  eventDetail
})

/** The events of an export as a downloader logs them. */
const events = (options: LogOptions = {}): ReadonlyArray<Json> => {
  const { group, id = "1", read = "2026-04-01T10:00:00Z", since, started, types } = options
  const files = Object.entries(options.counts ?? counts)
  const parameters = {
    ...(since === undefined ? {} : { _since: since }),
    ...(types === undefined ? {} : { _type: types })
  }
  const base = `https://emr.example/fhir${group === undefined ? "" : `/Group/${group}`}/$export`
  return [
    event(id, "kickoff", { exportUrl: base, requestParameters: parameters }, started),
    event(id, "status_complete", { transactionTime: read }),
    event(id, "manifest_complete", { transactionTime: read, totalOutputFileCount: files.length }),
    ...files.flatMap(([type, count]) => {
      const fileUrl = `https://emr.example/bulk/7f/${type}?page=1`
      return [
        event(id, "download_request", { fileUrl, itemType: "output", resourceType: type }),
        event(id, "download_complete", { fileUrl, resourceCount: count, fileSize: 1000 })
      ]
    }),
    event(id, "export_complete", { files: files.length })
  ]
}

const log = (options: LogOptions = {}): string => lines(...events(options))
const without = (name: string, options: LogOptions = {}): string =>
  lines(...events(options).filter(({ eventId }) => eventId !== name))

const manifest = (more: Json = {}, files: Readonly<Record<string, number | undefined>> = counts): string =>
  JSON.stringify({
    transactionTime: "2026-04-01T10:00:00Z",
    request: "https://emr.example/fhir/$export",
    requiresAccessToken: true,
    output: Object.entries(files).map(([type, count]) => ({
      type,
      url: `https://emr.example/${type}.001.ndjson`,
      count
    })),
    error: [],
    ...more
  })

const outcome = (diagnostics: string, severity = "error"): string =>
  lines({ resourceType: "OperationOutcome", issue: [{ severity, code: "exception", diagnostics }] })

/** The ready visits, and the problems of exports. */
const made = (
  files: Readonly<Record<string, string | Uint8Array>>,
  validation: ConversionRequest["validation"] = {}
) =>
  Effect.map(bothWays(files, validation), ({ totals, unreadable, visits }) => ({
    ready: visits.filter(({ ready }) => ready).map(({ source }) => source.slice("Encounter/".length)).join(" "),
    reported: totals.problems.filter(({ code }) => code === "incomplete-export").map(({ facts = [], title }) =>
      [title, ...facts.map((fact) => fact.join(": "))].join("; ")
    ),
    strange: unreadable + totals.problems.filter(({ code }) => code === "not-a-resource").length,
    held: visits.filter(({ problems }) => problems.some(({ code }) => code === "incomplete-visit")).length
  }))

const all = { ready: "e1 e2 e3", reported: [], strange: 0, held: 0 }
const none = { ready: "", strange: 0, held: 3 }

describe("Evidence of an export", () => {
  it.effect("is never a record, and holds no visit of a complete export, wherever its log or manifest is", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* made(data), all)
      for (const name of ["x/log.ndjson", "log.ndjson", "y/anything.json", "x/Observation.log.ndjson"]) {
        assert.deepStrictEqual(yield* made({ ...data, [name]: log() }), all, name)
      }
      assert.deepStrictEqual(yield* made({ ...data, "x/log.ndjson.gz": gzipSync(log()) }), all)
      assert.deepStrictEqual(yield* made({ ...data, "x/manifest.json": manifest() }), all)
      assert.deepStrictEqual(
        yield* made({ "all.ndjson": `${log()}${Object.values(data).join("")}${manifest()}\n` }),
        all
      )
    }))

  it.effect("holds no visit of an incomplete export if a later complete one asked for as much", () =>
    Effect.gen(function*() {
      const exported = (folder: string): Readonly<Record<string, string>> =>
        Object.fromEntries(Object.entries(data).map(([name, text]) => [`${folder}/${name.slice(2)}`, text]))
      const first = {
        ...exported("001"),
        "001/log.ndjson": without("export_complete", { started: "2026-04-01T09:00:00Z" }),
        "001/error/OperationOutcome.001.ndjson": outcome("Patient/a failed")
      }
      const later = (options: LogOptions) => ({
        ...first,
        ...exported("002"),
        "002/log.ndjson": log({ id: "2", started: "2026-04-02T09:00:00Z", ...options })
      })
      assert.strictEqual((yield* made(first)).held, 3)
      assert.deepStrictEqual(yield* made(later({})), all)
      for (
        const options of [
          { group: "7" },
          { types: "Patient,Encounter" },
          { since: "2026-04-01T00:00:00Z" },
          { started: "2026-03-31T09:00:00Z" }
        ]
      ) assert.strictEqual((yield* made(later(options))).held, 3, JSON.stringify(options))
      const again = { ...later({}), "002/error/OperationOutcome.001.ndjson": outcome("Patient/a failed") }
      assert.isAbove((yield* made(again)).held, 0)
    }))

  it.effect("counts equal copies of two exports separately from unused records", () =>
    Effect.gen(function*() {
      const beside = (...folders: ReadonlyArray<string>) =>
        bothWays(
          Object.fromEntries(
            folders.flatMap((folder) =>
              Object.entries(data).map(([name, text]) => [`${folder}/${name.slice(2)}`, text])
            )
          ),
          {}
        )
      const sum = (counts: ReadonlyMap<string, number>): number =>
        counts.values().reduce((all, count) => all + count, 0)
      const { totals: once } = yield* beside("001")
      const { totals: twice } = yield* beside("001", "002")
      assert.strictEqual(sum(once.copies), 0)
      assert.strictEqual(sum(twice.copies), once.usedRecords + sum(once.unused))
      assert.strictEqual(sum(twice.unused) - sum(twice.copies), sum(once.unused))
    }))

  it.effect("holds every visit if a log has no end", () =>
    Effect.gen(function*() {
      const reported = ["the log of the export has no `export_complete`: the download did not finish"]
      assert.deepStrictEqual(yield* made({ ...data, "x/log.ndjson": without("export_complete") }), {
        ...none,
        reported
      })
      assert.deepStrictEqual(
        yield* made({ "all.ndjson": Object.values(data).join("") + without("export_complete") }),
        { ...none, reported }
      )
      const warned = yield* made({ ...data, "x/log.ndjson": without("export_complete") }, {
        levels: new Map([["incomplete-visit", "warning"]])
      })
      assert.deepStrictEqual(warned, { ...all, reported, held: 3 })
    }))

  it.effect("lets a later complete attempt replace a failed one, but not an earlier one", () =>
    Effect.gen(function*() {
      const failed = (started: string) => without("export_complete", { id: "0", started })
      const file = (started: string) => ({ ...data, "x/log.ndjson": failed(started) + log() })
      assert.deepStrictEqual(yield* made(file("2026-03-31T09:00:00Z")), all)
      assert.strictEqual((yield* made(file("2026-04-02T09:00:00Z"))).ready, "")
    }))

  it.effect("holds the visits if a file was not downloaded and the mapping uses its type", () =>
    Effect.gen(function*() {
      const failing = (type: string, tries: ReadonlyArray<string>) => {
        const fileUrl = "https://emr.example/bulk/7f/2"
        return log() + lines(
          event("1", "download_request", { fileUrl, itemType: "output", resourceType: type }),
          ...tries.map((name) => event("1", name, { fileUrl, resourceCount: 0, code: 500, message: "no" }))
        )
      }
      const reported = (type: string) => [`files of the export were not downloaded; ${type}: 1 file`]
      for (const tries of [[], ["download_error"]]) {
        assert.deepStrictEqual(yield* made({ ...data, "x/log.ndjson": failing("Observation", tries) }), {
          ...none,
          reported: reported("Observation")
        })
      }
      assert.deepStrictEqual(yield* made({ ...data, "x/log.ndjson": failing("Slot", ["download_error"]) }), {
        ...all,
        reported: reported("Slot")
      })
      // Some logs do not record the request of a file.
      const error = lines(
        event("1", "download_error", { fileUrl: "https://emr.example/bulk/7f/Observation", code: 500 })
      )
      assert.deepStrictEqual(yield* made({ ...data, "x/log.ndjson": log() + error }), {
        ...none,
        reported: reported("Observation")
      })
      const retried = failing("Observation", ["download_error", "download_complete"])
      assert.deepStrictEqual(yield* made({ ...data, "x/log.ndjson": retried }), all)
      const short = failing("Observation", ["download_complete", "download_error"])
      assert.strictEqual((yield* made({ ...data, "x/log.ndjson": short })).ready, "")
    }))

  it.effect("holds the visits if records of a used type are fewer than the log or the manifest counts", () =>
    Effect.gen(function*() {
      for (const [name, text] of [["log.ndjson", log()], ["manifest.json", manifest()]] as const) {
        const cut = data["x/Observation.001.ndjson"].split("\n").slice(1).join("\n")
        assert.deepStrictEqual(yield* made({ ...data, [`x/${name}`]: text, "x/Observation.001.ndjson": cut }), {
          ...none,
          reported: ["the input has fewer records than the export; Observation: 2 of 3 records"]
        }, name)
        const { "x/Observation.001.ndjson": _, ...rest } = data
        const found = yield* made({ ...rest, [`x/${name}`]: text })
        assert.deepStrictEqual(found.reported, [
          "the input has fewer records than the export; Observation: 0 of 3 records"
        ])
        assert.strictEqual(found.ready, "", name)
      }
      // Records of another export do not replace missing ones.
      const two = {
        ...data,
        "x/manifest.json": manifest({}, { ...counts, Observation: 4 }),
        "y/Observation.001.ndjson": data["x/Observation.001.ndjson"],
        "y/manifest.json": manifest({}, { Observation: 3 })
      }
      assert.deepStrictEqual((yield* made(two)).reported, [
        "the input has fewer records than the export; Observation: 3 of 4 records"
      ])
    }))

  it.effect("holds the visits if a file of a manifest without counts is missing", () =>
    Effect.gen(function*() {
      const unknown = { Patient: undefined, Encounter: undefined, Observation: undefined }
      assert.deepStrictEqual(yield* made({ ...data, "x/manifest.json": manifest({}, unknown) }), all)
      const { "x/Observation.001.ndjson": observations, ...rest } = data
      assert.deepStrictEqual((yield* made({ ...rest, "x/manifest.json": manifest({}, unknown) })).reported, [
        "the input has fewer records than the export; Observation: 0 of 1 file"
      ])
      const renamed = { ...rest, "x/renamed.ndjson": observations, "x/manifest.json": manifest({}, unknown) }
      assert.deepStrictEqual(yield* made(renamed), all)
    }))

  it.effect("holds every visit if a list of a manifest is invalid", () =>
    Effect.gen(function*() {
      for (const output of [5, {}, [5], [{ type: "Patient" }]]) {
        assert.deepStrictEqual(yield* made({ ...data, "x/manifest.json": manifest({ output }) }), {
          ...none,
          reported: ["the manifest of the export has a list of files that cannot be read"]
        })
      }
    }))

  it.effect("holds the affected visits if a response has an error instead of a record", () =>
    Effect.gen(function*() {
      const batch = (response: Json, more: Json = {}): string =>
        JSON.stringify({ resourceType: "Bundle", type: "batch-response", entry: [{ response, ...more }] })
      const issue = [{ severity: "error", code: "exception", diagnostics: "/Observation?patient=a" }]
      for (
        const [text, ready] of [
          [batch({ status: "200 OK" }), "e1 e2 e3"],
          [batch({ status: "404 Not Found" }), ""],
          [batch({ status: "500", outcome: { resourceType: "OperationOutcome" } }), ""],
          [batch({ status: "404" }, { request: { method: "GET", url: "Observation/9" } }), ""],
          [batch({ status: "404" }, { request: { method: "GET", url: "Slot/9" } }), "e1 e2 e3"],
          [batch({ status: "500", outcome: { resourceType: "OperationOutcome", issue } }), "e3"]
        ] as const
      ) assert.strictEqual((yield* made({ ...data, "x/batch.json": text })).ready, ready, text)
    }))

  it.effect("holds every visit if a next page is missing", () =>
    Effect.gen(function*() {
      const next = { link: [{ relation: "next", url: "https://emr.example/manifest/2" }] }
      assert.deepStrictEqual(yield* made({ ...data, "x/manifest.json": manifest(next) }), {
        ...none,
        reported: ["the manifest of the export names a next page, which is not in the input"]
      })
      const pages = { "x/1.json": manifest(next), "x/2.json": manifest({}, {}) }
      assert.deepStrictEqual(yield* made({ ...data, ...pages }), all)
    }))

  it.effect("holds every visit if files of errors or deletions are missing", () =>
    Effect.gen(function*() {
      for (const list of ["error", "deleted"]) {
        const text = manifest({ [list]: [{ type: "OperationOutcome", url: `https://emr.example/${list}/1.ndjson` }] })
        assert.strictEqual((yield* made({ ...data, "x/manifest.json": text })).ready, "", list)
        const there = { ...data, "x/manifest.json": text, [`x/${list}/1.ndjson`]: outcome("a note", "information") }
        assert.deepStrictEqual(yield* made(there), all)
      }
    }))

  it.effect("holds the visits of the patients that a server error names, otherwise those of its type", () =>
    Effect.gen(function*() {
      const held = (text: string, name = "x/error/OperationOutcome.000.ndjson") =>
        Effect.map(made({ ...data, [name]: text }), ({ ready, reported }) => [ready, ...reported])
      const reported = "the server reported errors during the export; errors: 1"
      const failed = "An error occurred when connecting to /Observation?patient=a: [500]"
      assert.deepStrictEqual(yield* held(outcome(failed)), ["e3", reported])
      // The mapping does not use the type.
      assert.deepStrictEqual(yield* held(outcome("/Slot?patient=a failed")), ["e1 e2 e3", reported])
      assert.deepStrictEqual(yield* held(outcome("Failed to export Slot/17")), ["e1 e2 e3", reported])
      // Its patient is unknown.
      const strange = `${reported}; patients: 1 not in the input`
      assert.deepStrictEqual(yield* held(outcome("/Observation?patient=z failed")), ["", strange])
      assert.deepStrictEqual(yield* held(outcome("Internal server error"), "any.json"), ["", reported])
      assert.deepStrictEqual(yield* held(outcome("Slow: /Observation?patient=a", "warning")), ["e1 e2 e3"])
    }))

  it.effect("counts the records of large files, which are read in chunks", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const [mapping, ...inputs] = written(folder, {
        "mapping.yaml": addressed,
        ...data,
        "x/log.ndjson": log({ counts: { ...counts, Observation: 4 } }),
        "x/OperationOutcome.ndjson": outcome("Slot?patient=a")
      })
      const { totals } = yield* converted(inputs, {
        mapping,
        memoryLimits: { maxInMemoryBytes: 0, chunkBytes: 300, partitionBytes: 1, workers: 0, helps: false }
      })
      const facts = totals.problems.filter(({ code }) => code === "incomplete-export").map(({ facts }) => facts)
      assert.deepStrictEqual(facts, [[["Observation", "3 of 4 records"]], [["errors", "1"]]])
    }))

  it.effect("holds the same visits for an OperationOutcome among records", () =>
    Effect.gen(function*() {
      const mixed = Object.values(data).join("") + outcome("/Observation?patient=a failed")
      assert.strictEqual((yield* made({ "all.ndjson": mixed })).ready, "e3")
      assert.strictEqual((yield* made({ "all.ndjson.gz": gzipSync(mixed) })).ready, "e3")
    }))
})

/** Converts the given folders; returns the number of visits, or the problems. */
const tried = (
  files: Readonly<Record<string, string>>,
  options: Pick<Partial<ConversionRequest>, "withoutBase" | "sameServer"> = {}
) =>
  Effect.gen(function*() {
    const folder = yield* temporaryFolder
    const inputs = written(folder, files)
    return yield* converted(inputs, { mapping: mappingFile(addressed), ...options }).pipe(
      Effect.map(({ visits }) => visits.length),
      Effect.catchTag("InvalidInput", ({ problems }) =>
        Effect.succeed(problems.map(({ facts: [fact] = [] }) => fact?.[1])))
    )
  })

describe("Exports of two servers", () => {
  /** The same patient and encounter ids at two servers, each with the log of its export. */
  const both = (url: string) => ({
    ...data,
    "x/log.ndjson": log(),
    "other/Observation.001.ndjson": lines(observation("z", "e1")),
    "other/manifest.json": manifest({ request: url }, { Observation: 1 })
  })
  const other = "https://emr.example/laboratory"

  it.effect("are not converted together, because an id is unique only on its server", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* tried(both(`${other}/$export`)), [other])
      assert.deepStrictEqual(yield* tried(both(`${other}/Group/1/$export?_type=Patient`)), [other])
    }))

  it.effect("are not read together for one visit either, in the same way", () =>
    Effect.gen(function*() {
      const inputs = written(yield* temporaryFolder, both(`${other}/$export`))
      const explained = explainInputs({ ...neutral, inputs, mapping: mappingFile(addressed) }, "Encounter/e1")
      const error = yield* Effect.flip(explained)
      assert.deepStrictEqual(
        error instanceof InvalidInput ? error.problems.map(({ code }) => code) : error,
        ["several-servers"]
      )
    }).pipe(Effect.provide(NodeServices.layer), Effect.scoped))

  it.effect("are converted if their addresses mean one server, as written or as the facility declares", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* tried(both("http://EMR.example/fhir/Patient/$export?_type=Observation")), 3)
      const sameServer = ["https://emr.example/fhir", other]
      assert.strictEqual(yield* tried(both(`${other}/$export`), { sameServer }), 3)
    }))
})

describe("An export of changes", () => {
  const since = "2026-04-01T10:00:00Z"
  const delta = { "y/Observation.001.ndjson": lines(observation("b", "e3")) }
  const changes = (options: LogOptions = {}) => ({
    ...delta,
    "y/log.ndjson": log({ id: "2", since, read: "2026-05-01T10:00:00Z", counts: { Observation: 1 }, ...options })
  })
  const base = (options: LogOptions = {}) => ({ ...data, "x/log.ndjson": log(options) })

  it.effect("is not converted without the export before it", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* tried({ ...data, ...changes() }), [since])
      assert.deepStrictEqual(yield* tried(changes()), [since])
      assert.strictEqual(yield* tried({ ...data, ...changes() }, { withoutBase: true }), 3)
      const requested = (url: string) => ({
        ...delta,
        "y/manifest.json": manifest({ request: url }, { Observation: 1 })
      })
      const expected = "https://emr.example/fhir/$export"
      assert.deepStrictEqual(
        yield* tried({ ...data, ...requested(`${expected}?_type=Observation&_since=2026-04-01`) }),
        [
          "2026-04-01"
        ]
      )
      const filter = encodeURIComponent("Observation?_lastUpdated=gt2026-04-01")
      assert.deepStrictEqual(yield* tried({ ...data, ...requested(`${expected}?_typeFilter=${filter}`) }), [
        "2026-04-01"
      ])
    }))

  it.effect("is converted with a base that was read at that time or later, of the same types, group and server", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* tried({ ...base(), ...changes() }), 3)
      assert.strictEqual(yield* tried({ ...base({ read: "2026-04-01T09:59:59.500Z" }), ...changes() }), 3)
      assert.deepStrictEqual(yield* tried({ ...base({ read: "2026-03-31T10:00:00Z" }), ...changes() }), [since])
      assert.deepStrictEqual(yield* tried({ ...base({ types: "Patient,Encounter" }), ...changes() }), [since])
      assert.strictEqual(yield* tried({ ...base({ types: "Patient,Encounter,Observation" }), ...changes() }), 3)
      assert.deepStrictEqual(yield* tried({ ...base({ group: "1" }), ...changes() }), [since])
      assert.deepStrictEqual(yield* tried({ ...base({ group: "1" }), ...changes({ group: "2" }) }), [since])
      assert.strictEqual(yield* tried({ ...base({ group: "1" }), ...changes({ group: "1" }) }), 3)
      assert.strictEqual(yield* tried({ ...base(), ...changes({ group: "1" }) }), 3)
    }))

  it.effect("can be the base of a later one, and a gap between them is reported", () =>
    Effect.gen(function*() {
      const later = (since: string) => ({
        "z/Observation.001.ndjson": lines(observation("a", "e1")),
        "z/log.ndjson": log({ id: "3", since, read: "2026-06-01T10:00:00Z", counts: { Observation: 1 } })
      })
      const next = "2026-05-01T10:00:00Z"
      assert.strictEqual(yield* tried({ ...base(), ...changes(), ...later(next) }), 3)
      assert.deepStrictEqual(yield* tried({ ...base(), ...later(next) }), [next])
      assert.deepStrictEqual(yield* tried({ ...changes(), ...later(next) }), [since, next])
    }))
})
