import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parse } from "yaml"
import { lineDiff } from "../../src/cli/commands/mapping/fix.ts"
import { encodeList, listFile, standardDataFolder } from "../../src/facility/lists/StandardData.ts"
import { readFacility } from "../../src/facility/readFacility.ts"
import { writeFix } from "../../src/mapping/writeFix.ts"
import { standardData } from "../../src/service/sandbox/data/standardData.ts"
import { present } from "../present.ts"
import { temporaryFolder } from "../run/converted.ts"
import { type } from "./cli.ts"

const mapping = `# Ours.
mapping: ours
extends: fhir-r4
visit:
  patient:
    phone: null # not sent
`

/** A facility with a mapping of its own, and records that lack what its lines would say. */
const clinic = Effect.gen(function*() {
  const folder = yield* temporaryFolder
  cpSync("docs/first-hour/export", join(folder, "in"), { recursive: true })
  writeFileSync(join(folder, "mapping.yaml"), mapping)
  writeFileSync(
    join(folder, "facility.yaml"),
    "facility: HF0001\nsystem: X\ntimezone: Asia/Phnom_Penh\nmapping: mapping.yaml\nservice: {baseUrl: \"http://127.0.0.1:9\", authUrl: \"http://127.0.0.1:9\"}\n"
  )
  const text = () => readFileSync(join(folder, "mapping.yaml"), "utf8")
  const run = (...flags: ReadonlyArray<string>) =>
    type("mapping", "fix", join(folder, "in"), "--facility", folder, ...flags)
  return { folder, run, text }
})

describe("mapping fix", () => {
  it.effect("shows the lines that resolve messages, and writes none by default", () =>
    Effect.gen(function*() {
      const { run, text } = yield* clinic
      const { code, stderr, stdout } = yield* run()
      assert.strictEqual(code, 0, stderr)
      assert.match(stdout, /^system +2 × +constant\.patient_code_system/mu)
      assert.match(stdout, /^window +2 × +grouping\.window\.Observation\.enabled/mu)
      assert.include(stdout, "+   patient_code_system: http://records.river-clinic.example/mrn")
      assert.notInclude(stdout, "assumption")
      assert.include(stderr, "nothing was written")
      assert.strictEqual(text(), mapping)
    }))

  it.effect("replaces no system of which other visits have an identifier", () =>
    Effect.gen(function*() {
      const { folder, run } = yield* clinic
      const file = join(folder, "in", "Patient.ndjson")
      const [first = "", ...others] = readFileSync(file, "utf8").split("\n")
      const national = "http://records.river-clinic.example/national-number"
      const ours = first.replace("http://records.river-clinic.example/mrn", national)
      assert.notStrictEqual(ours, first)
      writeFileSync(file, [ours, ...others].join("\n"))
      writeFileSync(
        join(folder, "mapping.yaml"),
        `${mapping}constant:\n  patient_code_system: "${national}"\n`
      )
      assert.notInclude((yield* run()).stdout, "constant.patient_code_system")
    }))

  it.effect("is one JSON document with --format json, also if there is nothing to write", () =>
    Effect.gen(function*() {
      const { folder, run, text } = yield* clinic
      const seen = yield* run("--format", "json")
      const { file, lines, written } = JSON.parse(seen.stdout)
      assert.strictEqual(file, join(folder, "mapping.yaml"))
      assert.isFalse(written)
      const line = lines.find(({ kind }: { kind: string }) => kind === "system")
      assert.deepStrictEqual(Object.keys(line), ["kind", "at", "value", "count", "title"])
      assert.deepStrictEqual(line.at, ["constant", "patient_code_system"])
      assert.strictEqual(line.value, "http://records.river-clinic.example/mrn")
      assert.strictEqual(line.count, 2)
      assert.strictEqual(text(), mapping)
      const none = yield* run("--format", "json", "--only", "assumption", "--write")
      assert.deepStrictEqual(JSON.parse(none.stdout), { file, written: false, lines: [] })
      assert.isTrue(JSON.parse((yield* run("--format", "json", "--write")).stdout).written)
      assert.notStrictEqual(text(), mapping)
    }))

  it.effect("writes lines of the selected kinds with --write, keeps comments, and resolves the messages", () =>
    Effect.gen(function*() {
      const { folder, run, text } = yield* clinic
      assert.strictEqual((yield* run("--only", "window", "--write")).code, 0)
      assert.deepStrictEqual(parse(text()).grouping, { window: { Observation: { enabled: true } } })
      assert.isUndefined(parse(text()).constant)
      assert.include(text(), "# Ours.")
      assert.include(text(), "# not sent")
      assert.strictEqual((yield* run("--write")).code, 0)
      assert.strictEqual((yield* type("mapping", "check", "--strict", "--facility", folder)).code, 0)
      assert.include((yield* run()).stderr, "found no message that a mapping line can resolve")
    }))

  it.effect("writes a window by patient and time, and a policy", () =>
    Effect.gen(function*() {
      const { folder, run, text } = yield* clinic
      const [table, declared] = [
        {
          "patient.csv": "code,surname,birthdate\nP1,Example,1990\n",
          "lab.csv": "hn,taken\nP1,2026-03-02T09:00:00+07:00\n"
        },
        "lab: {file: lab.csv, column: {hn: text, taken: timestamp}, link: {patient: {table: patient, on: hn}}}"
      ]
      for (const [name, rows] of Object.entries(table)) writeFileSync(join(folder, "in", name), rows)
      writeFileSync(
        join(folder, "in", "visit.csv"),
        "code,patient_code,admitted_at,discharged_at\nV1,P1,2026-03-02T08:00:00+07:00,2026-03-02T10:00:00+07:00\n"
      )
      writeFileSync(
        join(folder, "mapping.yaml"),
        `mapping: ours\nextends: csv\ntable:\n  patient: {column: {birthdate: text}}\n  ${declared}\ngrouping: {link: {lab: null}}\nvisit: {triages: {resource: lab, code: hn, chief_complaint: hn, height: null, weight: null, recorded_at: taken, recorded_by: null, title: null}}\n`
      )
      const { stdout } = yield* run("--write")
      assert.match(stdout, /^policy +\d+ × +time\.partialDate/mu)
      assert.deepStrictEqual(parse(text()).grouping.window, { lab: { patient: "patient", time: "taken" } })
      assert.deepStrictEqual(parse(text()).time, { partialDate: "first-day" })
    }))

  it.effect("accepts assumptions only for a reason", () =>
    Effect.gen(function*() {
      const { folder, run } = yield* clinic
      yield* run("--write")
      assert.strictEqual((yield* run("--only", "assumption", "--why", "agreed on 2026-11-20", "--write")).code, 0)
      const { accept } = parse(readFileSync(join(folder, "assumptions.yaml"), "utf8"))
      assert.strictEqual(accept["only-diagnosis-is-primary"], "agreed on 2026-11-20")
    }))

  it.effect("adds a row only for a code whose text matches one value of the standard data", () =>
    Effect.gen(function*() {
      const { folder, run, text } = yield* clinic
      yield* run("--write")
      const standard = present(standardDataFolder(yield* Effect.provide(readFacility(folder), NodeServices.layer)))
      mkdirSync(standard, { recursive: true })
      const items = standardData.marital_statuses
      writeFileSync(
        listFile(standard, "marital_statuses"),
        encodeList({ type: "marital_statuses", url: "x", pulledAt: "2026-11-20T00:00:00Z", count: items.length, items })
      )
      assert.strictEqual((yield* run("--only", "row", "--write")).code, 0)
      const { table } = parse(text()).conceptMap.marital_status
      assert.includeMembers(Object.values(table), ["Married"])
      // A widower is a guess.
      assert.notInclude(Object.values(table), "Widowed")
    }))

  it("writes a line only at a free key", () => {
    assert.strictEqual(writeFix("a: {b: 1}\n", { at: ["a", "c"], value: "007" }), "a: {b: 1, c: \"007\"}\n")
    assert.strictEqual(writeFix("", { at: ["a"], value: true }), "{a: true}\n")
    assert.isUndefined(writeFix("a: 1\n", { at: ["a", "c"], value: "x" }))
    assert.isUndefined(writeFix("a: [", { at: ["b"], value: "x" }))
  })

  it("lists as many removed and added lines as the texts differ by", () => {
    const text = fc.array(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 12 }).map((lines) =>
      lines.join("\n")
    )
    fc.assert(fc.property(text, text, (before, after) => {
      const lines = lineDiff(before, after)
      const count = (sign: string) => lines.filter((line) => line.startsWith(sign)).length
      assert.strictEqual(before.split("\n").length - count("- ") + count("+ "), after.split("\n").length)
      if (before === after) assert.isEmpty(lines)
    }))
  })
})
