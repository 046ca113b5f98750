import { assert, describe, it } from "@effect/vitest"
import { SeenRows } from "../../../src/source/tables/SeenRows.ts"

describe("Rows that were met", () => {
  it("are known by the cells that count, and by where one cell ends", () => {
    const seen = new SeenRows()
    assert.isFalse(seen.has(["ab", "c", "x"], [0, 1]))
    assert.isTrue(seen.has(["ab", "c", "y"], [0, 1]))
    assert.isFalse(seen.has(["a", "bc", "x"], [0, 1]))
    assert.isFalse(seen.has(["ab"], [0, 1]))
    assert.isTrue(seen.has(["ab", ""], [0, 1]))
  })

  it("may be forgotten, and are never taken for others", () => {
    const seen = new SeenRows()
    const rows = Array.from({ length: 200_000 }, (_, at) => [`V-${at}`, `H-${at % 1000}`])
    assert.strictEqual(rows.filter((row) => seen.has(row, [0, 1])).length, 0)
    const known = rows.filter((row) => seen.has(row, [0, 1])).length
    assert.isAbove(known, 150_000)
    assert.isBelow(known, 200_000)
  })
})
