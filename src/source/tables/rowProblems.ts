import { number } from "../../diagnostic/count.ts"
import type { InputProblem } from "../InputProblem.ts"
import type { BoundColumn } from "./bindTable.ts"
import type { CellError } from "./cells/CellError.ts"
import type { RowError } from "./rows/readRows.ts"
import type { TableLayout } from "./TableLayout.ts"

/** A row that is rejected: its visits must not be sent without it. */
const rejected = (title: string, ...help: ReadonlyArray<string>): InputProblem => ({
  code: "unreadable-record",
  severity: "error",
  title,
  help
})

/** A row that is read, or that is not a row of the table. */
const noticed = (title: string, help: string): InputProblem => ({ ...rejected(title, help), severity: "warning" })

/** `likely`: the encoding in which the bytes are text. */
export const undecodedRow = (likely = "…"): InputProblem =>
  rejected(
    "a row cannot be read: the bytes of a cell are not text in the encoding of the file",
    `if the whole file is in another encoding, name it under its table:  encoding: ${likely}`,
    "if only some rows are, correct them where the file is made"
  )

/** The column can be new: no condition of the mapping looks at it. */
export const cancelledRow: InputProblem = rejected(
  "a row may be cancelled: a column that no table reads has a word for it",
  "declare the column under its table, and exclude such rows with  where:",
  "if the column is about something else, declaring it is enough"
)

/** The original value of the cell is lost, and the row without it may mean something else. */
export const damagedRow = ({ column }: BoundColumn, { damage, help, reason }: CellError): InputProblem => ({
  ...rejected(`a row cannot be read: a cell of \`${column.name}\` ${damage}: ${reason}`, ...help),
  mapping: column.span
})

/** A quote that opens in one row and closes in another turns the rows between into the text of a cell. */
export const quotedRows = (lines: number): InputProblem => ({
  ...rejected(
    "a row cannot be read: one of its quoted cells contains lines that look like rows",
    "correct the quotes in the source: a quote that is opened by mistake reaches to the next one"
  ),
  facts: [["lines", String(lines)]]
})

/** `isOther`: a column shows that the row does not belong to the head above it. */
export const headlessRow = (isOther: boolean): InputProblem =>
  rejected(
    isOther
      ? "a row has no value in the columns of `fillDown`, and belongs to another patient or visit than the row above"
      : "a row has no value in the columns of `fillDown`, and the row from which to fill them is missing or cannot be read",
    "export the file again, with the values in each row"
  )

export const unsplitRow = ({ reason }: RowError): InputProblem =>
  rejected(
    `a row cannot be read: ${reason}`,
    "correct the quotes in the source: a quote inside a quoted cell is written twice"
  )

export const repairedRow = ({ reason }: RowError): InputProblem =>
  noticed(
    `a row was read with its quotes as text: ${reason}`,
    "correct the quotes in the source: a cell with a quote in it is quoted, and the quote written twice"
  )

export const raggedRow = (cells: number, header: number): InputProblem => ({
  ...rejected(
    `a row has ${cells > header ? "more" : "fewer"} cells than the header names`,
    cells > header
      ? "a text may contain the delimiter: it must be quoted"
      : cells === 1
      ? "a text may contain a line break: it must be quoted; or it is a note below the rows: remove it from the file"
      : "a text may contain a line break: it must be quoted; or the file is cut off here"
  ),
  facts: [["cells", String(cells)], ["header", String(header)]]
})

/** `wrong`: why the cell of the key is not one. */
export const keylessRow = ({ name }: TableLayout, wrong: CellError | undefined): InputProblem =>
  rejected(
    wrong === undefined
      ? `a row of \`${name}\` has no value for its key`
      : `a row of \`${name}\` has a key that does not fit its column: ${wrong.reason}`,
    "give the row its key in the source; without it nothing can be linked to it"
  )

/** A note counts more rows than were read above it: the others are missing, and may belong to any visit. */
export const missingRows = (stated: number, read: number): InputProblem => ({
  code: "incomplete-export",
  severity: "error",
  title: "rows are missing: the note below the rows counts more of them than the file has",
  facts: [["stated", number(stated)], ["read", number(read)]],
  help: ["export the file again. If the note counts something else, remove it from the file"]
})

export const totalsRow = noticed(
  "a row of totals was ignored: it begins with a word for a sum, and most of its cells are empty",
  "if it is an ordinary row, fill in its cells"
)

export const noteBelow = noticed(
  "a note below the rows was ignored: it counts them, or states where or when the export ends",
  "if it is an ordinary row, fill in its cells"
)

export const noteOfFewer = noticed(
  "a note below the rows counts fewer of them than the file has: rows may be in it twice",
  "compare the file with its source"
)

export const repeatedHeader = noticed("a row that repeats the header was ignored", "export each file with one header")

/** Its texts are wrong, so no visit is sent with them. `rows`: those with such a text, of `all`. */
export const utf8File = (encoding: string, rows: number, all: number): InputProblem => ({
  code: "wrong-format",
  severity: "error",
  title: `the file is UTF-8, but its table declares \`${encoding}\`: names and other texts are read wrong`,
  facts: [["rows", `${number(rows)} of ${number(all)} have such a text`]],
  help: ["set under its table:  encoding: utf-8", "no visit is sent until this is corrected"]
})

export const unfitCell = ({ column }: BoundColumn, reason: string): InputProblem => ({
  code: "invalid-cell",
  severity: "warning",
  title: `a cell of \`${column.name}\` was ignored: ${reason}`,
  mapping: column.span,
  help: ["correct it in the source, or list it under  null:  if it means no value"]
})

/** Another program can read the number as it was, and then the row is another one. */
export const floatedKey = ({ column }: BoundColumn): InputProblem => ({
  code: "odd-value",
  severity: "warning",
  title: `a number of \`${column.name}\` has decimals, such as 1001.0: it is another identifier than 1001`,
  mapping: column.span,
  help: ["export it as text; a program or a spreadsheet may have added the decimals"]
})

export const removedNul: InputProblem = {
  code: "text-changed",
  severity: "warning",
  title: "a NUL was removed from a cell"
}
