import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { days, drafted } from "./drafted.ts"

/** Visits with columns of diagnoses; `more` is for every fifth visit. */
const visitsWith = (header: string, cells: string, more = cells) =>
  drafted(days(20, { header: `,${header}`, more: (at) => `,${at % 5 === 0 ? more : cells}` }))

const sent = (visit: { readonly diagnosis: ReadonlyArray<Readonly<Record<string, unknown>>> }) =>
  visit.diagnosis.map((one) => [one["diagnosis_type_name"], one["diagnosis_code"]])

describe("Columns of diagnoses in the rows of visits", () => {
  it.effect("send that of the admission as such, by an assumption, and not as the primary one", () =>
    Effect.gen(function*() {
      const { questions, visits } = yield* visitsWith("diagnosa_awal,diagnosa_akhir", "R50.9,A90")
      assert.include(questions, "do you accept `admission-diagnosis-is-in`?")
      assert.deepStrictEqual(sent(visits[0]), [["In", "R50.9"], ["Primary", "A90"]])
    }))

  it.effect("send none that was not final next to another, with a question", () =>
    Effect.gen(function*() {
      const { questions, visits } = yield* visitsWith("provisional_diagnosis,final_diagnosis", "R50.9,A90")
      assert.include(questions, "are the codes of `visit.provisional_diagnosis` diagnoses of the visit, although")
      assert.deepStrictEqual(sent(visits[0]), [["Primary", "A90"]])
    }))

  it.effect("mark one that was not final, if there is no other", () =>
    Effect.gen(function*() {
      const { mapping } = yield* visitsWith("provisional_dx_icd10", "A90")
      assert.include(mapping, "# by its name, it was not final: verify it")
    }))

  for (const column of ["dx_certainty", "diagnosis_status"]) {
    it.effect(`reject a visit whose diagnosis is not certain, until that is decided: ${column}`, () =>
      Effect.gen(function*() {
        const { problems, questions, visits } = yield* visitsWith(
          `main_dx,dx2,${column}`,
          "A90,E11.9,Confirmed",
          "A90,E11.9,Suspected"
        )
        assert.include(
          questions,
          `which diagnoses of \`visit\` should be sent, by \`${column}\`?  Confirmed 16, Suspected 4`
        )
        assert.include(problems, `the concept map \`visit_${column}\` does not contain a code of the source`)
        assert.lengthOf(visits, 16)
        assert.deepStrictEqual(sent(visits[0]), [["Primary", "A90"], ["Secondary", "E11.9"]])
      }))
  }

  it.effect("are asked about, if a column has letters for their types", () =>
    Effect.gen(function*() {
      const { questions } = yield* visitsWith("icd10,dx_type", "A90,D", "A90,P")
      assert.include(questions, "which types of diagnoses should be sent, by `visit.dx_type`?  D 16, P 4")
    }))
})
