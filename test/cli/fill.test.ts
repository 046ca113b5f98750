import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Pipeline } from "../../src/cli/PipelineApi.ts"
import { startSandbox } from "../../src/service/sandbox/Sandbox.ts"
import { FacilityCode, VisitCode } from "../../src/visit/values/Code.ts"
import { present } from "../present.ts"
import { cli } from "./cli.ts"
import { typed } from "./sandboxUser.ts"
import { runCommand } from "./TestScreen.ts"
import { settingsFor, visitJson } from "./visitFiles.ts"

const type = (...words: ReadonlyArray<string>) => typed(words)

/** The first sample, whose patient has a card and no code of the service. */
const sample = readFileSync("samples/outpatient-fever/input/visit.bundle.json", "utf8")
const input = JSON.stringify(JSON.parse(sample), (key, value: unknown) =>
  key === "identifier" && Array.isArray(value)
    ? value.filter(({ system }: { system?: string }) => !/(?:patient-code|spid)$/u.test(system ?? ""))
    : value)

const facilityFor = (url: string) => {
  const folder = mkdtempSync(join(tmpdir(), "fill-"))
  writeFileSync(
    join(folder, "facility.yaml"),
    settingsFor(
      url,
      "beneficiary: {fill: [code, spid, identifications]}"
    )
  )
  mkdirSync(join(folder, "input"))
  writeFileSync(join(folder, "input", "visit.json"), input)
  return folder
}

const beneficiary = {
  patient_code: "P25900101",
  spid: "SP000900101",
  surname: "Canary-surname",
  identifications: [{ patient_code: "P25900101", card_code: "BC-0101-000101", card_type: "Benefit Card" }]
}

describe("§4.4: a card lookup gives a patient's code, spid, and cards", () => {
  it.live("rejects the visit offline; a run looks the card up, sends, and caches the record for the next conversion", () =>
    Effect.gen(function*() {
      const data = { beneficiaries: [beneficiary], visits: [], users: [] }
      const { body, stats, url } = yield* startSandbox({ data })
      const folder = facilityFor(url)
      const [from, out] = [join(folder, "input"), join(folder, "out.ndjson")]
      const common = [from, "--facility", folder]

      const before = yield* type("convert", ...common, "-o", out)
      assert.strictEqual(before.code, 1, before.stderr)
      assert.include(before.stderr, "warning[no-beneficiary]")
      assert.include(before.stderr, `fhir2visit convert --facility ${folder} ${from} --look-up`)
      assert.strictEqual((yield* stats).requests["GET /api/v1/external/beneficiary/search"], undefined)

      const run = yield* type("run", ...common)
      assert.strictEqual(run.code, 0, run.stderr)
      assert.match(run.stderr, /1 stored/u)
      assert.notInclude(run.stderr, "Canary-surname")
      const stored = yield* body(FacilityCode("HF0001"), VisitCode("V420101"))
      const { patient, triages } = JSON.parse(present(stored))
      assert.deepInclude(patient, { code: "P25900101", spid: "SP000900101" })
      assert.strictEqual(triages[0].patient_code, "P25900101")

      const after = yield* type("convert", ...common, "-o", out)
      assert.strictEqual(after.code, 0, after.stderr)
      assert.strictEqual(readFileSync(out, "utf8"), `${stored}\n`)
      assert.deepStrictEqual((yield* stats).requests["GET /api/v1/external/beneficiary/search"], { "200": 1 })
      const kept = join(folder, ".fhir2visit/beneficiaries", `${new URL(url).host.replace(":", "_")}.ndjson`)
      assert.strictEqual(statSync(kept).mode & 0o777, 0o600)
      assert.notInclude(readFileSync(kept, "utf8"), "Canary-surname")
      const again = yield* type("run", ...common)
      assert.match(again.stderr, /1 skipped/u)
    }).pipe(Effect.scoped))

  it.live("rejects the visit if the record is another person's, without showing its values", () =>
    Effect.gen(function*() {
      const stranger = { ...beneficiary, sex: "M", birthdate: "1901-01-01", dead: true, death_date: "1999-01-01" }
      const { url, visits } = yield* startSandbox({ data: { beneficiaries: [stranger], visits: [], users: [] } })
      const folder = facilityFor(url)
      const rejected = join(folder, "rejected.ndjson")
      const run = yield* type("run", join(folder, "input"), "--facility", folder, "--rejected", rejected)
      assert.strictEqual(run.code, 1, run.stderr)
      assert.include(run.stderr, "error[other-beneficiary]")
      assert.include(run.stderr, "another `sex`, another `birthdate` and a death before the admission")
      assert.deepStrictEqual(yield* visits, [])
      assert.notMatch(run.stderr + readFileSync(rejected, "utf8"), /Canary|P25900101|SP000900101|1901|1999/u)
    }).pipe(Effect.scoped))

  it.live("§4.5 rule 1: looks up the cards of visits in files before sending, if the facility checks cards", () =>
    Effect.gen(function*() {
      // The first visit's card is the patient's, the second's is another person's, and the third's is unknown.
      const known = ["P00000100", "P-other"].map((patient_code, at) => ({
        patient_code,
        identifications: [{ patient_code, card_code: `C-${at + 1}`, card_type: "Member Card" }]
      }))
      const patients = [2, 3].map((number) => ({ patient_code: `P00000${number}00`, identifications: [] }))
      const data = { beneficiaries: [...known, ...patients], visits: [], users: [] }
      const submitted = (lines: string) =>
        Effect.gen(function*() {
          const { stats, url, visits } = yield* startSandbox({ data })
          const folder = mkdtempSync(join(tmpdir(), "cards-"))
          const service = `service: {baseUrl: "${url}", authUrl: "${url}"}`
          writeFileSync(
            join(folder, "facility.yaml"),
            `facility: HF0001\nsystem: SYS\ntimezone: Asia/Phnom_Penh\n${service}\n${lines}\n`
          )
          const file = join(folder, "visits.ndjson")
          writeFileSync(
            file,
            [1, 2, 3].map((number) => visitJson(number).replace("C-000123", `C-${number}`)).join("\n")
          )
          const { code, stderr } = yield* type("submit", file, "--facility", folder)
          const { "GET /api/v1/external/beneficiary/search": requested } = (yield* stats).requests
          return { code, stderr, asked: requested, stored: (yield* visits).map(({ code }) => code) }
        })
      const off = yield* submitted("")
      assert.deepStrictEqual([off.code, off.asked, off.stored.length], [0, undefined, 3], off.stderr)
      const reported = yield* submitted("beneficiary: {check: all}")
      assert.deepStrictEqual(
        [reported.code, reported.asked, reported.stored.length],
        [0, { "200": 2, "404": 1 }, 3],
        reported.stderr
      )
      assert.include(reported.stderr, "warning[other-beneficiary]")
      assert.include(reported.stderr, "warning[no-beneficiary]")
      const kept = yield* submitted("beneficiary: {check: all}\nvalidation: {levels: {other-beneficiary: error}}")
      assert.deepStrictEqual([kept.code, kept.stored], [1, ["V000001", "V000003"]], kept.stderr)
    }).pipe(Effect.scoped))

  it.live("convert --look-up also looks up cards, and reports missing credentials", () =>
    Effect.gen(function*() {
      const { url } = yield* startSandbox({ data: { beneficiaries: [beneficiary], visits: [], users: [] } })
      const folder = facilityFor(url)
      const words = ["convert", join(folder, "input"), "--facility", folder, "--look-up"]
      const bare = yield* Effect.provide(runCommand(cli, words), Pipeline.layer)
      assert.strictEqual(bare.code, 2)
      assert.include(bare.stderr, "set FHIR2VISIT_USERNAME, FHIR2VISIT_PASSWORD, FHIR2VISIT_CLIENT_ID")
      const requested = yield* type(...words)
      assert.strictEqual(requested.code, 0, requested.stderr)
      assert.match(requested.stderr, /1 ready/u)
    }).pipe(Effect.scoped))
})
