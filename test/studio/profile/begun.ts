import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { temporaryFolder, written } from "../../run/converted.ts"
import { type } from "./drafted.ts"
import { codedInIcd10, hospital, ndjson } from "./hospital.ts"

export type Json = Readonly<Record<string, unknown>>

/** A facility folder that `init` makes of records, and the visits that come of them with it. */
export const begun = (records: ReadonlyArray<Json>) =>
  Effect.gen(function*() {
    const folder = yield* temporaryFolder
    mkdirSync(join(folder, "in"))
    written(join(folder, "in"), { "all.ndjson": ndjson(records) })
    const made = join(folder, "made")
    const init = yield* type("init", made, "--from", join(folder, "in"))
    assert.strictEqual(init.code, 0, init.stderr)
    assert.notInclude(init.stderr, "a proposed line is invalid")
    const visits = join(folder, "visits.ndjson")
    const report = join(folder, "report.json")
    yield* type("convert", join(folder, "in"), "--facility", made, "-o", visits, "--report", report)
    return {
      made,
      report: readFileSync(report, "utf8"),
      words: init.stderr,
      text: readFileSync(join(made, "mapping.yaml"), "utf8"),
      visits: readFileSync(visits, "utf8").trim().split("\n").filter((line) => line !== "").map((line) =>
        JSON.parse(line)
      )
    }
  })

/** The hospital with diagnoses in ICD-10, and a change of each encounter. */
export const sample = (change: (encounter: Json, at: number) => Json, people = 4): ReadonlyArray<Json> => {
  let at = 0
  return codedInIcd10(hospital(people)).map((record) =>
    record["resourceType"] === "Encounter" ? { ...record, ...change(record, at++) } : record
  )
}
