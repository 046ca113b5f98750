import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { initialized, rowsUnder } from "./drafted.ts"

const begun = (files: Readonly<Record<string, string>>) => initialized(files, { timezone: "Africa/Nairobi" })

const people = rowsUnder(
  "patient_id,last_name,first_name,sex,dob",
  12,
  (at) => `P${100 + at},Sample${at},Ann,${"MF"[at % 2]},19${50 + at}-01-02`
)

const visitsOf = (code: string, month = 1) =>
  rowsUnder(
    "visit_id,patient_id,admitted,discharged,visit_type",
    10,
    (at) =>
      `${code}${100 + at},P${100 + at},2026-0${month}-0${1 + at % 9} 08:00,2026-0${month}-0${1 + at % 9} 09:00,${
        ["OPD", "IPD"][at % 2]
      }`
  )

const diagnosesOf = (code: string, icd = "I10") =>
  rowsUnder(
    "visit_id,icd10,rank",
    20,
    (at) => `${code}${100 + at % 10},${at < 10 ? icd : "A09"},${1 + Math.floor(at / 10)}`
  )

describe("Files with the same columns", () => {
  it.effect("are one table if their names differ only in digits", () =>
    Effect.gen(function*() {
      const { mapping: { table: tables }, text, visits, words } = yield* begun({
        "patients.csv": people,
        "visits_2026_01.csv": visitsOf("V1"),
        "visits_2026_02.csv": visitsOf("V2", 2),
        "visits_2026_03.csv": visitsOf("V3", 3),
        "diag-part-1.csv": diagnosesOf("V1"),
        "diag-part-2.csv": diagnosesOf("V2"),
        "diag-part-10.csv": diagnosesOf("V3")
      })
      assert.sameMembers(Object.keys(tables), ["patient", "visit", "diag_part"])
      assert.strictEqual(tables.visit.file, "visits_2026_*.csv")
      assert.strictEqual(tables.diag_part.file, "diag-part-*.csv")
      assert.include(text, "# 30 rows in 3 files with the same columns")
      assert.include(text, "for 7 files of tables")
      assert.include(words, "30 visits in the sample      30 ready")
      assert.deepStrictEqual(visits.map(({ diagnosis }) => diagnosis.length), Array.from({ length: 30 }, () => 2))
    }).pipe(Effect.scoped))

  it.effect("are one table if some rows are in several of them, or if each is in the folder of a month", () =>
    Effect.gen(function*() {
      const { mapping: { table: tables }, visits } = yield* begun({
        "2026-01/patients.csv": people,
        "2026-02/patients.csv": people,
        "2026-01/visits.csv": visitsOf("V1"),
        "2026-02/visits.csv": visitsOf("V2", 2)
      })
      assert.sameMembers(Object.keys(tables), ["patient", "visit"])
      assert.strictEqual(tables.visit.file, "visits.csv")
      assert.strictEqual(visits.length, 20)
    }).pipe(Effect.scoped))

  it.effect("are listed by name if a pattern would match another file", () =>
    Effect.gen(function*() {
      const { mapping: { table: tables }, visits } = yield* begun({
        "patients.csv": people,
        "visits_1.csv": visitsOf("V1"),
        "visits_2.csv": visitsOf("V2", 2),
        "visits_types.csv": "code,meaning\nOPD,outpatient\nIPD,inpatient\n"
      })
      assert.deepStrictEqual(tables.visit.file, ["visits_1.csv", "visits_2.csv"])
      assert.strictEqual(visits.length, 20)
    }).pipe(Effect.scoped))

  it.effect("stay apart with a question if each numbers its rows again from one, and so do tables that refer to them", () =>
    Effect.gen(function*() {
      const { mapping: { table: tables }, text, visits, words } = yield* begun({
        "patients.csv": people,
        "visits_01.csv": visitsOf("V"),
        "visits_02.csv": visitsOf("V", 2),
        "diag_01.csv": diagnosesOf("V"),
        "diag_02.csv": diagnosesOf("V", "J00")
      })
      assert.strictEqual(tables.visit.file, "visits_01.csv")
      assert.strictEqual(tables.diag.file, "diag_01.csv")
      assert.deepStrictEqual([...new Set(visits.map(({ diagnosis }) => diagnosis[0].diagnosis_code))], ["I10"])
      assert.include(words, "QUESTION are the rows of `visits_2` (10 rows in \"visits_02.csv\") more rows of `visit`")
      assert.include(words, "QUESTION are the rows of `diag_2` (20 rows in \"diag_02.csv\") more rows of `diag`")
      assert.notInclude(text, "no part of the Visit was recognised")
    }).pipe(Effect.scoped))

  it.effect("stay apart with a question if their names differ in words", () =>
    Effect.gen(function*() {
      const { mapping: { table: tables }, text, words } = yield* begun({
        "patients_a.csv": people,
        "patients_b.csv": people.replaceAll(/^P/gmu, "Q"),
        "visits_hospital_a.csv": visitsOf("A"),
        "visits_hospital_b.csv": visitsOf("B").replaceAll(",P", ",Q")
      })
      assert.strictEqual(tables.visit.file, "visits_hospital_a.csv")
      assert.match(words, /QUESTION are the rows of `visits_hospital_b` .* more rows of `visit`/u)
      assert.match(words, /QUESTION are the rows of `patients_b` .* more rows of `patient`/u)
      assert.include(text, "add \"visits_hospital_b.csv\" to  table: {visit: {file: […]}}")
      assert.notInclude(text, "no part of the Visit was recognised")
    }).pipe(Effect.scoped))
})

describe("Files of two code systems", () => {
  it.effect("are two tables, though their names differ only in digits", () =>
    Effect.gen(function*() {
      const { mapping: { table: tables }, visits } = yield* begun({
        "patients.csv": people,
        "visits.csv": visitsOf("V"),
        "diagnoses.csv": diagnosesOf("V"),
        "icd9.csv": rowsUnder("code,description", 4, (at) => `${250 + at}.0,Nine ${at}`),
        "icd10.csv": "code,description\nI10,Hypertension\nA09,Diarrhoea\nE11.9,Diabetes\nJ06.9,Cold\n"
      })
      assert.deepStrictEqual([tables.icd9.file, tables.icd10.file], ["icd9.csv", "icd10.csv"])
      assert.strictEqual(visits[0].diagnosis[0].diagnosis_name, "Hypertension")
    }))
})
