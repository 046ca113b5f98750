import { jsonObjectOf } from "../../json/JsonObject.ts"

/**
 * Returns advice if a row has the referenced key except for case or spaces at its ends; `undefined` if no row has it. `hasRow`: whether
 * a row has a given key.
 */
export const similarKey = (
  reference: unknown,
  hasRow: (reference: { readonly reference: string }) => boolean
): ReadonlyArray<string> | undefined => {
  const text = String(jsonObjectOf(reference).reference)
  const idStart = text.indexOf("/") + 1
  if (idStart === 0) return undefined
  const id = text.slice(idStart)
  const plain = id.trim()
  const hasOne = (others: ReadonlyArray<string>): boolean =>
    others.some((one) => one !== id && hasRow({ reference: `${text.slice(0, idStart)}${one}` }))
  return hasOne([plain, `${plain} `, ` ${plain}`])
    ? [
      "a row has this key without or with spaces at its ends: write both the same way in the source",
      "or remove the spaces, under both tables:  trim: true"
    ]
    : hasOne([plain.toUpperCase(), plain.toLowerCase()])
    ? ["a row has this key in another case: write both the same way in the source"]
    : undefined
}
