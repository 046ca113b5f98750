/**
 * Spreadsheets treat a cell that begins with one of these signs as a formula. Such cells are written with a leading apostrophe, which is
 * removed on reading. A cell that begins with apostrophes and then such a sign gets one more, so that every text is restored.
 */
const formula = String.raw`[=+\-@\t\r]`

const months =
  "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?"
  + "|dec(?:ember)?"

/**
 * Spreadsheets convert texts that look like numbers or dates, and save the changed value. Examples: `007` as 7, `8480-6` as a month,
 * `1E5` as 100000, `123456789012` as 1.23E+11, `1.10` as 1.1. An apostrophe keeps these unchanged, too.
 */
const numberOrDate = [
  String.raw`0\d+`,
  String.raw`\d{12,}`,
  String.raw`\d+(?:[.,]\d*)?[eE][+\-]?\d+`,
  String.raw`\d+[.,]\d*`,
  String.raw`[.,]\d+`,
  String.raw`\d+(?:[-/.:]\d+){1,2}`,
  String.raw`\d+\s*%`,
  String.raw`(?:\d{1,4}[- ]?)?(?:${months})[- ]?\d{0,4}`,
  "true",
  "false"
].join("|")

const looksLikeSomethingElse = new RegExp(`^'*(?:${formula}|(?:${numberOrDate})$)`, "iu")

/** Returns a text as it is written into a cell. */
export const guarded = (text: string): string => (looksLikeSomethingElse.test(text) ? `'${text}` : text)

/** Returns the original text of a cell. */
export const unguarded = (cell: string): string =>
  cell.startsWith("'") && looksLikeSomethingElse.test(cell) ? cell.slice(1) : cell
