/**
 * Spreadsheets take a cell that begins with one of these signs for a formula. Such cells are written with an apostrophe before
 * them and read without it; a cell that begins with apostrophes and then such a sign gets one more, so that every text comes back.
 */
const looksLikeFormula = /^'*[=+\-@\t\r]/u

/** A text as it is written into a cell. */
export const guarded = (text: string): string => (looksLikeFormula.test(text) ? `'${text}` : text)

/** A cell as it was meant. */
export const unguarded = (cell: string): string =>
  cell.startsWith("'") && looksLikeFormula.test(cell) ? cell.slice(1) : cell
