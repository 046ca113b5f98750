import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { MemoryLimits } from "../../src/run/ConversionRequest.ts"
import { present } from "../present.ts"
import { converted } from "../run/converted.ts"
import { typed } from "./sandboxUser.ts"

const facilityFolder = (value = "Farmer"): string => {
  const folder = mkdtempSync(join(tmpdir(), "assumptions-"))
  writeFileSync(join(folder, "facility.yaml"), "facility: HF0001\nsystem: SYS\ntimezone: UTC\nmapping: mapping.yaml\n")
  writeMapping(folder, value)
  return folder
}

const writeMapping = (folder: string, value: string): void =>
  writeFileSync(
    join(folder, "mapping.yaml"),
    `mapping: a
extends: fhir-r4
assumption:
  everybody-is-a-farmer: {means: Every patient is a farmer., instead: "Send no occupation:  occupation: null"}
visit: {patient: {occupation: {value: ${value}, assume: everybody-is-a-farmer}}}
`
  )

const input = "samples/clinic-day/input"

describe("assumptions", () => {
  it.live(
    "accepts filled-in assumptions, counts them, and reports none until the line changes",
    () =>
      Effect.gen(function*() {
        const folder = facilityFolder()
        const csv = join(folder, "sheet.csv")
        const report = join(folder, "report.json")
        const counted = () => {
          const { assumptions } = JSON.parse(readFileSync(report, "utf8"))
          return assumptions.filter(({ name }: { readonly name: string }) => name === "everybody-is-a-farmer")
        }
        const convert = typed(["convert", input, "--facility", folder, "--report", report])
        assert.match((yield* convert).stderr, /5 visits +everybody-is-a-farmer +mapping\.yaml:5/u)
        assert.deepInclude(counted()[0], { visits: 5, accepted: false })

        yield* typed(["assumptions", input, "--facility", folder, "-o", csv])
        const sheet = readFileSync(csv, "utf8")
        const row = present(sheet.split("\r\n").find((line) => line.includes("everybody-is-a-farmer")))
        writeFileSync(csv, sheet.replace(row, `${row}"agreed, with the director, 2026-11-20"`))
        yield* typed(["assumptions", "--facility", folder, "--accept", csv])
        const accepted = readFileSync(join(folder, "assumptions.yaml"), "utf8")
        assert.include(accepted, "why: agreed, with the director, 2026-11-20")

        assert.notInclude((yield* convert).stderr, "everybody-is-a-farmer")
        assert.deepInclude(counted()[0], { visits: 5, accepted: true })
        writeMapping(folder, "Fisher")
        assert.include((yield* convert).stderr, "everybody-is-a-farmer")
        assert.deepInclude(counted()[0], { visits: 5, accepted: false })
      })
  )

  it.live(
    "shows the decision and one source location in the list, the page, and the sheet, but no value",
    () =>
      Effect.gen(function*() {
        const folder = facilityFolder()
        const { stdout } = yield* typed(["assumptions", input, "--facility", folder])
        assert.match(stdout, /5 visits +everybody-is-a-farmer\n +means +Every patient is a farmer/u)
        assert.match(stdout, /for example +patient\.occupation +Patient\//u)
        const page = join(folder, "page.html")
        yield* typed(["assumptions", input, "--facility", folder, "-o", page])
        assert.include(readFileSync(page, "utf8"), "Send no occupation")
      })
  )

  it.live(
    "shows the facility's own line of an assumption that a shipped mapping makes too, and the line of the example next to it",
    () =>
      Effect.gen(function*() {
        const folder = facilityFolder()
        writeFileSync(
          join(folder, "mapping.yaml"),
          `mapping: a
extends: fhir-r4
visit: {patient: {occupation: {value: Farmer, assume: code-is-sent-as-it-is}}}
`
        )
        const { stderr } = yield* typed(["convert", input, "--facility", folder, "-o", join(folder, "visits.ndjson")])
        assert.match(stderr, /5 visits +code-is-sent-as-it-is +mapping\.yaml:3/u)
        const { stdout } = yield* typed(["assumptions", input, "--facility", folder])
        assert.match(
          stdout,
          /code-is-sent-as-it-is\n(?: .*\n)*? +line +fhir-r4\/concept-maps\.yaml:\d+\n +for example +patient\.nationality/u
        )
      })
  )

  it.live("rejects a sheet with an unknown assumption, and changes nothing", () =>
    Effect.gen(function*() {
      const folder = facilityFolder()
      const csv = join(folder, "sheet.csv")
      writeFileSync(csv, "name,accept\nno-such-name,agreed\n")
      const { code, stderr } = yield* typed(["assumptions", "--facility", folder, "--accept", csv])
      assert.strictEqual(code, 2)
      assert.include(stderr, "no-such-name")
      writeFileSync(csv, "name\taccept\nno-such-name\tagreed\n")
      const tabs = yield* typed(["assumptions", "--facility", folder, "--accept", csv])
      assert.include(tabs.stderr, "no such assumption: no-such-name")
      writeFileSync(csv, "name,accept\nno-such-name\n")
      const short = yield* typed(["assumptions", "--facility", folder, "--accept", csv])
      assert.include(short.stderr, "is not a CSV file with the columns")
      writeFileSync(csv, "name,accept\neverybody-is-a-farmer,\n")
      const unfilled = yield* typed(["assumptions", "--facility", folder, "--accept", csv])
      assert.include(unfilled.stderr, "nothing was written")
      writeFileSync(csv, "")
      assert.strictEqual((yield* typed(["assumptions", "--facility", folder, "--accept", csv])).code, 2)
      const page = yield* typed(["assumptions", input, "--facility", folder, "-o", join(folder, "page.pdf")])
      assert.strictEqual(page.code, 2)
      assert.include(page.stderr, ".html, .csv, .json or .txt")
    }))

  it.live("accepts nothing if a person answered no, in the sheet or in assumptions.yaml", () =>
    Effect.gen(function*() {
      const folder = facilityFolder()
      const csv = join(folder, "sheet.csv")
      for (const row of ["everybody-is-a-farmer,,,no", "§2.5 `spid`,validation: mayBeNull,[patient.spid],no"]) {
        writeFileSync(csv, `name,setting,value,accept\n${row}\n`)
        const { code, stderr } = yield* typed(["assumptions", "--facility", folder, "--accept", csv])
        assert.strictEqual(code, 2)
        assert.include(stderr, `accepts nothing: ${row.split(",")[0]}`)
        assert.isFalse(existsSync(join(folder, "assumptions.yaml")))
      }
      writeFileSync(join(folder, "assumptions.yaml"), "accept: {everybody-is-a-farmer: \"no, see the export\"}\n")
      const checked = yield* typed(["mapping", "check", "--facility", folder])
      assert.strictEqual(checked.code, 2)
      assert.include(checked.stdout + checked.stderr, "`everybody-is-a-farmer` is listed as accepted")
    }))

  it.live("turns the operator's questionnaire into settings, and quotes the answers", () =>
    Effect.gen(function*() {
      const folder = facilityFolder()
      const facility = join(folder, "facility.yaml")
      const csv = join(folder, "questions.csv")
      yield* typed(["assumptions", input, "--facility", folder, "--operator", "-o", csv])
      const written = readFileSync(csv, "utf8")
      const lines = written.trim().split("\n")
      const visits = lines.slice(1).map((line) => Number(line.split(",")[0]))
      assert.deepStrictEqual(visits, visits.toSorted((a, b) => b - a))
      assert.strictEqual(visits[0], 5)
      assert.include(visits, 0)
      assert.notInclude(written, "everybody-is-a-farmer")
      const header = "name,setting,value,accept\n"
      const fill = (...rows: ReadonlyArray<string>) => {
        writeFileSync(csv, header + rows.join("\n"))
        return typed(["assumptions", "--facility", folder, "--accept", csv])
      }
      const before = readFileSync(facility, "utf8")
      const spid = "§2.5 `spid`"
      for (
        const [row, says] of [
          [`${spid},validation: mayBeNull,[patient.spyd],yes`, "patient.spyd"],
          [`${spid},,[patient.spid],yes`, "validation: mayBeNull"],
          [`${spid},validation: mayBeNull,[patient.spid,yes`, "is not YAML"],
          [`${spid},service: baseUrl,https://other.example,yes`, "validation: mayBeNull"],
          [`${spid},validation: mayBeNull,[patient.spid],`, "nothing under `accept`"],
          [`${spid},,,yes\n${spid},,,no`, "several filled rows"]
        ] as const
      ) {
        const { code, stderr } = yield* fill(row)
        assert.strictEqual(code, 2)
        assert.include(stderr, says)
        assert.strictEqual(readFileSync(facility, "utf8"), before)
      }
      const answer = fill(
        `${spid},validation: mayBeNull,[patient.spid],"it may be missing, A. Example"`,
        "§2 lengths,,,none"
      )
      const { stderr } = yield* answer
      assert.match(stderr, /2 answers of the operator written to .*facility\.yaml/u)
      const after = readFileSync(facility, "utf8")
      assert.include(after, "  # §2.5 `spid`: \"it may be missing, A. Example\"\n  mayBeNull:\n    - patient.spid\n")
      assert.include(after, "# §2 lengths: \"none\"")
      yield* answer
      assert.strictEqual(readFileSync(facility, "utf8"), after)
    }))

  it.live("explain shows the assumption of a value, and whether it is accepted", () =>
    Effect.gen(function*() {
      const folder = facilityFolder()
      const explain = typed(["explain", "V420401.patient.occupation", input, "--facility", folder])
      const { stdout } = yield* explain
      assert.match(stdout, /assumes +everybody-is-a-farmer: Every patient is a farmer\.\n +not accepted/u)
      writeFileSync(join(folder, "assumptions.yaml"), "accept:\n  everybody-is-a-farmer: agreed with the director\n")
      assert.match((yield* explain).stdout, /assumes +everybody-is-a-farmer: .*\n +accepted: agreed with the director/u)
    }))

  it.live("the cases of a facility use its acceptances", () =>
    Effect.gen(function*() {
      const folder = facilityFolder()
      const records = [
        { resourceType: "Patient", id: "p1" },
        { resourceType: "Encounter", id: "e1", status: "finished", subject: { reference: "Patient/p1" } }
      ]
      const page = join(folder, "page.md")
      writeFileSync(
        page,
        `# A page\n\n## one\n\n\`\`\`json source\n${JSON.stringify(records)}\n\`\`\`\n\n\`\`\`text problems\n\`\`\`\n`
      )
      const tested = typed(["mapping", "test", page, "--facility", folder])
      assert.include((yield* tested).stderr, "assumption patient.occupation")
      writeFileSync(join(folder, "assumptions.yaml"), "accept:\n  everybody-is-a-farmer: agreed\n")
      assert.notInclude((yield* tested).stderr, "assumption patient.occupation")
    }))

  it.live("the mistakes of a page of cases are messages, and its cases are documents", () =>
    Effect.gen(function*() {
      const folder = facilityFolder()
      const page = join(folder, "page.md")
      writeFileSync(
        page,
        "# A page\n\n## one\n\n```json sources\n[]\n```\n\n```json source\n[{\"resourceType\": \"Patient\", \"id\": \"1\"}]\n```\n\n```text problems\nunmapped-code sex\n```\n"
      )
      const tested = (format: string) =>
        typed(["mapping", "test", page, "--facility", folder, "--format", format, "--show-values"])
      const { code, stdout } = yield* tested("json")
      assert.strictEqual(code, 2)
      const [mistake, one, ...others] = stdout.trimEnd().split("\n").map((line) => JSON.parse(line))
      assert.deepStrictEqual(others, [])
      const { column, file, level, line, message, text } = mistake
      assert.deepStrictEqual(Object.keys(mistake).slice(0, 5), ["time", "level", "code", "message", "text"])
      assert.deepStrictEqual({ column, file, level, line, message }, {
        column: 1,
        file: page,
        level: "error",
        line: 5,
        message: "unknown block `json sources`"
      })
      assert.isNotEmpty(one.differences)
      assert.deepStrictEqual({ ...one, differences: [] }, {
        file: page,
        line: 3,
        case: "one",
        ok: false,
        differences: [],
        problems: []
      })
      assert.strictEqual((yield* tested("line")).stdout.split("\n")[0], text)
    }))

  it.live("counts the same in memory, on disk, and in workers", () =>
    Effect.gen(function*() {
      const mapping = join(facilityFolder(), "mapping.yaml")
      const assumed = (memoryLimits: Partial<MemoryLimits>) =>
        Effect.map(
          converted([input], { mapping, memoryLimits }),
          ({ visits }) => visits.map((visit) => [visit.code, visit.assumed])
        )
      const whole = yield* assumed({ maxInMemoryBytes: Infinity, workers: 0 })
      assert.strictEqual(whole.length, 5)
      for (const [, names] of whole) assert.include(names, "everybody-is-a-farmer")
      const onDisk = { maxInMemoryBytes: 0, partitionBytes: 1_000, chunkBytes: 200, helps: false }
      for (const workers of [0, 2]) assert.deepStrictEqual(yield* assumed({ ...onDisk, workers }), whole)
    }))
})
