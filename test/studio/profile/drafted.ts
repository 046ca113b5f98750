import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { parse } from "yaml"
import type { Profile } from "../../../src/studio/profile/Profile.ts"
import { type } from "../../cli/cli.ts"
import { temporaryFolder, written } from "../../run/converted.ts"

export { type }

type Files = Readonly<Record<string, string | Uint8Array>>

interface Options {
  /** The exit code of `init`. */
  readonly code?: number
  readonly timezone?: string
  /** `line` reports all kinds of problems of the conversion. */
  readonly format?: "line"
}

/**
 * What `init` drafts for an extract, and the visits that its unchanged draft sends. The draft passes `mapping check` and `mapping test`.
 * `changed`: files that differ in a later extract, which is converted with the same draft and the code tables `tables`.
 */
export const drafted = (
  files: Files,
  changed: Files = {},
  tables: Files = {},
  { code = 0, format, timezone = "Asia/Bangkok" }: Options = {}
) =>
  Effect.gen(function*() {
    const folder = yield* temporaryFolder
    const input = join(folder, "in")
    const facility = join(folder, "hospital")
    written(input, files)
    const init = yield* type("init", facility, "--from", input, "--timezone", timezone)
    assert.strictEqual(init.code, code, init.stderr)
    assert.notInclude(init.stderr, "a proposed line is invalid")
    const check = yield* type("mapping", "check", "--strict", "--facility", facility)
    assert.strictEqual(check.code, 0, check.stdout + check.stderr)
    const test = yield* type("mapping", "test", "--facility", facility)
    assert.strictEqual(test.code, 0, test.stdout)
    const converted = (extract: string) =>
      Effect.gen(function*() {
        const out = join(folder, "visits.ndjson")
        const { stderr } = yield* type(
          "convert",
          extract,
          "--facility",
          facility,
          "-o",
          out,
          "--format",
          format ?? "human"
        )
        const lines = readFileSync(out, "utf8").trim()
        return { problems: stderr, visits: lines === "" ? [] : lines.split("\n").map((line) => JSON.parse(line)) }
      })
    /** Converts a later extract. */
    const again = (changed: Files) => {
      written(input, { ...files, ...changed })
      return converted(input)
    }
    const first = yield* converted(input)
    if (Object.keys(tables).length > 0) written(join(facility, "tables"), tables)
    return {
      words: init.stderr,
      questions: `${init.stdout}${init.stderr}`,
      mapping: readFileSync(join(facility, "mapping.yaml"), "utf8"),
      ...first,
      later: Object.keys(changed).length === 0 ? first : yield* again(changed),
      again
    }
  })

/** The draft as a text and as data, what `init` reports, and the visits of the extract, or of a later one. */
export const initialized = (files: Files, { later = {}, ...options }: Options & { readonly later?: Files } = {}) =>
  drafted(files, later, {}, options).pipe(Effect.map(({ later: { problems, visits }, mapping, words }) => ({
    words,
    text: mapping,
    mapping: parse(mapping),
    told: problems,
    visits
  })))

/** What `profile` finds in files. */
export const profiled = (files: Files, ...flags: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const folder = yield* temporaryFolder
    written(folder, files)
    const { stdout } = yield* type("profile", folder, "--format", "json", ...flags)
    const profile: Profile = JSON.parse(stdout)
    return profile
  })

export const two = (value: number): string => String(value).padStart(2, "0")

/** The numbers from 1 to a count. */
export const upTo = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, at) => at + 1)

/** A line of a file for each number from 0. */
export const rows = (count: number, row: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => `${row(at)}\n`).join("")

/** The same under a header. */
export const rowsUnder = (header: string, count: number, row: (at: number) => string): string =>
  `${header}\n${rows(count, row)}`

/** The text of a file with one line for each number from 1 to a count. */
export const table = (header: string, count: number, line: (at: number) => string): string =>
  `${header}\n${upTo(count).map((at) => `${line(at)}\n`).join("")}`

/** A visit and its patient on each of the first days of March; tests add columns of visits. */
export const days = (
  count: number,
  { header = "", more = () => "" }: { readonly header?: string; readonly more?: (at: number) => string } = {}
): Readonly<Record<"visits.csv" | "patients.csv", string>> => ({
  "visits.csv": table(
    `visit_no,patient_no,admitted,discharged,type${header}`,
    count,
    (at) => `V-${at},P-${at},2026-03-${two(at)} 08:15,2026-03-${two(at)} 09:15,OPD${more(at)}`
  ),
  "patients.csv": table("patient_no,surname,birth_date,sex", count, (at) => `P-${at},Example,1990-04-12,F`)
})
