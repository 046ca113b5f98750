import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { separatorsIn } from "../../../src/visit/values/icd10.ts"
import { days, drafted, table } from "./drafted.ts"

const count = 6

/** Visits with a column of diagnoses; every third visit has the cell. */
const visitsWith = (cell: string, column = "icd10") =>
  days(count, { header: `,doctor,${column}`, more: (at) => `,Dr Sample,${at % 3 === 0 ? `"${cell}"` : "J00"}` })

const sent = (visit: { readonly diagnosis: ReadonlyArray<Readonly<Record<string, unknown>>> }) =>
  visit.diagnosis.map((one) => [one["diagnosis_type_name"], one["diagnosis_code"], one["diagnosed_by"]])

describe("A cell with several diagnoses", () => {
  for (
    const cell of ["I10;E11.9", "I10|E11.9", "I10, E11.9", "I10 / E11.9;", "I10 E11.9", "I10\nE11.9", "I10;;E11.9"]
  ) {
    it.effect(`sends each code: ${JSON.stringify(cell)}`, () =>
      Effect.gen(function*() {
        const { questions, visits } = yield* drafted(visitsWith(cell))
        assert.include(questions, "first-diagnosis-is-primary")
        assert.deepStrictEqual(sent(visits[2]), [["Primary", "I10", "Dr Sample"], ["Secondary", "E11.9", "Dr Sample"]])
        assert.deepStrictEqual(sent(visits[0]), [["Primary", "J00", "Dr Sample"]])
      }))
  }

  it.effect("sends each code of cells with different separators, and of a further column", () =>
    Effect.gen(function*() {
      const { visits } = yield* drafted(days(count, {
        header: ",diag1,diag2",
        more: (at) => at % 3 === 0 ? ",I10,E11.9;K29 A09" : ",J00,R50.9"
      }))
      assert.deepStrictEqual(sent(visits[2]).map(([, code]) => code), ["I10", "E11.9", "K29", "A09"])
      assert.deepStrictEqual(sent(visits[2]).map(([type]) => type), ["Primary", "Secondary", "Secondary", "Secondary"])
    }))

  it.effect("rejects the visit if a part is no code of ICD-10", () =>
    Effect.gen(function*() {
      const { later } = yield* drafted(visitsWith("I10;E11.9"), visitsWith("I10;diabetes"))
      assert.deepStrictEqual(later.visits.map(({ code }) => code), ["V-1", "V-2", "V-4", "V-5"])
    }))

  it.effect("rejects the visit in a later export, and no row of a concept map is proposed for it", () =>
    Effect.gen(function*() {
      const { later } = yield* drafted(visitsWith("K29"), visitsWith("I10;E11.9"))
      assert.strictEqual(later.visits.length, 4)
      assert.include(later.problems, "forEach: \"COLUMN.split(';')\"")
      const mixed = yield* drafted(visitsWith("DM2"), visitsWith("I10;E11.9"))
      assert.strictEqual(mixed.later.visits.length, 4)
      assert.include(mixed.later.problems, "unmapped-code")
      assert.include(mixed.later.problems, "forEach: \"COLUMN.split(';')\"")
      assert.notInclude(mixed.later.problems, "add a row under")
    }))

  it.effect("rejects the visit in a table of diagnoses, with a question", () =>
    Effect.gen(function*() {
      const { questions, visits } = yield* drafted({
        ...days(count),
        "diagnosis.csv": table("visit_no,dx_code", count, (at) => `V-${at},${at === 2 ? "I10;E11.9" : "J00"}`)
      })
      assert.include(questions, "dx_code` has several codes in a cell")
      assert.deepStrictEqual(visits.map(({ code }) => code), ["V-1", "V-3", "V-4", "V-5", "V-6"])
    }))

  it("is distinguished from one code and from other texts", () => {
    for (const text of ["I10", "E11.9", "A17.0+", "I10-I15", "I10 Hypertension", "T2DM", "", " ", ";", "12;13"]) {
      assert.isUndefined(separatorsIn(text), text)
    }
    assert.deepStrictEqual(separatorsIn("A17.0+ G01*"), [" "])
    assert.deepStrictEqual(separatorsIn("I10; E11.9 , J00 K29"), [";", ",", " "])
  })
})
