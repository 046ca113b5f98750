import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { runCommand as run } from "../../src/cli/commands/run.ts"
import { Pipeline } from "../../src/cli/PipelineApi.ts"
import { InvalidMapping } from "../../src/run/Conversion.ts"
import type { ConvertedVisit, RejectedRecord } from "../../src/run/Conversion.ts"
import { VisitCode } from "../../src/visit/values/Code.ts"
import { madePipeline } from "./madePipeline.ts"
import { runCommand } from "./TestScreen.ts"
import { visitJson } from "./visitFiles.ts"

const folder = mkdtempSync(join(tmpdir(), "run-"))
writeFileSync(join(folder, "facility.yaml"), "facility: HF0001\ntimezone: Asia/Phnom_Penh\nmapping: fhir-r4\n")
const input = join(folder, "in.ndjson")
writeFileSync(input, "{}\n")

const visit = (number: number, ready = true): ConvertedVisit => ({
  code: VisitCode(`V${number}`),
  json: visitJson(number),
  ready,
  problems: ready
    ? []
    : [{ code: "required-field", severity: "error", title: "`admitted_at` is missing", field: "admitted_at" }],
  source: `Encounter/${number}`,
  origin: { file: "in.ndjson", line: number, reference: `Encounter/${number}` }
})

const made = (...visits: ReadonlyArray<ConvertedVisit>) => madePipeline(visits)

const type = (args: ReadonlyArray<string>, pipeline: Layer.Layer<Pipeline>) =>
  Effect.provide(runCommand(run, [input, "--facility", folder, ...args]), pipeline)

describe("run", () => {
  it.live("maps, submits, and reports, against the embedded service", () =>
    Effect.gen(function*() {
      const files = [
        "-o",
        join(folder, "v.ndjson"),
        "--rejected",
        join(folder, "r.ndjson"),
        "--report",
        join(folder, "report.json")
      ]
      const seen = yield* type(["--sandbox", ...files], made(visit(1), visit(2, false), visit(3)))
      assert.strictEqual(seen.code, 1, seen.stderr)
      assert.match(seen.stderr, /3 visits\s+2 ready\s+1 rejected\s+2 sent\n\s+2 stored/)
      const report = JSON.parse(readFileSync(join(folder, "report.json"), "utf8"))
      assert.deepInclude(report.counts, {
        records: 9,
        usedRecords: 9,
        groups: 3,
        visits: 3,
        ready: 2,
        rejected: 1,
        sent: 2,
        stored: 2,
        left: 0
      })
      assert.strictEqual(report.mapping, "abc")
      assert.strictEqual(readFileSync(join(folder, "v.ndjson"), "utf8"), `${visitJson(1)}\n${visitJson(3)}\n`)
      assert.strictEqual(JSON.parse(readFileSync(join(folder, "r.ndjson"), "utf8")).source, "Encounter/2")
      assert.isFalse(existsSync(join(folder, ".fhir2visit")))
    }))

  it.live("§3: reports a refused visit with its reason and record, and sends the others", () =>
    Effect.gen(function*() {
      const same = { ...visit(5), json: visitJson(5).replaceAll("P00000500", "P00000400") }
      const seen = yield* type(["--sandbox"], made(visit(4), same))
      assert.strictEqual(seen.code, 1, seen.stderr)
      assert.include(seen.stderr, "refused[admission-time-taken]")
      assert.include(seen.stderr, "Encounter/5")
      assert.match(seen.stderr, /1 stored\s+1 in conflict/)
    }))

  it.live("exit code 1: counts a record without a visit as rejected, and sends nothing of it", () =>
    Effect.gen(function*() {
      const origin = { file: "in.ndjson", line: 7, reference: "Observation/7" }
      const title = "this Observation refers to no encounter, so it belongs to no visit"
      const lost: RejectedRecord = {
        source: "Observation/7",
        origin,
        problems: [{ code: "no-encounter", severity: "error", title, origin }]
      }
      for (const flag of ["--sandbox", "--dry-run"]) {
        const seen = yield* type([flag], madePipeline([visit(8)], { rejectedRecords: [lost] }))
        assert.strictEqual(seen.code, 1, seen.stderr)
        assert.include(seen.stderr, title)
      }
    }))

  it.live("exit code 1: reports an error of the whole input like `convert`, even if every visit is sent", () =>
    Effect.gen(function*() {
      const problem = { code: "missing-table", severity: "error", title: "no file of the table" } as const
      for (const flag of ["--sandbox", "--dry-run"]) {
        const seen = yield* type([flag], madePipeline([visit(9)], { problems: [problem] }))
        assert.strictEqual(seen.code, 1, seen.stderr)
        assert.include(seen.stderr, "error[missing-table]")
      }
    }))

  it.live("--dry-run suggests no next command if there is nothing to send", () =>
    Effect.gen(function*() {
      const seen = yield* type(["--dry-run"], made())
      assert.notInclude(seen.stderr, "sends them")
    }))

  it.live("--dry-run shows what would be sent, and neither creates a journal nor sends a request", () =>
    Effect.gen(function*() {
      const seen = yield* type(["--dry-run"], made(visit(1), visit(2)))
      assert.strictEqual(seen.code, 0, seen.stderr)
      assert.match(seen.stderr, /2\s+send\s+new/)
      assert.include(seen.stderr, "(dry run)")
      assert.isFalse(existsSync(join(folder, ".fhir2visit")))
    }))

  it.live("exit code 2: sends nothing with an invalid mapping or without settings", () =>
    Effect.gen(function*() {
      const refused = Layer.succeed(Pipeline, {
        convertAll: () =>
          Effect.fail(
            new InvalidMapping({
              problems: [{ code: "unknown-field", severity: "error", title: "there is no field `titel`" }]
            })
          )
      })
      const wrong = yield* type(["--sandbox"], refused)
      assert.strictEqual(wrong.code, 2)
      assert.include(wrong.stderr, "error[unknown-field]")
      const bare = yield* type([], made(visit(1)))
      assert.strictEqual(bare.code, 2)
      assert.include(bare.stderr, "set FHIR2VISIT_USERNAME, FHIR2VISIT_PASSWORD, FHIR2VISIT_CLIENT_ID")
    }))

  it.live("exit code 2: sends nothing if the report cannot be written", () =>
    Effect.gen(function*() {
      let requested = false
      const pipeline = Layer.succeed(Pipeline, {
        convertAll: () =>
          Effect.sync(() => {
            requested = true
            throw new Error("nothing is to be read")
          })
      })
      const seen = yield* type(["--sandbox", "--report", join(folder, "nowhere", "report.json")], pipeline)
      assert.strictEqual(seen.code, 2)
      assert.include(seen.stderr, "there is no such folder")
      assert.isFalse(requested)
    }))
})
