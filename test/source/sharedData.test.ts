import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema, Stream } from "effect"
import { readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { jsonObjectOf } from "../../src/json/JsonObject.ts"
import { findInputs } from "../../src/source/read/findInputs.ts"
import { readInputs } from "../../src/source/read/readInput.ts"
import { contentOf } from "../../src/source/records/compareRecords.ts"
import { RecordCollector } from "../../src/source/records/RecordIndex.ts"
import type { RecordIndex } from "../../src/source/records/RecordIndex.ts"
import { present } from "../present.ts"
import { readJson } from "../readJson.ts"
import { hasShared, sharedData } from "../sharedData.ts"
import { sortedByKind } from "./readText.ts"

const read = (...names: ReadonlyArray<string>) =>
  findInputs(names.map((name) => join(sharedData, name))).pipe(
    Effect.flatMap(({ inputs }) => readInputs(inputs).pipe(Stream.runCollect)),
    Effect.map(sortedByKind)
  )
const index = (...names: ReadonlyArray<string>) =>
  read(...names).pipe(Effect.map(({ items }) => {
    const collector = new RecordCollector()
    for (const item of items) collector.add(item)
    return collector.index()
  }))

/** How many Reference elements with a `reference` there are, and how many lead to a record. */
const followAll = (of: RecordIndex): { readonly followed: number; readonly references: number } => {
  let references = 0
  let followed = 0
  for (const type of of.types) {
    for (const record of of.all(type)) {
      const walk = (value: unknown): void => {
        if (typeof value !== "object" || value === null) return
        if ("reference" in value && typeof value.reference === "string") {
          references++
          if (of.resolve(value, record) !== undefined) followed++
        }
        Object.values(value).forEach(walk)
      }
      walk(record.resource)
    }
  }
  return { references, followed }
}

describe.skipIf(!hasShared())("sample records of other systems", () => {
  const stated = (set: string) =>
    readJson(
      Schema.Struct({ resources: Schema.Finite, types: Schema.Record(Schema.String, Schema.Finite) }),
      readFileSync(join(sharedData, set, "STATS.json"), "utf8")
    )

  for (
    const set of [
      "synthea-bundles",
      "synthea-bundles-odd-file-names",
      "bulk-synthea-60",
      "bulk-synthea-1patient-uscore",
      "bulk-cumulus-mini",
      "bulk-10-patients-incomplete",
      "hl7-r4-spec-examples",
      "hl7v2-converted-ms",
      "india-nrces-abdm-6.5.0",
      "srilanka-hims"
    ]
  ) {
    it.effect(`reads every resource of ${set} without an error`, () =>
      Effect.gen(function*() {
        const { problems, records } = yield* read(set)
        const errors = problems.filter(({ severity }) => severity === "error")
        // The transaction of the specification deletes by a search, which names no record.
        assert.deepStrictEqual(
          errors.map(({ origin, title }) => `${basename(present(origin).file)}: ${title.split(":")[0]}`),
          set === "hl7-r4-spec-examples"
            ? ["Bundle-bundle-transaction.json: a deletion refers to no single record"]
            : []
        )
        const types: Record<string, number> = {}
        for (const { resource } of records) types[resource.resourceType] = (types[resource.resourceType] ?? 0) + 1
        assert.deepStrictEqual(types, stated(set).types)
        assert.strictEqual(records.length, stated(set).resources)
      }))
  }

  it.effect("resolves the references", () =>
    Effect.gen(function*() {
      for (
        const [set, expected] of [
          ["synthea-bundles", 16_442],
          ["bulk-synthea-60", 49_061],
          ["india-nrces-abdm-6.5.0", 378],
          // Conditional references among them.
          ["bulk-synthea-1patient-uscore", 5149],
          ["bulk-10-patients-incomplete", 20_439]
        ] as const
      ) {
        const of = yield* index(set)
        assert.deepStrictEqual(followAll(of), { references: expected, followed: expected }, set)
        assert.strictEqual(of.unresolvedNames().size, 0)
      }
      const hims = followAll(yield* index("srilanka-hims"))
      assert.strictEqual(hims.followed, hims.references)
    }))

  it.effect("reports each fault of damaged files, and reads the rest", () =>
    Effect.gen(function*() {
      const { problems, records } = yield* read("nasty-json")
      // One of the 203 resources has no type, and two are patches.
      assert.strictEqual(records.length, 200)
      assert.lengthOf(problems.filter(({ title }) => title.startsWith("an entry changes a record by a patch")), 2)
      const refused = problems.filter(({ code }) => code === "unreadable-input" || code === "unreadable-record")
      assert.deepStrictEqual(
        refused.map(({ label, origin, title }) =>
          `${origin?.file.split("/").at(-1)} ${label} ${title.replace(/^.*: /, "")}`
        ),
        [
          "Import-InvalidPatient.ndjson column 1: a value is expected: a text in double quotes, a number, `{`, `[`, true, false or null " +
          "a line is not JSON",
          "bad-json-close-1.json line 15, column 11 `]` closes the `{` of line 11",
          "bad-json-close-2.json line 15, column 11 unexpected comment",
          "group-choice-empty.json line 8, column 7 a comma or `}` is missing",
          "json-comma-bad-1.json line 7, column 7 a comma or `}` is missing",
          "json-comments-1.json line 1, column 1 unexpected comment",
          "json-no-quotes-1.json line 2, column 3 a name in double quotes is expected",
          "observation-with-trailing-dot.json line 22, column 21 a number has a point and no digit after it"
        ]
      )
    }))

  it.effect("reads the same records from other formats", () =>
    Effect.gen(function*() {
      const contentsOf = (file: string) =>
        index(join("nasty-derived", file)).pipe(
          Effect.map((of) => of.types.flatMap((type) => of.all(type).map(({ resource }) => contentOf(resource))))
        )
      const base = yield* contentsOf("json/00-base.json")
      assert.isAbove(base.length, 40)
      for (const file of ["01-bom-utf8", "02-crlf", "03-utf16le-bom", "06-reversed-order"]) {
        assert.deepStrictEqual(yield* contentsOf(`json/${file}.json`), base, file)
      }
      const lines = yield* contentsOf("ndjson/00-all-types-in-one.ndjson")
      for (
        const file of [
          "01-bom-crlf-blank-lines.ndjson",
          "02-no-final-newline.ndjson",
          "06-multi-member.ndjson.gz",
          "07-observation-before-encounter.ndjson"
        ]
      ) {
        assert.deepStrictEqual(yield* contentsOf(`ndjson/${file}`), lines, file)
      }
      assert.isNotEmpty(yield* contentsOf("ndjson/04-bundle-per-line.ndjson"))
      assert.isNotEmpty(yield* contentsOf("ndjson/05-pretty-printed.ndjson"))
      assert.isNotEmpty(yield* contentsOf("json/18-two-documents.json"))
    }))

  it.effect("reports one problem for each fault that was made on purpose", () =>
    Effect.gen(function*() {
      const faultsOf = (name: string) =>
        read(join("nasty-derived", name)).pipe(
          Effect.map(({ problems }) => problems.map(({ code, origin }) => `${code} ${origin?.line}`))
        )
      assert.deepStrictEqual(yield* faultsOf("json/04-latin1.json"), ["unreadable-input 51"])
      assert.deepStrictEqual(yield* faultsOf("json/05-truncated.json"), ["unreadable-input 1924"])
      assert.deepStrictEqual(yield* faultsOf("json/19-empty.json"), ["unreadable-input 1"])
      assert.deepStrictEqual(yield* faultsOf("json/20-empty-bundle.json"), [])
      assert.deepStrictEqual(yield* faultsOf("ndjson/03-bad-lines.ndjson"), [
        "unreadable-record 4",
        "unreadable-record 8",
        "not-a-resource 10",
        "not-a-resource 12",
        "not-a-resource 14"
      ])
      const csv = yield* read("nasty-derived/csv", "csv-synthea-27")
      assert.strictEqual(csv.problems.filter(({ title }) => title.includes("CSV needs tables")).length, 10 + 18)
    }))

  it.effect("uses the newer version of a patient", () =>
    Effect.gen(function*() {
      const of = yield* index("nasty-derived/json/10-duplicate-patient-newer-version.json")
      const [patient, ...others] = of.all("Patient")
      assert.deepStrictEqual(others, [])
      assert.strictEqual(jsonObjectOf(patient?.resource.meta).versionId, "2")
      assert.strictEqual(of.obsolete.superseded, 1)
    }))
})
