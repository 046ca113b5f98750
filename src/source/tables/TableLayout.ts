import type { Span } from "../../diagnostic/Span.ts"
import type { DateFormat } from "./dateFormat.ts"

/** What a column holds. */
export const columnTypes = ["text", "integer", "decimal", "boolean", "date", "timestamp"] as const
export type ColumnType = (typeof columnTypes)[number]

/** A column of a table, as a mapping declares it. */
export interface ColumnLayout {
  readonly name: string
  readonly span: Span
  readonly type: ColumnType
  /** Where its text stands: names of the header, or numbers of columns from 1. Of several the texts are joined by a blank. */
  readonly from: ReadonlyArray<string | number>
  /** Of a date or timestamp, in order; ISO 8601 where there is none. */
  readonly formats: ReadonlyArray<DateFormat>
  /** The decimal sign, and the sign between groups of three digits, where there is one. */
  readonly decimal: "." | ","
  readonly group: string | undefined
  /** Words of a boolean, in small letters. */
  readonly yes: ReadonlySet<string>
  readonly no: ReadonlySet<string>
  /** Words that mean no value; the empty text always does. */
  readonly nulls: ReadonlySet<string>
  /** Blanks at the ends of a cell are decoration. */
  readonly trim: boolean
  /** A text that spreadsheets would take for a formula stands behind an apostrophe, which is taken away. */
  readonly guarded: boolean
  /** A header may be without it. */
  readonly optional: boolean
}

/** A row names a row of another table by the values of some columns, which are that table's key. */
export interface LinkLayout {
  readonly name: string
  readonly table: string
  readonly on: ReadonlyArray<string>
  /** How many columns that key has; those that `on` does not give are empty. */
  readonly parts: number
}

/** How the text of a file is cut into cells. What is missing is found in the file. */
export interface Dialect {
  readonly encoding?: string
  readonly delimiter?: string
  /** `null`: no sign quotes. */
  readonly quote?: string | null
  readonly escape?: string
  /** Which row names the columns, from 1; `0`: none does, and the columns stand in the order of their declaration. */
  readonly header: number
}

/** A table of an extract: which files hold it, and what its rows are made of. */
export interface TableLayout {
  readonly name: string
  readonly span: Span
  /** File names, with `*` and `?`. */
  readonly files: ReadonlyArray<string>
  /** Some input is a file of it. Where none is, it is told; `needed`: no visit is sent then, for the facility itself says that there is one. */
  readonly expected: boolean | "needed"
  readonly dialect: Dialect
  /** The columns that tell one row from another; none: every row is a record of its own. */
  readonly key: ReadonlyArray<string>
  readonly columns: ReadonlyArray<ColumnLayout>
  readonly links: ReadonlyArray<LinkLayout>
  /** The column by which rows without a key stand in order. */
  readonly order?: string
}

/** A file of tables that was read to its end, and how. */
export interface TableFile {
  readonly file: string
  readonly tables: ReadonlyArray<string>
  /** Rows below the header, those that could not be read too. */
  readonly rows: number
  readonly encoding: string
  readonly delimiter: string
  /** What no table says and was found in the file: the delimiter, a byte order mark. */
  readonly found: ReadonlyArray<string>
}

/** The id of a row, made of the values of its key: one value as it is, several joined by `|`, without what is empty at the end. */
export const rowId = (parts: ReadonlyArray<string>): string => {
  if (parts.length === 1) return parts[0]!
  let id = ""
  let end = 0
  for (const [index, part] of parts.entries()) {
    if (index > 0) id += "|"
    id += part.includes("|") || part.includes("\\") ? part.replace(/[\\|]/gu, "\\$&") : part
    if (part !== "") end = id.length
  }
  return end === id.length ? id : id.slice(0, end)
}
