import { Effect, Stream } from "effect"
import { getOrMake } from "../../../maps.ts"
import type { Input } from "../../../source/read/findInputs.ts"
import { readInput } from "../../../source/read/readInput.ts"
import type { SourceRecord } from "../../../source/records/SourceRecord.ts"
import { bindTable, type BoundTable } from "../../../source/tables/bindTable.ts"
import { movedDay, parseDateFormat } from "../../../source/tables/cells/dateFormat.ts"
import { tablesOfFile } from "../../../source/tables/matchFiles.ts"
import { dialectOf } from "../../../source/tables/rows/findDialect.ts"
import type { ColumnLayout, TableLayout } from "../../../source/tables/TableLayout.ts"

/** The rows of one file that the records of a visit are from, as the file has them. */
export interface FileRows {
  readonly name: string
  readonly tables: ReadonlyArray<TableLayout>
  /** `undefined` if the file names no columns. */
  readonly header: ReadonlyArray<string> | undefined
  readonly rows: ReadonlyArray<ReadonlyArray<string>>
}

/** Reads the files of tables again for the rows that records are from. */
export const readRowsOf = (
  inputs: ReadonlyArray<Input>,
  records: ReadonlyArray<SourceRecord>,
  tables: ReadonlyArray<TableLayout>
) => {
  const lines = new Map<string, Set<number>>()
  for (const { origin: { file, line }, row } of records) {
    if (row === undefined || line === undefined) continue
    getOrMake(lines, file, () => new Set()).add(line)
  }
  return Effect.forEach(inputs.filter(({ name }) => lines.has(name)), (input) => {
    const expected = lines.get(input.name)
    const fitting = tablesOfFile(input.name, tables)
    const rows: Array<ReadonlyArray<string>> = []
    let header: ReadonlyArray<string> | undefined
    let above = dialectOf(fitting).header > 0
    const onRow = (cells: ReadonlyArray<string>, line: number): void => {
      if (above) header = cells
      else if (expected?.has(line) === true) rows.push(cells)
      above = false
    }
    return Effect.map(
      Stream.runDrain(readInput(input, { tables, onRow })),
      (): FileRows => ({ name: input.name, tables: fitting, header, rows })
    )
  })
}

/** Replaces a cell that is not a date. */
type ReplaceCell = (text: string, column: ColumnLayout, table: BoundTable) => string

/**
 * Returns a file as a block of a case. Dates are moved by `days`, other cells are replaced, and cells that no table reads are empty. A page
 * of cases is UTF-8, and has the delimiter that a table declares.
 */
export const blockOfRows = ({ header, name, rows, tables }: FileRows, days: number, replace: ReplaceCell): string => {
  const { delimiter = ",", header: headerRow, quote = "\"" } = dialectOf(tables)
  const bound = tables.flatMap((layout) => bindTable(layout, header).table ?? [])
  const written = (cells: ReadonlyArray<string>): string =>
    cells.map((cell) =>
      quote !== null && (cell.includes(delimiter) || cell.includes(quote) || /[\r\n]/u.test(cell))
        ? `${quote}${cell.replaceAll(quote, quote + quote)}${quote}`
        : cell
    ).join(delimiter)
  const file = tables.some(({ files }) => files.some((one) => one.includes("/")))
    ? name
    : name.slice(name.lastIndexOf("/") + 1)
  return [
    `\`\`\`csv source ${file}`,
    // A line above the header can contain the name of the hospital.
    ...Array.from({ length: headerRow - 1 }, () => "title"),
    ...(header === undefined ? [] : [written(header)]),
    ...rows.map((cells) => written(replacedRow(cells, bound, days, replace))),
    "```\n"
  ].join("\n")
}

const replacedRow = (
  cells: ReadonlyArray<string>,
  tables: ReadonlyArray<BoundTable>,
  days: number,
  replace: ReplaceCell
): ReadonlyArray<string> => {
  const found = new Map<number, string>()
  for (const table of tables) {
    for (const { indexes, column } of table.columns) {
      const texts = indexes.map((place) => cells[place] ?? "")
      const isTime = column.type === "date" || column.type === "timestamp"
      // The day and the time of day may be in two cells.
      const whole = isTime ? movedText(texts.join(" "), column, days) : undefined
      const moved = texts.length === 1 && whole !== undefined ? [whole] : whole?.split(" ")
      for (const [index, place] of indexes.entries()) {
        if (found.has(place)) continue
        const text = texts[index] ?? ""
        const next = (moved?.length === texts.length ? moved[index] : undefined) ?? replace(text, column, table)
        found.set(place, text.trim() === "" ? "" : next)
      }
    }
  }
  return cells.map((_, place) => found.get(place) ?? "")
}

/** Returns a date or time moved by days; `undefined` if the column does not read it. */
const movedText = (text: string, { formats }: ColumnLayout, days: number): string | undefined => {
  if (formats.length === 0) {
    const [day] = /^\s*\d{4}-\d\d-\d\d/u.exec(text) ?? []
    return day === undefined || Number.isNaN(Date.parse(day.trim()))
      ? undefined
      : text.replace(day.trim(), movedDay(day.trim(), days))
  }
  for (const { calendar, text: format } of formats) {
    const parsed = parseDateFormat(format, calendar)
    const moved = "moved" in parsed ? parsed.moved(text.trim(), days) : undefined
    if (moved !== undefined && "read" in parsed && "iso" in parsed.read(text.trim())) return moved
  }
  return undefined
}
