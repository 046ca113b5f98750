import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { type FhirPath, makeFhirPath, type PathEngine } from "../../src/fhirpath/FhirPath.ts"
import type { EvaluationScope } from "../../src/mapping/functions/EvaluationScope.ts"
import { mappingFunction } from "../../src/mapping/functions/functions.ts"
import type { LanguageFunction } from "../../src/mapping/functions/LanguageFunction.ts"
import { recordWith } from "../generate/recordWith.ts"
import { runs } from "../runs.ts"
import { processScope } from "./outcome.ts"

interface Name {
  readonly family?: string
  readonly given: ReadonlyArray<string>
}

/** Evaluates an expression on a patient with names. Returns the result, and how often a family was read. */
const evaluate = (by: PathEngine, text: string, names: ReadonlyArray<Name>) => {
  let reads = 0
  const noted: LanguageFunction = {
    parameters: [],
    effect: "none",
    call: (input) => {
      reads++
      return input
    }
  }
  const ofMapping = (over: "item" | "collection", parameters: ReadonlyArray<string>, path: string) =>
    mappingFunction(parameters, path, over, (): FhirPath<EvaluationScope> => fhirPath)
  const fhirPath: FhirPath<EvaluationScope> = makeFhirPath(
    new Map([
      ["noted", noted],
      ["label", ofMapping("item", [], "family.noted()")],
      ["ofLabel", ofMapping("collection", ["text"], "where(label() = %text)")],
      ["relatives", ofMapping("item", ["others"], "%others.ofLabel(family).given.join('+')")]
    ]),
    by
  )
  const patient = fhirPath.elementOf(recordWith({ resourceType: "Patient", name: names }))
  // The functions of this test read nothing of a visit.
  const found = fhirPath.compile(text).evaluate([patient], { wanted: "A" }, processScope() as EvaluationScope)
  return { found, reads }
}

const relativesOf = (names: ReadonlyArray<Name>) =>
  names.flatMap(({ family }) => {
    const found = family === undefined ? [] : names.filter((other) => other.family === family)
    return found.length === 0 ? [] : [found.flatMap(({ given }) => given).join("+")]
  })

const someNames = fc.array(
  fc.record({
    family: fc.constantFrom("A", "B", "C", "D"),
    given: fc.array(fc.constantFrom("x", "y"), { minLength: 1 })
  }, {
    requiredKeys: ["given"]
  }),
  { minLength: 1, maxLength: 40 }
)

describe.each<[string, PathEngine]>([["the definition", "definition"], ["generated code", {
  after: 0,
  proves: false
}]])("`where` with the result of a function and a variable, by %s", (_, by) => {
  it("finds the same elements of short and long lists, in their order", () => {
    fc.assert(
      fc.property(someNames, (names) => {
        assert.deepStrictEqual(evaluate(by, "name.relatives(name)", names).found, relativesOf(names))
      }),
      { numRuns: runs(100) }
    )
  })

  it("evaluates the function a few times for each element of a long list, and not for each pair", () => {
    const names = Array.from({ length: 400 }, (_, index) => ({ family: `F${index}`, given: ["x"] }))
    assert.isAtMost(evaluate(by, "name.relatives(name.where(given.exists()))", names).reads, 3 * names.length)
  })
})

it("leaves the index of the last element of the list, as every `where`", () => {
  const names = Array.from({ length: 20 }, (_, index) => ({ family: index === 3 ? "A" : "B", given: ["x"] }))
  const { found } = evaluate("definition", "name.where(label() = %wanted).given.combine($index)", names)
  assert.strictEqual(String(found.at(-1)), "19")
})
