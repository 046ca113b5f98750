import { CsvError, parse } from "csv-parse/sync"
import { Result } from "effect"
import type { Span } from "../../diagnostic/Span.ts"

/** A cell and the source location of its text. */
export interface CsvCell {
  readonly text: string
  readonly quoted: boolean
  readonly span: Span
}

/** Why a text is not CSV, and where. */
interface CsvFault {
  readonly span: Span
  readonly reason: string
}

type CsvDelimiter = "," | ";" | "\t"

/** Returns the separator with which the header has most known columns; if that decides nothing, the most frequent one. */
export const delimiterOf = (text: string, isColumn: (name: string) => boolean): CsvDelimiter => {
  const line = firstLine(text)
  const counted = (delimiter: CsvDelimiter) => {
    const parts = line.split(delimiter).map(columnName)
    return { delimiter, known: parts.filter((name) => isColumn(name)).length, parts: parts.length }
  }
  return [counted(";"), counted("\t")]
    .reduce(
      (best, one) => (one.known > best.known || (one.known === best.known && one.parts > best.parts) ? one : best),
      counted(",")
    )
    .delimiter
}

/** Returns the name of a column in a header. */
export const columnName = (cell: string): string => cell.trim().replace(/^"(.*)"$/u, "$1").trim().toLowerCase()

/** Maximum bytes of one row, which limits the extent of an unclosed quote. */
const rowBytes = 1_000_000

/** Reads the rows of a CSV text (RFC 4180), each cell with its location. Blank lines are skipped; the text has no byte order mark. */
export const readCsvCells = (
  file: string,
  text: string,
  delimiter: CsvDelimiter
): Result.Result<ReadonlyArray<ReadonlyArray<CsvCell>>, CsvFault> => {
  // Byte offset of the end of the last complete row.
  let end = 0
  try {
    const rows: ReadonlyArray<ReadonlyArray<string>> = parse(text, {
      delimiter,
      record_delimiter: ["\r\n", "\n", "\r"],
      relax_column_count: true,
      max_record_size: rowBytes,
      on_record: (row: Array<string>, { bytes }) => {
        end = bytes
        return row
      }
    })
    return Result.succeed(located(file, text, rows))
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    return Result.fail(faultOf(file, text, delimiter, Buffer.from(text).toString("utf8", 0, end).length, error))
  }
}

/** Locates each cell. The library returns only contents; as it keeps every character, their lengths give the locations. */
const located = (
  file: string,
  text: string,
  rows: ReadonlyArray<ReadonlyArray<string>>
): ReadonlyArray<ReadonlyArray<CsvCell>> => {
  const found: Array<ReadonlyArray<CsvCell>> = []
  const lines = new Lines()
  let at = 0
  for (const row of rows) {
    const cells: Array<CsvCell> = []
    for (const cell of row) {
      const quoted = text[at] === "\""
      const start = lines.placeOf(text, at)
      const length = quoted ? cell.length + (cell.split("\"").length - 1) + 2 : cell.length
      const shown = firstLine(text.slice(at, at + length))
      cells.push({
        text: cell,
        quoted,
        span: { file, ...start, endColumn: start.column + Math.max(1, shown.length) }
      })
      at += length + 1
    }
    // After the last cell there is a line break instead of the delimiter.
    if (text[at - 1] === "\r" && text[at] === "\n") at++
    if (cells.length > 1 || cells[0]?.text !== "" || cells[0].quoted) found.push(cells)
  }
  return found
}

/** Lines and columns for increasing offsets; a line ends with LF, CR LF or CR. */
class Lines {
  #at = 0
  #line = 1
  #start = 0

  placeOf(text: string, offset: number): { readonly line: number; readonly column: number } {
    for (; this.#at < offset; this.#at++) {
      const character = text[this.#at]
      if (character === "\n" || (character === "\r" && text[this.#at + 1] !== "\n")) {
        this.#line++
        this.#start = this.#at + 1
      }
    }
    return { line: this.#line, column: offset - this.#start + 1 }
  }
}

const firstLine = (text: string): string => text.replace(/[\r\n][^]*$/u, "")

/** `from`: the start of the row that cannot be read. */
const faultOf = (
  file: string,
  text: string,
  delimiter: string,
  from: number,
  error: CsvError & { readonly column?: unknown }
): CsvFault => {
  const row = text.slice(from)
  const offset = from + cellStart(row, delimiter, typeof error.column === "number" ? error.column : 0)
  const start = new Lines().placeOf(text, offset)
  return {
    span: { file, ...start, endColumn: start.column + Math.max(1, firstLine(text.slice(offset)).length) },
    reason: reasons[error.code] ?? "the row cannot be read"
  }
}

const reasons: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: "a quote is opened here and never closed",
  INVALID_OPENING_QUOTE: "unexpected quote in an unquoted cell",
  CSV_INVALID_CLOSING_QUOTE: "unexpected text after the closing quote",
  CSV_MAX_RECORD_SIZE: "the row is longer than 1 MB"
}

/** Returns where a cell of a row begins, if the row is well formed up to there. */
const cellStart = (line: string, delimiter: string, index: number): number => {
  let at = 0
  for (let cell = 0; cell < index; cell++) {
    if (line[at] === "\"") {
      at++
      while (at < line.length && (line[at] !== "\"" || line[at + 1] === "\"")) at += line[at] === "\"" ? 2 : 1
    }
    const next = line.indexOf(delimiter, at)
    if (next < 0) return at
    at = next + 1
  }
  return at
}
