import { Result } from "effect"
import { plural } from "../../diagnostic/count.ts"
import type { Span } from "../../diagnostic/Span.ts"
import { didYouMean, suggest } from "../../diagnostic/suggest.ts"
import { memberNames } from "../../objects.ts"
import { unguarded } from "../../source/tables/cells/formulaGuard.ts"
import { damageInCode } from "../../source/tables/cells/spreadsheetDamage.ts"
import { columnName, type CsvCell, delimiterOf, readCsvCells } from "./csvCells.ts"
import { type PlacedText, TableReader, type TableRows } from "./TableRows.ts"

/** The columns of a code table, each with its alternative name. */
const columns = { code: "source", value: "target", system: null, display: null } as const
type Column = keyof typeof columns

/** The columns that define the row; the display name is optional. */
const needed = ["code", "value", "system"] as const

/** Further columns of a worklist of unmapped codes (see `codes unmapped`): they inform the reader and are ignored. */
const worklistColumns = /^(?:visits_blocked|visits|count|suggestion_\d|score_\d|accepted_by)$/u

/** A row of a code table as written. */
export interface TableRow {
  readonly code: PlacedText
  readonly system: string
  readonly display: string
  /** Empty: not mapped yet. */
  readonly value: PlacedText
  /** Who accepted the value, and when; empty if the file does not say. */
  readonly acceptedBy: string
}

/**
 * Reads a code table: a header with `code` (or `source`) and `value` (or `target`), optionally `system` and `display`. The separator
 * is a comma, semicolon or tab, as in the header. Cells are texts: leading zeros stay. A row without a value is ignored.
 */
export const readCsvTable = (file: string, text: string): TableRows => readTableRows(file, text).reader.done()

/** Returns every row, including those without a value, and the reader that has the others and the problems. */
export const readTableRows = (file: string, text: string) => {
  const reader = new TableReader(file)
  const rows: Array<TableRow> = []
  const cells = readCsvCells(file, text, delimiterOf(text, isColumn))
  if (Result.isFailure(cells)) {
    const { reason, span } = cells.failure
    reader.report("invalid-value", span, "the table is not CSV that can be read", {
      label: reason,
      help: ["quote a cell that contains quotes or separators, and double the quotes in it"]
    })
    return { reader, rows }
  }
  const [header = [], ...body] = cells.success
  const [firstCell] = header
  if (firstCell === undefined) {
    reader.report("invalid-value", { file, line: 1, column: 1, endColumn: 2 }, "the table is empty", {
      help: ["its first line names the columns:  code,value"]
    })
    return { reader, rows }
  }
  const at = columnsOf(reader, header, firstCell.span)
  if (at === undefined) return { reader, rows }
  if (body.length === 0) {
    reader.warn("invalid-value", firstCell.span, "the table has a header and no rows", {
      help: ["a row for each code:  CODE,VALUE"]
    })
  }
  const by = header.findIndex((cell) => columnName(cell.text) === "accepted_by")
  for (const row of body) {
    const [extra] = row.slice(header.length)
    const end = row.at(-1)
    if (end === undefined) continue
    if (extra !== undefined && row.slice(header.length).some((cell) => cell.text !== "")) {
      reader.report(
        "invalid-value",
        extra.span,
        `this row has ${row.length} cells, and the header names ${header.length}`,
        { help: ["quote a text that contains the separator"] }
      )
      continue
    }
    if (row.length < header.length && needed.some((column) => (at[column] ?? 0) >= row.length)) {
      reader.report(
        "invalid-value",
        end.span,
        `this row has ${plural(row.length, "cell")}, and the header names ${header.length}`,
        { help: ["an empty cell still needs its separator; a line break inside a text must be quoted"] }
      )
      continue
    }
    const get = (column: Column): PlacedText => {
      const cell = at[column] === undefined ? undefined : row[at[column]]
      return { text: cell === undefined ? "" : textOf(cell), span: (cell ?? end).span }
    }
    const code = get("code")
    const value = get("value")
    if (code.text === "") {
      if (value.text !== "") reader.report("invalid-value", code.span, "this row has a value and no code")
      continue
    }
    // An apostrophe before the code has kept spreadsheets from changing it.
    const damage = damageInCode((row[at.code]?.text ?? "").trim())
    if (damage !== undefined) {
      reader.report("invalid-value", code.span, `a spreadsheet has changed this code: ${damage.reason}`, {
        help: ["write the code as the source has it"]
      })
      continue
    }
    rows.push({
      code,
      value,
      system: get("system").text,
      display: get("display").text,
      acceptedBy: row[by]?.text ?? ""
    })
  }
  for (const { code, system, value } of rows) if (value.text !== "") reader.row(system, code, value)
  return { reader, rows }
}

/** Spaces around an unquoted cell are ignored. */
const textOf = ({ quoted, text }: CsvCell): string => unguarded(quoted ? text : text.trim())

const names: ReadonlyArray<string> = Object.entries(columns).flatMap(([name, other]) =>
  other === null ? [name] : [name, other]
)
const isColumn = (name: string): boolean => names.includes(name)

/** Returns whether the first line of a text names a column of a code table, if misspelt. */
export const namesColumns = (file: string, text: string): boolean => {
  const [line = ""] = text.replace(/^\s+/u, "").split(/\r?\n|\r/u)
  const cells = readCsvCells(file, line, delimiterOf(line, isColumn))
  return Result.isSuccess(cells) &&
    (cells.success[0] ?? []).some(({ text: cell }) => {
      const name = columnName(cell)
      return isColumn(name) || worklistColumns.test(name) || suggest(name, names) !== undefined
    })
}

const columnsOf = (
  reader: TableReader,
  header: ReadonlyArray<CsvCell>,
  firstSpan: Span
): (Partial<Readonly<Record<Column, number>>> & { readonly code: number }) | undefined => {
  const written = header.map((cell) => columnName(cell.text))
  const found: Partial<Record<Column, number>> = {}
  for (const column of memberNames(columns)) {
    const other = columns[column]
    const own = written.indexOf(column)
    const index = own < 0 && other !== null ? written.indexOf(other) : own
    if (index >= 0) found[column] = index
  }
  const used = new Set(Object.values(found))
  for (const [index, cell] of header.entries()) {
    const name = columnName(cell.text)
    if (used.has(index) || name === "" || worklistColumns.test(name)) continue
    if (isColumn(name) && written.indexOf(name) !== index) {
      reader.report("invalid-value", cell.span, `duplicate column \`${name}\``)
      continue
    }
    const near = suggest(name, names)
    reader.warn("unknown-key", cell.span, `the column \`${cell.text.trim()}\` of the table is not used`, {
      label: near === undefined || Object.hasOwn(found, near) ? undefined : didYouMean(near),
      help: [`columns: ${names.join(", ")}`]
    })
  }
  for (const column of ["code", "value"] as const) {
    if (found[column] === undefined) {
      reader.report(
        "missing-key",
        { ...firstSpan, endColumn: header.at(-1)?.span.endColumn ?? firstSpan.endColumn },
        `the table has no column \`${column}\``,
        { help: [`its first line names the columns:  code,value   (or  source,target)`] }
      )
    }
  }
  const { code, value } = found
  return code === undefined || value === undefined ? undefined : { ...found, code }
}
