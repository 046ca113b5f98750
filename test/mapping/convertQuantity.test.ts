import { assert, describe, it } from "@effect/vitest"
import { convertQuantity } from "../../src/mapping/convertQuantity.ts"

describe("A quantity in another unit", () => {
  it("a unit that UCUM does not know is not printed: standard output may hold visits", () => {
    const printed: Array<unknown> = []
    const { log } = console
    console.log = (...words) => void printed.push(words)
    try {
      for (const unit of ["deg. C", "Canary says", "{a}b(c", "m)(", "10*"]) {
        assert.strictEqual(
          convertQuantity({ value: 37, unit }, "Cel", { to: "Cel", round: 2 }).kind,
          "cannot-convert",
          unit
        )
      }
    } finally {
      console.log = log
    }
    assert.deepStrictEqual(printed, [])
  })
})
