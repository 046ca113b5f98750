import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { listIndex } from "../../../src/facility/lists/listIndex.ts"
import { searchText, TextIndex } from "../../../src/facility/lists/TextIndex.ts"
import { standardData } from "../../../src/service/sandbox/data/standardData.ts"

const names = (type: keyof typeof standardData, text: string, limit = 3) =>
  listIndex(type, standardData[type]).search(text, limit).map(({ item }) => item.value)

describe("Searching a list of the standard data", () => {
  it("finds by code, by name in any order, by description, and by a name in another script; ignores case", () => {
    assert.strictEqual(names("diagnoses", "a90")[0], "A90")
    assert.strictEqual(names("diagnoses", "FEVER dengue")[0], "A90")
    assert.strictEqual(names("discharge_types", "left against advice")[0], "Unauthorized")
    assert.strictEqual(names("marital_statuses", "នៅលីវ")[0], "Single")
    assert.strictEqual(names("marital_statuses", "MRTL-000003")[0], "Widowed")
  })

  it("finds a misspelt name and a part of a name", () => {
    assert.strictEqual(names("marital_statuses", "Maried")[0], "Married")
    assert.sameMembers(names("diagnoses", "tubercul", 2), ["A15.0", "A16.2"])
    assert.deepStrictEqual(names("marital_statuses", "xyzzy"), [])
    assert.deepStrictEqual(names("marital_statuses", " - "), [])
  })

  it("gives codes for diagnoses and medicines, and names for all other lists", () => {
    assert.strictEqual(names("medications", "Ibuprofen 400 mg tablet")[0], "MEDI-000003")
    assert.strictEqual(names("visit_types", "opd")[0], "OPD")
  })

  it("scores equal words as 1 and others lower, the best first", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", "é", " ", "-", "ក", "1"), maxLength: 12 })
    fc.assert(fc.property(fc.array(text, { maxLength: 12 }), text, (texts, expected) => {
      const index = new TextIndex<string>()
      texts.forEach((item, order) => index.add(item, [{ text: item }], order))
      const found = index.search(expected, 5)
      const scores = found.map(({ score }) => score)
      assert.deepStrictEqual(scores, scores.toSorted((a, b) => b - a))
      for (const { item, score } of found) {
        assert.isAtMost(score, 1)
        assert.strictEqual(score === 1, searchText(item) === searchText(expected), `${item} and ${expected}`)
      }
      const same = texts.some((item) => searchText(item) !== "" && searchText(item) === searchText(expected))
      assert.strictEqual(scores[0] === 1, same)
    }))
  })
})
