import { assert, describe, it } from "@effect/vitest"
import { generateCode } from "../../src/mapping/apply/scope/generateCode.ts"

describe("A code for an item without a code in the source", () => {
  // A later version that makes another code would send a visit twice.
  it("is the same in every version of the program", () => {
    assert.strictEqual(generateCode("V", "HF0001", "visit", "Encounter/1"), "V-HFHDFSCD3CCPR")
  })

  it("differs if facility, kind and source differ, even if they are the same text together", () => {
    const codes = [["HF1", "visit", "1"], ["HF", "1visit", "1"], ["HF1", "visit1", ""]] as const
    assert.lengthOf(new Set(codes.map(([facility, kind, key]) => generateCode("V", facility, kind, key))), codes.length)
  })
})
