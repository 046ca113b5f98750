import { assert, describe, it } from "@effect/vitest"
import { Code, notGenerated } from "../../src/fhirpath/generate/write/Code.ts"

const fails = (): never => {
  throw notGenerated
}

/** Finds one element, and then tries something within blocks and loops for which there is no code. */
const foundBeside = (attempted: (code: Code<string>) => void) => {
  const code = new Code<string>()
  const { isCertain, most } = code.find((out) => {
    assert.isUndefined(code.attempt(() => attempted(code)))
    out("only")
  })
  return { isCertain, most }
}

describe("An attempt for which there is no code", () => {
  it.each<readonly [within: string, attempted: (code: Code<string>) => void]>([
    ["a block", (code) => code.block("if (x)", fails)],
    ["a loop", (code) => code.loop("list", fails)],
    ["an alternative", (code) => code.either("x", () => undefined, fails)],
    ["a part that has found something", (code) =>
      void code.find((out) => {
        out("one")
        fails()
      })]
  ])("leaves no trace in the code around it: within %s", (_, attempted) => {
    assert.deepStrictEqual(foundBeside(attempted), { isCertain: true, most: 1 })
  })
})
