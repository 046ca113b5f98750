import { assert, describe, it } from "@effect/vitest"
import { firstWrongExpression } from "./fixedExpressions.ts"
import { hasWrongVisit } from "./fixedVisits.ts"
import { planted } from "./planted.ts"

/** Returns a change of texts by which each function fails, at its end or before one of its fields. */
const failing = (start: number): (text: string) => string => {
  let count = start
  return (text) => {
    const places = [...text.matchAll(/^(?:x = undefined|return .*)$/gmu)]
    const place = places[count++ % places.length]
    return place === undefined ? text : `${text.slice(0, place.index)}fail()\n${text.slice(place.index)}`
  }
}

describe("Generated code that fails", () => {
  it("leaves an expression to the definition", () => {
    assert.isUndefined(firstWrongExpression(planted(failing(0)).by))
  })

  it.each([0, 1, 2, 3, 5, 8])("leaves no trace in a visit, wherever it fails: from %i", async (start) => {
    const { by, counts } = planted(failing(start))
    assert.isFalse(await hasWrongVisit(by))
    assert.isAbove(counts.changed, 100)
    assert.strictEqual(counts.broken, 0)
  })

  it("leaves no trace in a visit if it fails after the conditions of a row", async () => {
    const { by, counts } = planted((text) => text.replaceAll(/^return -?\d+$/gmu, "fail()\n$&"))
    assert.isFalse(await hasWrongVisit(by))
    assert.isAbove(counts.changed, 50)
    assert.strictEqual(counts.broken, 0)
  })
})
