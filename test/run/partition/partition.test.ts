import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import fc from "fast-check"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, vi } from "vitest"
import { at } from "../../../src/at.ts"
import type { Manifest } from "../../../src/run/parts/Manifest.ts"
import { typed } from "../../cli/sandboxUser.ts"
import { runs, timeout } from "../../runs.ts"
import { temporaryFolder, written } from "../converted.ts"
import { hospital } from "./hospital.ts"
import { world } from "./world.ts"

const read = (file: string): string => readFileSync(file, "utf8")
const lines = (text: string): ReadonlyArray<string> => text.split("\n").filter((line) => line !== "").toSorted()
const json = (file: string) => JSON.parse(read(file))

/** A facility in which several records can have the same code of a patient, visit or encounter. */
const facility = {
  "facility.yaml": "facility: F1\nmapping: mapping.yaml\ntimezone: Asia/Phnom_Penh\n",
  "mapping.yaml": `mapping: example
extends: fhir-r4
constant:
  patient_code_system: "urn:example:numbers"
  visit_code_system: "urn:example:numbers"
grouping:
  window:
    Observation: {enabled: true}
    Condition: {enabled: true, before: 1 hour, several: nearest}
`
}

const facilityFolder = mkdtempSync(join(tmpdir(), "facility-"))

// A test types many commands for one facility. They check its mapping once, as they do for a user.
beforeAll(() => {
  written(facilityFolder, facility)
  vi.stubEnv("FHIR2VISIT_CACHE", mkdtempSync(join(tmpdir(), "cache-")))
})
afterAll(() => void vi.unstubAllEnvs())

const encounter = (id: string, subject: string) => ({
  resourceType: "Encounter",
  id,
  status: "finished",
  class: { code: "AMB" },
  subject: { reference: subject },
  period: { start: "2026-03-01T08:00:00+07:00" }
})

const succeeds = (words: ReadonlyArray<string>) =>
  Effect.map(typed(words), (seen) => {
    assert.strictEqual(seen.code, 0, `${words.join(" ")}\n${seen.stderr}`)
    return seen
  })

const partsOf = (count: number) => Array.from({ length: count }, (_, at) => `${at + 1}/${count}`)

/** Converts an export in parts; returns the output of all parts. */
const inParts = Effect.fnUntraced(
  function*(input: string, settings: ReadonlyArray<string>, folder: string, count: number) {
    const parts = join(folder, `parts-${count}`)
    const at = (name: string) => join(folder, `${count}-${name}`)
    yield* succeeds(["partition", input, ...settings, "-o", parts, "--into", String(count), "--rejected-ok"])
    const [visits, rejected, reports]: [Array<string>, Array<string>, Array<string>] = [[], [], []]
    for (const part of partsOf(count)) {
      const report = at(`${part.replace("/", "-")}.json`)
      yield* succeeds([
        "convert",
        parts,
        ...settings,
        "--part",
        part,
        "--rejected-ok",
        "-o",
        at("visits.ndjson"),
        "--rejected",
        at("rejected.ndjson"),
        "--report",
        report
      ])
      visits.push(...lines(read(at("visits.ndjson"))))
      rejected.push(...lines(read(at("rejected.ndjson"))))
      reports.push(report)
    }
    yield* succeeds(["merge-reports", ...reports, "-o", at("merged.json")])
    const { ended: _, started: __, ...report } = json(at("merged.json"))
    return { parts, reports, visits: visits.toSorted(), rejected: rejected.toSorted(), report }
  }
)

const asOne = Effect.fnUntraced(function*(input: string, settings: ReadonlyArray<string>, folder: string) {
  const visits = join(folder, "one.ndjson")
  const rejected = join(folder, "rejected.ndjson")
  const report = join(folder, "one.json")
  yield* succeeds(
    ["convert", input, ...settings, "--rejected-ok", "-o", visits, "--rejected", rejected, "--report", report]
  )
  const { ended: _, started: __, ...rest } = json(report)
  return { visits: lines(read(visits)), rejected: lines(read(rejected)), report: rest }
})

/** Two visits with one code. Another visit is between them in the order of the run, but not in that of their part. */
const copiesApart: ReadonlyMap<string, string> = new Map([
  [
    "again.ndjson",
    [encounter("3", "Patient/1"), encounter("2", "Patient/2")].map((one) => `${JSON.stringify(one)}\n`).join("")
  ],
  [
    "bundle-0.json",
    JSON.stringify({
      resourceType: "Bundle",
      type: "searchset",
      entry: [{ fullUrl: "urn:uuid:encounter-3", resource: encounter("3", "Patient/3") }]
    })
  ]
])

describe("A run that is split into parts", () => {
  for (
    const [sample, counts] of [["clinic-day", [1, 3, 9]], ["district-tables", [2]], ["inpatient-surgery-referral", [
      2
    ]]] as const
  ) {
    it.live(
      `gives the result of one process: ${sample}`,
      () =>
        Effect.gen(function*() {
          const folder = yield* temporaryFolder
          const [input, settings] = [`samples/${sample}/input`, ["--facility", `samples/${sample}`]]
          const one = yield* asOne(input, settings, folder)
          for (const count of counts) {
            const { parts: _, reports: __, ...all } = yield* inParts(input, settings, folder, count)
            assert.deepStrictEqual(all, one)
          }
        }).pipe(Effect.scoped),
      timeout
    )
  }

  it("gives the result of one process, whatever its records refer to", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(world, hospital),
        fc.integer({ min: 2, max: 4 }),
        (files, count) =>
          Effect.gen(function*() {
            const folder = yield* temporaryFolder
            written(join(folder, "in"), Object.fromEntries(files))
            const [input, settings] = [join(folder, "in"), ["--facility", facilityFolder]]
            const one = yield* asOne(input, settings, folder)
            const { parts: _, reports: __, ...all } = yield* inParts(input, settings, folder, count)
            assert.deepStrictEqual(all.visits, one.visits)
            assert.deepStrictEqual(all.report, one.report)
            // A part does not know that a different part uses a record that it rejects. The merged report does.
            for (const line of one.rejected) assert.include(all.rejected, line)
          }).pipe(Effect.scoped, Effect.runPromise)
      ),
      { numRuns: runs(6), endOnFailure: true, examples: [[copiesApart, 2]] }
    )
  }, timeout)

  it.live("has all visits of a patient code in one part, also if two records have it", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const patient = (id: string, code: string) => ({
        resourceType: "Patient",
        id,
        identifier: [{ system: "urn:example:numbers", value: code }]
      })
      const visit = (id: string, subject: string) => ({
        resourceType: "Encounter",
        id,
        status: "finished",
        class: { code: "AMB" },
        subject: { reference: `Patient/${subject}` },
        period: { start: "2026-03-01T08:00:00+07:00", end: "2026-03-01T09:00:00+07:00" }
      })
      const ids = Array.from({ length: 20 }, (_, at) => `p${at}`)
      written(folder, {
        "in.ndjson": ids.flatMap((id, at) => [patient(id, `P-${at % 10}`), visit(`e${at}`, id)])
          .map((record) => `${JSON.stringify(record)}\n`).join("")
      })
      const settings = ["--facility", facilityFolder]
      const { parts, reports: _, ...all } = yield* inParts(join(folder, "in.ndjson"), settings, folder, 5)
      const manifest: Manifest = json(join(parts, "parts.json"))
      assert.deepStrictEqual(manifest.parts.map(({ visits }) => visits), [4, 4, 4, 4, 4])
      assert.deepStrictEqual(all, yield* asOne(join(folder, "in.ndjson"), settings, folder))
      // The same input gives the same bytes.
      rmSync(parts, { recursive: true })
      yield* succeeds(["partition", join(folder, "in.ndjson"), ...settings, "-o", parts, "--into", "5"])
      assert.deepStrictEqual(json(join(parts, "parts.json")), manifest)
    }).pipe(Effect.scoped), timeout)

  it.live("is invalid if a part is not the requested one", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const [input, settings] = ["samples/clinic-day/input", ["--facility", "samples/clinic-day"]]
      const { parts, reports } = yield* inParts(input, settings, folder, 3)
      const other = yield* inParts(input, settings, folder, 2)
      const refuses = Effect.fnUntraced(function*(words: ReadonlyArray<string>, why: string) {
        const seen = yield* typed(words)
        assert.strictEqual(seen.code, 2, seen.stderr)
        assert.include(seen.stderr.replace(/\s+/gu, " "), why)
      })
      const [one, two, three] = [at(reports, 0), at(reports, 1), at(reports, 2)]
      const manifest = ["--parts", join(parts, "parts.json")]
      yield* refuses(["merge-reports", one, three, ...manifest], "part 2/3 is missing")
      yield* refuses(["merge-reports", one, two, two, ...manifest], "part 2/3 is given twice")
      yield* refuses(["merge-reports", one, two, at(other.reports, 1), ...manifest], "part 2/2 is of another input")
      yield* refuses(["merge-reports", join(folder, "3-merged.json"), ...manifest], "not that of a part")
      const changed = join(folder, "changed.json")
      writeFileSync(
        changed,
        JSON.stringify({ ...json(two), part: { ...json(two).part, sealed: json(one).part.sealed.slice(0, -8) } })
      )
      yield* refuses(["merge-reports", one, changed, three, ...manifest], "part 2/3 was changed")
      const convert = ["convert", ...settings, "-q"]
      yield* refuses([...convert, parts, "--part", "1/4"], "has 3 parts")
      yield* refuses([...convert, join(parts, "0002.records"), "--part", "1/3"], "is part 2/3")
      yield* refuses([...convert, input, "--part", "1/3", ...manifest], "does not belong to")
      yield* refuses([...convert, parts], "was cut into parts")
      yield* refuses(["convert", parts, "--part", "1/3"], "was made for another")
      yield* refuses(["partition", input, ...settings, "-o", parts], "already contains a complete partition")
      writeFileSync(join(parts, "0003.records"), read(join(parts, "0003.records")).replace("R", "r"))
      yield* refuses([...convert, parts, "--part", "3/3"], "its content has changed")
      // Nothing else is read.
      rmSync(join(parts, "0003.records"))
      yield* succeeds([...convert, parts, "--part", "1/3", "--rejected-ok"])
    }).pipe(Effect.scoped), timeout)

  it.live("is readable only by its owner, and leaves nothing if it cannot be written", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const settings = ["--facility", "samples/clinic-day"]
      const { parts } = yield* inParts("samples/clinic-day/input", settings, folder, 2)
      const mode = (path: string) => statSync(path).mode & 0o777
      assert.strictEqual(mode(parts), 0o700)
      for (const name of readdirSync(parts)) assert.strictEqual(mode(join(parts, name)), 0o600, name)
      const failed = yield* typed(["partition", join(folder, "none"), "-o", join(folder, "failed")])
      assert.strictEqual(failed.code, 2)
      assert.isFalse(existsSync(join(folder, "failed")))
      assert.deepStrictEqual(readdirSync(folder).filter((name) => name.startsWith(".")), [])
    }).pipe(Effect.scoped), timeout)
})
