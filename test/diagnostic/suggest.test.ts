import { assert, describe, it } from "@effect/vitest"
import { suggest } from "../../src/diagnostic/suggest.ts"

describe("suggest", () => {
  const fields = ["title", "recorded_by", "recorded_at", "observations", "encounter_code"]
  const cases: ReadonlyArray<readonly [typed: string, meant: string | undefined]> = [
    ["titel", "title"],
    ["recorded_b", "recorded_by"],
    ["recordedby", "recorded_by"],
    ["TITLE", "title"],
    ["obsrvatoins", "observations"],
    ["code", undefined],
    ["xyz", undefined],
    ["", undefined],
    ["a".repeat(10_000), undefined]
  ]
  for (const [typed, intended] of cases) {
    it(`${typed.slice(0, 20)} → ${intended}`, () => assert.strictEqual(suggest(typed, fields), intended))
  }

  it("returns the nearest candidate, and the first of equals", () => {
    assert.strictEqual(suggest("abcdee", ["abcxyz", "abcdef", "abcdeg"]), "abcdef")
    assert.strictEqual(suggest("abcdef", ["abcdeg", "abcdef"]), "abcdef")
  })
})
