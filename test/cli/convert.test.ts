import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { convertCommand } from "../../src/cli/commands/convert.ts"
import { Pipeline } from "../../src/cli/PipelineApi.ts"
import type { Diagnostic } from "../../src/diagnostic/Diagnostic.ts"
import { problemOf } from "../../src/diagnostic/Problem.ts"
import { EngineDiffers } from "../../src/run/checks/EngineDiffers.ts"
import { type ConversionTotals, InvalidMapping } from "../../src/run/Conversion.ts"
import type { ConvertedVisit } from "../../src/run/Conversion.ts"
import { SourceError } from "../../src/source/SourceError.ts"
import { VisitCode } from "../../src/visit/values/Code.ts"
import { madePipeline } from "./madePipeline.ts"
import { runCommand } from "./TestScreen.ts"

const folder = mkdtempSync(join(tmpdir(), "convert-"))
const mapping = join(folder, "mapping.yaml")
writeFileSync(mapping, "visit:\n  admission_type: hospitalization.admitSource\n")
writeFileSync(join(folder, "facility.yaml"), "facility: HF1\ntimezone: UTC\nmapping: ./mapping.yaml\n")
const input = join(folder, "in.ndjson")
writeFileSync(input, "{}\n")
let outputs = 0
const fresh = (): string => {
  const path = join(folder, `out-${++outputs}`)
  mkdirSync(path)
  return path
}

const origin = (line: number) => ({ file: "in.ndjson", line, reference: `Encounter/${line}` })
const noValue: Diagnostic = {
  code: "no-value",
  severity: "warning",
  title: "no path of `admission_type` found a value",
  mapping: { file: mapping, line: 2, column: 19, endColumn: 46 },
  path: "hospitalization.admitSource",
  field: "admission_type",
  value: "Sok Dara"
}
const missing: Diagnostic = { code: "required-field", severity: "error", title: "`code` is missing", field: "code" }
const visit = (number: number, problems: ReadonlyArray<Diagnostic> = []): ConvertedVisit => {
  const ready = problems.every(({ severity }) => severity !== "error")
  return {
    code: ready ? VisitCode(`V${number}`) : null,
    json: `{"code":"V${number}","name":"សុខ"}`,
    ready,
    problems,
    source: `Encounter/${number}`,
    origin: origin(number)
  }
}

/** A pipeline that read 30 records and made these visits. */
const made = (visits: ReadonlyArray<ConvertedVisit>, totals: Partial<ConversionTotals> = {}) =>
  madePipeline(visits, {
    records: 30,
    usedRecords: 27,
    used: new Map([["Encounter", 27]]),
    unused: new Map([["Claim", 2], ["Basic", 1]]),
    ...totals
  })

const run = (args: ReadonlyArray<string>, pipeline: Layer.Layer<Pipeline>) =>
  runCommand(convertCommand, ["--facility", folder, ...args], { env: {} }).pipe(Effect.provide(pipeline))

const json = (file: string) => JSON.parse(readFileSync(file, "utf8"))

describe("convert", () => {
  it.effect("writes one visit per line with the bytes that are sent, mode 0600, and no other file", () =>
    Effect.gen(function*() {
      const out = fresh()
      const seen = yield* run([input, "-o", join(out, "v.ndjson")], made([visit(1), visit(2)]))
      assert.strictEqual(seen.code, 0, seen.stderr)
      assert.strictEqual(seen.stdout, "")
      assert.strictEqual(
        readFileSync(join(out, "v.ndjson"), "utf8"),
        "{\"code\":\"V1\",\"name\":\"សុខ\"}\n{\"code\":\"V2\",\"name\":\"សុខ\"}\n"
      )
      assert.strictEqual(statSync(join(out, "v.ndjson")).mode & 0o777, 0o600)
      assert.deepStrictEqual(readdirSync(out), ["v.ndjson"])
    }))

  it.effect("§2.3: with .json it writes one submission request, also an empty one", () =>
    Effect.gen(function*() {
      const out = fresh()
      yield* run([input, "-o", join(out, "v.json")], made([visit(1), visit(2)]))
      assert.deepStrictEqual(json(join(out, "v.json")).visits.map(({ code }: { code: string }) => code), ["V1", "V2"])
      yield* run([input, "-o", join(out, "none.json")], made([]))
      assert.strictEqual(readFileSync(join(out, "none.json"), "utf8"), "{\"visits\":[]}\n")
    }))

  it.effect("writes data to stdout only on request, and messages to stderr", () =>
    Effect.gen(function*() {
      const seen = yield* run([input, "-o", "-"], made([visit(1)]))
      assert.strictEqual(seen.stdout, "{\"code\":\"V1\",\"name\":\"សុខ\"}\n")
      assert.include(seen.stderr, "1 visit")
      const quiet = yield* run([input, "--quiet"], made([visit(1, [noValue])]))
      assert.deepStrictEqual(quiet, { code: 0, stdout: "", stderr: "" })
    }))

  it.effect("exits with 1 and reports it in every format if the input has no visit", () =>
    Effect.gen(function*() {
      for (const flags of [[], ["--quiet"], ["--format", "json"], ["--format", "line"]]) {
        const seen = yield* run([input, ...flags], made([]))
        assert.strictEqual(seen.code, 1, flags.join(" "))
        assert.include(seen.stderr, "the input has no visits", flags.join(" "))
      }
      assert.strictEqual((yield* run([input, "--quiet", "--rejected-ok"], made([]))).code, 0)
      const part = yield* run([input, "--quiet", "--part", "2/3"], made([]))
      assert.deepStrictEqual(part, { code: 0, stdout: "", stderr: "" })
    }))

  it.effect("gives warnings of the whole run the facility's level: they reject no visit", () =>
    Effect.gen(function*() {
      const inSeveralFiles: Diagnostic = { code: "duplicate-record", severity: "warning", title: "rows are equal" }
      const ofRun = made([visit(1)], { problems: [inSeveralFiles] })
      const withLevel = (level: string) => {
        const own = fresh()
        writeFileSync(join(own, "mapping.yaml"), readFileSync(mapping))
        writeFileSync(
          join(own, "facility.yaml"),
          `facility: HF1\ntimezone: UTC\nmapping: ./mapping.yaml\nvalidation: {levels: {duplicate-record: ${level}}}\n`
        )
        return runCommand(convertCommand, ["--facility", own, input, "-o", "-"], { env: {} }).pipe(
          Effect.provide(ofRun)
        )
      }
      const warned = yield* withLevel("warning")
      assert.include(warned.stderr, "warning[duplicate-record]")
      assert.strictEqual(warned.code, 0)
      const off = yield* withLevel("off")
      assert.notInclude(off.stderr, "duplicate-record")
      const failed = yield* withLevel("error")
      assert.include(failed.stderr, "error[duplicate-record]")
      assert.strictEqual(failed.code, 1)
      assert.strictEqual(failed.stdout, warned.stdout)
    }))

  it.effect("never overwrites an input, however it is spelled, or a journal", () =>
    Effect.gen(function*() {
      const source = fresh()
      const file = join(source, "in.ndjson")
      writeFileSync(file, "{}\n")
      const other = join(fresh(), "linked.ndjson")
      linkSync(file, other)
      const journal = join(fresh(), "journal")
      writeFileSync(journal, "SQLite format 3\0and more")
      for (
        const [inputs, output] of [
          [[source], file],
          [[`${source}/*.ndjson`], file],
          [[source], other],
          [[input], journal]
        ] as const
      ) {
        const kept = readFileSync(output, "latin1")
        const seen = yield* run([...inputs, "-o", output], made([visit(1)]))
        assert.strictEqual(seen.code, 2, seen.stderr)
        assert.include(seen.stderr, "--output would replace")
        assert.strictEqual(readFileSync(output, "latin1"), kept)
      }
      const usual = yield* run([source, "-o", join(source, "v.ndjson")], made([visit(1)]))
      assert.strictEqual(usual.code, 0, usual.stderr)
      assert.deepStrictEqual(readdirSync(source).toSorted(), ["in.ndjson", "v.ndjson"])
    }))

  it.effect("exit code 2: rejects two results in one new file, however it is spelled, and leaves no file", () =>
    Effect.gen(function*() {
      const out = fresh()
      mkdirSync(join(out, "deep"))
      symlinkSync(out, join(out, "deep", "up"))
      const plain = join(out, "vis.ndjson")
      for (
        const other of [
          `${out}/./vis.ndjson`,
          relative(process.cwd(), plain),
          join(out, "deep", "up", "vis.ndjson"),
          `${out}/deep/../vis.ndjson`
        ]
      ) {
        const seen = yield* run([input, "-o", plain, "--rejected", other], made([visit(1), visit(2, [missing])]))
        assert.strictEqual(seen.code, 2, other)
        assert.include(seen.stderr, "--rejected and --output are the same file")
        assert.deepStrictEqual(readdirSync(out), ["deep"])
      }
      const apart = yield* run([input, "-o", plain, "--rejected", join(out, "deep", "vis.ndjson")], made([visit(1)]))
      assert.strictEqual(apart.code, 0, apart.stderr)
    }))

  it.effect("exit code 1: reports rejected visits with their problems and writes the others", () =>
    Effect.gen(function*() {
      const out = fresh()
      const orphan: Diagnostic = { code: "no-encounter", severity: "error", title: "the record belongs to no visit" }
      const seen = yield* run(
        [input, "-o", join(out, "v.ndjson"), "--rejected", join(out, "r.ndjson"), "--report", join(out, "report.json")],
        made([visit(1, [noValue]), visit(2, [missing]), visit(3)], {
          rejectedRecords: [{
            source: "Observation/7",
            origin: { file: "obs.ndjson", line: 7, reference: "Observation/7" },
            problems: [orphan]
          }],
          unmapped: [{ table: "sex", system: null, code: "x", display: null, count: 3, visits: 2, blocked: 1 }]
        })
      )
      assert.strictEqual(seen.code, 1)
      assert.deepStrictEqual(
        readFileSync(join(out, "r.ndjson"), "utf8").trimEnd().split("\n").map((line) => JSON.parse(line)),
        [
          {
            visit: null,
            source: "Encounter/2",
            origin: "in.ndjson:2",
            problems: [{
              code: "required-field",
              severity: "error",
              field: "code",
              message: "`code` is missing",
              mapping: null,
              source: null,
              origin: null,
              help: problemOf("required-field").next
            }]
          },
          {
            visit: null,
            source: "Observation/7",
            origin: "obs.ndjson:7",
            problems: [{
              code: "no-encounter",
              severity: "error",
              field: null,
              message: "the record belongs to no visit",
              mapping: null,
              source: null,
              origin: null,
              help: problemOf("no-encounter").next
            }]
          }
        ]
      )
      const report = json(join(out, "report.json"))
      assert.deepInclude(report.counts, {
        records: 30,
        groups: 3,
        visits: 3,
        ready: 2,
        rejected: 1,
        usedRecords: 27,
        unusedRecords: 3,
        rejectedRecords: 1,
        sent: 0
      })
      assert.deepStrictEqual(report.unused, { Basic: 1, Claim: 2 })
      assert.deepStrictEqual(report.unmapped, [{
        table: "sex",
        system: null,
        code: "x",
        display: null,
        count: 3,
        visits: 2,
        blocked: 1
      }])
      assert.deepStrictEqual(
        report.problems.map((
          problem: { code: string; count: number; visits: number }
        ) => [problem.code, problem.count, problem.visits]),
        [["required-field", 1, 1], ["no-encounter", 1, 0], ["no-value", 1, 1]]
      )
      assert.strictEqual(report.mapping, "abc")
      assert.match(report.started, /^\d{4}-\d\d-\d\dT/)
    }))

  it.effect("names unreadable files in the summary", () =>
    Effect.gen(function*() {
      const lost: Diagnostic = {
        code: "incomplete-visit",
        severity: "error",
        title: "a record of the visit could not be read",
        source: "Observation/9f2c1a",
        origin: { file: "export/Observation.000.ndjson", line: 7, reference: "" }
      }
      const seen = yield* run([input, "-o", join(fresh(), "v.ndjson")], made([visit(1, [lost])]))
      assert.match(
        seen.stderr,
        /1 × {2}incomplete-visit +1 visit +Observation\.000\.ndjson: a record of the visit could not be read$/mu
      )
    }))

  it.effect("shows values only under --show-values; files never hold them", () =>
    Effect.gen(function*() {
      const out = fresh()
      const files = ["--rejected", join(out, "r.ndjson"), "--report", join(out, "report.json"), "--show-values"]
      const pipeline = made([visit(1, [missing, noValue])])
      const hidden = yield* run([input], pipeline)
      assert.notInclude(hidden.stderr, "Sok Dara")
      assert.include(hidden.stderr, "--show-values")
      const shown = yield* run([input, ...files], pipeline)
      assert.include(shown.stderr, "Sok Dara")
      for (const format of ["json", "line"]) {
        assert.notInclude((yield* run([input, "--format", format, "--show-values"], pipeline)).stderr, "Sok Dara")
      }
      for (const file of readdirSync(out)) assert.notInclude(readFileSync(join(out, file), "utf8"), "Sok Dara")
    }))

  it.effect("--format json and line print one message per line, and nothing else", () =>
    Effect.gen(function*() {
      const pipeline = made([visit(1, [noValue]), visit(2, [noValue])])
      const machine = yield* run([input, "--format", "json"], pipeline)
      assert.deepInclude(JSON.parse(machine.stderr), { code: "no-value", count: 2, visits: 2, line: 2 })
      const line = yield* run([input, "--format", "line"], pipeline)
      assert.strictEqual(
        line.stderr,
        `${mapping}:2:19: warning[no-value]: no path of \`admission_type\` found a value (2×)\n`
      )
    }))

  it.effect("exit code 2: writes nothing if the mapping is invalid", () =>
    Effect.gen(function*() {
      const out = fresh()
      const refused = Layer.succeed(Pipeline, {
        convertAll: () =>
          Effect.fail(
            new InvalidMapping({
              problems: [{
                ...noValue,
                code: "invalid-path",
                severity: "error",
                title: "this path is no FHIRPath",
                label: "expected `)`"
              }]
            })
          )
      })
      const seen = yield* run([input, "-o", join(out, "v.ndjson")], refused)
      assert.strictEqual(seen.code, 2)
      assert.include(seen.stderr, "error[invalid-path]: this path is no FHIRPath")
      assert.include(seen.stderr, "^^^^ expected `)`")
      assert.deepStrictEqual(readdirSync(out), [])
    }))

  const world: ReadonlyArray<readonly [name: string, reason: SourceError["reason"], code: number]> = [
    ["exits with 2 if an input does not exist", { _tag: "NotFound", input: "in.ndjson" }, 2],
    ["exits with 3 if an input cannot be read", { _tag: "NotReadable", input: "in.ndjson", detail: "not permitted" }, 3]
  ]
  for (const [name, reason, code] of world) {
    it.effect(name, () =>
      Effect.gen(function*() {
        const failing = Layer.succeed(Pipeline, {
          convertAll: () => Effect.fail(new SourceError({ reason }))
        })
        const seen = yield* run([input], failing)
        assert.strictEqual(seen.code, code)
        assert.match(seen.stderr, /^error: .*in\.ndjson/)
      }))
  }

  it.effect("reports an internal error in one line without values or stack, exits with 3, and writes no file", () =>
    Effect.gen(function*() {
      const out = fresh()
      const faulty = Layer.succeed(Pipeline, {
        convertAll: () => Effect.andThen(Effect.sync(() => JSON.parse("{\"name\": Sok Dara")), Effect.never)
      })
      const seen = yield* run([input, "-o", join(out, "v.ndjson")], faulty)
      assert.strictEqual(seen.code, 3)
      assert.match(seen.stderr, /^error: internal error: SyntaxError[^\n]*\n {2}= help[^\n]*\n$/)
      assert.notInclude(seen.stderr, "Sok")
      assert.deepStrictEqual(readdirSync(out), [])
    }))

  describe("if generated code and the definition make different visits", () => {
    /** Ends with the difference after the first visit, unless the definition makes the visits. */
    const differing = Layer.effect(
      Pipeline,
      Effect.map(Pipeline, ({ convertAll }) => ({
        convertAll: (options: Parameters<typeof convertAll>[0]) =>
          options.engine === "definition"
            ? convertAll(options)
            : Effect.map(convertAll(options), (conversion) =>
              Object.assign({ ...conversion }, {
                visits: Stream.concat(
                  Stream.succeed(visit(1)),
                  Stream.die(new EngineDiffers({ what: "values", source: "Encounter/e1" }))
                )
              }))
      }))
    ).pipe(Layer.provide(madePipeline([visit(1), visit(2)])))

    it.effect("makes all visits again with the definition, and reports it even if it is quiet", () =>
      Effect.gen(function*() {
        const out = fresh()
        const seen = yield* run([input, "-q", "-o", join(out, "v.ndjson")], differing)
        assert.strictEqual(seen.code, 0)
        assert.match(seen.stderr, /two different visits of Encounter\/e1: their values differ/u)
        assert.strictEqual(readFileSync(join(out, "v.ndjson"), "utf8").split("\n").length, 3)
      }))

    it.effect("ends with exit code 2 if the output was already read", () =>
      Effect.gen(function*() {
        const seen = yield* run([input, "-o", "-"], differing)
        assert.strictEqual(seen.code, 2)
        assert.match(seen.stderr, /run again with {2}--engine definition/u)
      }))
  })

  it.effect("leaves no output after an interruption or an error", () =>
    Effect.gen(function*() {
      const out = fresh()
      const visits = Stream.concat(
        Stream.succeed(visit(1)),
        Stream.fail(new SourceError({ reason: { _tag: "NotReadable", input: "in.ndjson", detail: "gone" } }))
      )
      const breaking = Layer.effect(
        Pipeline,
        Effect.map(Pipeline, ({ convertAll }) => ({
          convertAll: (options: Parameters<typeof convertAll>[0]) =>
            Effect.map(convertAll(options), (conversion) => Object.assign({ ...conversion }, { visits }))
        }))
      ).pipe(Layer.provide(made([])))
      writeFileSync(join(out, "v.ndjson"), "before")
      const seen = yield* run([input, "-o", join(out, "v.ndjson")], breaking)
      assert.strictEqual(seen.code, 3)
      assert.deepStrictEqual(readdirSync(out), ["v.ndjson"])
      assert.strictEqual(readFileSync(join(out, "v.ndjson"), "utf8"), "before")
    }))

  const misuses: Record<string, ReadonlyArray<string>> = {
    "no input": [],
    "a flag that does not exist": [input, "--otput", "x"],
    "a format that does not exist": [input, "--format", "xml"],
    "a report of a form that is not written": [input, "--report", "r.xml"],
    "one file for two things": [input, "-o", join(folder, "x"), "--rejected", join(folder, "x")],
    "an output that is the input": [input, "-o", input],
    "an output in a missing folder": [input, "-o", join(folder, "none", "v.ndjson")],
    "an output that is a folder": [input, "-o", folder],
    "a compressed output": [input, "-o", "v.ndjson.gz"],
    "a missing facility": [input, "--facility", join(folder, "none")]
  }
  for (const [name, args] of Object.entries(misuses)) {
    it.effect(`exit code 2: ${name}`, () =>
      Effect.gen(function*() {
        const never = Layer.succeed(Pipeline, { convertAll: () => Effect.die("must not run") })
        const seen = yield* run(args, never)
        assert.strictEqual(seen.code, 2, seen.stderr)
        assert.match(seen.stderr, /^error/)
        assert.strictEqual(seen.stdout, "")
        assert.strictEqual(readFileSync(input, "utf8"), "{}\n")
      }))
  }
})
