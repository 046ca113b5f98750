import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { days, drafted, table, two } from "./drafted.ts"

/** Diagnoses of patients with names of their own, each with a name before the diagnosis. */
const diagnosed = (header: string, nameOf: (at: number) => string) =>
  drafted({
    ...days(6),
    "patients.csv": table("patient_no,name,birth_date,sex", 6, (at) => `P-${at},Example ${letter(at)},1990-04-12,F`),
    "diagnoses.csv": table(
      `${header},visit_no,diagnosis_date,icd10_code,rank`,
      6,
      (at) => `${nameOf(at)},V-${at},2026-03-${two(at)} 08:20,A90,Primary`
    )
  }).pipe(Effect.map(({ visits }) => visits.map(({ diagnosis: [one] }) => one.diagnosis_name)))

const letter = (at: number): string => "ABCDEF".charAt(at - 1)

describe("The name of a diagnosis", () => {
  for (const name of ["Patient Name", "Client Display Name", "Doctor Name", "Ward Name"]) {
    it.effect(`is not in a column \`${name}\``, () =>
      Effect.gen(function*() {
        const names = yield* diagnosed(`${name},diagnosis`, (at) => `Sample ${letter(at)},Dengue fever`)
        assert.deepStrictEqual([...new Set(names)], ["Dengue fever"])
      }))
  }

  it.effect("is not in a column `Name` with the names of the patients", () =>
    Effect.gen(function*() {
      const names = yield* diagnosed("Name", (at) => `Example ${letter(at)}`)
      assert.deepStrictEqual([...new Set(names)], [null])
    }))
})

describe("A given name without a surname", () => {
  it.effect("is sent as such, with a question about the surname", () =>
    Effect.gen(function*() {
      const { questions, visits } = yield* drafted({
        ...days(6),
        "patients.csv": table(
          "patient_no,first_name,alias,birth_date,sex",
          6,
          (at) => `P-${at},Ann,Sample,1990-04-12,F`
        )
      })
      assert.include(questions, "which column has the surnames? `first_name` has the given names")
      assert.notInclude(questions, "whole-name-is-the-given-name")
      assert.deepInclude(visits[0].patient, { name: "Ann", surname: null })
    }))
})
