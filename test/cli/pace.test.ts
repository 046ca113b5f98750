import { assert, describe, it } from "@effect/vitest"
import { pace } from "../../src/cli/process/pace.ts"

describe("pace", () => {
  it("shows the progress, the speed, and the time left", () => {
    assert.strictEqual(
      pace("sending", 50, 2000, 200_000),
      "sending   50 of 2,000 visits   0.3 a second   130 minutes left"
    )
    assert.strictEqual(
      pace("converting", 9000, 10_000, 3000),
      "converting   9,000 of 10,000 visits   3,000 a second   1 second left"
    )
  })

  it("shows no time left before the first and after the last", () => {
    assert.strictEqual(pace("sending", 0, 1, 5000), "sending   0 of 1 visit   0.0 a second")
    assert.strictEqual(pace("sending", 20, 20, 10_000), "sending   20 of 20 visits   2.0 a second")
  })
})
