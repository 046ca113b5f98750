import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { initialized, table, two } from "./drafted.ts"

describe("A table of people next to one of patients, which has only their numbers", () => {
  it.effect("has the patients of the visits", () =>
    Effect.gen(function*() {
      const { mapping, visits, words } = yield* initialized({
        "patient.csv": table("patient_id,voided", 9, (at) => `${at},0`),
        "person.csv": table("person_id,gender,birthdate,family_name,given_name", 9, (at) =>
          `${at},F,195${at}-03-04,Example${at},Ann`),
        "visit.csv": table("visit_id,patient_id,date_started,date_stopped", 9, (at) =>
          `${at + 100},${at},2026-03-${two(at)} 08:15:00,2026-03-${two(at)} 09:15:00`)
      })
      assert.strictEqual(mapping.table.patient.file, "person.csv")
      assert.notInclude(words, "left out")
      assert.deepStrictEqual(
        visits.map(({ code, patient }) => [code, patient.code, patient.surname]).slice(0, 2),
        [["101", "1", "Example1"], ["102", "2", "Example2"]]
      )
    }))
})
