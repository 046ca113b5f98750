import { assert, describe, it } from "@effect/vitest"
import { guardPatterns } from "../../src/cli/lastResort.ts"

describe("the last resort", () => {
  it("a pattern that backtracks without end is matched in linear time", () => {
    guardPatterns()
    const began = performance.now()
    assert.isFalse(new RegExp("(a+)+$").test(`${"a".repeat(40)}!`))
    assert.isBelow(performance.now() - began, 2000)
  })
})
