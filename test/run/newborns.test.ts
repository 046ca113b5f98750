import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { bothWays } from "./converted.ts"
import { encounter, type Json, lines, patient } from "./smallRecords.ts"

/** The visits of a mother's stay from 2 to 4 March, with an encounter of another patient below it. */
const visitsOf = (child: Json, below: Json = {}) =>
  Effect.map(
    bothWays({
      "a.ndjson": lines(
        patient("mother"),
        patient("child", child),
        encounter("e2", "mother", {
          class: { code: "IMP" },
          period: { start: "2026-03-02T08:00:00+07:00", end: "2026-03-04T09:00:00+07:00" }
        }),
        encounter("e3", "child", { class: { code: "IMP" }, partOf: { reference: "Encounter/e2" }, ...below }),
        encounter("e4", "child", { class: { code: "IMP" }, partOf: { reference: "Encounter/e3" } })
      )
    }),
    ({ visits }) =>
      visits.map(({ json, problems, ready }) => ({
        ready,
        patient: /"patient_code":"([^"]*)"/u.exec(json)?.[1],
        foreign: problems.filter(({ code }) => code === "other-patient").map(({ source }) => source),
        assumed: problems.some(({ assumption }) => assumption === "newborn-has-own-visit")
      }))
  )

describe("The encounter of a newborn that is part of the mother's", () => {
  for (const birthDate of ["2026-03-02", "2026-03-04"]) {
    it.effect(`is a visit of its own: born on ${birthDate}`, () =>
      Effect.gen(function*() {
        assert.deepStrictEqual(yield* visitsOf({ birthDate }), [
          { ready: true, patient: "P-child", foreign: [], assumed: true },
          { ready: true, patient: "P-mother", foreign: [], assumed: false }
        ])
      }))
  }

  for (const birthDate of ["2026-03-01", "2026-03-05", "2026-03", "1990-04-12"]) {
    it.effect(`is a mistake if the patient was not born in the stay: ${birthDate}`, () =>
      Effect.gen(function*() {
        assert.deepStrictEqual(yield* visitsOf({ birthDate }), [
          { ready: false, patient: "P-mother", foreign: ["Encounter/e3", "Encounter/e4"], assumed: false }
        ])
      }))
  }
})
