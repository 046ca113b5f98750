import { assert, describe, it } from "@effect/vitest"
import { firstWrongExpression } from "./fixedExpressions.ts"
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
      const isFound = firstWrongExpression(by) !== undefined || await hasWrongVisit(by)
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
