import { resourceTypes } from "../../fhirpath/infer/Model.ts"
import { statusPlaces } from "../../fhirpath/infer/statusOf.ts"
import type { Field } from "../../visit/Field.ts"
import { visitFields } from "../../visit/fields.ts"
import { type JsonSchema, propertiesOf, refer, schemaOf } from "./grammar/Kind.ts"
import { componentKeys, fieldKeys, isOfAllBranches, mappingKeys, sharedSchemas } from "./grammar/mappingGrammar.ts"
import { listOfPaths, onePath } from "./grammar/pathKinds.ts"
import { acceptWords } from "./grammar/relations.ts"

const closed = (properties: JsonSchema, more: JsonSchema = {}): JsonSchema => ({
  type: "object",
  properties,
  additionalProperties: false,
  ...more
})

const leaf = (field: Field, shared: Shared): JsonSchema => ({
  description: `${field.description} (${field.section})`,
  ...share(shared, "field", {
    anyOf: [onePath, listOfPaths, refer("added"), schemaOf(fieldKeys)]
  })
})

/** Schemas used in several places, by name: each is written once, under `$defs`. */
type Shared = Map<string, JsonSchema>

const share = (shared: Shared, name: string, schema: JsonSchema): JsonSchema => {
  if (!shared.has(name)) shared.set(name, schema)
  return refer(name)
}

const component = (name: string, fields: ReadonlyArray<Field>, description: string, shared: Shared): JsonSchema => {
  const own = Object.fromEntries(fields.map((field) => [field.name, fieldSchema(field, name, shared)]))
  const words = Object.fromEntries(
    Object.entries(propertiesOf(componentKeys)).map(([word, schema]) => [word, share(shared, word, schema)])
  )
  const inBranch = Object.fromEntries(Object.entries(words).filter(([word]) => !isOfAllBranches(word)))
  const branch = share(shared, `${name}-branch`, closed({ ...inBranch, ...own }))
  const whole = closed({ ...words, unionAll: { type: "object", additionalProperties: branch }, ...own }, {
    type: ["object", "null"]
  })
  return { description, ...share(shared, name, whole) }
}

/** A component's schema is named after its location, because two components of one name can have different fields. */
const fieldSchema = (field: Field, above: string, shared: Shared): JsonSchema => {
  const name = `${above}.${field.name}`
  switch (field.kind) {
    case "object":
    case "list":
      // If the specification does not define the form of an object, a source provides the whole object.
      if (field.kind === "object" && (field.fields ?? []).length === 0) return leaf(field, shared)
      return component(name, field.fields ?? [], `${field.description} (${field.section})`, shared)
    case "strings":
      return {
        anyOf: [
          leaf(field, shared),
          component(name, [{ ...field, name: "value", kind: "text" }], field.description, shared)
        ]
      }
    case "examination":
      return {
        anyOf: [
          leaf(field, shared),
          component(
            name,
            [{ ...field, name: "key", kind: "text" }, { ...field, name: "value", kind: "text" }],
            field.description,
            shared
          )
        ]
      }
    default:
      return leaf(field, shared)
  }
}

/** JSON Schema (draft 2020-12) of a mapping file, for editors: completion, descriptions, unknown keys underlined. */
export const mappingSchema = (): JsonSchema => {
  const shared: Shared = new Map()
  component("visit", visitFields, "The visit, section by section.", shared)
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "fhir2visit mapping",
    ...schemaOf(mappingKeys),
    $defs: {
      ...sharedSchemas,
      resourceType: { anyOf: [{ enum: resourceTypes() }, { type: "string", pattern: "^[a-z][a-z0-9_]*$" }] },
      statusWords: {
        type: "object",
        propertyNames: { enum: statusPlaces() },
        additionalProperties: { type: ["object", "null"], additionalProperties: { type: ["string", "null"] } }
      },
      relation: { enum: [...acceptWords] },
      ...Object.fromEntries(shared)
    }
  }
}
