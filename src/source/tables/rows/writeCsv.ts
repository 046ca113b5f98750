/**
 * CSV as spreadsheets open it: UTF-8 with a byte order mark, lines that end in CR LF. Spaces at the ends of a cell are quoted, because a
 * reader may trim unquoted cells.
 */
export const writeCsv = (rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  `${byteOrderMark}${rows.map(csvRow).join("")}`

export const byteOrderMark = "\uFEFF"

/** One row of {@link writeCsv}. */
export const csvRow = (row: ReadonlyArray<string>): string => `${row.map(quotedIfNeeded).join(",")}\r\n`

const quotedIfNeeded = (cell: string): string =>
  /[",;\t\r\n]|^\s|\s$/u.test(cell) ? `"${cell.replaceAll("\"", "\"\"")}"` : cell
