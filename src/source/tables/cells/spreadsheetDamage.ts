import { CellError } from "./CellError.ts"

/** What a spreadsheet writes if a formula has no result or a column is too narrow. */
const errorValue = /^#(?:N\/A|REF!|VALUE!|NAME\?|DIV\/0!|NUM!|NULL!|SPILL!|CALC!|GETTING_DATA|#{2,})$/iu

/** Spreadsheets show at most eleven digits: a longer number becomes six digits and a power of ten. */
const rounded = /^[+-]?\d[.,]\d{5,}E\+\d{2,3}$/iu
const power = /^[+-]?\d(?:[.,]\d+)?E\+\d{2,3}$/iu

/** `3-4` becomes the third of April. */
const madeDate =
  /^(?:\d{1,2}-(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)-\d{2})$/iu

/** Words in the name of a column whose texts are codes and identifiers, not measures. */
const codeName = /(?:^|[_\W])(?:codes?|ids?|no|nr|num|number|cards?|phone|icd\w*|hn|an|vn|mrn)(?:$|[_\W])/iu

const noResult = new CellError("it is a formula's error and no value", [
  "correct the formula where the file is made",
  "if it means no value, set under the column:  null: [\"#N/A\"]"
])

const roundedNumber = new CellError("a long number was shortened to a power of ten, and digits of it are lost", [
  "in the spreadsheet, give the column the format Text before the data is put in, and export it again"
])

const dateOfCode = new CellError("a code was turned into a date", [
  "in the spreadsheet, give the column the format Text before the data is put in, and export it again"
])

const dayNumber = new CellError("it is a spreadsheet's day number, and the column's format does not declare that", [
  "if the column or some of its cells contain day numbers:  format: excel   (several in a list)",
  "if it is a mistake, give the cell the format of the others"
])

/** Returns how a spreadsheet changed a text of a column that holds no codes. */
export const damageIn = (text: string): CellError | undefined => {
  const first = text.charCodeAt(0)
  // Most texts begin with a letter; the patterns below begin with digits, signs and `#`.
  if (text.length > 24) return undefined
  if (first === hash) return errorValue.test(text.trim()) ? noResult : undefined
  return first >= zero && first <= nine && rounded.test(text) ? roundedNumber : undefined
}

/** Returns how a spreadsheet changed a text of a column that holds codes or identifiers, see {@link holdsCodes}. */
export const damageInCode = (text: string): CellError | undefined => {
  if (text.length > 24) return undefined
  if (text.charCodeAt(0) === hash) return errorValue.test(text.trim()) ? noResult : undefined
  return power.test(text) ? roundedNumber : madeDate.test(text) ? dateOfCode : undefined
}

/** Returns how a spreadsheet changed a date that its column cannot read. */
export const damageInDate = (text: string): CellError | undefined => {
  if (text.charCodeAt(0) === hash) return damageIn(text)
  const found = /^(\d{5})(?:[.,]\d+)?$/u.exec(text)
  if (found === null) return undefined
  const day = Number(found[1])
  return day >= firstDay && day <= lastDay ? dayNumber : undefined
}

/** Whether the name of a column shows that its texts are codes or identifiers. */
export const holdsCodes = (names: ReadonlyArray<string | number>): boolean =>
  names.some((name) => typeof name === "string" && codeName.test(name))

const hash = 0x23
const zero = 0x30
const nine = 0x39

/** Days of 1927 and of 2119 in spreadsheet day numbers: five digits outside this range are other numbers. */
const firstDay = 10_000
const lastDay = 80_000
