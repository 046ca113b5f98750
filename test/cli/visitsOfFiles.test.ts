import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { scripted, token } from "../service/scripted.ts"
import { typed } from "./sandboxUser.ts"
import { facilityFolder, settingsFor, stored, visitJson } from "./visitFiles.ts"

/** A facility whose service refuses a field of every visit but the first. */
const setting = Effect.gen(function*() {
  const { url } = yield* scripted(({ body, method, path }) => {
    if (path === "/oauth/token") return token(1)
    if (method !== "POST") return [200, { success: true, data: [] }]
    return body.includes("V000001")
      ? stored("V000001")
      : [422, { success: false, message: "", errors: "The visits.0.visit_type field is required.", data: null }]
  })
  const { folder } = facilityFolder(0, settingsFor(url))
  const file = (name: string, ...lines: ReadonlyArray<string>) => {
    const path = join(folder, name)
    writeFileSync(path, lines.join("\n"))
    return path
  }
  return { file, type: (...words: ReadonlyArray<string>) => typed([...words, "--facility", folder]) }
})

const other = (number: number) => visitJson(number).replace(/"occupation":"[^"]*"/u, "\"occupation\":\"Other\"")

describe("visits of files", () => {
  it.live("reports the service's verdict with the line of the visit", () =>
    Effect.gen(function*() {
      const { file, type } = yield* setting
      const visits = file("visits.ndjson", visitJson(1), visitJson(2))
      const line = yield* type("submit", visits, "--format", "line")
      assert.strictEqual(line.code, 1, line.stderr)
      assert.include(
        line.stderr + line.stdout,
        `${visits}:2:1: error[field-refused]: the service refused \`visit_type\` (V000002 › visit_type)\n`
      )
      const json = yield* type("submit", visits, "--format", "json")
      assert.include(json.stderr + json.stdout, `"origin":"${visits}:2"`)
      const human = yield* type("submit", visits)
      assert.include(human.stderr, `┌─ ${visits}:2\n`)
      assert.include(
        human.stderr,
        "to check this before sending, in facility.yaml:  validation: {required: [visit_type]}"
      )
    }).pipe(Effect.scoped))

  it.live("reports FHIR as one kind of problem, with the command that makes visits of it", () =>
    Effect.gen(function*() {
      const { file, type } = yield* setting
      const patient = "{\"resourceType\": \"Patient\", \"id\": \"1\"}"
      for (
        const [name, ...lines] of [["lines.ndjson", patient, patient], [
          "bundle.json",
          "{",
          "\"resourceType\": \"Bundle\"}"
        ]] as const
      ) {
        const fhir = file(name, ...lines)
        const { code, stderr } = yield* type("validate", fhir)
        assert.strictEqual(code, 1, stderr)
        assert.strictEqual(stderr.match(/^error/gmu)?.length, 1, stderr)
        assert.include(stderr, "this is a FHIR resource, not a visit")
        assert.match(stderr, new RegExp(`fhir2visit convert --facility \\S+ ${fhir} -o visits.ndjson`, "u"))
      }
    }).pipe(Effect.scoped))

  it.live("§4.5 rule 2: `validate` and `submit` count an identical repeated visit once", () =>
    Effect.gen(function*() {
      const { file, type } = yield* setting
      const files = [file("a.ndjson", visitJson(1)), file("b.json", "[", ` ${visitJson(1)}`, "]")]
      for (const command of ["validate", "submit"]) {
        const { code, stderr } = yield* type(command, ...files)
        assert.strictEqual(code, 0, stderr)
        assert.notInclude(stderr, "duplicate-code")
        assert.match(stderr, /2 visits\s+2 ready\s+0 rejected/u)
        assert.include(stderr, "1 skipped")
      }
    }).pipe(Effect.scoped))

  it.live("exits with 0 if there are no visits, as in a pipe from `convert`", () =>
    Effect.gen(function*() {
      const { file, type } = yield* setting
      const files = [file("none.ndjson"), file("none.json"), file("blank.json", "", "", "")]
      for (const command of ["validate", "submit"]) {
        const { code, stderr } = yield* type(command, ...files)
        assert.strictEqual(code, 0, stderr)
        assert.match(stderr, /0 visits\s+0 ready\s+0 rejected/u)
      }
    }).pipe(Effect.scoped))

  it.live("shows an unexpected key only under --show-values, because it can be data", () =>
    Effect.gen(function*() {
      const { file, type } = yield* setting
      const visits = file("visits.ndjson", visitJson(1).replace("\"surname\"", "\"Sok Dara\":1,\"surname\""))
      const rejected = file("rejected.ndjson")
      for (const format of ["human", "line", "json"]) {
        const { code, stderr, stdout } = yield* type("validate", visits, "--format", format, "--rejected", rejected)
        assert.strictEqual(code, 1)
        assert.match(stderr + stdout, /unexpected-field/u)
        assert.notInclude(stderr + stdout + readFileSync(rejected, "utf8"), "Sok Dara")
      }
      assert.include(readFileSync(rejected, "utf8"), "\"field\":\"patient\"")
      assert.include((yield* type("validate", visits, "--show-values")).stderr, "\"Sok Dara\"")
      assert.include((yield* type("validate", visits)).stderr, "key    after `code`")
      const known = file(
        "known.ndjson",
        visitJson(1).replace("\"surname\"", "\"birth_date\":1,\"visit_date\":1,\"surname\"").replace(
          "\"name\"",
          "\"surname\":\"\",\"name\""
        )
      )
      assert.include((yield* type("validate", known)).stderr, "an object has the key `surname` twice")
      const unknown = file(
        "unknown.ndjson",
        visitJson(1).replace("\"surname\"", "\"birth_date\":1,\"visit_date\":1,\"surname\"")
      )
      const { stderr } = yield* type("validate", unknown)
      assert.match(stderr, /no field `birth_date` here[^]*did you mean `birthdate`\?[^]*no field `visit_date` here/u)
      const misspelt = file("misspelt.ndjson", visitJson(1).replace("\"surname\"", "\"sur_name\":\"\",\"surname\""))
      assert.include((yield* type("validate", misspelt)).stderr, "did you mean `surname`?")
    }).pipe(Effect.scoped))

  it.live("rejects every later visit with the same code and other contents, and sends the first", () =>
    Effect.gen(function*() {
      const { file, type } = yield* setting
      const visits = file("visits.ndjson", visitJson(1), visitJson(1), other(1), other(1))
      const [report, rejected] = [file("report.json"), file("rejected.ndjson")]
      for (const command of ["validate", "submit"]) {
        const { code, stderr } = yield* type(command, visits, "--report", report, "--rejected", rejected)
        assert.strictEqual(code, 1)
        assert.include(stderr, "error[duplicate-code]")
        assert.match(stderr, /earlier\s+visit \S+\n.*other\s+\S*visits\.ndjson:1\n/u)
        const { counts } = JSON.parse(readFileSync(report, "utf8"))
        const sent = command === "submit" ? { sent: 1, stored: 1, left: 0 } : {}
        assert.deepInclude(counts, { visits: 4, ready: 2, rejected: 2, skipped: 1, ...sent })
        const lines = readFileSync(rejected, "utf8").trim().split("\n").map((line) => JSON.parse(line))
        assert.deepStrictEqual(lines.map(({ origin }) => origin), [`${visits}:3`, `${visits}:4`])
      }
      const { stdout } = yield* type("status")
      assert.notInclude(stdout, "ready")
    }).pipe(Effect.scoped))

  it.live("sends a visit although an earlier one with its code and admission time is rejected", () =>
    Effect.gen(function*() {
      const { file, type } = yield* setting
      const invalid = visitJson(1).replace(/"visit_type":"[^"]*"/u, "\"visit_type\":7")
      const visits = file("visits.ndjson", invalid, visitJson(1))
      const report = file("report.json")
      const { code, stderr } = yield* type("submit", visits, "--report", report)
      assert.strictEqual(code, 1)
      assert.notInclude(stderr, "duplicate-code")
      const { counts } = JSON.parse(readFileSync(report, "utf8"))
      assert.deepInclude(counts, { visits: 2, ready: 1, rejected: 1, stored: 1 })
    }).pipe(Effect.scoped))

  it.live("reports a line that is no object as one problem", () =>
    Effect.gen(function*() {
      const { file, type } = yield* setting
      const visits = file("visits.ndjson", visitJson(1), "null", "[]")
      const { stderr, stdout } = yield* type("validate", visits, "--format", "line")
      const problems = `${stderr}${stdout}`.split("\n").filter((line) => /:[23]:1: (?:error|warning)\[/u.test(line))
      assert.deepStrictEqual(
        problems.map((line) => line.replace(/^.*visits\.ndjson:/u, "")),
        [
          "2:1: error[invalid-field]: the visit is null, not an object",
          "3:1: error[invalid-field]: the visit is an array, not an object"
        ]
      )
    }).pipe(Effect.scoped))
})
