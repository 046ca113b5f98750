import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { compareVisits } from "../../src/pipeline/compareVisits.ts"
import { converted, temporaryFolder, written } from "./converted.ts"

describe("What changes when another mapping makes the visits", () => {
  it.effect("nothing, when the overlay is empty", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const [mapping] = written(folder, { "mapping.yaml": "mapping: empty\nextends: fhir-r4\n" })
      const before = (yield* converted(["samples/clinic-day/input"])).visits
      const after = (yield* converted(["samples/clinic-day/input"], { mapping: mapping! })).visits
      const { changed, fields, visits } = compareVisits(before, after)
      assert.deepStrictEqual({ changed, fields, visits }, { changed: 0, fields: [], visits: 5 })
    }))

  it.effect("fields are counted without their indexes, and visits that change sides are named", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const [mapping] = written(folder, {
        "mapping.yaml":
          "mapping: other\nextends: fhir-r4\nvisit:\n  patient: {occupation: {value: Farmer}}\n  vital_signs: {title: null}\n" +
          "  discharge_type: {value: Authorized}\n  admitted_at: null\n"
      })
      const before = (yield* converted(["samples/clinic-day/input"])).visits
      const after = (yield* converted(["samples/clinic-day/input"], { mapping: mapping! })).visits
      const found = compareVisits(before, after)
      assert.strictEqual(found.changed, 5)
      assert.strictEqual(found.becomeRejected.length, before.filter(({ ready }) => ready).length)
      assert.deepStrictEqual(found.becomeReady, [])
      const names = found.fields.map(({ field }) => field)
      assert.includeMembers(names, ["admitted_at", "vital_signs[].title", "patient.occupation"])
      const back = compareVisits(after, before)
      assert.deepStrictEqual(back.fields, found.fields)
      assert.deepStrictEqual(back.becomeReady, found.becomeRejected)
    }))
})
