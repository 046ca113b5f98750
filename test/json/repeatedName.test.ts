import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import fc from "fast-check"
import { at } from "../../src/at.ts"
import { parseRecord } from "../../src/json/parseRecord.ts"
import { scanValue } from "../../src/json/scanJson.ts"
import { bothWays } from "../run/converted.ts"
import { encounter, lines, patient } from "../run/smallRecords.ts"

const parse = (text: string) => {
  const bytes = Buffer.from(text)
  return parseRecord(bytes, scanValue(bytes, 0, bytes.length), 200)
}

describe("a repeated name in an object", () => {
  it("law: is found wherever it is added, and in no other value", () =>
    fc.assert(fc.property(fc.jsonValue().map((value) => [value]), fc.nat(3), fc.nat(), (value, indent, where) => {
      const text = JSON.stringify(value, null, indent)
      assert.isTrue("value" in parse(text))
      const opens = [...text.matchAll(/\{(?=\s*"((?:[^"\\]|\\.)*)"\s*:)/gu)]
        .filter(({ index }) => (text.slice(0, index).match(/(?<!\\)(?:\\\\)*"/gu) ?? []).length % 2 === 0)
      if (opens.length === 0) return
      const { 1: name, index } = at(opens, where % opens.length)
      const twice = `${text.slice(0, index + 1)} "${name}" : 1,${text.slice(index + 1)}`
      assert.deepStrictEqual(parse(twice), { unfit: "repeated-name" })
    })))

  it("is found if it is written with escapes", () => {
    assert.deepStrictEqual(parse(`{"ab":1,"a\\u0062":2}`), { unfit: "repeated-name" })
    assert.isTrue("value" in parse(`{"a":{"a":1},"b":["a:",{"a":"\\":"}]}`))
  })

  it.effect("rejects the record on a line or in a Bundle, and holds the visit", () =>
    Effect.gen(function*() {
      const twice = lines(encounter("e3", "1")).trim().replace("{", `{"status":"cancelled",`)
      const files = {
        "a.ndjson": `${lines(patient("1"))}${twice}\n`,
        "b.ndjson": `${lines(patient("1"))}${
          twice.replace(/^\{"status":"cancelled",/u, "{").replace(/\}$/u, `,"status":"cancelled"}`)
        }\n`,
        "c.json": `{"resourceType":"Bundle","type":"collection","entry":[{"resource":${
          lines(patient("1")).trim()
        }},{"resource":${twice}}]}`
      }
      for (const [name, text] of Object.entries(files)) {
        const { totals, visits } = yield* bothWays({ [name]: text })
        assert.lengthOf(visits, 0, name)
        const [problem, ...others] = totals.rejectedRecords.flatMap(({ problems }) => problems)
        assert.deepStrictEqual([problem?.code, problem?.source, problem?.facts], [
          "unreadable-record",
          "Encounter/e3",
          [["name", "status"]]
        ])
        assert.lengthOf(others, 0)
      }
    }))
})
