import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Pipeline } from "../../../src/cli/PipelineApi.ts"
import { cli } from "../../cli/cli.ts"
import { runCommand } from "../../cli/TestScreen.ts"
import { temporaryFolder, written } from "../../run/converted.ts"

const type = (...words: ReadonlyArray<string>) => Effect.provide(runCommand(cli, words), Pipeline.layer)

const two = (value: number): string => String(value).padStart(2, "0")

/** What `init` drafts for visits whose beginning is written by `writes`, and the beginnings that are sent by the draft. */
const begun = (writes: (day: number) => string, { count = 24, header = "admitted" } = {}) =>
  Effect.gen(function*() {
    const folder = yield* temporaryFolder
    const input = join(folder, "in")
    const facility = join(folder, "hospital")
    mkdirSync(input)
    const days = Array.from({ length: count }, (_, at) => at + 1)
    const each = (line: (day: number) => string): string => days.map((day) => `${line(day)}\n`).join("")
    written(input, {
      "visits.csv": `visit_no,patient_no,${header},type\n${each((day) => `V-${day},P-${day},${writes(day)},OPD`)}`,
      "patients.csv": `patient_no,surname,birth_date,sex\n${each((day) => `P-${day},Example,1990-04-12,F`)}`
    })
    const init = yield* type("init", facility, "--from", input, "--timezone", "Asia/Bangkok")
    const check = yield* type("mapping", "check", "--strict", "--facility", facility)
    assert.strictEqual(check.code, 0, check.stdout + check.stderr)
    const test = yield* type("mapping", "test", "--facility", facility)
    assert.strictEqual(test.code, 0, test.stdout)
    const out = join(folder, "visits.ndjson")
    const { stderr } = yield* type("convert", input, "--facility", facility, "-o", out)
    const lines = readFileSync(out, "utf8").trim()
    return {
      questions: init.stderr,
      problems: stderr,
      mapping: readFileSync(join(facility, "mapping.yaml"), "utf8"),
      sent: lines === "" ? [] : lines.split("\n").map((line): string => {
        const { admitted_at: at, code } = JSON.parse(line)
        return `${code} ${at.slice(0, 16)}`
      })
    }
  })

/** Each day of March at a quarter past eight. */
const expected = (count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, at) => `V-${at + 1} 2026-03-${two(at + 1)}T08:15`)

describe("Dates of one column in several formats", () => {
  it.effect("are each read by their own format", () =>
    Effect.gen(function*() {
      const { mapping, sent } = yield* begun((day) =>
        [
          `2026-03-${two(day)} 08:15`,
          `${two(day)}/03/2026 08:15`,
          `${day} Mar 2026 08:15`,
          `2026-03-${two(day)}T08:15:00`,
          `2026-3-${day} 8:15`,
          `${two(day)}-MAR-26 08:15`,
          `"Mar ${day}, 2026 8:15 AM"`
        ][day % 7] ?? ""
      )
      assert.deepStrictEqual(sent, expected(24))
      assert.include(mapping, "\"YYYY-MM-DD HH:mm\"")
      assert.include(mapping, "years have two digits")
    }))

  it.effect("are each read with the time of day in another column", () =>
    Effect.gen(function*() {
      const { sent } = yield* begun(
        (day) => `${[`2026-03-${two(day)}`, `${two(day)}/03/2026`, `${day} Mar 2026`][day % 3]},08:15`,
        { header: "visit_date,visit_time" }
      )
      assert.deepStrictEqual(sent, expected(24))
    }))

  it.effect("are read with the day first in one and the month first in another, to be verified", () =>
    Effect.gen(function*() {
      const { mapping, sent } = yield* begun((day) =>
        `${day % 2 ? `${two(day)}/03/2026` : `03-${two(day)}-2026`} 08:15`
      )
      assert.deepStrictEqual(sent, expected(24))
      assert.include(mapping, "dates of one format have the day first, those of another the month: verify it")
    }))
})

describe("Dates of which some have the day first and some the month", () => {
  it.effect("are not read before people say which", () =>
    Effect.gen(function*() {
      const { problems, questions, sent } = yield* begun((day) =>
        `${day % 2 ? `${two(day)}/03` : `03/${two(day)}`}/2026 08:15`
      )
      assert.deepStrictEqual(sent, [])
      assert.match(questions, /QUESTION do the dates of `admitted` in visits\.csv begin with the day or the month\?/u)
      assert.match(problems, /wrong-format|invalid-cell/u)
    }))

  it.effect("are read without those of another format", () =>
    Effect.gen(function*() {
      const { sent } = yield* begun((day) =>
        day < 13 ? `2026-03-${two(day)} 08:15` : `${day % 2 ? `${two(day)}/03` : `03/${two(day)}`}/2026 08:15`
      )
      assert.deepStrictEqual(sent, expected(12))
    }))

  it.effect("are read if only one has the other order, without that one", () =>
    Effect.gen(function*() {
      const { mapping, problems, sent } = yield* begun(
        (day) => `${day === 13 ? "03/13" : `${two(day)}/03`}/2026 08:15`,
        { count: 31 }
      )
      assert.deepStrictEqual(sent, expected(31).filter((one) => !one.startsWith("V-13 ")))
      assert.include(mapping, "one date has day and month in the other order: it is not read: verify it")
      assert.include(problems, "invalid-cell")
    }))
})

describe("Dates of which some have Buddhist years", () => {
  it.effect("are not read in one format, which cannot have two calendars", () =>
    Effect.gen(function*() {
      const { questions, sent } = yield* begun((day) => `${two(day)}/03/${day % 2 ? 2026 : 2569} 08:15`)
      assert.deepStrictEqual(sent, [])
      assert.match(questions, /QUESTION in which calendar are the dates of `admitted` in visits\.csv\?/u)
    }))

  it.effect("are read in the calendar of most of them", () =>
    Effect.gen(function*() {
      const { questions, sent } = yield* begun((day) =>
        day < 17 ? `${two(day)}/03/2569 08:15` : `2026-03-${two(day)} 08:15`
      )
      assert.deepStrictEqual(sent, expected(16))
      assert.match(questions, /Some years are Buddhist, some are not: those of one calendar are read/u)
    }))
})
