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
