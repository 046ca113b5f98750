import { didYouMean, suggest } from "../../diagnostic/suggest.ts"
import type { ReferenceListType } from "../../visit/Field.ts"
import { type ReferenceList, spellingKey } from "../../visit/values/ReferenceList.ts"

/** Capital letters, digits and signs, without a space: `E66.9`, `OPD`, `AMOX-500`. */
const codeForm = /^[A-Z\d][A-Z\d.\-_/^+:]*$/u

const isCode = (text: string): boolean => codeForm.test(text) || /^\S*\d\S*$/u.test(text)

/**
 * Returns the label for a text that a list does not have. A word gets the similar name of the list. A code does not: the code with one other
 * letter is another disease. It gets the same code with other punctuation, or its parent.
 */
export const nearListed = (
  text: string,
  list: ReferenceList,
  type: ReferenceListType,
  { searched = true }: { readonly searched?: boolean } = {}
): string | undefined => {
  const spelt = list.spellings.get(spellingKey(text))
  if (spelt !== undefined) return didYouMean(spelt)
  if (isCode(text)) {
    const parent = type === "diagnoses" ? parentOf(text, list) : undefined
    return parent === undefined ? undefined : `the list has its parent \`${parent}\``
  }
  // A name with another number is another product.
  const alike = searched ? suggest(text, namesWith(numbersIn(text), list)) : undefined
  return didYouMean(alike)
}

/** Returns the nearest code above a code in the list: `E66.0`, then `E66` for `E66.01`. */
const parentOf = (code: string, { codes }: ReferenceList): string | undefined => {
  const dot = code.indexOf(".")
  if (dot < 1) return undefined
  for (let end = code.length - 1; end >= dot; end--) {
    const parent = code.slice(0, end)
    if (codes.has(parent)) return parent
  }
  return undefined
}

function* namesWith(numbers: string, { codes, values }: ReferenceList): Generator<string> {
  for (const value of values) if (!codes.has(value) && !isCode(value) && numbersIn(value) === numbers) yield value
}

const numbersIn = (text: string): string => (text.match(/\p{N}+/gu) ?? []).join(" ")
