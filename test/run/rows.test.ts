import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import type { Level } from "../../src/diagnostic/levels.ts"
import type { ProblemCode } from "../../src/diagnostic/Problem.ts"
import type { ConversionRequest } from "../../src/run/ConversionRequest.ts"
import { present } from "../present.ts"
import { bothWays } from "./converted.ts"

const folder = "samples/district-tables"
const tables = Object.fromEntries(
  readdirSync(`${folder}/input`).map((name) => [name, readFileSync(`${folder}/input/${name}`, "utf8")])
)
const mapping = readFileSync(`${folder}/mapping.yaml`, "utf8")

/** Converts the sample with a changed table, in memory and from disk, and returns a visit. */
const visitWith = (file: string, change: (text: string) => string, validation: ConversionRequest["validation"] = {}) =>
  Effect.gen(function*() {
    const before = present(tables[file])
    const after = change(before)
    assert.notStrictEqual(after, before)
    const { folder, visits } = yield* bothWays({ ...tables, [file]: after }, validation, mapping)
    const { json, problems } = present(visits.find(({ source }) => source === "visit/690302-02"))
    const reported = problems.filter(({ code }) => code === "invalid-cell" || code === "duplicate-record")
    return {
      visit: JSON.parse(json),
      facts: reported.map(({ facts }) => facts),
      told: reported.map(
        ({ code, origin, severity, times, title }) =>
          `${severity} ${code} ${origin?.file.slice(folder.length + 1)}:${origin?.line} ${times} ${title}`
      )
    }
  })

const levels = (code: ProblemCode, level: Level) => ({ levels: new Map([[code, level]]) })

describe("A visit of CSV tables", () => {
  const unfit = (text: string) => text.replace(",152,94,", ",high,94,").replace(",146,90,", ",high,90,")
  const stated = "screening.csv:3 2 a cell of `screening.sbp` does not fit its column: it is read as empty"

  it.effect("lists its cells that do not fit their columns, and is sent without them", () =>
    Effect.gen(function*() {
      const { told, visit } = yield* visitWith("screening.csv", unfit)
      assert.deepStrictEqual(told, [`warning invalid-cell ${stated}`])
      assert.notInclude(JSON.stringify(visit.vital_signs), "Systolic")
    }))

  it.effect("lists them by the name of the column, also if no cell of the file fits it", () =>
    Effect.gen(function*() {
      const { facts } = yield* visitWith("screening.csv", (text) => text.replaceAll(/,\d{3},(?=\d\d,)/gu, ",high,"))
      assert.deepStrictEqual(facts, [[["column", "sbp (6)"]]])
    }))

  it.effect("is not sent with such a cell if the facility makes it an error", () =>
    Effect.gen(function*() {
      const { told } = yield* visitWith("screening.csv", unfit, levels("invalid-cell", "error"))
      assert.deepStrictEqual(told, [`error invalid-cell ${stated}`])
    }))

  it.effect("reports two equal rows without a key, and sends both", () =>
    Effect.gen(function*() {
      const twice = (text: string) => text.replace(/^690302-02,.*,152,.*\n/mu, "$&$&")
      const equal =
        "screening.csv:4 1 a row of `screening` has the same values as another row of the visit, and both are sent"
      assert.include((yield* visitWith("screening.csv", twice)).told, `warning duplicate-record ${equal}`)
      const held = yield* visitWith("screening.csv", twice, levels("duplicate-record", "error"))
      assert.deepStrictEqual(held.told, [`error duplicate-record ${equal}`])
      const silent = yield* visitWith("screening.csv", twice, levels("duplicate-record", "off"))
      assert.deepStrictEqual(silent.told, [])
    }))
})

describe("A row whose cell with the visit is empty", () => {
  const about = "an empty cell does not mean the value of the row above: the export must have the visit in each row"
  /** Converts the sample with a row without its link, and returns what is reported of the rows of the table that belong to no visit. */
  const reported = (table: string, change: (text: string) => string) =>
    Effect.map(
      bothWays({ ...tables, [`${table}s.csv`]: change(present(tables[`${table}s.csv`])) }, {}, mapping),
      ({ totals }) =>
        totals.rejectedRecords.filter(({ source }) => source === table).flatMap(({ problems }) =>
          problems.filter(({ code }) => code === "no-encounter").map(({ help = [] }) => help.includes(about))
        )
    )

  it.effect("is rejected, although the row above has it, and the message says so", () =>
    Effect.gen(function*() {
      const withoutLink = (text: string) => text.replace(/^B-31(?=;2;)/mu, "")
      assert.deepStrictEqual(yield* reported("bill_line", withoutLink), [true])
      assert.deepStrictEqual(yield* reported("bill_line", (text) => text), [])
    }).pipe(Effect.scoped))
})

describe("A row without a key that two files have", () => {
  const { "screening.csv": screening = "", ...others } = tables
  const [header, ...rows] = screening.trim().split("\n")
  const file = (part: ReadonlyArray<string>) => [header, ...part, ""].join("\n")
  /** Converts the sample with the rows in two files, the second of which begins with rows of the first. */
  const inTwoFiles = (overlap: number) =>
    bothWays(
      { ...others, "screening_1.csv": file(rows.slice(0, 4)), "screening_2.csv": file(rows.slice(4 - overlap)) },
      {},
      mapping.replace("file: screening.csv", "file: screening_*.csv")
    )
  const told = ({ totals }: Effect.Success<ReturnType<typeof inTwoFiles>>) =>
    totals.problems.filter(({ code }) => code === "duplicate-record").map(({ severity, times, title }) =>
      `${severity} ${times} ${title}`
    )

  it.effect("counts once, and is reported: it can be one charge of two exports, or two charges", () =>
    Effect.gen(function*() {
      const separate = yield* inTwoFiles(0)
      assert.deepStrictEqual(told(separate), [])
      const overlapping = yield* inTwoFiles(2)
      assert.deepStrictEqual(told(overlapping), [
        "warning 2 rows of `screening` have the same values as rows of another file: each counts once"
      ])
      const jsons = ({ visits }: typeof separate) => visits.map(({ json }) => json)
      assert.deepStrictEqual(jsons(overlapping), jsons(separate))
    }))
})

it.effect("FHIR records without an id in two files count once, and are reported", () =>
  Effect.gen(function*() {
    const line = (more: object) => `${JSON.stringify(more)}\n`
    const encounter = {
      resourceType: "Encounter",
      id: "e",
      status: "finished",
      class: { code: "AMB" },
      subject: { reference: "Patient/p" }
    }
    const nameless = {
      resourceType: "Condition",
      encounter: { reference: "Encounter/e" },
      subject: { reference: "Patient/p" },
      code: { text: "Example finding" }
    }
    const { totals } = yield* bothWays({
      "a.ndjson": line({ resourceType: "Patient", id: "p" }) + line(encounter) + line(nameless),
      "b.ndjson": line(nameless)
    })
    assert.deepStrictEqual(totals.problems.map(({ code, times, title }) => `${code} ${times} ${title}`), [
      "duplicate-record 1 Condition records without an id have the same content as those of another file or Bundle: each counts once"
    ])
  }))
