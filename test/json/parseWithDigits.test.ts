import { assert, describe, it } from "@effect/vitest"
import { parseWithDigits } from "../../src/json/parseWithDigits.ts"

describe("parseWithDigits", () => {
  it("keeps the digits of a number without anything else, with and without blanks", () => {
    for (const text of ["7.20", " 7.20", "7.20\n"]) {
      assert.deepStrictEqual(parseWithDigits(text), { value: JSON.rawJSON("7.20") }, text)
    }
  })

  it("finds a repeated name next to numbers that are raw JSON", () => {
    const fault = "an object has a key twice, at character 11"
    // Names of two characters: V8 13.6 may read an escaped name of one character as a backslash. No field or element has such a name.
    assert.deepStrictEqual(parseWithDigits(`{"ab":1.0,"\\u0061b":2.0}`), { fault, repeated: "ab" })
    assert.deepStrictEqual(parseWithDigits(`{"ab":1.0,"ab":2,"c":3.0}`), { fault, repeated: "ab" })
    assert.isTrue("value" in parseWithDigits(`{"ab":1.0,"c":{"ab":2.0},"d":[{"ab":1},{"ab":1e3}]}`))
  })

  it("rejects a text that is nested too deep, whatever its values are", () => {
    for (const [open, close] of [["[", "]"], [`{"a":`, "}"]] as const) {
      for (const number of ["1", "1.0"]) {
        const nested = (depth: number): string => `${open.repeat(depth)}${number}${close.repeat(depth)}`
        assert.isTrue("value" in parseWithDigits(nested(1000)))
        for (const depth of [1001, 100_000]) {
          assert.deepStrictEqual(parseWithDigits(nested(depth)), {
            fault: "the text is nested deeper than 1000 levels"
          })
        }
        assert.deepStrictEqual(parseWithDigits(open.repeat(100_000)), { fault: "the text is not JSON" })
      }
    }
  })
})
