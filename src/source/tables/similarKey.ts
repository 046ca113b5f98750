/**
 * Returns advice if a row has the referenced key except for case or spaces at its ends; `undefined` if no row has it. `isThere`: whether
 * a row has a given key.
 */
export const similarKey = (
  reference: unknown,
  isThere: (reference: { readonly reference: string }) => boolean
): ReadonlyArray<string> | undefined => {
  const text = typeof reference === "object" && reference !== null && "reference" in reference
    ? String(reference.reference)
    : ""
  const cut = text.indexOf("/") + 1
  if (cut === 0) return undefined
  const id = text.slice(cut)
  const plain = id.trim()
  const hasOne = (others: ReadonlyArray<string>): boolean =>
    others.some((one) => one !== id && isThere({ reference: `${text.slice(0, cut)}${one}` }))
  return hasOne([plain, `${plain} `, ` ${plain}`])
    ? [
      "a row has this key but for blanks at its ends: write both alike in the source",
      "or have the blanks taken off, under the tables of both:  trim: true"
    ]
    : hasOne([plain.toUpperCase(), plain.toLowerCase()])
    ? ["a row has this key but for capitals: write both alike in the source"]
    : undefined
}
