/** A category and up to four characters of subcategories, with or without a point; dagger and asterisk codes too. */
const icd10 = /^[A-Z]\d[\dA-Z](?:\.?[\dA-Z]{1,4})?[+*†!]?$/iu

/** Whether a text has the form of one code of ICD-10. */
export const isIcd10 = (text: string): boolean => icd10.test(text)

/** Returns the separators of a text that lists codes of ICD-10, such as `I10; E11.9`; `undefined` for any other text. */
export const separatorsIn = (text: string): ReadonlyArray<string> | undefined => {
  if (text.length > 200 || !/[;|,/\s]/u.test(text.trim())) return undefined
  const codes = text.split(/[;|,/\s]+/u).filter((part) => part !== "")
  if (codes.length === 0 || !codes.every(isIcd10)) return undefined
  const signs = [...new Set(text.match(/[;|,/]/gu))]
  const parts = text.split(/[;|,/]/u).map((part) => part.trim())
  const blanks = ["\n", " "].filter((blank) => parts.some((part) => part.includes(blank)))
  return [...signs, ...blanks]
}

/** What to do with a text that lists several codes; `undefined` for any other text. */
export const severalCodesHelp = (text: string): string | undefined => {
  const [separator] = separatorsIn(text) ?? []
  return separator === undefined
    ? undefined
    : `the text lists several codes, and a diagnosis has one: send a row for each, with  forEach: "COLUMN.split('${
      separator === "\n" ? "\\n" : separator
    }')"  (docs/csv.md, several diagnoses in one cell)`
}
