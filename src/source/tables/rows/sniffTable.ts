import { Effect } from "effect"
import { beginsAsObjects } from "../../../json/unparsed.ts"
import { ByteReader } from "../../read/ByteReader.ts"
import type { Input } from "../../read/findInputs.ts"
import { inflate, InflateFailure, openBytes } from "../../read/openBytes.ts"
import { defaultReadLimits } from "../../read/ReadLimits.ts"
import { headerRow, sniffBytes, sniffText } from "../../read/sniffFormat.ts"
import { type SourceError, sourceErrorOrDie } from "../../SourceError.ts"
import { tablesOfFile } from "../matchFiles.ts"
import type { ColumnLayout, TableLayout } from "../TableLayout.ts"
import { decoded, encodingOf } from "./decodeText.ts"
import { delimiterName, dialectOf, findDelimiter } from "./findDialect.ts"
import { firstRows } from "./readRows.ts"

/** A file that holds a table, according to its first bytes. */
export interface SniffedTable {
  /** The names of its columns as written; numbers if it has none. */
  readonly header: ReadonlyArray<string>
  readonly encoding: string
  /** The encoding is a guess: the bytes are not UTF-8 and have no byte order mark. */
  readonly guessed: boolean
  readonly delimiter: string
  /** The row that names the columns, from 1; 0 if none does. */
  readonly headerRow: number
  /** Its first rows below the header. */
  readonly rows: ReadonlyArray<ReadonlyArray<string>>
  /** The tables of the mapping that this file holds. */
  readonly declared: ReadonlyArray<TableLayout>
  /** Every column as an unchanged text, to read the file without a mapping. */
  readonly layout: TableLayout
}

const headBytes = 256 * 1024

/**
 * Returns the table in a file; `undefined` for anything else, such as FHIR, an image or an empty file. Standard input is never a table
 * here, because it cannot be read twice.
 */
export const sniffTable = (
  input: Input,
  tables: ReadonlyArray<TableLayout>
): Effect.Effect<SniffedTable | undefined, SourceError> =>
  Effect.tryPromise({ try: () => sniff(input, tables), catch: sourceErrorOrDie })

const sniff = async (input: Input, tables: ReadonlyArray<TableLayout>): Promise<SniffedTable | undefined> => {
  if (input._tag === "StandardInput") return undefined
  const head = await headOf(input)
  if (head === undefined) return undefined
  const format = sniffBytes(head)
  const declared = tablesOfFile(input.name, tables)
  if (format._tag !== "Text") return undefined
  const dialect = dialectOf(declared)
  const bytes = head.subarray(format.bom)
  const stated = format.bom > 0 ? format.encoding : dialect.encoding
  const encoding = stated ?? encodingOf(bytes)
  const text = decoded(bytes, encoding)
  const complete = head.length < headBytes
  if (declared.length === 0 && sniffText(text, complete)._tag !== "Csv") return undefined
  if (beginsAsObjects(text)) return undefined
  const delimiter = dialect.delimiter ?? findDelimiter(text, declared, dialect.header)
  const quote = dialect.quote === undefined ? "\"" : dialect.quote
  const rows = firstRows(text, { delimiter, quote, rows: Math.max(1, dialect.header) + comparedRows })
  const above = declared.length > 0 ? Math.max(1, dialect.header) - 1 : headerRow(rows)
  const [row = [], ...below] = rows.slice(above)
  if (row.length === 0) return undefined
  const isNamed = dialect.header > 0 && (above > 0 || !isWrittenAs(row, below))
  const header = isNamed ? row : row.map((_, at) => String(at + 1))
  return {
    header,
    encoding,
    guessed: stated === undefined && encoding !== "utf-8",
    delimiter: delimiterName(delimiter),
    headerRow: isNamed ? above + 1 : 0,
    rows: isNamed ? below : [row, ...below],
    declared,
    layout: {
      name: "row",
      span: nowhere,
      expected: false,
      files: [input.name],
      dialect: { ...dialect, encoding, delimiter, header: isNamed ? above + 1 : 0 },
      key: [],
      columns: header.map((_, at) => unchangedColumn(at + 1)),
      links: []
    }
  }
}

/** Returns the first bytes of a file, decompressed; `undefined` if it cannot be decompressed. */
const headOf = async (input: Input): Promise<Buffer | undefined> => {
  const stored = new ByteReader(openBytes(input))
  try {
    const head = await stored.peek(headBytes)
    if (sniffBytes(head)._tag !== "Gzip") return head.subarray(0, headBytes)
    const inflated = new ByteReader(inflate(stored.chunks(), defaultReadLimits))
    try {
      return (await inflated.peek(headBytes)).subarray(0, headBytes)
    } finally {
      await inflated.close()
    }
  } catch (error) {
    if (error instanceof InflateFailure) return undefined
    throw error
  } finally {
    await stored.close()
  }
}

/** Number of rows whose form is compared. */
const comparedRows = 200

/**
 * Returns whether a row has the form of those below it and names no columns, so that its cells are data. One of its cells recurs in its
 * column, or has digits like a cell below it (`T-0001` and `T-0002`).
 */
const isWrittenAs = (row: ReadonlyArray<string>, below: ReadonlyArray<ReadonlyArray<string>>): boolean => {
  const others = below.filter((other) => other.some((cell, at) => cell !== row[at]))
  return row.some((cell, at) => {
    if (cell.trim() === "") return false
    const form = formOf(cell)
    const hasDigits = form.includes("0")
    return others.some(({ [at]: other = "" }) => other === cell || (hasDigits && formOf(other) === form))
  })
}

const formOf = (cell: string): string => cell.replaceAll(/\p{N}/gu, "0").replaceAll(/\p{L}/gu, "a")

/** The layout is in no mapping. */
const nowhere = { file: "", line: 1, column: 1, endColumn: 1 }

const unchangedColumn = (number: number): ColumnLayout => ({
  name: `c${number}`,
  span: nowhere,
  type: "text",
  from: [number],
  formats: [],
  decimal: ".",
  group: undefined,
  yes: new Set(),
  no: new Set(),
  nulls: new Set(),
  trim: false,
  guarded: false,
  optional: false
})
