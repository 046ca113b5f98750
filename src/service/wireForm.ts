import { Result } from "effect"
import { parseJson } from "../visit/decode.ts"
import type { Field } from "../visit/Field.ts"
import { visitFields } from "../visit/fields.ts"
import { isRecord } from "./responses/ServiceResponse.ts"
import { defaultSending, type SendingSettings } from "./settings/SendingSettings.ts"
import { misspeltTitle } from "./wire.ts"

type Loose = Readonly<Record<string, unknown>>

/** What of the settings changes the text of a visit. */
export type WireForm = Pick<SendingSettings, "optional" | "noReferral" | "tilte">

/** A form as it is kept. */
export const writeForm = ({ noReferral, optional, tilte }: WireForm): string =>
  JSON.stringify({ optional, noReferral, tilte } satisfies WireForm)

/** The form that was kept; a setting that it does not have was not known then. */
export const readForm = (text: string): WireForm => ({ ...defaultSending, ...(JSON.parse(text) as Partial<WireForm>) })

/**
 * The text of a visit as an operator wants it who differs from the specification. As long as none does it is the text that was given,
 * byte for byte; else the numbers keep their digits and the keys their order.
 */
export const wireForm = (visit: string, form: WireForm): string => {
  if (isUsual(form)) return visit
  return Result.match(parseJson(visit), {
    onFailure: () => visit,
    onSuccess: (value) => isRecord(value) ? JSON.stringify(formed(value, form)) : visit
  })
}

const isUsual = ({ noReferral, optional, tilte }: WireForm): boolean =>
  noReferral === defaultSending.noReferral && optional === defaultSending.optional && tilte === defaultSending.tilte

const formed = (visit: Loose, { noReferral, optional, tilte }: WireForm): Loose => {
  const sparse = optional === "omit" ? withoutBlanks(visit, visitFields) : visit
  return {
    ...sparse,
    ...(noReferral === "nulls" && visit["referrals"] === null
      ? { referrals: { referred_from: null, referred_to: null } }
      : {}),
    ...(tilte ? { imageries: each(sparse["imageries"], titledTwice) } : {})
  }
}

const titledTwice = (imagery: Loose): Loose => ({ ...imagery, [misspeltTitle]: imagery["title"] ?? null })

/** Without the optional fields that say nothing. */
const withoutBlanks = (value: Loose, fields: ReadonlyArray<Field>): Loose => {
  const kept: Record<string, unknown> = { ...value }
  for (const { fields: inner, kind, name, optional } of fields) {
    const own = value[name]
    if (optional && isBlank(own)) delete kept[name]
    else if (inner !== undefined && kind === "list") kept[name] = each(own, (entry) => withoutBlanks(entry, inner))
    else if (inner !== undefined && isRecord(own)) kept[name] = withoutBlanks(own, inner)
  }
  return kept
}

const isBlank = (value: unknown): boolean => value === null || (Array.isArray(value) && value.length === 0)

const each = (list: unknown, change: (entry: Loose) => Loose): unknown =>
  Array.isArray(list) ? list.map((entry: unknown) => isRecord(entry) ? change(entry) : entry) : list
