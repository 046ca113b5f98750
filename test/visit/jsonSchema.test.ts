import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { isJsonObject, type JsonObject } from "../../src/json/JsonObject.ts"
import { arbitraryVisit } from "../../src/studio/proof/arbitraryVisit.ts"
import { encodeVisit } from "../../src/visit/encode.ts"
import { fieldAt, fieldPaths, visitFields } from "../../src/visit/fields.ts"
import { visitJsonSchema } from "../../src/visit/jsonSchema.ts"
import { capture } from "../captures.ts"
import { present } from "../present.ts"
import { exampleVisit } from "./exampleVisit.ts"
import { placesOf, withValue } from "./mutate.ts"

/** A schema or another object of the document. */
const nodeOf = (value: unknown): JsonObject => {
  if (!isJsonObject(value)) throw new Error("an object is expected")
  return value
}

const listOf = (value: unknown): ReadonlyArray<unknown> => {
  if (!Array.isArray(value)) throw new Error("a list is expected")
  return value
}

const typeOf = (value: unknown): string =>
  value === null ? "null" : Array.isArray(value) ? "array" : typeof value === "object" ? "object" : typeof value

/** The keywords the schemas use, by the words of draft 2020-12; one it does not know is an error. */
const accepts = (root: JsonObject, schema: JsonObject, value: unknown): boolean =>
  Object.entries(schema).every(([keyword, expected]) => {
    switch (keyword) {
      case "$schema":
      case "$defs":
      case "title":
      case "description":
      case "format":
        return true
      case "$ref": {
        const name = capture(String(expected), /^#\/\$defs\/(\w+)$/)
        return accepts(root, nodeOf(nodeOf(root.$defs)[name]), value)
      }
      case "type":
        return [expected].flat().includes(typeOf(value))
      case "enum":
        return listOf(expected).includes(value)
      case "const":
        return value === expected
      case "pattern":
        return typeof value !== "string" || new RegExp(String(expected), "u").test(value)
      case "anyOf":
        return listOf(expected).some((option) => accepts(root, nodeOf(option), value))
      case "allOf":
        return listOf(expected).every((part) => accepts(root, nodeOf(part), value))
      case "items":
        return !Array.isArray(value) || value.every((entry) => accepts(root, nodeOf(expected), entry))
      case "required":
        return !isJsonObject(value) || listOf(expected).every((key) => String(key) in value)
      case "properties":
        return !isJsonObject(value) ||
          Object.entries(nodeOf(expected)).every(([key, inner]) =>
            !(key in value) || accepts(root, nodeOf(inner), value[key])
          )
      case "additionalProperties":
        assert.strictEqual(expected, false)
        return !isJsonObject(value) || Object.keys(value).every((key) => key in nodeOf(schema.properties))
      default:
        throw new Error(`unknown keyword ${keyword}`)
    }
  })

const visitSchema = visitJsonSchema()
const valid = (value: unknown): boolean => accepts(visitSchema, visitSchema, value)

describe("the JSON Schema of the Visit", () => {
  it("§2.4 to §2.6: describes every component, and allows no further keys", () => {
    const components = new Set(
      fieldPaths.map((path) => present(fieldAt(path)).component).filter((name) => name !== undefined)
    )
    const definitions = nodeOf(visitSchema.$defs)
    assert.deepStrictEqual(Object.keys(definitions).toSorted(), [...components, "Visit"].toSorted())
    for (const definition of Object.values(definitions).map(nodeOf)) {
      assert.strictEqual(definition.additionalProperties, false)
      assert.isString(definition.description)
      for (const property of Object.values(nodeOf(definition.properties)).map(nodeOf)) {
        assert.isString(property.description)
      }
    }
    assert.deepStrictEqual(
      Object.keys(nodeOf(nodeOf(definitions.Visit).properties)),
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
