import { getOrMake } from "../../maps.ts"
import type { UnreadableRecord } from "../records/UnreadableRecord.ts"
import type { BoundTable } from "./bindTable.ts"
import { CellError } from "./cells/CellError.ts"
import { rowId } from "./TableLayout.ts"

/** Joins the trimmed texts of some cells of a row with a space. */
export const joined = (cells: ReadonlyArray<string>, indexes: ReadonlyArray<number>): string => {
  let text = ""
  for (const index of indexes) {
    const cell = cells[index]?.trim() ?? ""
    if (cell !== "") text += text === "" ? cell : ` ${cell}`
  }
  return text
}

/** Returns a value of a key as a text; a missing value gives the empty text. */
export const rowKeyText = (value: unknown): string => (value === undefined ? "" : String(value))

/** Returns the id that some columns of a row form, with this many parts; `undefined` if none of them has a value. */
export const rowIdOf = (
  resource: Readonly<Record<string, unknown>>,
  names: ReadonlyArray<string>,
  parts = names.length
): string | undefined => {
  if (parts === 1) {
    const value = resource[names[0] ?? ""]
    return value === undefined ? undefined : String(value)
  }
  const texts: Array<string> = []
  let some = false
  for (const name of names) {
    const value = resource[name]
    if (value !== undefined) some = true
    texts.push(rowKeyText(value))
  }
  while (texts.length < parts) texts.push("")
  return some ? rowId(texts) : undefined
}

/** Returns what a row could hold if its cells are shifted. A delimiter inside a text shifts later cells right, a missing one left. */
export const unreadableRow = (
  { columns, facts, layout, needed }: BoundTable,
  cells: ReadonlyArray<string>,
  width: number
): UnreadableRecord => {
  const names = new Set<string>()
  const references = new Set<string>()
  const moved = cells.length - width
  for (let by = Math.min(moved, 0); by <= Math.max(moved, 0); by++) {
    const row: Record<string, unknown> = {}
    for (const { column, indexes, read } of columns) {
      if (!facts.naming.has(column.name)) continue
      const value = read(joined(cells, indexes.map((index) => index + by)))
      if (value !== undefined && !(value instanceof CellError)) row[column.name] = value
    }
    const id = needed.every((name) => row[name] !== undefined) ? rowIdOf(row, layout.key) : undefined
    if (id !== undefined) names.add(`${layout.name}/${id}`)
    for (const { on, parts, table } of layout.links) {
      const to = rowIdOf(row, on, parts)
      if (to !== undefined) references.add(`${table}/${to}`)
    }
  }
  return { type: layout.name, names: [...names], references: [...references] }
}

/** The text after each line break inside a cell, up to the next one, cut at every delimiter. */
export const linesWithin = (cells: ReadonlyArray<string>, delimiter: string): ReadonlyArray<ReadonlyArray<string>> =>
  cells.join(delimiter).split(/\r\n|\n|\r/u).slice(1).map((line) => line.split(delimiter))

/**
 * Returns whether cells read as a row of a table, unlike the lines of a note. Each cell must fit its column's type, and keys must have
 * the same form as in the surrounding row.
 */
export const isRowOf = (
  { columns, facts }: BoundTable,
  cells: ReadonlyArray<string>,
  around: ReadonlyArray<string>
): boolean =>
  facts.naming.size > 0 && columns.every(({ column, indexes, read }) => {
    const text = joined(cells, indexes)
    if (read(text) instanceof CellError) return false
    const other = joined(around, indexes)
    return !facts.naming.has(column.name) || other === "" || /[\n\r]/u.test(other) || formOf(text) === formOf(other)
  })

/** Returns `x-x 0` for `V-17`: words have one form, and so have texts with digits. */
const formOf = (text: string): string =>
  `${text.replaceAll(/[\p{L}\p{M}\p{N}]+/gu, "x")} ${/\p{N}/u.test(text) ? "0" : ""}`

/** The unreadable rows of a file. Their keys and references are stored once for each combination of tables that a row refers to. */
export class UnreadableRows {
  readonly #groups = new Map<string, RowGroup>()

  add({ names, references, type = "" }: UnreadableRecord): void {
    if (names.length === 0 && references.length === 0) return
    const key = references.map((name) => name.slice(0, name.indexOf("/"))).join(" ")
    const group = getOrMake(this.#groups, key, () => ({ type, names: new Set(), references: new Set() }))
    for (const name of names) group.names.add(name)
    for (const name of references) group.references.add(name)
  }

  all(): ReadonlyArray<UnreadableRecord> {
    return [...this.#groups.values()].map(({ names, references, type }) => ({
      type,
      names: [...names],
      references: [...references]
    }))
  }
}

interface RowGroup {
  readonly type: string
  readonly names: Set<string>
  readonly references: Set<string>
}
