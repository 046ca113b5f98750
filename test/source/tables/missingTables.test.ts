import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { only, present } from "../../present.ts"
import { converted, temporaryFolder, written } from "../../run/converted.ts"

const patients = "code,surname,name,sex,birthdate\nP-1,Example,Ann,F,1990-04-12\n"
const visits = "code,patient_code,visit_type,admitted_at\nV-1,P-1,OPD,2026-03-02T08:15:00+07:00\n"

/** A run with these files and `csv`, or an overlay over it with a text of `table:`. */
const run = (files: Readonly<Record<string, string>>, table?: string) =>
  Effect.gen(function*() {
    const folder = yield* temporaryFolder
    const mapping = table === undefined
      ? "mappings/csv/mapping.yaml"
      : only(written(yield* temporaryFolder, { "mapping.yaml": `mapping: own\nextends: csv\ntable:\n${table}\n` }))
    return yield* converted(written(folder, files), { mapping })
  })

const problemsOf = (files: Readonly<Record<string, string>>, table?: string) =>
  Effect.map(run(files, table), ({ totals }) => totals.problems.filter(({ code }) => code === "missing-table"))

describe("An input without the table of visits", () => {
  it.effect("is an error with the table's name, its files, and a similar file name", () =>
    Effect.gen(function*() {
      const [problem, ...more] = yield* problemsOf({ "patient.csv": patients, "visits.csv": visits })
      assert.strictEqual(more.length, 0)
      assert.deepInclude(problem, {
        severity: "error",
        title: "no input is a file of the table `visit`, whose rows are the visits: `visit.csv`",
        label: "did you mean `visits.csv`?"
      })
      assert.match(present(problem?.mapping).file, /tables\.yaml$/u)
    }))

  it.effect("is not reported if the file exists, even with an unreadable header", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* problemsOf({ "patient.csv": patients, "visit.csv": visits }), [])
      assert.deepStrictEqual(yield* problemsOf({ "patient.csv": patients, "visit.csv": "a,b\n1,2\n" }), [])
    }))
})

describe("An input without another table", () => {
  const files = { "patient.csv": patients, "visit.csv": visits }
  const lab = "  lab:\n    file: lis_*.csv\n    column: [vn, test]\n    link: {visit: {table: visit, on: vn}}"
  const titles = (table?: string, more: Readonly<Record<string, string>> = {}) =>
    Effect.map(
      problemsOf({ ...files, ...more }, table),
      (problems) => problems.map(({ severity, title }) => `${severity}: ${title}`)
    )

  it.effect("is reported if the facility's mapping declares or changes the table", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* titles(lab), ["error: no input is a file of the table `lab`: `lis_*.csv`"])
      assert.deepStrictEqual(yield* titles("  diagnosis:\n    file: dx.csv"), [
        "error: no input is a file of the table `diagnosis`: `dx.csv`"
      ])
      assert.deepStrictEqual(yield* titles("  diagnosis:\n    trim: true"), [
        "warning: no input is a file of the table `diagnosis`: `diagnosis.csv`"
      ])
    }))

  it.effect("is reported once for all tables, with their files", () =>
    Effect.gen(function*() {
      const [problem, ...more] = yield* problemsOf(files, `${lab}\n  diagnosis: {file: dx.csv}`)
      assert.deepStrictEqual(more, [])
      assert.deepInclude(problem, {
        severity: "error",
        title: "no input is a file of 2 tables that the mapping names",
        label: "no visit is sent without its rows",
        facts: [["tables", "`diagnosis` (`dx.csv`), `lab` (`lis_*.csv`)"]]
      })
      assert.include(present(problem?.help).join(), "cannot be completed later")
    }))

  it.effect("is not reported for the canonical layout, a file with only a header, and an optional file", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* titles(), [])
      assert.deepStrictEqual(yield* titles("  \"*\":\n    \"null\": [none]"), [])
      assert.deepStrictEqual(yield* titles(lab, { "lis_today.csv": "vn,test\n" }), [])
      assert.deepStrictEqual(yield* titles(`${lab}\n    fileOptional: true`), [])
      assert.deepStrictEqual(yield* titles(`  "*": {fileOptional: true}\n${lab}`), [])
    }))
})

describe("A file that the facility's own mapping names", () => {
  const files = { "patient.csv": patients, "visit.csv": visits }
  const lab = (file = "    file: laboo.csv\n") =>
    `  lab:\n${file}    key: no\n    column: {no: text, vn: text, test: text}\n    link: {visit: {table: visit, on: vn}}\nvisit:\n`
    + "  medical_histories: {resource: lab, encounter_code: vn, name: test, value: test}"
  const held = (table: string, more: Readonly<Record<string, string>> = {}) =>
    Effect.map(
      run({ ...files, ...more }, table),
      ({ visits }) =>
        visits.flatMap(({ problems }) =>
          problems.filter(({ code }) => code === "incomplete-visit").map(({ severity, title }) =>
            `${severity}: ${title}`
          )
        )
    )
  const incomplete = ["error: no input is a file of a table that the mapping declares: rows of the visit may be in it"]

  it.effect("holds every visit while it is missing, and unused files are reported", () =>
    Effect.gen(function*() {
      const others = { "labo.csv": "no,vn,test\n1,V-1,Hb\n" }
      assert.deepStrictEqual(yield* held(lab(), others), incomplete)
      const [problem] = yield* problemsOf({ ...files, ...others }, lab())
      assert.deepInclude(problem, {
        severity: "error",
        label: "did you mean `labo.csv`?",
        facts: [["unused", "`labo.csv`: no table reads this input"]]
      })
      assert.include(present(problem?.help).join("\n"), "file: \"labo.csv\"")
    }))

  it.effect("is recognised if the table's name is the file name", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* held(lab("")), incomplete)
      assert.deepStrictEqual(yield* held(lab(""), { "lab.csv": "no,vn,test\n" }), [])
    }))

  it.effect("can be optional; a missing file that only the base names holds no visit", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* held(lab("    file: laboo.csv\n    fileOptional: true\n")), [])
      assert.deepStrictEqual(yield* held("  diagnosis: {column: {diagnosis_code: {from: ICD}}}"), [])
      assert.deepStrictEqual(yield* held("  diagnosis: {file: dx.csv}"), incomplete)
    }))
})
