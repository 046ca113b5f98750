import { isDecimal, withoutExponent } from "../../json/Decimal.ts"
import { isJsonObject, jsonListOf, type JsonObject } from "../../json/JsonObject.ts"
import { cleanText, isBlank } from "../../mapping/apply/fields/cleanText.ts"
import type { Field } from "../../visit/Field.ts"
import { visitFields } from "../../visit/fields.ts"
import { formatTimestamp, toEpochMillis } from "../../visit/values/Timestamp.ts"
import type { Visit } from "../../visit/Visit.ts"

type Normal = (value: unknown, zone: string | undefined) => unknown

/** Returns a text as FHIR can represent it, without control characters; `null` if nothing is left. */
const filled = (value: unknown): string | null => {
  if (typeof value !== "string") return null
  const { text } = cleanText(value, true)
  return isBlank(text) ? null : text
}

const text = (field: Field): Normal => (value) => filled(value) ?? field.blank

const strings: Normal = (value) => (Array.isArray(value) ? value.flatMap((entry) => filled(entry) ?? []) : [])

const timestamp: Normal = (value, zone) =>
  zone === undefined || typeof value !== "string" ? value : formatTimestamp(toEpochMillis(value), zone)

const decimal: Normal = (value) => isDecimal(value) ? withoutExponent(value) : value

const textOrDecimal: Normal = (value) => typeof value === "string" ? filled(value) : decimal(value, undefined)

/** Removes findings without a text, and the text of an examination that has none. */
const examination: Normal = (value) =>
  Array.isArray(value)
    ? value.flatMap((finding: JsonObject) => {
      const [[key, text] = ["", null]] = Object.entries(finding)
      const found = filled(text)
      return found === null ? [] : [{ [key]: found }]
    })
    : filled(value)

const normalOf = (field: Field): Normal => {
  switch (field.kind) {
    case "timestamp":
      return timestamp
    case "decimal":
      return decimal
    case "text-or-decimal":
      return textOrDecimal
    case "strings":
      return strings
    case "examination":
      return examination
    case "list": {
      const entry = object(field.fields ?? [])
      return (value, zone) => jsonListOf(value).map((one) => entry(one, zone))
    }
    case "object":
      return field.fields === undefined ? (value) => value : object(field.fields)
    case "boolean":
    case "date":
      return (value) => value
    default:
      return text(field)
  }
}

const object = (fields: ReadonlyArray<Field>): Normal => {
  const members = fields.map((field) => ({ field, normal: normalOf(field) }))
  return (value, zone) => {
    if (!isJsonObject(value)) return value
    const result: Record<string, unknown> = {}
    for (const { field, normal } of members) {
      const inner = normal(value[field.name] ?? null, zone)
      // An optional field without a value is absent; an optional list without entries is empty.
      if (inner !== null || !field.optional) result[field.name] = inner
    }
    return result
  }
}

const visit = object(visitFields)

/**
 * Returns the normal form of a visit: of several equivalent forms, the one that FHIR and the base mapping preserve.
 * The content is unchanged (docs/canonical-fhir.md). A text of white space only counts as missing, and a missing
 * text is sent as specified (`""` where the specification requires it, otherwise `null`). Control characters are removed. Entries
 * without text are removed from arrays of strings. An optional field without a value is absent, an optional array empty. With a
 * `zone`, timestamps are the same instants in that zone.
 */
export const normalize = (from: Visit, zone?: string): Visit =>
  // `visitFields` has every field of a visit, and the normal form of a field has the field's type.
  visit(from, zone) as Visit
