import type { CodeableConcept, Extension, Period } from "fhir/r4.d.ts"
import type { Decimal } from "../../visit/values/Decimal.ts"
import { decimalText, fromText, withoutExponent } from "../../visit/values/Decimal.ts"
import { formatTimestamp, toEpochMillis } from "../../visit/values/Timestamp.ts"
import { core, extensionUrl } from "./Names.ts"

/** A number as it is written in FHIR's JSON: every digit, no exponent. FHIR's types declare it only as `number`. */
export const decimalElement = (value: Decimal): number => withoutExponent(value) as number

/** An extension of ours. */
export const extension = (name: string, value: Omit<Extension, "url">): Extension => ({
  url: extensionUrl(name),
  ...value
})

/** "This record is that row of the list", counting from 1. */
export const row = (list: string, index: number): Extension => extension(`row-${list}`, { valuePositiveInt: index + 1 })

/** Where several records are one row: the place of this one. */
export const partOfRow = (list: string, index: number): Extension =>
  extension(`part-${list}`, { valuePositiveInt: index + 1 })

/** "This field has no value", for fields that would otherwise be read from other elements. */
export const noElement = (field: string): Extension => ({
  url: extensionUrl(`stated-${field}`),
  extension: [{ url: `${core}/data-absent-reason`, valueCode: "unknown" }]
})

/** A field in an extension, because no element of FHIR holds it without loss. */
export const stated = (field: string, value: string | null): Extension =>
  value === null ? noElement(field) : extension(`stated-${field}`, { valueString: value })

/** `none` for each field that is null; nothing for the others. */
export const missing = (component: string, fields: Readonly<Record<string, unknown>>): Array<Extension> =>
  Object.keys(fields).flatMap((name) => (fields[name] === null ? [noElement(`${component}.${name}`)] : []))

/** `extension` as a member, left out when there is none. */
export const having = (extensions: ReadonlyArray<Extension>): { extension?: Array<Extension> } =>
  extensions.length === 0 ? {} : { extension: [...extensions] }

/** A member, left out when its value is null. */
export const some = <K extends string, A, B>(
  key: K,
  value: A | null | undefined,
  of: (value: A) => B
): { [key in K]?: B } => (value === null || value === undefined ? {} : { [key]: of(value) }) as { [key in K]?: B }

/** A concept without a code. */
export const words = (text: string): CodeableConcept => ({ text })

/** A timestamp as FHIR's dateTime or instant, whose offsets reach to 14 hours; beyond them the instant is written in UTC. */
export const dateTime = (timestamp: string): string =>
  timestamp.slice(24) <= "14:00" ? timestamp : formatTimestamp(toEpochMillis(timestamp), "+00:00")

/** A Period, which may not end before it starts; `ended` is false if it would and has no end. */
export const period = (start: string, end: string): { readonly period: Period; readonly ended: boolean } => {
  const ended = toEpochMillis(end) >= toEpochMillis(start)
  return { period: { start: dateTime(start), ...(ended ? { end: dateTime(end) } : {}) }, ended }
}

/** When a record was made and last changed, which FHIR leaves to the server. */
export const keptAt = (of: { readonly created_at: string; readonly updated_at: string | null }): Array<Extension> => [
  extension("created-at", { valueDateTime: dateTime(of.created_at) }),
  ...(of.updated_at === null ? [] : [extension("updated-at", { valueDateTime: dateTime(of.updated_at) })])
]

/** The number a text is, when it is written as that number is. */
export const exactly = (text: string): Decimal | undefined => {
  const number = fromText(text)
  return number !== undefined && decimalText(number) === text ? number : undefined
}
