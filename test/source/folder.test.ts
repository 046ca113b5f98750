import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { brotliCompressSync, gzipSync } from "node:zlib"
import { findInputs } from "../../src/source/read/findInputs.ts"
import { readInputs } from "../../src/source/read/readInput.ts"
import { places, sortedByKind } from "./readText.ts"
import { tempFolders } from "./tempFolder.ts"

const tempFolder = tempFolders()
const patient = (id: string) => JSON.stringify({ resourceType: "Patient", id })

/** Reads a folder with these files; names in the answer are without the folder. */
const readFolder = (files: Readonly<Record<string, string | Uint8Array>>, named: ReadonlyArray<string> = []) => {
  const root = tempFolder()
  for (const [name, content] of Object.entries(files)) writeFileSync(join(root, name), content)
  const args = named.length === 0 ? [root] : named.map((name) => join(root, name))
  return findInputs(args).pipe(
    Effect.flatMap(({ inputs }) => Stream.runCollect(readInputs(inputs))),
    Effect.map(sortedByKind),
    Effect.map((read) => ({
      records: places(read),
      problems: read.problems.map(({ code, origin, severity }) =>
        `${severity} ${code} ${origin?.file.slice(root.length + 1)}:${origin?.line}`
      )
    }))
  )
}

const beside = {
  "NOTES.md": "# About this data\n\nWritten by hand, for people.\n",
  "counts.json": "{\"resources\": 2}",
  "log.ndjson": "{\"event\":\"start\"}\n{\"event\":\"end\"}\n",
  "logo.png": Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a]),
  "none.ndjson": ""
}

describe("readInput of the files of a folder", () => {
  it.effect("warns about notes, statistics, a log, a picture, and an empty file", () =>
    Effect.gen(function*() {
      const read = yield* readFolder({ ...beside, "Patient.ndjson": `${patient("a")}\n${patient("b")}\n` })
      assert.deepStrictEqual(read.records, ["Patient/a :1", "Patient/b :2"])
      assert.deepStrictEqual(read.problems, [
        "warning not-a-resource NOTES.md:1",
        "warning not-a-resource counts.json:1",
        "warning not-a-resource log.ndjson:1",
        "warning not-a-resource log.ndjson:2",
        "warning not-a-resource logo.png:1",
        "warning unreadable-input none.ndjson:1"
      ])
    }))

  it.effect("rejects a file that is called .csv and has cells that form no table", () =>
    Effect.gen(function*() {
      const ragged = "visit,test,note\nV-1,a,b,c,d\nV-2,a,b,c,d\n"
      const read = yield* readFolder({ "Patient.ndjson": `${patient("a")}\n`, "lab.csv": ragged, "lab.log": ragged })
      assert.deepStrictEqual(read.problems, [
        "error unreadable-input lab.csv:1",
        "warning not-a-resource lab.log:1"
      ])
    }))

  it.effect("treats a file with only line feeds as empty, however long it is", () =>
    Effect.gen(function*() {
      for (const content of ["\n", " \r\n\t", "\n".repeat(300_000), gzipSync("\n".repeat(300_000))]) {
        const read = yield* readFolder({ "Patient.ndjson": `${patient("a")}\n`, "none.ndjson": content })
        assert.deepStrictEqual(read.problems, ["warning unreadable-input none.ndjson:1"])
      }
      const read = yield* readFolder({ "empty.json": JSON.stringify({ resourceType: "Bundle", type: "searchset" }) })
      assert.deepStrictEqual(read.problems, [])
    }))

  it.effect("reports an error for resources within other JSON", () =>
    Effect.gen(function*() {
      for (const wrapper of ["{\"data\": {\"list\": [X]}}", "{\"hits\": [{\"_source\": X}]}"]) {
        const read = yield* readFolder({
          "Patient.ndjson": `${patient("a")}\n`,
          "other.json": wrapper.replace("X", patient("b"))
        })
        assert.deepStrictEqual(read.problems, ["error not-a-resource other.json:1"])
      }
    }))

  it.effect("reports an error for a file that has the name of JSON and another content, compressed or not", () =>
    Effect.gen(function*() {
      for (const name of ["b.ndjson", "b.json", "b.jsonl.gz", "b.ndjson.br"]) {
        for (
          const content of [
            "Service unavailable\n",
            "null\n",
            `\u001e${patient("b")}\n`,
            brotliCompressSync(patient("b"))
          ]
        ) {
          const read = yield* readFolder({ "Patient.ndjson": `${patient("a")}\n`, [name]: content })
          assert.deepStrictEqual(read.problems, [`error unreadable-input ${name}:1`])
        }
      }
    }))

  it.effect("rejects a type of R4 in another case or with spaces", () =>
    Effect.gen(function*() {
      for (const type of ["patient", "PATIENT", "Patient ", "\u200bPatient", "allergy-intolerance"]) {
        const read = yield* readFolder({
          "a.ndjson": `${patient("a")}\n${JSON.stringify({ resourceType: type, id: "b" })}\n`
        })
        assert.deepStrictEqual(read, { records: ["Patient/a :1"], problems: ["error not-a-resource a.ndjson:2"] }, type)
      }
    }))

  it.effect("reports an error if a file has other content than its name announces, but not if it is empty", () =>
    Effect.gen(function*() {
      for (
        const content of [
          "Service unavailable\n",
          "{\"error\":\"unavailable\"}\n",
          "{\"error\":\"unavailable\"}\n{\"error\":\"again\"}\n",
          "<html>Sign in</html>",
          `${JSON.stringify({ resourceType: "OperationOutcome", issue: [] })}\n`,
          Buffer.from([0xc3, 0x28, 0xf1, 0x11, 0x0a, 0x99])
        ]
      ) {
        for (const name of ["Observation.000.ndjson", "export-observation-3.json", "Observation.ndjson.gz"]) {
          const stored = name.endsWith(".gz") ? gzipSync(content) : content
          const { problems } = yield* readFolder({ "Patient.ndjson": patient("a"), [name]: stored })
          assert.deepStrictEqual(problems, [`error unreadable-input ${name}:1`], String(content))
        }
      }
      assert.deepStrictEqual((yield* readFolder({ "Observation.ndjson": "" })).problems, [
        "warning unreadable-input Observation.ndjson:1"
      ])
      const empty = JSON.stringify({ resourceType: "Bundle", type: "searchset", total: 0 })
      assert.deepStrictEqual((yield* readFolder({ "Observation.json": empty })).problems, [])
    }))

  it.effect("reports what is not a resource among resources as lost, in any order", () =>
    Effect.gen(function*() {
      const lines = ["{\"id\":\"x\"}", patient("a"), patient("b")]
      for (const [first, second, third] of [[0, 1, 2], [1, 0, 2], [1, 2, 0]] as const) {
        const { problems, records } = yield* readFolder({
          "all.ndjson": [first, second, third].map((at) => lines[at]).join("\n")
        })
        assert.strictEqual(records.length, 2)
        assert.deepStrictEqual(problems, [`error not-a-resource all.ndjson:${[first, second, third].indexOf(0) + 1}`])
      }
    }))

  it.effect("reports an error for each of them if the user named it", () =>
    Effect.gen(function*() {
      const read = yield* readFolder(beside, Object.keys(beside))
      assert.deepStrictEqual(
        read.problems.map((problem) => problem.split(" ")[0]),
        Array.from({ length: 6 }, () => "error")
      )
    }))

  it.effect("reports an error for anything unreadable that can hold records", () =>
    Effect.gen(function*() {
      const read = yield* readFolder({
        "a.xml": "<Patient xmlns=\"http://hl7.org/fhir\"/>",
        "b.csv": "id,name\n1,Ann\n",
        "c.xlsx": "PK\u0003\u0004 xl/workbook.xml",
        "d.json": "{\"resourceType\":\"Patient\"",
        "e.ndjson.gz": gzipSync(patient("e")).subarray(0, -4),
        "f.ndjson": `${patient("f")}\n{"lost":true}\n`
      })
      assert.deepStrictEqual(read.records, ["Patient/f :1"])
      assert.deepStrictEqual(read.problems, [
        "error unreadable-input a.xml:1",
        "error unreadable-input b.csv:1",
        "error unreadable-input c.xlsx:1",
        "error unreadable-input d.json:1",
        "error unreadable-input e.ndjson.gz:1",
        "error not-a-resource f.ndjson:2"
      ])
    }))

  it.effect("detects the format by content, not by name", () =>
    Effect.gen(function*() {
      const read = yield* readFolder({
        "a.csv": patient("a"),
        "b.json": gzipSync(`${patient("b")}\n${patient("c")}\n`),
        "d": JSON.stringify(
          { resourceType: "Bundle", entry: [{ resource: { resourceType: "Patient", id: "d" } }] },
          null,
          1
        )
      })
      assert.deepStrictEqual(read.records, ["Patient/a :1", "Patient/b :1", "Patient/c :2", "Patient/d :4"])
      assert.deepStrictEqual(read.problems, [])
    }))
})
