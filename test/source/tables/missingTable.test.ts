import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { converted, temporaryFolder, written } from "../../pipeline/converted.ts"

const patients = "code,surname,name,sex,birthdate\nP-1,Example,Ann,F,1990-04-12\n"
const visits = "code,patient_code,visit_type,admitted_at\nV-1,P-1,OPD,2026-03-02T08:15:00+07:00\n"

const problemsOf = (files: Readonly<Record<string, string>>) =>
  Effect.gen(function*() {
    const { totals } = yield* converted(written(yield* temporaryFolder, files), {
      mapping: "mappings/csv/mapping.yaml"
    })
    return totals.problems.filter(({ code }) => code === "missing-table")
  })

describe("An input without the table of visits", () => {
  it.effect("is an error with the table's name, its files, and a file that may be meant", () =>
    Effect.gen(function*() {
      const [problem, ...more] = yield* problemsOf({ "patient.csv": patients, "visits.csv": visits })
      assert.strictEqual(more.length, 0)
      assert.deepInclude(problem, {
        severity: "error",
        title: "no input is a file of the table `visit`, whose rows are the visits: `visit.csv`",
        label: "did you mean `visits.csv`?"
      })
      assert.match(problem!.mapping!.file, /tables\.yaml$/u)
    }))

  it.effect("is not told where the file is there, also when its header cannot be read", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* problemsOf({ "patient.csv": patients, "visit.csv": visits }), [])
      assert.deepStrictEqual(yield* problemsOf({ "patient.csv": patients, "visit.csv": "a,b\n1,2\n" }), [])
    }))
})
