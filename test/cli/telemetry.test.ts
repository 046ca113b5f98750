import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { temporaryFolder, written } from "../run/converted.ts"
import { scripted } from "../service/scripted.ts"
import { canaries, hospital, ndjson } from "../studio/profile/hospital.ts"
import { typeIn } from "./cli.ts"

/** A collector that keeps what it is sent. */
const collector = Effect.map(scripted(() => [200, {}]), ({ arrived, url }) => ({
  url,
  taken: (path: string): ReadonlyArray<any> =>
    arrived.filter((one) => one.path === path).map(({ body }) => JSON.parse(body)),
  all: arrived
}))

const type = (words: ReadonlyArray<string>, env: Record<string, string> = {}) => typeIn(env, words)

const sample = Effect.map(temporaryFolder, (folder) => {
  written(folder, { "Canaryname1.ndjson": ndjson(hospital()) })
  return { folder, input: join(folder, "Canaryname1.ndjson") }
})

describe("what is sent to a collector", () => {
  it.live(
    "is steps, times, and counts if OTEL_* is set, without values, file names, or error messages",
    () =>
      Effect.gen(function*() {
        const { all, taken, url } = yield* collector
        const { folder, input } = yield* sample
        const env = { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_EXPORTER_OTLP_PROTOCOL: "http/json" }
        const { code } = yield* type(["convert", input, "-o", join(folder, "Canaryname2.ndjson")], env)
        assert.strictEqual(code, 1)
        const failed = yield* type(["convert", join(folder, "Canaryname3")], env)
        assert.strictEqual(failed.code, 2, failed.stderr)
        const spans = taken("/v1/traces").flatMap((body) =>
          body.resourceSpans.flatMap((one: any) => one.scopeSpans.flatMap(({ spans }: any) => spans))
        )
        assert.includeMembers(spans.map(({ name }) => name), [
          "fhir2visit",
          "convert",
          "convertInputs",
          "loadMapping",
          "readFacility"
        ])
        const gauges = taken("/v1/metrics").flatMap((body) =>
          body.resourceMetrics.flatMap((one: any) => one.scopeMetrics.flatMap(({ metrics }: any) => metrics))
        )
        assert.include(gauges.map(({ name }) => name), "fhir2visit_visits")
        const sent = all.map(({ body }) => body).join("\n")
        assert.include(sent, "\"fhir2visit\"")
        for (const canary of [...canaries, folder, "/work", "no such"]) assert.notInclude(sent, canary)
      })
  )

  it.live("is nothing without an endpoint, or if OTEL_SDK_DISABLED is true", () =>
    Effect.gen(function*() {
      const { all, url } = yield* collector
      const { input } = yield* sample
      yield* type(["convert", input])
      yield* type(["convert", input], { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_SDK_DISABLED: "true" })
      assert.deepStrictEqual(all, [])
    }))

  it.live(
    "an unreachable collector changes neither the exit code nor the output",
    () =>
      Effect.gen(function*() {
        const { input } = yield* sample
        const usual = yield* type(["convert", input])
        const seen = yield* type(["convert", input], {
          OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9",
          OTEL_EXPORTER_OTLP_TIMEOUT: "200"
        })
        assert.deepStrictEqual([seen.code, seen.stdout], [usual.code, usual.stdout])
      })
  )
})

describe("the counts of a run as metrics", () => {
  it.live("writes a .prom file in the text format, which a collector of another user can read", () =>
    Effect.gen(function*() {
      const { folder, input } = yield* sample
      const file = join(folder, "run.prom")
      const { code } = yield* type(["convert", input, "--report", file])
      assert.strictEqual(code, 1)
      const text = readFileSync(file, "utf8")
      assert.match(text, /^# TYPE fhir2visit_visits gauge$/mu)
      assert.match(text, /^fhir2visit_visits\{command="convert",facility="",state="rejected"\} 4$/mu)
      assert.match(
        text,
        /^fhir2visit_problems\{command="convert",facility="",code="required-field",severity="error"\} \d+$/mu
      )
      for (const canary of canaries) assert.notInclude(text, canary)
      assert.strictEqual(statSync(file).mode & 0o777, 0o644)
    }))
})
