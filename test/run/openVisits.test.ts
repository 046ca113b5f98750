import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { only } from "../present.ts"
import { addressed, bothWays } from "./converted.ts"
import { encounter, type Json, lines, patient } from "./smallRecords.ts"

const discharge: Json = {
  resourceType: "Flag",
  id: "f",
  status: "active",
  subject: { reference: "Patient/1" },
  encounter: { reference: "Encounter/e3" },
  code: { text: "Discharged" },
  period: { end: "2026-03-03T09:00:00+07:00" }
}

/** Whether the visit of an encounter without an end is still open, and whether problems are reported about it. */
const openWith = (status: string, ...more: ReadonlyArray<Json>) =>
  Effect.gen(function*() {
    const period = { start: "2026-03-03T08:00:00+07:00" }
    const { visits } = yield* bothWays(
      { "a.ndjson": lines(patient("1"), encounter("e3", "1", { status, period }), ...more) },
      {},
      `${addressed}  discharged_at: inVisit('Flag').period.end\ngrouping: {link: {Flag: encounter}}\n`
    )
    const { json, notOver, problems } = only(visits)
    return { isOpen: notOver === true, dischargedAt: JSON.parse(json).discharged_at, reports: problems.length > 0 }
  })

describe("A visit in progress", () => {
  for (const status of ["arrived", "triaged", "in-progress", "onleave"]) {
    it.effect(`is still open without a discharge: ${status}`, () =>
      Effect.gen(function*() {
        assert.deepStrictEqual(yield* openWith(status), { isOpen: true, dischargedAt: null, reports: false })
      }))
  }

  it.effect("is over if the mapping finds a discharge in another record", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* openWith("in-progress", discharge), {
        isOpen: false,
        dischargedAt: "2026-03-03T09:00:00.000+07:00",
        reports: true
      })
    }))

  it.effect("is not one that is finished or was never begun", () =>
    Effect.gen(function*() {
      for (const status of ["finished", "unknown"]) {
        assert.deepInclude(yield* openWith(status), { isOpen: false, reports: true })
      }
    }))
})
