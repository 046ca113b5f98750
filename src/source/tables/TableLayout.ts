import type { Span } from "../../diagnostic/Span.ts"
import type { Calendar, WrittenFormat } from "./cells/dateFormat.ts"

/** The type of a column's values. */
export const columnTypes = ["text", "integer", "decimal", "boolean", "date", "timestamp"] as const
export type ColumnType = (typeof columnTypes)[number]

/** A column of a table, as a mapping declares it. */
export interface ColumnLayout {
  readonly name: string
  readonly span: Span
  readonly type: ColumnType
  /** Where the text is: names of the header, or column numbers from 1. Several texts are joined by a space. */
  readonly from: ReadonlyArray<string | number>
  /** Formats of a date or timestamp, in order of preference (default: ISO 8601). */
  readonly formats: ReadonlyArray<WrittenFormat>
  /** The calendar of dates in ISO 8601, if the mapping states it. */
  readonly calendar?: Calendar | undefined
  /** The decimal sign, and the optional sign between groups of three digits. */
  readonly decimal: "." | ","
  readonly group: string | undefined
  /** The signs of the currency that each number has, before or after it; the empty one is for numbers without. The first names the currency. */
  readonly currency?: ReadonlyArray<string> | undefined
  /** Words of a boolean, in lower case. */
  readonly yes: ReadonlySet<string>
  readonly no: ReadonlySet<string>
  /** Words that mean no value; the empty text always does. */
  readonly nulls: ReadonlySet<string>
  /** Whether spaces at the ends of a cell are removed. */
  readonly trim: boolean
  /** Removes the apostrophe before a text that spreadsheets would treat as a formula. */
  readonly guarded: boolean
  /** Reads the digits of other scripts as 0 to 9, in texts without letters. Those of numbers and dates always are. */
  readonly plainDigits?: boolean | undefined
  /** Whether a header may lack the column. */
  readonly optional: boolean
}

/** A reference from a row to a row of another table: the values of some columns are the key of that table. */
export interface LinkLayout {
  readonly name: string
  readonly table: string
  readonly on: ReadonlyArray<string>
  /** Number of columns in the other table's key; those that `on` does not give are empty. */
  readonly parts: number
}

/** How the text of a file is cut into cells. Missing settings are detected in the file. */
export interface Dialect {
  readonly encoding?: string
  readonly delimiter?: string
  /** `null`: no sign quotes. */
  readonly quote?: string | null
  readonly escape?: string
  /** The row that names the columns, from 1. `0`: no row does, and the columns are in the order of their declaration. */
  readonly header: number
}

/** The columns that only the first of several rows has: the head of an invoice above its lines, or merged cells. */
export interface FillDownLayout {
  readonly columns: ReadonlyArray<string>
  /** Columns that every row has. A row with another value than the first row does not belong to it. */
  readonly within: ReadonlyArray<string>
}

/** A table of an extract: which files hold it, and what its rows become. */
export interface TableLayout {
  readonly name: string
  readonly span: Span
  /** File names, with `*` and `?`. */
  readonly files: ReadonlyArray<string>
  /**
   * Some input must be a file of the table; a missing file is reported. `needed`: no visit is then sent, because the facility itself
   * expects the file.
   */
  readonly expected: boolean | "needed"
  readonly dialect: Dialect
  /** The columns that identify a row. If empty, every row is a record of its own. */
  readonly key: ReadonlyArray<string>
  readonly columns: ReadonlyArray<ColumnLayout>
  readonly links: ReadonlyArray<LinkLayout>
  /** The column that orders rows without a key. */
  readonly order?: string
  /** If declared, the rows below a first row get its values in these columns. */
  readonly fillDown?: FillDownLayout
  /** Words, in small letters, that mean a cancelled row in a column that no table reads. */
  readonly cancelled?: ReadonlySet<string>
  /** The columns from which the beginnings of visits are read. */
  readonly beginnings?: ReadonlySet<string>
}

/** A file of tables that was read to its end, and how it was read. */
export interface TableFile {
  readonly file: string
  readonly tables: ReadonlyArray<string>
  /** Rows below the header, including unreadable ones. */
  readonly rows: number
  readonly encoding: string
  readonly delimiter: string
  /** What no table declares and was detected in the file: the delimiter, a byte order mark. */
  readonly found: ReadonlyArray<string>
  /** Columns of the header that no table declares: a later export can have new ones. */
  readonly undeclared?: ReadonlyArray<string>
}

/**
 * Returns the id of a row, made of the values of its key. One value is used unchanged; several are joined by `|`. Empty values at the
 * end are omitted.
 */
export const rowId = (parts: ReadonlyArray<string>): string => {
  const [only = "", ...others] = parts
  if (others.length === 0) return only
  let id = ""
  let end = 0
  for (const [index, part] of parts.entries()) {
    if (index > 0) id += "|"
    id += part.includes("|") || part.includes("\\") ? part.replace(/[\\|]/gu, "\\$&") : part
    if (part !== "") end = id.length
  }
  return end === id.length ? id : id.slice(0, end)
}
