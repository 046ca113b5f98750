import type { CodeableConcept, Extension, Period } from "fhir/r4.d.ts"
import type { Decimal } from "../../json/Decimal.ts"
import { decimalText, fromText, withoutExponent } from "../../json/Decimal.ts"
import { formatTimestamp, toEpochMillis } from "../../visit/values/Timestamp.ts"
import { core, extensionUrl } from "./Names.ts"

/** A number as it is written in FHIR's JSON: every digit, no exponent. */
export const decimalElement = (value: Decimal): number =>
  // FHIR's types declare a number with exact digits only as `number`. It is written as JSON and never computed with.
  withoutExponent(value) as number

/** An extension of the canonical form. */
export const extension = (name: string, value: Omit<Extension, "url">): Extension => ({
  url: extensionUrl(name),
  ...value
})

/** The row of the list that a record represents, counting from 1. */
export const row = (list: string, index: number): Extension => extension(`row-${list}`, { valuePositiveInt: index + 1 })

/** The position of a record among several that are one row, counting from 1. */
export const partOfRow = (list: string, index: number): Extension =>
  extension(`part-${list}`, { valuePositiveInt: index + 1 })

/** States that a field has no value, for fields that would otherwise be read from other elements. */
export const noElement = (field: string): Extension => ({
  url: extensionUrl(`stated-${field}`),
  extension: [{ url: `${core}/data-absent-reason`, valueCode: "unknown" }]
})

/** States a field in an extension, because no element of FHIR holds it without loss. */
export const stated = (field: string, value: string | null): Extension =>
  value === null ? noElement(field) : extension(`stated-${field}`, { valueString: value })

/** `noElement` for each field that is null. */
export const missing = (component: string, fields: Readonly<Record<string, unknown>>): Array<Extension> =>
  Object.keys(fields).flatMap((name) => (fields[name] === null ? [noElement(`${component}.${name}`)] : []))

/** A text as an extension; none if it is null. */
export const textExtension = (name: string, text: string | null): ReadonlyArray<Extension> =>
  text === null ? [] : [extension(name, { valueString: text })]

/** A text as the concept in an extension; none if it is null. */
export const conceptExtension = (name: string, text: string | null): ReadonlyArray<Extension> =>
  text === null ? [] : [extension(name, { valueCodeableConcept: words(text) })]

/** A list as a member; no member if the list is empty, because FHIR has no empty lists. */
export const nonEmptyList = <K extends string, A>(key: K, list: ReadonlyArray<A>): { [key in K]?: Array<A> } =>
  // TypeScript does not infer the type of a computed key.
  (list.length === 0 ? {} : { [key]: [...list] }) as { [key in K]?: Array<A> }

/** A member, or no member if its value is null. */
export function optionalMember<K extends string, A>(key: K, value: A | null | undefined): { [key in K]?: A }
export function optionalMember<K extends string, A, B>(
  key: K,
  value: A | null | undefined,
  of: (value: A) => B
): { [key in K]?: B }
export function optionalMember<A>(
  key: string,
  value: A | null | undefined,
  of: (value: A) => unknown = (same) => same
) {
  return value === null || value === undefined ? {} : { [key]: of(value) }
}

/** A concept without a code. */
export const words = (text: string): CodeableConcept => ({ text })

/** A timestamp as FHIR's dateTime or instant, whose offsets reach to 14 hours; beyond them the instant is written in UTC. */
export const dateTime = (timestamp: string): string =>
  timestamp.slice(24) <= "14:00" ? timestamp : formatTimestamp(toEpochMillis(timestamp), "+00:00")

/** A Period. It must not end before it starts: such an end is an extension that states the `field`. */
export const periodOf = (
  start: string,
  end: string,
  field: string
): { readonly period: Period; readonly extensions: ReadonlyArray<Extension> } =>
  toEpochMillis(end) >= toEpochMillis(start)
    ? { period: { start: dateTime(start), end: dateTime(end) }, extensions: [] }
    : { period: { start: dateTime(start) }, extensions: [stated(field, end)] }

/** The times at which a record was created and updated, which FHIR leaves to the server. */
export const keptAt = (of: { readonly created_at: string; readonly updated_at: string | null }): Array<Extension> => [
  extension("created-at", { valueDateTime: dateTime(of.created_at) }),
  ...(of.updated_at === null ? [] : [extension("updated-at", { valueDateTime: dateTime(of.updated_at) })])
]

/** The number in a text, if the number is written exactly as the text is. */
export const exactly = (text: string): Decimal | undefined => {
  const number = fromText(text)
  return number !== undefined && decimalText(number) === text ? number : undefined
}
