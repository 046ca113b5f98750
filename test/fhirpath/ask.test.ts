import { assert, describe, it } from "@effect/vitest"
import { rootNode } from "../../src/fhirpath/evaluate/Node.ts"
import { makeFhirPath, valueOf } from "../../src/fhirpath/FhirPath.ts"
import { exactNumber } from "../../src/json/exactNumber.ts"
import { ReadTracker } from "../../src/source/read/ReadTracker.ts"

const { compile } = makeFhirPath(new Map(), { zone: () => "UTC" })

const observation = () => ({
  resourceType: "Observation",
  id: "o1",
  status: "final",
  valueQuantity: {
    value: exactNumber("7.20"),
    unit: "mg",
    system: "http://unitsofmeasure.org",
    code: "mg",
    extension: [{ url: "http://ex.example/a", valueDecimal: exactNumber("1.0") }]
  },
  component: [{ valueQuantity: { value: exactNumber("0.5"), unit: "g" } }]
})

describe("An expression that asks the library", () => {
  it("reads only the elements that the library reads, of a tracked record", () => {
    const resource = observation()
    const tracker = new ReadTracker()
    const focus = [rootNode(tracker.view(resource))]
    assert.deepStrictEqual(compile("value > 1 'g'").evaluate(focus, {}), [false])
    assert.isTrue(tracker.hasRead(resource.valueQuantity, "value"))
    assert.isTrue(tracker.hasRead(resource.valueQuantity, "code"))
    assert.isFalse(tracker.hasRead(resource.valueQuantity, "unit"))
    assert.isFalse(tracker.hasRead(resource.valueQuantity.extension[0]!, "valueDecimal"))
    assert.isFalse(tracker.hasRead(resource.component[0]!.valueQuantity, "unit"))
    assert.isFalse(tracker.hasRead(resource, "id"))
  })

  it("gives the elements of the record, with its own objects and numbers", () => {
    const resource = observation()
    const found = compile("children()").evaluate([rootNode(resource)], {}).map(valueOf)
    assert.include(found, resource.valueQuantity)
    assert.include(found, resource.component[0])
    const [digits] = compile("value.children().where($this is decimal)").evaluate([rootNode(resource)], {})
    assert.strictEqual(valueOf(digits), resource.valueQuantity.value)
  })

  it("gives numbers that keep their digits in an object that the library makes", () => {
    const [made] = compile("Quantity { value: 7.20, unit: 'mg' }").evaluate([rootNode(observation())], {})
    const { value } = valueOf(made) as { readonly value: unknown }
    assert.strictEqual(String(value), "7.20")
  })
})
