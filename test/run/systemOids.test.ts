import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { globSync, readFileSync } from "node:fs"
import { basename } from "node:path"
import { gunzipSync } from "node:zlib"
import { systemUrls } from "../../src/json/codeSystems.ts"
import { parseResource } from "../../src/run/records/recordText.ts"
import { generatedAtOnce } from "../generate/generatedCode.ts"
import { engineOf } from "../generate/wholeConversion.ts"
import { bothWays, neutral, temporaryFolder, written } from "./converted.ts"
import { bundle, encounter, lines, patient } from "./smallRecords.ts"

const oids = new Map(Array.from(systemUrls, ([oid, url]) => [url, oid]))

/** The text of a sample, with the OIDs of code systems. Every second one has the prefix. */
const withOids = (text: string): string => {
  let count = 0
  return text.replaceAll(/(?<="system": ?")[^"]*/gu, (url) => {
    const oid = oids.get(url)
    return oid === undefined ? url : `${count++ % 2 === 0 ? "urn:oid:" : ""}${oid}`
  })
}

const filesOf = (sample: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    globSync(`samples/${sample}/input/*.{json,ndjson,gz}`).map((file) => {
      const bytes = readFileSync(file)
      return [basename(file, ".gz"), (file.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8")]
    })
  )

const samples = ["clinic-day", "emergency-labs-imaging", "inpatient-surgery-referral", "outpatient-fever"]

describe("Records whose code systems are named by OIDs", () => {
  it.effect.each(samples)(
    "make the same visits, in memory and in partitions: samples/%s",
    (sample) =>
      Effect.gen(function*() {
        const files = filesOf(sample)
        const named = Object.fromEntries(Object.entries(files).map(([name, text]) => [name, withOids(text)]))
        assert.notDeepEqual(named, files)
        const theirs = yield* bothWays(files)
        const ours = yield* bothWays(named)
        assert.isAbove(theirs.visits.length, 0)
        const facts = ({ totals, visits }: typeof ours) => ({
          json: visits.map(({ json }) => json),
          problems: visits.map(({ problems }) => problems.map(({ code, title, visit }) => [code, title, visit])),
          unmapped: totals.unmapped,
          unused: [...totals.unused]
        })
        assert.deepStrictEqual(facts(ours), facts(theirs))
      })
  )

  it.effect("make the same visits with generated code", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const named = Object.entries(filesOf("clinic-day")).map(([name, text]) => [name, withOids(text)])
      const inputs = written(folder, Object.fromEntries(named))
      const definition = yield* engineOf("definition")(inputs, neutral)
      assert.isAbove(definition.visits.length, 0)
      assert.deepStrictEqual(yield* engineOf(generatedAtOnce().by)(inputs, neutral), definition)
    }).pipe(Effect.provide(NodeServices.layer)))

  it("are read again with the same names, however their text was scanned", () => {
    const named = (system: string) => ({ resourceType: "Condition", code: { coding: [{ system, code: "A90" }] } })
    const bytes = Buffer.from(JSON.stringify(named("urn:oid:2.16.840.1.113883.6.3")))
    for (const needsScan of [false, true]) {
      for (const isUsual of [false, true]) {
        assert.deepStrictEqual<unknown>(
          parseResource(bytes, 0, bytes.length, needsScan, isUsual),
          named("http://hl7.org/fhir/sid/icd-10")
        )
      }
    }
  })

  it.effect("are restricted by their labels", () =>
    Effect.gen(function*() {
      const meta = { security: [{ system: "urn:oid:2.16.840.1.113883.5.25", code: "R" }] }
      const { visits } = yield* bothWays({ "a.ndjson": lines(patient("a"), encounter("e1", "a", { meta })) })
      assert.deepStrictEqual(
        visits.map(({ problems }) => problems.filter(({ code }) => code === "restricted-record").length),
        [1]
      )
    }))

  it.effect("have unmapped codes with the URL, which a table of the facility can name either way", () =>
    Effect.gen(function*() {
      const maritalStatus = { coding: [{ system: "urn:oid:2.16.840.1.113883.5.2", code: "ZZ" }] }
      const files = { "a.json": bundle("collection", patient("a", { maritalStatus }), encounter("e1", "a")) }
      const { totals } = yield* bothWays(files)
      const url = "http://terminology.hl7.org/CodeSystem/v3-MaritalStatus"
      assert.deepStrictEqual(
        totals.unmapped.filter(({ table }) => table === "marital_status").map(({ code, system }) => [system, code]),
        [[url, "ZZ"]]
      )
    }))

  it.effect("stay as written in the cells of tables, in memory and in partitions", () =>
    Effect.gen(function*() {
      const mapping = `mapping: example
extends: csv
table: {visit: {column: {system: text}}}
visit: {admission_type: {path: system}}
`
      const tables = {
        "visit.csv":
          "code,patient_code,admitted_at,system\nV1,P1,2026-03-02T08:00:00+07:00,urn:oid:2.16.840.1.113883.6.3\n",
        "patient.csv": "code\nP1\n"
      }
      const { visits } = yield* bothWays(tables, {}, mapping)
      assert.deepStrictEqual(visits.map(({ json }) => JSON.parse(json).admission_type), [
        "urn:oid:2.16.840.1.113883.6.3"
      ])
    }))
})
