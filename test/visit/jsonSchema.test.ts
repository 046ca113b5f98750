import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { arbitraryVisit } from "../../src/studio/proof/arbitraryVisit.ts"
import { encodeVisit } from "../../src/visit/encode.ts"
import { fieldAt, fieldPaths, visitFields } from "../../src/visit/fields.ts"
import { visitJsonSchema } from "../../src/visit/jsonSchema.ts"
import { exampleVisit } from "./exampleVisit.ts"
import { placesOf, withValue } from "./mutate.ts"

type Node = Readonly<Record<string, unknown>>

const typeOf = (value: unknown): string =>
  value === null ? "null" : Array.isArray(value) ? "array" : typeof value === "object" ? "object" : typeof value

/** The keywords the schemas use, by the words of draft 2020-12; one it does not know is an error. */
const accepts = (root: Node, schema: Node, value: unknown): boolean =>
  Object.entries(schema).every(([keyword, expected]) => {
    switch (keyword) {
      case "$schema":
      case "$defs":
      case "title":
      case "description":
      case "format":
        return true
      case "$ref": {
        const [, name] = /^#\/\$defs\/(\w+)$/.exec(String(expected))!
        return accepts(root, (root.$defs as Node)[name!] as Node, value)
      }
      case "type":
        return [expected].flat().includes(typeOf(value))
      case "enum":
        return (expected as ReadonlyArray<unknown>).includes(value)
      case "const":
        return value === expected
      case "pattern":
        return typeof value !== "string" || new RegExp(String(expected), "u").test(value)
      case "anyOf":
        return (expected as ReadonlyArray<Node>).some((option) => accepts(root, option, value))
      case "allOf":
        return (expected as ReadonlyArray<Node>).every((part) => accepts(root, part, value))
      case "items":
        return !Array.isArray(value) || value.every((entry) => accepts(root, expected as Node, entry))
      case "required":
        return typeOf(value) !== "object" || (expected as ReadonlyArray<string>).every((key) => key in (value as Node))
      case "properties":
        return typeOf(value) !== "object" ||
          Object.entries(expected as Readonly<Record<string, Node>>).every(([key, inner]) =>
            !(key in (value as Node)) || accepts(root, inner, (value as Node)[key])
          )
      case "additionalProperties":
        assert.strictEqual(expected, false)
        return typeOf(value) !== "object" ||
          Object.keys(value as Node).every((key) => key in (schema.properties as Node))
      default:
        throw new Error(`unknown keyword ${keyword}`)
    }
  })

const visitSchema = visitJsonSchema()
const valid = (value: unknown): boolean => accepts(visitSchema, visitSchema, value)

describe("the JSON Schema of the Visit", () => {
  it("§2.4 to §2.6: describes every component, and allows no further keys", () => {
    const components = new Set(fieldPaths.map((path) => fieldAt(path)!.component).filter((name) => name !== undefined))
    const definitions = visitSchema.$defs as Readonly<Record<string, Node>>
    assert.deepStrictEqual(Object.keys(definitions).toSorted(), [...components, "Visit"].toSorted())
    for (const definition of Object.values(definitions)) {
      assert.strictEqual(definition.additionalProperties, false)
      assert.isString(definition.description)
      for (const property of Object.values(definition.properties as Readonly<Record<string, Node>>)) {
        assert.isString(property.description)
      }
    }
    assert.deepStrictEqual(
      Object.keys((definitions.Visit as Node).properties as Node),
      visitFields.map((field) => field.name)
    )
  })

  it("accepts the example", () => {
    assert.isTrue(valid(JSON.parse(encodeVisit(exampleVisit))))
  })

  it("law: accepts every valid visit", () => {
    fc.assert(
      fc.property(arbitraryVisit, (visit) => {
        assert.isTrue(valid(JSON.parse(encodeVisit(visit))))
      }),
      { numRuns: 60 }
    )
  })

  it("law: rejects a visit with a missing field, an unexpected key, or a value of another type", () => {
    const places = placesOf(exampleVisit, visitFields)
    const changes = fc.constantFrom(...places).map(({ path, field }) =>
      field.optional
        ? withValue(exampleVisit, path, true)
        : withValue(exampleVisit, path, field.mandatory && field.fields === undefined ? "" : undefined)
    )
    const plain = (visit: unknown): unknown => JSON.parse(JSON.stringify(visit))
    fc.assert(fc.property(changes, (visit) => assert.isFalse(valid(plain(visit)))), { numRuns: 300 })
    assert.isFalse(valid(plain(withValue(exampleVisit, ["imageries", 0, "tilte"], "Nurse"))))
    assert.isFalse(valid(plain(withValue(exampleVisit, ["physical_examinations", 0, "value"], []))))
    assert.isFalse(valid(plain(withValue(exampleVisit, ["admitted_at"], "2026-03-01T08:00:00Z"))))
  })
})
