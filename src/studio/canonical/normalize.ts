import type { JsonObject } from "../../json/JsonObject.ts"
import type { Field } from "../../visit/Field.ts"
import { visitFields } from "../../visit/fields.ts"
import type { Decimal } from "../../visit/values/Decimal.ts"
import { withoutExponent } from "../../visit/values/Decimal.ts"
import { formatTimestamp, toEpochMillis } from "../../visit/values/Timestamp.ts"
import type { Visit } from "../../visit/Visit.ts"

type Normal = (value: unknown, zone: string | undefined) => unknown

/** Characters that FHIR strings must not contain and that the mapping removes. */
// oxlint-disable-next-line no-control-regex
const control = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F]/gu
// oxlint-disable-next-line no-control-regex
const hasControl = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F]/u

const isBlank = (text: string): boolean => {
  const first = text.charCodeAt(0)
  return !(first > 32 && first < 128) && !/\S/u.test(text)
}

/** Returns a text as FHIR can represent it; `null` if nothing is left. */
const filled = (value: unknown): string | null => {
  if (typeof value !== "string") return null
  const text = hasControl.test(value) ? value.replace(control, "") : value
  return isBlank(text) ? null : text
}

const text = (field: Field): Normal => (value) => filled(value) ?? field.blank

const strings: Normal = (value) => (Array.isArray(value) ? value.flatMap((entry) => filled(entry) ?? []) : [])

const timestamp: Normal = (value, zone) =>
  zone === undefined || typeof value !== "string" ? value : formatTimestamp(toEpochMillis(value), zone)

const textOrDecimal: Normal = (value) =>
  typeof value === "string" ? filled(value) : withoutExponent(value as Decimal | null)

/** Removes findings without a text, and the text of an examination that has none. */
const examination: Normal = (value) =>
  Array.isArray(value)
    ? value.flatMap((finding: JsonObject) => {
      const [key] = Object.keys(finding)
      const found = key === undefined ? null : filled(finding[key])
      return found === null ? [] : [{ [key!]: found }]
    })
    : filled(value)

const normalOf = (field: Field): Normal => {
  switch (field.kind) {
    case "timestamp":
      return timestamp
    case "decimal":
      return (value) => withoutExponent(value as Decimal | null)
    case "text-or-decimal":
      return textOrDecimal
    case "strings":
      return strings
    case "examination":
      return examination
    case "list": {
      const entry = object(field.fields!)
      return (value, zone) => (value as ReadonlyArray<unknown>).map((one) => entry(one, zone))
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
    if (typeof value !== "object" || value === null) return value
    const result: Record<string, unknown> = {}
    for (const { field, normal } of members) {
      const inner = normal((value as JsonObject)[field.name] ?? null, zone)
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
export const normalize = (from: Visit, zone?: string): Visit => visit(from, zone) as Visit
