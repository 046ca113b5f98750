import { assert, describe, it } from "@effect/vitest"
import { UnmappedCodes, withoutWords } from "../../src/run/accounts/UnmappedCodes.ts"
import { PatientCode } from "../../src/visit/values/Code.ts"

const coded = { table: "sex", system: "urn:local", code: "x", blocking: false } as const
const reported = (displays: ReadonlyArray<readonly [display: string, patient: string | undefined]>) => {
  const codes = new UnmappedCodes()
  for (const [display, patient] of displays) {
    codes.add([{ ...coded, display }], true, patient === undefined ? undefined : PatientCode(patient))
  }
  return withoutWords(codes.all()).map(({ count, display }) => [count, display])
}

describe("the display of an unmapped code", () => {
  it("is shown when records of three people share it", () =>
    assert.deepStrictEqual(reported([["Other", "P1"], ["Other", "P2"], ["Other", "P3"]]), [[3, "Other"]]))

  it("is not shown for fewer people, however often they have it, or for unknown people", () => {
    assert.deepStrictEqual(reported([["Sok Dara", "P1"], ["Sok Dara", "P1"], ["Sok Dara", "P1"]]), [[3, null]])
    assert.deepStrictEqual(reported([["Sok Dara", "P1"], ["Other", "P2"], ["Other", "P3"], ["Other", "P4"]]), [[
      4,
      null
    ]])
    assert.deepStrictEqual(reported([["Other", undefined], ["Other", undefined], ["Other", undefined]]), [[3, null]])
  })

  it("counts three visits of one person once, for a text without a code", () => {
    const codes = new UnmappedCodes()
    const words = { ...coded, code: "Sok Dara", display: null, words: true } as const
    for (let visit = 0; visit < 3; visit++) codes.add([words], true, PatientCode("P1"))
    assert.deepStrictEqual(withoutWords(codes.all()).map(({ code }) => code), ["(words)"])
  })
})
