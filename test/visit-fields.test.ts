import { assert, describe, it } from "@effect/vitest"
import { referenceListTypes } from "../src/visit/Field.ts"

describe("§4.3 standard data", () => {
  it("has twelve lists", () => assert.strictEqual(new Set(referenceListTypes).size, 12))
})
