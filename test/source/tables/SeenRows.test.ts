import { assert, describe, it } from "@effect/vitest"
import { SeenRows } from "../../../src/source/tables/SeenRows.ts"

describe("SeenRows", () => {
  it("compares the given cells, and where each one ends", () => {
    const seen = new SeenRows()
    assert.isFalse(seen.has(["ab", "c", "x"], [0, 1]))
    assert.isTrue(seen.has(["ab", "c", "y"], [0, 1]))
    assert.isFalse(seen.has(["a", "bc", "x"], [0, 1]))
    assert.isFalse(seen.has(["ab"], [0, 1]))
    assert.isTrue(seen.has(["ab", ""], [0, 1]))
  })

  it("can forget rows, and never confuses them", () => {
    const seen = new SeenRows()
    const rows = Array.from({ length: 200_000 }, (_, at) => [`V-${at}`, `H-${at % 1000}`])
    assert.strictEqual(rows.filter((row) => seen.has(row, [0, 1])).length, 0)
    const known = rows.filter((row) => seen.has(row, [0, 1])).length
    assert.isAbove(known, 150_000)
    assert.isBelow(known, 200_000)
  })
})
