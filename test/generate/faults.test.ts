import { assert, describe, it } from "@effect/vitest"
import { firstWrongExpression, firstWrongOfAltered } from "./fixedExpressions.ts"
import { hasWrongVisit } from "./fixedVisits.ts"
import { planted } from "./planted.ts"
import { faultsOfExpressions, faultsOfFields, faultsOfReading } from "./plantedFaults.ts"

describe("The law of generated code", () => {
  it("holds for the fixed expressions and visits", async () => {
    const { by } = planted((text) => text)
    assert.isUndefined(firstWrongExpression(by))
    assert.isFalse(await hasWrongVisit(by))
  })

  describe("finds a fault in an expression:", () => {
    it.each(faultsOfExpressions)("$name", async ({ alter }) => {
      const { by, counts } = planted(alter)
      // Another fault can be found only by the other expressions.
      const isFound = firstWrongOfAltered(by, alter) !== undefined || await hasWrongVisit(by) ||
        firstWrongExpression(planted(alter).by) !== undefined
      assert.isAbove(counts.changed, 0, "the fault changes no text")
      assert.strictEqual(counts.broken, 0, "the fault makes no code")
      assert.isTrue(isFound)
    })
  })

  describe("finds a fault in a field or a condition:", () => {
    it.each(faultsOfFields)("$name", async ({ alter }) => {
      const { by, counts } = planted(alter)
      const isFound = await hasWrongVisit(by)
      assert.isAbove(counts.changed, 0, "the fault changes no text")
      assert.strictEqual(counts.broken, 0, "the fault makes no code")
      assert.isTrue(isFound)
    })
  })

  it.each(faultsOfReading)("finds a fault in reading a record: $name", ({ canRead }) => {
    assert.isDefined(firstWrongExpression({ after: 1, canRead }))
  })
})
