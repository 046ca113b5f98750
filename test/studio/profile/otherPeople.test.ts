import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { days, drafted } from "./drafted.ts"

describe("The columns of visits", () => {
  it.effect("read a weight in the unit beside it, which is no department", () =>
    Effect.gen(function*() {
      const { visits: [visit] } = yield* drafted(days(8, { header: ",weight,weight_unit", more: () => ",142.5,lb" }))
      assert.strictEqual(visit.outpatients[0].service_type, "OPD")
      assert.closeTo(visit.triages[0].weight, 64.6, 0.1)
    }))
})
