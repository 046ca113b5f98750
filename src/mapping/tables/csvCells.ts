import { Effect, Result, Stream } from "effect"
import { Csv } from "effect/encoding"
import type { Span } from "../../diagnostic/Span.ts"

/** A cell and where its text is written. */
export interface CsvCell {
  readonly text: string
  readonly quoted: boolean
  readonly span: Span
}

/** A text that is not CSV: where, and why. */
export interface CsvFault {
  readonly span: Span
  readonly reason: string
}

export type CsvDelimiter = "," | ";" | "\t"

/** The separator under which the header names most of the columns that are known; else the one it has most of. */
export const delimiterOf = (text: string, isColumn: (name: string) => boolean): CsvDelimiter => {
  const line = text.split(/[\r\n]/u, 1)[0]!
  const candidates = ([",", ";", "\t"] as const).map((delimiter) => {
    const parts = line.split(delimiter).map(columnName)
    return { delimiter, named: parts.filter((name) => isColumn(name)).length, parts: parts.length }
  })
  return candidates.toSorted((a, b) => b.named - a.named || b.parts - a.parts)[0]!.delimiter
}

/** The name of a column as a header writes it. */
export const columnName = (cell: string): string => cell.trim().replace(/^"(.*)"$/u, "$1").trim().toLowerCase()

/** The rows of a CSV text (RFC 4180), each cell with its place. Blank lines are left out; the text has no byte order mark. */
export const readCsvCells = (
  file: string,
  text: string,
  delimiter: CsvDelimiter
): Effect.Effect<Result.Result<ReadonlyArray<ReadonlyArray<CsvCell>>, CsvFault>> =>
  Stream.make(text).pipe(
    Stream.pipeThroughChannel(Csv.decodeString({ delimiter })),
    Stream.runCollect,
    Effect.map((rows) => placed(file, text, rows)),
    Effect.mapError((error) => faultOf(file, text, delimiter, error)),
    Effect.result
  )

/** The library gives what the cells hold; where each begins follows from their lengths, since it keeps every character. */
const placed = (
  file: string,
  text: string,
  rows: ReadonlyArray<Csv.Row>
): ReadonlyArray<ReadonlyArray<CsvCell>> => {
  const found: Array<ReadonlyArray<CsvCell>> = []
  const lines = new Lines()
  let at = 0
  for (const row of rows) {
    const cells: Array<CsvCell> = []
    for (const cell of row) {
      const quoted = text[at] === "\""
      const start = lines.placeOf(text, at)
      const length = quoted ? cell.length + count(cell, "\"") + 2 : cell.length
      const shown = firstLine(text.slice(at, at + length))
      cells.push({
        text: cell,
        quoted,
        span: { file, ...start, endColumn: start.column + Math.max(1, shown.length) }
      })
      at += length + 1
    }
    // Behind the last cell stands a line break in place of the delimiter.
    if (text[at - 1] === "\r" && text[at] === "\n") at++
    if (cells.length > 1 || cells[0]?.text !== "" || cells[0].quoted) found.push(cells)
  }
  return found
}

/** Lines and columns of growing offsets; a line ends with LF, CR LF or CR. */
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

const count = (text: string, character: string): number => text.split(character).length - 1

const firstLine = (text: string): string => text.split(/[\r\n]/u, 1)[0]!

const faultOf = (file: string, text: string, delimiter: string, error: Csv.CsvError): CsvFault => {
  const lines = text.split(/\r\n|\r|\n/u)
  const line = lines[error.line - 1] ?? ""
  const start = cellStart(line, delimiter, (error.column ?? 1) - 1)
  const reasons: ReadonlyArray<readonly [RegExp, string]> = [
    [/Unterminated/u, "a quote is opened here and never closed"],
    [/unquoted/u, "a quote stands inside a cell that is not quoted"],
    [/closing quote/u, "something stands behind the closing quote of this cell"],
    [/maxRecordSize/u, "the row is longer than 1 MB"]
  ]
  return {
    span: { file, line: error.line, column: start + 1, endColumn: Math.max(start + 2, line.length + 1) },
    reason: reasons.find(([words]) => words.test(error.message))?.[1] ?? "the row cannot be read"
  }
}

/** Where a cell of a line begins, as far as the line is well formed. */
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
