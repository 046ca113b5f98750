import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { days, drafted, table, two } from "./drafted.ts"

const notes = (header: string, cells: string) => ({
  "notes.csv": table(
    `visit_no,written_at,${header},author`,
    6,
    (at) => `V-${at},2026-03-${two(at)} 08:20,${cells},N. Test`
  )
})

const written = {
  subjective: "Fever",
  objective: "38.5",
  assessment: "Malaria",
  plan: "Tablets",
  evaluation: null,
  recorded_by: "N. Test",
  recorded_at: "2026-03-01T08:20:00.000+07:00"
}

describe("Notes in the parts subjective, objective, assessment and plan", () => {
  for (
    const header of ["S,O,A,P", "subjective,objective,assessment,plan", "Subjetivo,Objetivo,Análisis,Plan"]
  ) {
    it.effect(`are sent from a table with a column for each: ${header}`, () =>
      Effect.gen(function*() {
        const { questions, visits } = yield* drafted({ ...days(6), ...notes(header, "Fever,38.5,Malaria,Tablets") })
        assert.notInclude(questions, "how should the rows of `notes`")
        assert.strictEqual(visits.length, 6)
        assert.deepInclude(visits[0].soaps[0], written)
      }))
  }

  it.effect("are sent from columns of the visits, and no note of a visit that has none of them", () =>
    Effect.gen(function*() {
      const { visits } = yield* drafted(days(6, {
        header: ",S,O,A,P",
        more: (at) => at === 1 ? ",Fever,38.5,Malaria,Tablets" : ",,,,"
      }))
      assert.deepInclude(visits[0].soaps[0], { subjective: "Fever", plan: "Tablets" })
      assert.deepStrictEqual(visits[1].soaps, [])
    }))

  it.effect("are not recognised by letters of which one is missing", () =>
    Effect.gen(function*() {
      const { questions } = yield* drafted({ ...days(6), ...notes("S,O,P", "Fever,38.5,Tablets") })
      assert.include(questions, "how should the rows of `notes`")
    }))
})
