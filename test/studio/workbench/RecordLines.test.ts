import { assert, describe, it } from "@effect/vitest"
import { at } from "../../../src/at.ts"
import { RecordLines } from "../../../src/studio/workbench/RecordLines.ts"
import { present } from "../../present.ts"

const observation = {
  resourceType: "Observation",
  id: "o1",
  contained: [{ resourceType: "Practitioner", id: "p", name: [{ family: "Example" }] }],
  _issued: { extension: [{ url: "http://example.org/unknown", valueCode: "unknown" }] },
  component: [{ valueQuantity: { value: 7 } }, { valueString: "seven" }]
}
const lines = new RecordLines({ resource: observation, origin: { file: "", line: 1, reference: "Observation/o1" } })
const shown = lines.lines(new Set())
const found = (element: string) => {
  const line = lines.find(element)
  return line === undefined ? undefined : at(shown, line).slice(0, 3)
}

describe("A record in lines", () => {
  it("finds an element by its FHIRPath name", () => {
    assert.deepStrictEqual(found("Observation.component[0].valueQuantity.value"), [3, "value", "7"])
    assert.deepStrictEqual(found("Observation.component[1]"), [1, "[1]", null])
  })

  it("finds an element with a choice of types by its name without the type", () => {
    assert.deepStrictEqual(found("Observation.component[0].value"), [2, "valueQuantity", null])
    assert.deepStrictEqual(found("Observation.component[1].value"), [2, "valueString", "\"seven\""])
  })

  it("finds a primitive without a value by its companion", () => {
    assert.deepStrictEqual(found("Observation.issued"), [0, "_issued", null])
    assert.deepStrictEqual(found("Observation.issued.extension[0].value"), [3, "valueCode", "\"unknown\""])
  })

  it("finds an element of a contained resource in its container", () => {
    assert.deepStrictEqual(found("Practitioner.name[0].family"), [4, "family", "\"Example\""])
  })

  it("finds the nearest line for a missing element", () => {
    assert.deepStrictEqual(found("Observation.component[1].value.unit"), [2, "valueString", "\"seven\""])
    assert.isUndefined(found("Observation.subject"))
  })

  it("distinguishes lines that were read, lines that were not, and lines that are not data", () => {
    const read = lines.lines(new Set([present(lines.lineOf(at(observation.component, 1), "valueString"))]))
    const states = new Map(read.map(([, key, , state]) => [key, state]))
    assert.strictEqual(states.get("valueString"), 1)
    assert.strictEqual(states.get("valueCode"), 0)
    assert.strictEqual(states.get("url"), 2)
    assert.strictEqual(read[0]?.[3], 2)
  })
})
