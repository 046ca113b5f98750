import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { findFault } from "../../src/json/findFault.ts"
import { unreadableInText } from "../../src/source/records/unreadableInText.ts"

/** Beginnings and pieces out of which damaged records of any kind are made. */
const beginnings = [
  "",
  "[",
  "{",
  "{\"resourceType\":\"Observation\",\"x\":",
  "{\"resourceType\":\"Bundle\",\"entry\":[",
  "[{\"id\":1,x"
]
const pieces = [
  ..."{}[],:\"\\x0- \n\u0000\u{FEFF}",
  "{\"a\":",
  "//",
  "/*",
  "\"\"",
  "\"\"x",
  "\"id\"::",
  "{\"id\":",
  "{ \"id\"",
  "[{\"id\":\"x\",",
  "\"reference\"  ",
  "{\"reference\":\"",
  "\"reference\":",
  "{\"reference\":\"a\",",
  "[{\"reference\":\"Encounter/1\"}x",
  "\"identifier\":[",
  "\"identifier\":{",
  "\"resource\":{",
  "{\"resource\":{\"entry\":[",
  "{\"entry\":[{\"resource\":",
  "{\"fullUrl\":\"x\",\"resource\":{\"a\" \"b\"",
  "{\"resourceType\":\"Patient\",\"id\":\"1\",",
  "\\ud83d"
]

describe("unreadableInText of a damaged text", () => {
  it("law: does not exhaust the stack, whatever the text repeats", () => {
    for (const beginning of beginnings) {
      for (const piece of pieces) {
        const text = beginning + piece.repeat(Math.ceil(100_000 / piece.length))
        unreadableInText(text)
        findFault(text)
      }
    }
  })

  it("law: reads any mixture of fragments", () =>
    fc.assert(
      fc.property(
        fc.constantFrom(...beginnings),
        fc.array(fc.constantFrom(...pieces), { maxLength: 60 }),
        (start, rest) => {
          const text = start + rest.join("")
          unreadableInText(text)
          const fault = findFault(text)
          if (fault !== undefined) assert.isAtLeast(fault.column, 1)
        }
      ),
      { numRuns: 2000 }
    ))

  it("keeps the owner of a record, wherever one character is wrong", () => {
    const text = JSON.stringify({
      resourceType: "Observation",
      id: "o1",
      meta: { profile: ["http://example.org/a"] },
      code: { text: "a // b" },
      subject: { reference: "Patient/p1" },
      encounter: { reference: "Encounter/e1" },
      valueString: "x"
    })
    const keptAt = (damaged: string): ReadonlyArray<string> =>
      unreadableInText(damaged).flatMap(({ references }) => references)
    for (const put of ["", ",", "}", "]", "{", "[", ":", "\"", "x", "\n", "//"]) {
      for (let at = 1; at < text.length; at++) {
        const damaged = text.slice(0, at) + put + text.slice(at + 1)
        const where = `${put} at ${at}`
        for (const name of ["Patient/p1", "Encounter/e1"]) {
          const whole = `"reference":"${name}"`
          // Inside the reference itself nothing can be known of it.
          if (damaged.includes(whole)) assert.include(keptAt(damaged), name, where)
        }
      }
    }
  })

  it("returns each record of a list if one of them is damaged", () => {
    const record = (id: string) => `{"resourceType":"Observation","id":"${id}","status":"final"}`
    const text = `[${record("a")},${record("b").replace("\"final\"", "final")},${record("c")}]`
    assert.deepStrictEqual(unreadableInText(text).map(({ names: [name] }) => name), [
      "Observation/a",
      "Observation/b",
      "Observation/c"
    ])
  })
})
