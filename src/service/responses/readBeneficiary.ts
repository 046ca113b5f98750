import { isJsonObject, type JsonObject } from "../../json/JsonObject.ts"
import { contradictsStatus, successOf } from "./readEnvelope.ts"
import { jsonOf, nonEmptyText, type ServiceResponse } from "./ServiceResponse.ts"

/**
 * The result of a card search: the record of the cardholder, or of each member of a household that shares the card. It can also be no
 * record, or a response that is not understood. §4.4 shows neither the envelope nor an empty result.
 */
type BeneficiaryLookup =
  | { readonly _tag: "Found"; readonly records: ReadonlyArray<JsonObject> }
  | { readonly _tag: "Nobody" }
  | { readonly _tag: "NotUnderstood"; readonly why: string }

/**
 * Reads a beneficiary. A 404 or 422 of the service, 204, `success: false`, `data: null`, `{}` and `[]` all mean card not found. A 404
 * without the service's envelope means a wrong address.
 */
export const readBeneficiary = (response: ServiceResponse, card: string): BeneficiaryLookup => {
  const envelope = jsonOf(response.headers, response.body)
  if (response.status === 404 || response.status === 422) {
    return isJsonObject(envelope) && !/\broute\b/iu.test(nonEmptyText(envelope["message"]) ?? "")
      ? { _tag: "Nobody" }
      : notUnderstood(`the service responded with ${response.status}`)
  }
  if (response.status === 204) return { _tag: "Nobody" }
  if (response.status !== 200 || !isJsonObject(envelope)) {
    return notUnderstood(`the service responded with ${response.status}`)
  }
  const { http_code: stated } = envelope
  if (contradictsStatus(envelope, 200) && !(Number(stated) === 404 || Number(stated) === 422)) {
    return notUnderstood("the response contradicts its own status")
  }
  if (successOf(envelope) === false) return { _tag: "Nobody" }
  const data = "data" in envelope ? envelope["data"] : envelope
  if (isJsonObject(data) && Number(data["last_page"]) > 1) {
    return notUnderstood("the response is the first page of several")
  }
  const records = recordsOf(data)
  if (records === null) return notUnderstood("the response has no record")
  const ours = records.length > 1 ? holdersOf(records, card) : records
  return ours.length === 0 ? { _tag: "Nobody" } : { _tag: "Found", records: ours }
}

/** Returns the records that show the card, or, if none does, those that show no cards. The caller decides whether one record is meant. */
const holdersOf = (records: ReadonlyArray<JsonObject>, card: string): ReadonlyArray<JsonObject> => {
  const shows = Map.groupBy(records, (record) => showsCard(record, card))
  return shows.get(true) ?? shows.get(null) ?? []
}

/**
 * Whether a record shows this card; `null` if it shows no benefit cards. Their shape is not shown (§2.7), so the number is searched in
 * every field. Spaces and hyphens are ignored.
 */
export const showsCard = (record: JsonObject, card: string): boolean | null => {
  const number = plainCard(card)
  const shown = record["benefit_cards"]
  if (holds(shown, number, 4) || holds(record["identifications"], number, 4)) return true
  const isShown = typeof shown === "object" && shown !== null
    ? Object.keys(shown).length > 0
    : nonEmptyText(shown) !== null
  return isShown ? false : null
}

const holds = (value: unknown, number: string, depth: number): boolean => {
  const text = nonEmptyText(value)
  if (text !== null) return plainCard(text) === number
  return depth > 0 && typeof value === "object" && value !== null &&
    Object.values(value).some((inner) => holds(inner, number, depth - 1))
}

const plainCard = (text: string): string => text.replace(/[\s-]/gu, "").toLowerCase()

const notUnderstood = (why: string): BeneficiaryLookup => ({ _tag: "NotUnderstood", why })

const recordsOf = (data: unknown): ReadonlyArray<JsonObject> | null => {
  if (data === null || data === undefined) return []
  if (Array.isArray(data)) return data.filter(isJsonObject)
  if (!isJsonObject(data)) return null
  if (Array.isArray(data["data"])) return data["data"].filter(isJsonObject)
  return Object.keys(data).length === 0 ? [] : [data]
}
