import { Parser } from "csv-parse"
import { parse as parseText } from "csv-parse/sync"
import type { DecodedChunk } from "./decodeText.ts"

/** A row of a file: its cells, and the line it begins on. */
export interface CsvRow {
  readonly line: number
  readonly cells: ReadonlyArray<string>
  /** Why the row is malformed; its cells are still usable. */
  readonly fault?: RowError
  /** One of its cells contains a line break. */
  readonly broken?: boolean
}

/** A row that cannot be split into cells. */
export interface UnreadableRow {
  readonly line: number
  /** Its first line, cut at every delimiter. */
  readonly pieces: ReadonlyArray<string>
  readonly fault: RowError
}

/** The error in a row, and the number of its cell, from 1. */
export interface RowError {
  readonly reason: string
  readonly column?: number
}

/** Rows in the order of the file. */
interface RowBatch {
  readonly rows: ReadonlyArray<CsvRow | UnreadableRow>
  /** A `U+FFFD` in the rows may replace bytes that could not be decoded. */
  readonly doubtful: boolean
  /** The likely encoding of those bytes. */
  readonly likely?: string | undefined
  /** The rows may contain a NUL. */
  readonly nul: boolean
  /** The file ends after the last row, without a line break. */
  readonly cut: boolean
}

/** The signs that cut a text into rows and cells. */
export interface Signs {
  readonly delimiter: string
  readonly quote: string | null
  readonly escape: string | null
  readonly lineBreaks: ReadonlyArray<string>
  /** Maximum bytes of one row. */
  readonly rowBytes: number
}

/**
 * Splits a text into rows with `csv-parse`. If a row is malformed, its first line is split on its own, with its quotes as text, and
 * reading continues with the next line. A quote that is never closed therefore costs one line, not the rest of the file.
 */
export async function* readRows(pieces: AsyncIterable<DecodedChunk>, signs: Signs): AsyncGenerator<RowBatch> {
  const splitter = new RowSplitter(signs)
  let before = false
  let known: string | undefined
  let last = feed
  for await (const { bytes, doubtful, likely } of pieces) {
    const rows = await splitter.take(bytes)
    known = likely ?? known
    if (rows.length > 0) {
      yield {
        rows,
        doubtful: doubtful || before,
        likely: known,
        nul: bytes.includes(0) || splitter.held.includes(0),
        cut: false
      }
    }
    before = doubtful
    last = bytes.at(-1) ?? last
  }
  const rows = withoutEndMarks(await splitter.finish())
  if (rows.length > 0) yield { rows, doubtful: before, likely: known, nul: true, cut: !isBreak(last) && !isMark(last) }
}

/** `csv-parse`, with access to each row as soon as it is parsed. */
class LineParser extends Parser {
  rows: Array<CsvRow> = []
  /** Where the last row ends, in bytes from the parser's start. */
  taken = 0
  /** The line after the last row. */
  nextLine: number
  readonly #firstLine: number
  #lines = 0
  /** `csv-parse` counts a CR LF inside quotes as two lines. */
  #doubled = 0

  constructor(signs: Signs, line: number) {
    super({
      bom: false,
      delimiter: signs.delimiter,
      quote: signs.quote,
      escape: signs.escape ?? signs.quote,
      record_delimiter: [...signs.lineBreaks],
      relax_column_count: true,
      skip_empty_lines: true,
      max_record_size: signs.rowBytes
    })
    this.#firstLine = line
    this.nextLine = line
    // `feed` and `close` return the error.
    this.on("error", () => undefined)
  }

  override push(row: ReadonlyArray<string> | null): boolean {
    if (row === null) return super.push(null)
    const { bytes, lines } = this.info
    let begins = this.#firstLine - 1 + lines - this.#doubled
    let broken = false
    if (lines > this.#lines + 1) {
      for (const cell of row) {
        for (const [found] of cell.matchAll(/\r\n|\n|\r/gu)) {
          broken = true
          begins -= found.length
          if (found.length === 2) this.#doubled++
        }
      }
    }
    this.#lines = lines
    this.nextLine = this.#firstLine + lines - this.#doubled
    this.taken = bytes
    this.rows.push(broken ? { line: begins, cells: row, broken } : { line: begins, cells: row })
    return true
  }

  feed(bytes: Buffer): Promise<CsvError | undefined> {
    return new Promise((resolve) => {
      this.write(bytes, (error) => {
        resolve(isCsvError(error) ? error : undefined)
      })
    })
  }

  close(): Promise<CsvError | undefined> {
    return new Promise((resolve) => {
      this.once("error", (error) => {
        resolve(isCsvError(error) ? error : undefined)
      })
      this.once("finish", () => {
        resolve(undefined)
      })
      this.end()
    })
  }
}

interface CsvError extends Error {
  readonly code: string
  readonly column?: unknown
}

/** Every error of `csv-parse` has a code. */
const isCsvError = (error: unknown): error is CsvError => error instanceof Error && "code" in error

const nothing = Buffer.alloc(0)

/** A malformed row, and the line that it begins on. */
interface OpenRow {
  readonly fault: CsvError
  readonly line: number
}

/** What follows the current bytes: more bytes, or the end of the text. */
type Then = "more" | "end"

class RowSplitter {
  readonly #signs: Signs
  #parser: LineParser
  /** The bytes given to the parser after its last row. */
  held: Buffer = nothing
  /** Bytes of `held` at the parser's start. */
  #heldFrom = 0
  /** The row at the beginning of `held` is malformed, and its first line is incomplete. */
  #open: OpenRow | undefined

  constructor(signs: Signs) {
    this.#signs = signs
    this.#parser = new LineParser(signs, 1)
  }

  async take(bytes: Buffer): Promise<ReadonlyArray<CsvRow | UnreadableRow>> {
    const rows: Array<CsvRow | UnreadableRow> = []
    if (this.#open !== undefined) {
      this.held = Buffer.concat([this.held, bytes])
      await this.#resume(this.#open, rows, "more")
    } else await this.#feed(bytes, rows, "more")
    return rows
  }

  async finish(): Promise<ReadonlyArray<CsvRow | UnreadableRow>> {
    const rows: Array<CsvRow | UnreadableRow> = []
    for (;;) {
      if (this.#open !== undefined) await this.#resume(this.#open, rows, "end")
      const fault = await this.#parser.close()
      this.#drain(rows)
      if (fault === undefined) return rows
      this.#open = { fault, line: this.#parser.nextLine }
    }
  }

  async #feed(bytes: Buffer, rows: Array<CsvRow | UnreadableRow>, then: Then): Promise<void> {
    if (bytes.length === 0) return
    const fault = await this.#parser.feed(bytes)
    this.held = this.held.length === 0 ? bytes : Buffer.concat([this.held, bytes])
    this.#drain(rows)
    if (fault !== undefined) await this.#resume({ fault, line: this.#parser.nextLine }, rows, then)
  }

  #drain(rows: Array<CsvRow | UnreadableRow>): void {
    const parser = this.#parser
    for (const row of parser.rows) rows.push(row)
    parser.rows.length = 0
    const done = parser.taken - this.#heldFrom
    if (done > 0) {
      this.held = this.held.subarray(done)
      this.#heldFrom = parser.taken
    }
  }

  /** Continues after the first line of `held`, which begins with a malformed row. */
  async #resume({ fault, line: first }: OpenRow, rows: Array<CsvRow | UnreadableRow>, then: Then): Promise<void> {
    let line = first
    let at = 0
    while (at < this.held.length && isBreak(this.held[at])) {
      if (this.held[at] === feed || (this.held[at] === carriage && this.held[at + 1] !== feed)) line++
      at++
    }
    const end = lineEnd(this.held, at)
    // A CR at the end of the available bytes may be the first half of a line break.
    const isHalf = end === this.held.length - 1 && this.held[end] === carriage
    if ((end < 0 || isHalf) && then === "more") {
      this.held = this.held.subarray(at)
      this.#open = { fault, line }
      return
    }
    this.#open = undefined
    const stop = end < 0 ? this.held.length : end
    rows.push(this.#splitAlone(this.held.subarray(at, stop), fault, line))
    const next = this.held[stop] === carriage && this.held[stop + 1] === feed ? stop + 2 : stop + 1
    const rest = this.held.subarray(Math.min(next, this.held.length))
    this.#parser.destroy()
    this.#parser = new LineParser(this.#signs, line + 1)
    this.held = nothing
    this.#heldFrom = 0
    await this.#feed(rest, rows, then)
  }

  /** Splits a line on its own, with its quotes as text. */
  #splitAlone(bytes: Buffer, fault: CsvError, line: number): CsvRow | UnreadableRow {
    const reason = reasons[fault.code] ?? "it cannot be cut into cells"
    const found: RowError = typeof fault.column === "number" ? { reason, column: fault.column + 1 } : { reason }
    const { delimiter, quote, escape } = this.#signs
    const lost = (fault: RowError): UnreadableRow => {
      const pieces = bytes.toString("utf8").split(delimiter)
      return { line, pieces: quote === null ? pieces : pieces.map((piece) => piece.replaceAll(quote, "")), fault }
    }
    if (neverClosed.has(fault.code)) return lost(found)
    try {
      const [cells] = parseText(bytes, {
        bom: false,
        delimiter,
        quote,
        escape: escape ?? quote,
        relax_quotes: true,
        relax_column_count: true
      })
      return cells === undefined ? lost(found) : { line, cells, fault: found }
    } catch {
      return lost({ ...found, reason: neverClosedQuote })
    }
  }
}

/** Returns the first rows of a text, at most `rows`; none if it cannot be cut. */
export const firstRows = (
  text: string,
  { delimiter, quote, rows }: Pick<Signs, "delimiter" | "quote"> & { readonly rows: number }
): ReadonlyArray<ReadonlyArray<string>> => {
  try {
    return parseText(text, {
      delimiter,
      quote,
      relax_quotes: true,
      relax_column_count: true,
      skip_empty_lines: true,
      to: rows
    })
  } catch {
    return []
  }
}

/** Old systems end a file with Ctrl-Z and pad it with NULs: they are not text of the last row. */
const withoutEndMarks = (rows: ReadonlyArray<CsvRow | UnreadableRow>): ReadonlyArray<CsvRow | UnreadableRow> => {
  const last = rows.at(-1)
  if (last === undefined || !("cells" in last)) return rows
  const cell = last.cells.at(-1) ?? ""
  const text = cell.replace(endMarks, "")
  if (text === cell) return rows
  const before = rows.slice(0, -1)
  return text === "" && last.cells.length === 1
    ? before
    : [...before, { ...last, cells: [...last.cells.slice(0, -1), text] }]
}

const endMarks = new RegExp(`[${String.fromCharCode(0, 0x1a)}]+$`, "u")

const isMark = (code: number): boolean => code === 0x1a || code === 0

const feed = 0x0a
const carriage = 0x0d
const isBreak = (byte: number | undefined): boolean => byte === feed || byte === carriage

const lineEnd = (bytes: Buffer, from: number): number => {
  for (let at = from; at < bytes.length; at++) if (isBreak(bytes[at])) return at
  return -1
}

const neverClosedQuote = "a quote is opened and never closed"

const neverClosed: ReadonlySet<string> = new Set(["CSV_QUOTE_NOT_CLOSED", "CSV_MAX_RECORD_SIZE"])

const reasons: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: neverClosedQuote,
  CSV_MAX_RECORD_SIZE: "a quote is opened and not closed within the size of a row",
  CSV_INVALID_CLOSING_QUOTE: "unexpected text after a closing quote",
  INVALID_OPENING_QUOTE: "unexpected quote in an unquoted cell"
}
