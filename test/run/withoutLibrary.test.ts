import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { vi } from "vitest"
import { compileByLibrary } from "../../src/fhirpath/library/ask.ts"
import { converted } from "./converted.ts"

const loads = vi.hoisted(() => ({ count: 0 }))

vi.mock("../../src/fhirpath/library/loadLibrary.ts", async (original) => {
  const { loadLibrary } = await original<typeof import("../../src/fhirpath/library/loadLibrary.ts")>()
  return {
    loadLibrary: () => {
      loads.count++
      return loadLibrary()
    }
  }
})

// To load it takes a fifth of the time of a small conversion, and each call takes as long as hundreds of others.
describe("The library FHIRPath", () => {
  it.effect.each([
    "clinic-day",
    "emergency-labs-imaging",
    "inpatient-surgery-referral",
    "outpatient-fever"
  ])("is not needed for the records of a sample: %s", (sample) =>
    Effect.gen(function*() {
      loads.count = 0
      const { visits } = yield* converted([`samples/${sample}/input`])
      assert.isNotEmpty(visits)
      assert.strictEqual(loads.count, 0)
    }).pipe(Effect.provide(NodeServices.layer)))

  it("is counted when it is needed", () => {
    loads.count = 0
    compileByLibrary("children()")([], {})
    assert.strictEqual(loads.count, 1)
  })
})
