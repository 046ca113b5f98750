import { assert, describe, it } from "@effect/vitest"
import { at } from "../../src/at.ts"
import { extensionsWith, follow } from "../../src/fhirpath/evaluate/children.ts"
import { isNode, type Node, rootNode } from "../../src/fhirpath/evaluate/Node.ts"
import type { Elements, PathFunction } from "../../src/fhirpath/FhirPath.ts"
import { elementPathOf, evaluatePath, isPathFault, makeFhirPath, valueOf } from "../../src/fhirpath/FhirPath.ts"
import { ask } from "../../src/fhirpath/library/ask.ts"
import { QuantityValue, TimeValue } from "../../src/fhirpath/library/systemValues.ts"
import { exactNumber } from "../../src/json/exactNumber.ts"
import { jsonObjectOf } from "../../src/json/JsonObject.ts"
import { ReadTracker } from "../../src/source/read/ReadTracker.ts"
import { utcScope } from "./outcome.ts"

const { compile } = makeFhirPath(new Map())

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

const patient = () => ({
  resourceType: "Patient",
  birthDate: "1988-01-31",
  _birthDate: { extension: [{ url: "http://ex.example/a", valueInteger: 3 }] },
  name: [{ given: ["Sok", null, "Dara"], _given: [null, { id: "g1" }, null, { id: "g3" }] }, { family: "Chan" }],
  multipleBirthInteger: 2,
  _multipleBirthInteger: { extension: [{ url: "http://ex.example/a", valueInteger: 3 }] },
  contained: [{ resourceType: "Organization", name: "O" }]
})

const childrenOf = (node: Node, ...names: ReadonlyArray<string>): ReadonlyArray<Node> =>
  names.reduce<ReadonlyArray<Node>>(
    (nodes, name) => nodes.flatMap((one) => follow(name)(one, "nodes")).filter(isNode),
    [node]
  )

/** Asserts that the library returns each element as the same object. */
const assertSame = (elements: Elements): void => {
  const found = ask("%elements", { elements })
  assert.strictEqual(found.length, elements.length)
  elements.forEach((element, at) => assert.strictEqual(found[at], element))
}

describe("An expression that asks the library", () => {
  it("reads only the elements that the library reads, of a tracked record", () => {
    const resource = observation()
    const tracker = new ReadTracker()
    const focus = [rootNode(tracker.view(resource))]
    assert.deepStrictEqual(compile("value > 1 'g'").evaluate(focus, {}, utcScope), [false])
    assert.isTrue(tracker.hasRead(resource.valueQuantity, "value"))
    assert.isTrue(tracker.hasRead(resource.valueQuantity, "code"))
    assert.isFalse(tracker.hasRead(resource.valueQuantity, "unit"))
    assert.isFalse(tracker.hasRead(at(resource.valueQuantity.extension, 0), "valueDecimal"))
    assert.isFalse(tracker.hasRead(at(resource.component, 0).valueQuantity, "unit"))
    assert.isFalse(tracker.hasRead(resource, "id"))
  })

  it("gives the elements of the record, with its own objects and numbers", () => {
    const resource = observation()
    const found = compile("children()").evaluate([rootNode(resource)], {}, utcScope).map(valueOf)
    assert.include(found, resource.valueQuantity)
    assert.include(found, resource.component[0])
    const [digits] = compile("value.children().where($this is decimal)").evaluate([rootNode(resource)], {}, utcScope)
    assert.strictEqual(valueOf(digits), resource.valueQuantity.value)
  })

  it("gives numbers that keep their digits in an object that the library makes", () => {
    const [made] = compile("Quantity { value: 7.20, unit: 'mg' }").evaluate([rootNode(observation())], {}, utcScope)
    assert.strictEqual(String(jsonObjectOf(valueOf(made))["value"]), "7.20")
  })

  it("gives back each element of a record, at any place", () => {
    const root = rootNode(patient())
    const given = childrenOf(root, "name", "given")
    assert.deepStrictEqual(given.map(({ index }) => index), [0, 1, 2, 3])
    assertSame([
      ...given,
      ...childrenOf(root, "multipleBirth"),
      ...childrenOf(root, "multipleBirth", "extension", "value"),
      ...childrenOf(root, "birthDate", "extension", "value"),
      ...childrenOf(root, "contained", "name"),
      root
    ])
  })

  it("gives back each of several elements at the same place", () => {
    const root = rootNode(patient())
    const [one, other] = [childrenOf(root, "name"), childrenOf(root, "name")]
    assertSame([one[0], other[0], other[1], one[1], ...one, ...other])
  })

  it("gives the library the place and the type of an element", () => {
    const [given] = childrenOf(rootNode(patient()), "name", "given")
    assert.deepStrictEqual(ask("%given.pathname(true)", { given }, [given]), ["Patient.name[0].given[0]"])
    assert.deepStrictEqual(ask("%given.type().name", { given }).map(valueOf), ["string"])
    const [made] = ask("%given.extension", { given: childrenOf(rootNode(patient()), "birthDate") })
    assert.strictEqual(elementPathOf(made), "Patient.birthDate.extension[0]")
  })

  it("gives back a node of any value outside a resource, and its elements", () => {
    const values = [
      "x",
      true,
      7,
      7.5,
      exactNumber("7.20"),
      null,
      [1],
      {},
      { status: "x" },
      new TimeValue("Date", "2026-03-02"),
      new TimeValue("DateTime", "2026-03-02T08:05:00Z"),
      new TimeValue("Time", "08:05"),
      new QuantityValue(exactNumber("7.20"), "'mg'"),
      new QuantityValue(exactNumber("2"), "days")
    ]
    for (const value of values) {
      const node = rootNode(value)
      assertSame([node, ...childrenOf(node, "value"), ...childrenOf(node, "unit"), ...childrenOf(node, "status")])
    }
  })

  it("gives back an extension of an object of unknown type, with the type that the function gives it", () => {
    const node = rootNode({ extension: [{ url: "http://ex.example/a" }, { url: "http://ex.example/b" }] })
    const typed = extensionsWith(node, "http://ex.example/b") ?? []
    assertSame([...typed, ...childrenOf(node, "extension")])
    assert.deepStrictEqual(ask("%typed.type().name", { typed }).map(valueOf), ["Extension"])
  })

  it("gives quantities and times that the library makes, with their digits and units", () => {
    const found = ask("7.20 'mg/dL' | 2 days | @2026-03 | @2026-03-02T08:05Z | @T08:05", {})
    assert.deepStrictEqual(found.map(String), ["7.20 'mg/dL'", "2 days", "2026-03", "2026-03-02T08:05Z", "08:05"])
    assert.deepStrictEqual(
      found.map((one) => one instanceof TimeValue ? TimeValue.typeOf(one) : one instanceof QuantityValue),
      [true, true, "Date", "DateTime", "Time"]
    )
  })

  it("passes a function the variables of the evaluation that calls it", () => {
    const read: Array<unknown> = []
    const functions = new Map<string, PathFunction>()
    const { compile } = makeFhirPath(functions, "library")
    const inner = compile("tell(%a)")
    functions.set("tell", {
      parameters: ["value"],
      call: (input, _args, _scope, _made, { a } = {}) => {
        read.push(a)
        return input
      }
    })
    functions.set("nested", { parameters: [], call: (input, _, scope) => inner.evaluate(input, { a: "inner" }, scope) })
    compile("tell(%a).nested().tell(%a)").evaluate(["x"], { a: "outer" }, utcScope)
    assert.deepStrictEqual(read, ["outer", "inner", "outer"])
  })

  it("says in words that an operator does not take a value, where the library says nothing of it", () => {
    const sum = compile("$this + 1 day")
    assert.deepInclude(evaluatePath(sum, ["2026-03-02"], {}, utcScope), {
      message: "an operator or a function does not take a value of this type"
    })
    assert.deepStrictEqual(compile("($this.toDateTime() + 1 day).toString()").evaluate(["2026-03-02"], {}, utcScope), [
      "2026-03-03"
    ])
  })

  it("has no value that was found in the message of a failure", () => {
    const failing = [
      ..."- * / div mod < > ~ in + &".split(" ").map((operator) => `item[0] ${operator} item[1]`),
      ..."- * / div mod < > + in contains".split(" ").map((operator) => `item[0] ${operator} 1`),
      ..."- * / < > + in".split(" ").map((operator) => `1 ${operator} item[0]`),
      ..."+ - <".split(" ").map((operator) => `item[0] ${operator} 1 day`),
      ..."exp sqrt abs ceiling floor truncate ln round not".split(" ").map((name) => `item[0].${name}()`),
      "item = item",
      "item and true",
      "item.toInteger()",
      "item.single()",
      "item[0].power(2)",
      "item[0].substring(item[1])",
      "item.sort($this - 1)",
      "item < 1",
      "-item[0]",
      "1 in item"
    ]
    const messages = failing.flatMap((path) => {
      const found = evaluatePath(compile(path), [{ resourceType: "Basic", item: ["Zzqx 17", "Zzqy"] }], {}, utcScope)
      return isPathFault(found) ? [found.message] : []
    })
    assert.isAbove(messages.length, 15)
    assert.notMatch(messages.join("\n"), /zzq|17/iu)
  })
})
