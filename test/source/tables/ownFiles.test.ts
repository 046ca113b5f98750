import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { only, present } from "../../present.ts"
import { converted, temporaryFolder, written } from "../../run/converted.ts"

const patients = "dossier,nom\nP-1 ,SOK \nP-2,CHEA\n"
const visits = "numero,dossier,entree,sortie\n"
  + "V-1 , P-1,2026-03-02T08:15:00+07:00,2026-03-02T09:00:00+07:00\n"
  + "V-2,p-2,2026-03-03T08:15:00+07:00,2026-03-03T09:00:00+07:00\n"

/** A hospital's own files for the tables `visit` and `patient`, with more words for both. */
const run = (more = "", files: Readonly<Record<string, string>> = {}) =>
  Effect.gen(function*() {
    const folder = yield* temporaryFolder
    const mapping = only(written(yield* temporaryFolder, {
      "mapping.yaml": `mapping: own
extends: csv
table:
  visit:
    file: v.csv${more}
    column:
      code: {from: numero}
      patient_code: {from: dossier}
      admitted_at: {type: timestamp, from: entree}
      discharged_at: {type: timestamp, from: sortie}
  patient:
    file: p.csv${more}
    column: {code: {from: dossier}, surname: {from: nom}}
`
    }))
    return yield* converted(written(folder, { "p.csv": patients, "v.csv": visits, ...files }), { mapping })
  })

const noPatient = (more = "") =>
  Effect.map(
    run(more),
    ({ visits }) => visits.map(({ problems }) => problems.find(({ code }) => code === "no-patient")?.help ?? [])
  )

describe("A file that the facility's mapping names for a table of the base", () => {
  it.effect("is trimmed, although the base does not trim its own files", () =>
    Effect.gen(function*() {
      const { visits } = yield* run()
      assert.deepStrictEqual(visits[0]?.source, "visit/V-1")
      assert.include(present(visits[0]).json, "\"surname\":\"SOK\"")
    }))

  it.effect("is not trimmed if the mapping sets `trim: false`", () =>
    Effect.gen(function*() {
      const { visits } = yield* run("\n    trim: false")
      assert.deepStrictEqual(visits[0]?.source, "visit/V-1 ")
    }))

  it.effect("gets a hint if a key differs from another only by spaces or case", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* noPatient(), [
        [],
        ["a row has this key in another case: write both the same way in the source"]
      ])
      assert.deepStrictEqual((yield* noPatient("\n    trim: false"))[0], [
        "a row has this key without or with spaces at its ends: write both the same way in the source",
        "or remove the spaces, under both tables:  trim: true"
      ])
    }))

  it.effect("gets a hint with the name of its encoding, and no suggestion with undecodable characters", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const mapping = only(written(yield* temporaryFolder, {
        "mapping.yaml":
          "mapping: own\nextends: csv\ntable:\n  visit:\n    file: v.csv\n    column: {code: {from: \"N° Passage\"}, admitted_at: {from: Entrée}}\n"
      }))
      const file = join(folder, "v.csv")
      writeFileSync(file, Buffer.from("N° Passage,Entrée\nV-1,2026-03-02\n", "latin1"))
      const { totals } = yield* converted([file], { mapping })
      const [problem] = totals.rejectedRecords.flatMap(({ problems }) => problems)
      assert.strictEqual(problem?.code, "unknown-column")
      assert.notInclude(JSON.stringify(problem), "\uFFFD")
      assert.match(present(problem?.help?.[0]), /the file is not UTF-8, .* encoding: windows-1252$/u)
    }))
})
