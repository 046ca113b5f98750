import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { unquoted } from "../../src/fhirpath/syntax/treeParts.ts"
import { fhirText } from "../../src/fhirText.ts"
import { runs } from "../runs.ts"

describe("A text as a literal of FHIRPath", () => {
  it("is the text again if it is read", () => {
    const texts = fc.array(fc.oneof(fc.constantFrom("\\", "'", "`", "u0041", "n"), fc.string()), { maxLength: 4 })
    fc.assert(
      fc.property(texts.map((parts) => parts.join("")), (text) => assert.strictEqual(unquoted(fhirText(text)), text)),
      { numRuns: runs(200) }
    )
  })
})
