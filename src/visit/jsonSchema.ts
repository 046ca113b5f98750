import { type JsonSchema, Schema } from "effect"
import { isJsonObject, type JsonObject } from "../json/JsonObject.ts"
import { Visit } from "./Visit.ts"

/** A JSON Schema, draft 2020-12, with the components of the Visit under `$defs`. */
type VisitJsonSchema = Readonly<JsonSchema.JsonSchema>

const annotations: ReadonlySet<string> = new Set(["description", "title"])
const isAnnotation = (value: unknown): value is JsonObject =>
  isJsonObject(value) && Object.keys(value).every((key) => annotations.has(key))

const tidy = (value: unknown): unknown =>
  Array.isArray(value) ? value.map(tidy) : isJsonObject(value) ? tidyNode(value) : value

/**
 * Returns the same schema in the form a person would write. A description is next to what it describes, not in its own `allOf`; two
 * alternatives become `["string", "null"]`.
 */
const tidyNode = (node: JsonObject): JsonObject => {
  const { allOf, anyOf, ...rest } = Object.fromEntries(Object.entries(node).map(([key, inner]) => [key, tidy(inner)]))
  const parts: ReadonlyArray<unknown> = Array.isArray(allOf) ? allOf : []
  const others = parts.filter((part) => !isAnnotation(part))
  const lifted = others.length === 1 && isJsonObject(others[0]) && Object.keys(rest).length === 0 && anyOf === undefined
  return Object.assign(
    { ...rest, ...alternatives(anyOf) },
    ...(lifted ? others : []),
    lifted || others.length === 0 ? {} : { allOf: others },
    ...parts.filter(isAnnotation)
  )
}

const alternatives = (anyOf: unknown): JsonObject => {
  if (!Array.isArray(anyOf)) return {}
  const isBare = anyOf.every((option) => isJsonObject(option) && Object.keys(option).length === 1 && "type" in option)
  return isBare ? { type: anyOf.flatMap((option: JsonObject) => option.type) } : { anyOf }
}

const make = (schema: Schema.Top, title: string): VisitJsonSchema => {
  const document = Schema.toJsonSchemaDocument(schema, { onExcessProperty: "error" })
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title,
    ...tidyNode(document.schema),
    $defs: tidy(document.definitions)
  }
}

/**
 * The JSON Schema that editors and other programs can check a visit with (§2.4 to §2.6). It covers types, mandatory fields, forms and
 * unexpected keys. Only `validateVisit` checks rules between fields and calendar days.
 */
export const visitJsonSchema = (): VisitJsonSchema => make(Visit, "Visit")
