import { Result } from "effect"
import { isJsonObject, type JsonObject } from "../json/JsonObject.ts"
import { parseJson } from "../visit/decode.ts"
import type { Field } from "../visit/Field.ts"
import { visitFields } from "../visit/fields.ts"
import { defaultSending, type SendingSettings } from "./settings/SendingSettings.ts"
import { misspeltTitle } from "./wire.ts"

/** The settings that change the text of a visit. */
export type WireForm = Pick<SendingSettings, "optional" | "noReferral" | "tilte">

/** Returns a form in its stored text. */
export const writeForm = ({ noReferral, optional, tilte }: WireForm): string =>
  JSON.stringify({ optional, noReferral, tilte } satisfies WireForm)

/** Reads a stored form; a setting that it lacks was unknown at the time. */
export const readForm = (text: string): WireForm => {
  // `writeForm` wrote it, perhaps in an earlier version with fewer settings.
  const stored = JSON.parse(text) as Partial<WireForm>
  return { ...defaultSending, ...stored }
}

/**
 * Returns the text of a visit in the form of an operator who differs from the specification. Without such an operator it is the given
 * text, byte for byte. Otherwise the numbers keep their digits and the keys their order.
 */
export const wireForm = (visit: string, form: WireForm): string => {
  if (isUsual(form)) return visit
  return Result.match(parseJson(visit), {
    onFailure: () => visit,
    onSuccess: (value) => isJsonObject(value) ? JSON.stringify(formed(value, form)) : visit
  })
}

const isUsual = ({ noReferral, optional, tilte }: WireForm): boolean =>
  noReferral === defaultSending.noReferral && optional === defaultSending.optional && tilte === defaultSending.tilte

const formed = (visit: JsonObject, { noReferral, optional, tilte }: WireForm): JsonObject => {
  const sparse = optional === "omit" ? withoutBlanks(visit, visitFields) : visit
  return {
    ...sparse,
    ...(noReferral === "nulls" && visit["referrals"] === null
      ? { referrals: { referred_from: null, referred_to: null } }
      : {}),
    ...(tilte ? { imageries: each(sparse["imageries"], titledTwice) } : {})
  }
}

const titledTwice = (imagery: JsonObject): JsonObject => ({ ...imagery, [misspeltTitle]: imagery["title"] ?? null })

/** Removes the optional fields without a value. */
const withoutBlanks = (value: JsonObject, fields: ReadonlyArray<Field>): JsonObject => {
  const kept: Record<string, unknown> = { ...value }
  for (const { fields: inner, kind, name, optional } of fields) {
    const own = value[name]
    if (optional && (own === null || (Array.isArray(own) && own.length === 0))) delete kept[name]
    else if (inner !== undefined && kind === "list") kept[name] = each(own, (entry) => withoutBlanks(entry, inner))
    else if (inner !== undefined && isJsonObject(own)) kept[name] = withoutBlanks(own, inner)
  }
  return kept
}

const each = (list: unknown, change: (entry: JsonObject) => JsonObject): unknown =>
  Array.isArray(list) ? list.map((entry: unknown) => isJsonObject(entry) ? change(entry) : entry) : list
