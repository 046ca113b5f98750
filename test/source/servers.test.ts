import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { at } from "../../src/at.ts"
import { RecordCollector } from "../../src/source/records/RecordIndex.ts"
import type { JoinRules } from "../../src/source/records/Servers.ts"
import { strictJoins } from "../../src/source/records/Servers.ts"
import type { Resource, SourceRecord } from "../../src/source/records/SourceRecord.ts"
import { present } from "../present.ts"
import { bothWays } from "../run/converted.ts"
import { encounter, lines, patient } from "../run/smallRecords.ts"
import { danglingCounts } from "./indexFiles.ts"

let lastLine = 0
const record = (resource: Resource, fullUrl?: string, bundle?: string): SourceRecord => ({
  origin: { file: "a.json", line: ++lastLine, reference: `${resource.resourceType}/${resource.id}` },
  resource,
  ...(fullUrl === undefined ? {} : { fullUrl }),
  ...(bundle === undefined ? {} : { bundle: { key: bundle, type: "collection" } })
})

const indexOf = (records: ReadonlyArray<SourceRecord>, joins: JoinRules = strictJoins) => {
  const collector = new RecordCollector(joins)
  for (const one of records) collector.add({ _tag: "Record", record: one })
  return collector.index()
}

const a = "https://hospital-a.example/fhir"
const b = "https://hospital-b.example/fhir"
const on = (base: string, id: string, more: object = {}) =>
  record({ resourceType: "Patient", id, birthDate: "1990-01-01", ...more }, `${base}/Patient/${id}`)
const pulse = (fullUrl?: string, bundle?: string) => record({ resourceType: "Observation", id: "o" }, fullUrl, bundle)

describe("A reference to a record", () => {
  const ours = on(a, "1", { identifier: [{ value: "77" }, { system: "urn:a", value: "88" }] })
  const bare = record({ resourceType: "Patient", id: "2", identifier: [{ value: "99" }] })
  const index = indexOf([ours, bare])
  const theirs = pulse(`${b}/Observation/o`)
  const own = pulse(`${a}/Observation/o`)

  it.each([
    ["absolute, to another server", { reference: `${b}/Patient/1` }, pulse()],
    ["absolute, of a version on another server", { reference: `${b}/Patient/1/_history/2` }, own],
    ["absolute, to a path below ours", { reference: `${a}/other/Patient/1` }, own],
    ["absolute, if the server of the record is unknown", { reference: `${b}/Patient/2` }, own],
    ["relative, from a record of another server", { reference: "Patient/1" }, theirs],
    ["conditional by id, on another server", { reference: `${b}/Patient?_id=1` }, own],
    [
      "conditional by an identifier without a system, on another server",
      { reference: `${b}/Patient?identifier=77` },
      own
    ],
    ["only an id, from a record of another server", { reference: "1" }, theirs],
    ["an identifier without a system, from a record of another server", { identifier: { value: "77" } }, theirs],
    ["an identifier without a system, if the record's has one", { identifier: { value: "88" } }, own],
    ["urn:uuid of an id that is no UUID", { reference: "urn:uuid:1" }, own],
    ["contained, of another record", { reference: "#1" }, own]
  ])("is dangling: %s", (_, reference, from) => {
    assert.isUndefined(index.resolve(reference, from))
    assert.isNotEmpty(danglingCounts(index))
  })

  it.each([
    ["absolute", { reference: `${a}/Patient/1` }, pulse()],
    [
      "absolute, over http, with the host in capitals",
      { reference: "http://HOSPITAL-A.example:80/fhir/Patient/1" },
      theirs
    ],
    ["relative, from its server", { reference: "Patient/1" }, own],
    ["relative, if the server of the reference is unknown", { reference: "Patient/1" }, pulse()],
    ["an identifier with a system, from another server", { identifier: { system: "urn:a", value: "88" } }, theirs]
  ])("resolves: %s", (_, reference, from) => {
    assert.strictEqual(index.resolve(reference, from), ours)
  })

  it("is unresolved if two servers have a record of the name, and its server is unknown", () => {
    const both = indexOf([on(a, "1"), on(b, "1", { birthDate: "1991-01-01" })])
    assert.isUndefined(both.resolve({ reference: "Patient/1" }, pulse()))
    assert.strictEqual(both.resolve({ reference: "Patient/1" }, own)?.fullUrl, `${a}/Patient/1`)
    assert.strictEqual(both.resolve({ reference: `${b}/Patient/1` }, own)?.fullUrl, `${b}/Patient/1`)
  })

  it("resolves across the addresses of one declared server, and to records without an address", () => {
    const joins: JoinRules = { ...strictJoins, sameServer: [a, `${b}/`] }
    const one = indexOf([ours, bare], joins)
    assert.strictEqual(one.resolve({ reference: `${b}/Patient/1` }, own), ours)
    assert.strictEqual(one.resolve({ reference: `${b}/Patient/2` }, theirs), bare)
    assert.isUndefined(one.resolve({ reference: "https://hospital-c.example/fhir/Patient/2" }, own))
  })
})

describe("Law: two servers with the same ids", () => {
  const ids = ["1", "2", "3", "4", "5"]
  const styles = (
    base: string,
    id: string
  ) => [`Patient/${id}`, `${base}/Patient/${id}`, `${base}/Patient/${id}/_history/7`]

  it("resolve no reference from one to the other, in any style and with any records", () => {
    for (let subset = 0; subset < 1 << ids.length; subset++) {
      const present = [
        ...ids.map((id) => on(a, id)),
        ...ids.filter((_, at) => (subset & (1 << at)) !== 0).map((id) => on(b, id, { gender: "female" }))
      ]
      const index = indexOf(present)
      for (const base of [a, b]) {
        for (const id of ids) {
          for (const reference of styles(base, id)) {
            const found = index.resolve({ reference }, pulse(`${base}/Observation/x`))
            const expected = present.find(({ fullUrl }) => fullUrl === `${base}/Patient/${id}`)
            assert.strictEqual(found, expected, `${subset} ${reference}`)
          }
        }
      }
    }
  })
})

describe("A visit of one server", () => {
  const bundleOf = (...entries: ReadonlyArray<readonly [base: string, resource: Resource]>): string =>
    JSON.stringify({
      resourceType: "Bundle",
      type: "collection",
      entry: entries.map(([base, resource]) => {
        const { id, resourceType } = resource
        return { fullUrl: `${base}/${resourceType}/${id}`, resource }
      })
    })

  it.effect("never has a patient of another server, in memory and on disk", () =>
    Effect.gen(function*() {
      for (const subject of ["Patient/1", `${b}/Patient/1`]) {
        const { visits } = yield* bothWays({
          "a.json": bundleOf([a, patient("1")], [b, encounter("e3", "1", { subject: { reference: subject } })])
        })
        assert.deepStrictEqual(visits.map(({ patientCode, ready }) => [patientCode, ready]), [[undefined, false]])
        assert.include(at(visits, 0).problems.map(({ code }) => code), "no-patient")
      }
    }))

  it.effect("has the patient of its own server if both have the id, and is no part of a visit of another server", () =>
    Effect.gen(function*() {
      const { visits } = yield* bothWays({
        "a.json": bundleOf([a, patient("1")], [a, encounter("e3", "1")]),
        "b.json": bundleOf(
          [b, patient("1", { identifier: [{ value: "other" }], birthDate: "1970-01-01" })],
          [b, encounter("e4", "1", { partOf: { reference: "Encounter/e3" } })]
        )
      })
      assert.deepStrictEqual(visits.map(({ source }) => source).toSorted(), ["Encounter/e3", "Encounter/e4"])
      for (const { json, source } of visits) {
        assert.include(json, source === "Encounter/e3" ? "1990-04-12" : "1970-01-01")
      }
    }))

  it.effect("reports the server of a missing patient", () =>
    Effect.gen(function*() {
      const { visits } = yield* bothWays({
        "a.ndjson": lines(patient("1"), encounter("e3", "1", { subject: { reference: `${b}/Patient/1` } }))
      })
      const problem = present(at(visits, 0).problems.find(({ code }) => code === "no-patient"))
      assert.include(problem.title, "another server")
      assert.include(present(problem.help).join(" "), "sameServer")
    }))
})

describe("Copies that differ, if the mapping uses the last one", () => {
  const rows = (gender: string, more: object = {}) => lines(patient("1", { gender, ...more }), encounter("e3", "1"))
  const last = "mapping: example\nextends: fhir-r4\ngrouping: {copies: last}\n"

  it.effect("are ordered by file name, then by line", () =>
    Effect.gen(function*() {
      const files = { "log-10.ndjson": rows("female"), "log-9.ndjson": rows("male") }
      const { visits } = yield* bothWays(files, {}, last)
      assert.include(at(visits, 0).json, `"sex":"F"`)
      const lower = yield* bothWays(
        { "log.ndjson": rows("female") + lines(patient("1", { gender: "male" })) },
        {},
        last
      )
      assert.include(at(lower.visits, 0).json, `"sex":"M"`)
    }))

  it.effect("are ordered by their times if all have one", () =>
    Effect.gen(function*() {
      const files = {
        "a.ndjson": rows("female", { meta: { lastUpdated: "2026-03-04T00:00:00Z" } }),
        "b.ndjson": rows("male", { meta: { lastUpdated: "2026-03-03T00:00:00Z" } })
      }
      const { visits } = yield* bothWays(files, {}, last)
      assert.include(at(visits, 0).json, `"sex":"F"`)
    }))
})
