import { isUtf8 } from "node:buffer"
import { type InputProblem, problemAt } from "../InputProblem.ts"
import type { ByteReader } from "../read/ByteReader.ts"
import type { ReadItem } from "../read/ReadItem.ts"
import type { ReadLimits } from "../read/ReadLimits.ts"
import type { ByteFormat } from "../read/sniffFormat.ts"
import { bindTable } from "./bindTable.ts"
import { decoded, decodeText, encodingOf, isSingleByte, Utf8Watch } from "./rows/decodeText.ts"
import { delimiterName, dialectOf, findDelimiter } from "./rows/findDialect.ts"
import { firstRows, readRows, type Signs } from "./rows/readRows.ts"
import { TableExtractor } from "./TableExtractor.ts"
import type { Dialect, TableLayout } from "./TableLayout.ts"

/** Receives each row of a file as it is written, with its line: the header first, if the file has one. */
export type RowListener = (cells: ReadonlyArray<string>, line: number) => void

/** A file of tables, and how it is read. */
interface TablesOfFile {
  readonly file: string
  /** The tables that the file holds. */
  readonly tables: ReadonlyArray<TableLayout>
  readonly format: ByteFormat & { readonly _tag: "Text" }
  readonly limits: ReadLimits
  readonly onRow?: RowListener | undefined
  /** The time of the run, in milliseconds since 1970. */
  readonly now?: number | undefined
}

const headBytes = 64 * 1024

/**
 * Reads the records of a file that holds tables, each row cut to the columns of each table. What a table does not declare about the text
 * is detected: the byte order mark, the delimiter, the line breaks.
 */
export async function* readTables(
  reader: ByteReader,
  { file, format, limits, now, onRow, tables }: TablesOfFile
): AsyncGenerator<ReadonlyArray<ReadItem>> {
  const dialect = dialectOf(tables)
  reader.skip(format.bom)
  const encoding = format.bom > 0 ? format.encoding : (dialect.encoding ?? "utf-8")
  const bytes = (await reader.peek(headBytes)).subarray(0, headBytes)
  const head = decoded(bytes, encoding)
  const signs = {
    delimiter: dialect.delimiter ?? findDelimiter(head, tables, dialect.header),
    quote: dialect.quote === undefined ? "\"" : dialect.quote,
    escape: dialect.escape ?? null,
    lineBreaks: head.includes("\n") || !head.includes("\r") ? ["\r\n", "\n"] : ["\r"],
    rowBytes: limits.recordBytes
  }
  const guess = encodingOf(bytes)
  const likely = encoding === "utf-8" || (guess === "utf-8" && isSingleByte(encoding)) ? guess : encoding
  const watch = isSingleByte(encoding) ? new Utf8Watch() : undefined
  const chunks = watch === undefined ? reader.chunks() : watch.pass(reader.chunks())
  const extractor = new TableExtractor(file, tables, {
    delimiter: signs.delimiter,
    now,
    singleByte: watch === undefined ? undefined : encoding
  })
  let above = dialect.header
  if (above === 0) extractor.noHeader()
  for await (
    const { cut, doubtful, likely: better, nul, rows } of readRows(decodeText(chunks, encoding), signs)
  ) {
    for (const row of rows) {
      if (above <= 1 && "cells" in row) onRow?.(row.cells, row.line)
      if (above === 0) extractor.row(row, { doubtful, likely: better, nul, cut: cut && row === rows.at(-1) })
      else if (--above === 0) {
        const header: ReadonlyArray<string> = "cells" in row ? row.cells : []
        extractor.header(
          header,
          row.line,
          otherEncoding(header, encoding, likely) ?? otherDelimiter(head, tables, dialect) ??
            headerBelow(head, tables, signs)
        )
      }
    }
    const items = extractor.take()
    if (items.length > 0) yield items
  }
  if (watch?.isUtf8 === true) extractor.reportUtf8()
  extractor.finish()
  const items: Array<ReadItem> = [...extractor.take()]
  if (above > 0) items.push(nothingIn(file, tables))
  else if (!extractor.isBound) return yield items
  if (watch?.isUtf8 !== true && !encoding.startsWith("utf-") && looksLikeUtf8(bytes)) {
    items.push(problemAt(file, 1, notUtf8Declared(encoding)))
  }
  items.push({
    _tag: "Table",
    table: {
      file,
      tables: tables.map(({ name }) => name),
      rows: extractor.rows,
      encoding,
      delimiter: delimiterName(signs.delimiter),
      found: [
        ...(dialect.delimiter === undefined ? [delimiterName(signs.delimiter)] : []),
        ...(format.bom > 0 ? ["byte order mark"] : [])
      ],
      ...(extractor.undeclared.length === 0 ? {} : { undeclared: extractor.undeclared })
    }
  })
  yield items
}

/** Reports a file without a header, which is not a table. If the mapping expects its rows, no visit is sent without them. */
const nothingIn = (file: string, tables: ReadonlyArray<TableLayout>): ReadItem => {
  const isOptional = tables.every(({ expected }) => expected === false)
  const isNeeded = tables.some(({ expected }) => expected === "needed")
  return problemAt(file, 1, {
    code: "unreadable-input",
    severity: isOptional ? "warning" : "error",
    title: "a file of a table is empty: it does not even have a header",
    help: ["export it again: a table without rows has its header"]
  }, isNeeded ? { breaksOff: true } : {})
}

/** Maximum number of rows above a header. */
const rowsAbove = 40

/** Returns a hint that a later line names the columns, below titles. */
const headerBelow = (
  head: string,
  tables: ReadonlyArray<TableLayout>,
  { delimiter, quote }: Signs
): string | undefined => {
  const rows = firstRows(head, { delimiter, quote, rows: rowsAbove })
  const missing = rows.map((row) =>
    tables.reduce((sum, table) => sum + (bindTable(table, row).unread === undefined ? 0 : 1), 0)
  )
  const fewest = Math.min(...missing)
  const at = missing.indexOf(fewest)
  return at < 1 || fewest === tables.length
    ? undefined
    : `row ${at + 1} of the file names the columns, after lines of titles; set under its table:  header: ${at + 1}`
}

/** Returns a hint that names of the header are bytes of another encoding. */
const otherEncoding = (header: ReadonlyArray<string>, encoding: string, likely: string): string | undefined =>
  encoding !== "utf-8" && likely === "utf-8"
    ? header.some((text) => /[^\0-\x7F]/u.test(text))
      ? `the file is UTF-8, but its table declares \`${encoding}\`; set under its table:  encoding: utf-8`
      : undefined
    : header.some((name) => name.includes("\uFFFD"))
    ? `the file is not UTF-8, and its header cannot be read; set under its table:  encoding: ${
      likely === "utf-8" ? "windows-1252" : likely
    }`
    : undefined

/** Returns a hint that the header uses another delimiter than the declared one. */
const otherDelimiter = (head: string, tables: ReadonlyArray<TableLayout>, dialect: Dialect): string | undefined => {
  if (dialect.delimiter === undefined) return undefined
  const found = findDelimiter(head, tables, dialect.header)
  return found === dialect.delimiter
    ? undefined
    : `its cells seem to be separated by another sign than declared:  delimiter: ${delimiterName(found)}`
}

/** Whether bytes read in another encoding look like letters of UTF-8. Two or three such bytes can occur by chance, but not more. */
const looksLikeUtf8 = (head: Buffer): boolean => {
  const end = Math.max(0, head.length - 4)
  if (!isUtf8(head.subarray(0, end + firstBoundary(head.subarray(end))))) return false
  let letters = 0
  for (const byte of head) if (byte >= 0xc0 && ++letters > 8) return true
  return false
}

const firstBoundary = (bytes: Buffer): number => {
  const at = bytes.findIndex((byte) => byte < 0x80 || byte >= 0xc0)
  return at < 0 ? 0 : at
}

const notUtf8Declared = (encoding: string): InputProblem => ({
  code: "invalid-cell",
  severity: "warning",
  title: `texts of the file look like UTF-8, but it is read as ${encoding}`,
  help: ["if the names are wrong, set under its table:  encoding: utf-8"]
})
