import { assert, describe, it } from "@effect/vitest"
import { makeFhirPath, type PathEngine, type PathFunction, type ZoneScope } from "../../src/fhirpath/FhirPath.ts"
import { recordWith } from "../generate/recordWith.ts"
import { processScope } from "./outcome.ts"

const patient = recordWith({ resourceType: "Patient", name: [{ family: "Example" }, { family: "Sample" }] })

const visitScope = (): ZoneScope => {
  const found = new Map<object, unknown>()
  return {
    ...processScope(),
    once: (key, find) => {
      if (!found.has(key)) found.set(key, find())
      // A key always has a result of its type.
      return found.get(key) as ReturnType<typeof find>
    }
  }
}

describe.each<[string, PathEngine]>([["the definition", "definition"], ["generated code", {
  after: 0,
  proves: false
}]])(
  "a function that is evaluated once for a visit, by %s",
  (_, by) => {
    const evaluate = (texts: ReadonlyArray<string>, scopeOf: () => ZoneScope) => {
      let calls = 0
      const counted: PathFunction = { parameters: [], effect: "none", call: () => [`call ${++calls}`] }
      const ofVisit: PathFunction = { ...counted, body: { text: "counted()", over: "visit" } }
      const fhirPath = makeFhirPath(new Map([["counted", counted], ["ofVisit", ofVisit]]), by)
      const scope = scopeOf()
      return texts.map((text) => fhirPath.compile(text).evaluate([fhirPath.elementOf(patient)], {}, scope))
    }

    it("has one result in all expressions of the visit, whatever its input is", () => {
      assert.deepStrictEqual(
        evaluate(["ofVisit()", "name.ofVisit()", "name.select(ofVisit())", "link.ofVisit()"], visitScope),
        [["call 1"], ["call 1"], ["call 1", "call 1"], ["call 1"]]
      )
    })

    it("is evaluated each time if there is no visit", () => {
      assert.deepStrictEqual(evaluate(["ofVisit()", "ofVisit()"], processScope), [["call 1"], ["call 2"]])
    })
  }
)
