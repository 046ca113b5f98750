import { type Answer, isRecord, jsonOf, textOf } from "./Answer.ts"

/** What a search found: a record, nobody, or something that is not understood (§4.4 shows neither the envelope nor an empty result). */
export type Found =
  | { readonly _tag: "Found"; readonly record: Readonly<Record<string, unknown>> }
  | { readonly _tag: "Nobody" }
  | { readonly _tag: "NotUnderstood"; readonly why: string }

/** A 404 or 422 of the service, 204, `data: null`, `{}` and `[]` all mean nobody; a 404 that is not the service's envelope is a wrong address. */
export const readBeneficiary = (answer: Answer, card: string): Found => {
  const envelope = jsonOf(answer.headers, answer.body)
  if (answer.status === 404 || answer.status === 422) {
    return isRecord(envelope) && !/\broute\b/iu.test(textOf(envelope["message"]) ?? "")
      ? { _tag: "Nobody" }
      : notUnderstood(`the service answered ${answer.status}`)
  }
  if (answer.status === 204) return { _tag: "Nobody" }
  if (answer.status !== 200 || !isRecord(envelope)) return notUnderstood(`the service answered ${answer.status}`)
  if (envelope["success"] === false) return { _tag: "Nobody" }
  const records = recordsOf("data" in envelope ? envelope["data"] : envelope)
  if (records === null) return notUnderstood("the answer holds no record")
  const ours = records.length > 1 ? records.filter((record) => holdsCard(record, card)) : records
  if (ours.length === 0) return { _tag: "Nobody" }
  return ours.length === 1
    ? { _tag: "Found", record: ours[0]! }
    : notUnderstood("the card number belongs to several beneficiaries")
}

const notUnderstood = (why: string): Found => ({ _tag: "NotUnderstood", why })

const recordsOf = (data: unknown): ReadonlyArray<Readonly<Record<string, unknown>>> | null => {
  if (data === null || data === undefined) return []
  if (Array.isArray(data)) return data.filter(isRecord)
  if (!isRecord(data)) return null
  if (Array.isArray(data["data"])) return data["data"].filter(isRecord)
  return Object.keys(data).length === 0 ? [] : [data]
}

const holdsCard = (record: Readonly<Record<string, unknown>>, card: string): boolean =>
  [record["benefit_cards"], record["identifications"]].some((list) =>
    Array.isArray(list) && list.some((item) => item === card || (isRecord(item) && Object.values(item).includes(card)))
  )
