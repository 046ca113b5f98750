import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { findFault } from "../../src/json/findFault.ts"

const explained = (text: string): string => {
  const fault = findFault(text)
  return fault === undefined ? "" : `${fault.line}:${fault.column} ${fault.reason}`
}

describe("findFault", () => {
  const cases: ReadonlyArray<readonly [text: string, expected: string]> = [
    ["{\"a\": 1,}", "1:8 unexpected comma before the closing `}`"],
    ["[1, 2,\n]", "1:6 unexpected comma before the closing `]`"],
    ["[1,,2]", "1:4 unexpected second comma"],
    ["{\n  // note\n  \"a\": 1\n}", "2:3 unexpected comment"],
    ["{\"a\": 1 /* one */}", "1:9 unexpected comment"],
    ["{'a': 1}", "1:2 the name is in single quotes"],
    ["{\"a\": 'x'}", "1:7 the text is in single quotes"],
    ["{a: 1}", "1:2 a name in double quotes is expected"],
    ["{\"a\" 1}", "1:6 a `:` is missing between a name and its value"],
    ["{\"a\": }", "1:7 unexpected `}`; expected a value"],
    ["{\"a\": 1 \"b\": 2}", "1:9 a comma or `}` is missing"],
    ["[\"a\" \"b\"]", "1:6 a comma or `]` is missing"],
    ["{\n \"a\": [1, 2\n}", "3:1 `}` closes the `[` of line 2"],
    ["{\n \"a\": {\"b\": 1}\n", "3:1 the text ends before the `{` of line 1 is closed"],
    ["{\"a\":", "1:6 the text ends before the `{` of line 1 is closed"],
    ["{\"a\": \"x", "1:7 a text is opened with `\"` and never closed"],
    ["{\"a\": \"x\ny\"}", "1:9 a line break is not allowed inside a text"],
    ["{\"a\": \"x\\q\"}", "1:9 unexpected `\\` before a character that needs no escape"],
    ["{\"a\": 1.}", "1:8 a number has a point and no digit after it"],
    ["{\"a\": 007}", "1:7 a number begins with a zero"],
    ["{\"a\": +1}", "1:7 a number cannot begin with `+`"],
    ["{\"a\": 12mg}", "1:9 a number is followed by something else"],
    ["{\"a\": NaN}", "1:7 `NaN` is not a value of JSON"],
    ["{\"a\": None}", "1:7 `None` is not a value of JSON"],
    ["{\"a\": 1}}", "1:9 unexpected `}`; expected a value"]
  ]
  for (const [text, expected] of cases) {
    it(JSON.stringify(text), () => assert.strictEqual(explained(text), expected))
  }

  it("finds nothing in valid JSON of one value or several", () => {
    for (const text of ["{}", "[]", " {\"a\": [1, -2.5e+3, \"\\u00e9\\n\", true, false, null]}\n", "{}\n{}", "[][]"]) {
      assert.isUndefined(findFault(text))
    }
  })

  it("finds a fault exactly if `JSON.parse` throws", () => {
    const damaged = fc.tuple(
      fc.json(),
      fc.nat(),
      fc.constantFrom("", ",", "}", "]", "{", "[", ":", "\"", "'", "\\", "1", ".", "\n", "e")
    )
      .map(([text, at, put]) => {
        const place = at % (text.length + 1)
        return `[${text.slice(0, place)}${put}${text.slice(place + (at % 2))}]`
      })
    fc.assert(
      fc.property(damaged, (text) => {
        let isJson = true
        try {
          JSON.parse(text)
        } catch {
          isJson = false
        }
        // Two consecutive values are no JSON text, and no fault here.
        const fault = findFault(text)
        if (isJson) assert.isUndefined(fault, text)
        else if (fault === undefined) assert.throws(() => JSON.parse(text), /after JSON/)
        else assert.isAtMost(fault.column, text.length + 1)
      }),
      { numRuns: 2000 }
    )
  })

  it("reads a million brackets without exhausting the stack", () => {
    assert.match(explained("[".repeat(1_000_000)), /^1:1000001 the text ends/)
  })
})
