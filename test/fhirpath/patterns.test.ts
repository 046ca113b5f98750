import { assert, describe, it } from "@effect/vitest"
import { evaluatePath, makeFhirPath } from "../../src/fhirpath/FhirPath.ts"
import { utcScope } from "./outcome.ts"

const fhirPath = makeFhirPath(new Map())

/** Returns what an expression finds on a patient whose id is the text. */
const found = (path: string, id: string): unknown => {
  const element = fhirPath.elementOf({
    origin: { file: "", line: 1, reference: "" },
    resource: { resourceType: "Patient", id }
  })
  const result = evaluatePath(fhirPath.compile(path), [element], {}, utcScope)
  return "message" in result ? result.message : result[0]
}

const almost = `${"a".repeat(80)}!`

describe("A pattern in an expression", () => {
  it.each([
    "id.matches('^(a+)+$')",
    "id.matches('^(A+)+$', 'i')",
    "id.matches('^(A+)+$', 'ii')",
    "id.matches('^(a+)+$', {})",
    "id.matchesFull('(a+)+')",
    "id.matchesFull('(A+)+', 'im')",
    "id.replaceMatches('^(a+)+$', '')",
    "id.matches('^(' & id.substring(0, 1) & '+)+$')"
  ])("fails if it takes too long on a text: %s", (path) => {
    assert.strictEqual(found(path, almost), "a pattern takes too long on a text")
  })

  it("is not quoted in an error, because it can contain values of a record", () => {
    assert.strictEqual(found("'x'.matches('^' & id & '$')", "Somphone("), "this is not a regular expression")
  })

  it("matches characters, and not halves of them", () => {
    for (const [text, isOne] of [["😀", true], ["a", true], ["ab", false]] as const) {
      assert.strictEqual(found("id.matches('^.$')", text), isOne)
      assert.strictEqual(found("id.matchesFull('.')", text), isOne)
    }
    assert.strictEqual(found("id.replaceMatches('.', '-')", "a😀b"), "---")
  })
})
