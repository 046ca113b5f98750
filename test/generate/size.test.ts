import { assert, describe, it } from "@effect/vitest"
import { makeFhirPath, type PathFunction } from "../../src/fhirpath/FhirPath.ts"
import { generatedAtOnce } from "./generatedCode.ts"
import { recordWith } from "./recordWith.ts"

/** Functions that call the one before twice, with an argument that is not constant. */
const doubling = new Map<string, PathFunction>(
  Array.from({ length: 11 }, (_, at) => [
    `f${at}`,
    {
      parameters: ["names"],
      call: () => [],
      body: {
        over: "item",
        text: at === 0 ? "%names.count()" : `f${at - 1}(%names).combine(f${at - 1}(%names.first())).distinct()`
      }
    }
  ])
)

describe("The code of an expression", () => {
  it("is limited: functions that call others twice are left to the definition", () => {
    const { by, texts } = generatedAtOnce()
    const record = recordWith({ resourceType: "Patient", name: [{ family: "Alpha" }, { family: "Beta" }] })
    const [ours, theirs] = [by, "definition" as const].map((engine) => {
      const { compile, elementOf } = makeFhirPath(doubling, engine)
      return compile("f10(name.family)").evaluate([elementOf(record)], {}, { zone: "UTC" })
    })
    assert.deepStrictEqual(ours, theirs)
    for (const text of texts) assert.isBelow(text.split("\n").length, 1100)
  })
})
