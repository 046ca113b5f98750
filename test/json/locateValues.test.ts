import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { type LocatedValue, locateValues } from "../../src/json/locateValues.ts"
import { codePoint } from "../../src/studio/proof/arbitraryVisit.ts"
import { present } from "../present.ts"

/** Returns the value, and checks that the text at each position is that value or name. */
const valueOf = (text: string, located: LocatedValue): unknown => {
  const value = located.kind === "scalar"
    ? located.value
    : located.kind === "array"
    ? located.items.map((item) => valueOf(text, item))
    : Object.fromEntries(located.members.map(({ key, name, value }) => {
      assert.strictEqual(JSON.parse(text.slice(key.start, key.end)), name)
      return [name, valueOf(text, value)]
    }))
  assert.deepStrictEqual(JSON.parse(text.slice(located.start, located.end)), value)
  return value
}

describe("locateValues", () => {
  it("law: gives each value of a text with its position", () =>
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: codePoint }), fc.constantFrom("", " ", "\t", "\n"), (json, space) => {
        const text = `${space}${JSON.stringify(json, null, space)}${space}`
        const located = locateValues(text, 200)
        assert.deepStrictEqual(valueOf(text, present(located)), JSON.parse(text))
      })
    ))

  it("gives a repeated name each time, in the order of the text", () => {
    const located = locateValues(`{"a":1,"b":[],"\\u0061":"x"}`, 1)
    assert.deepStrictEqual(
      located?.kind === "object" ? located.members.map(({ key, name }) => [name, key.start]) : [],
      [
        ["a", 1],
        ["b", 7],
        ["a", 14]
      ]
    )
  })

  it("gives nothing if a value is nested deeper than allowed", () => {
    const nested = (depth: number): string => `${"[".repeat(depth)}1${"]".repeat(depth)}`
    assert.isDefined(locateValues(nested(20), 20))
    assert.isUndefined(locateValues(nested(21), 20))
    assert.isUndefined(locateValues(nested(1_000_000), 20))
  })
})
