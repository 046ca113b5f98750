import type { BoundColumn, BoundTable } from "./bindTable.ts"
import { joined } from "./rowNames.ts"

type Cells = ReadonlyArray<string>

/** How a row of a file belongs to the rows above it. */
export type RowAbove =
  /** It has a head of its own, or nothing to fill in. */
  | "own"
  /** It belongs to the head above it. */
  | "filled"
  /** It has no head, and that above it is unknown: it is the first row, or a row between could not be read. */
  | "unknown"
  /** It has no head, and belongs to another patient or visit than the head above it. */
  | "other"

/** Maximum number of rows whose head may be above a row. With more, nothing is known about its head. */
const maxHeads = 8

/**
 * The head of the rows of a file whose tables declare `fillDown`. A row with a value in any of these columns begins a new head, and nothing
 * is filled into it. A row with none belongs to the head above it.
 */
export class FillDown {
  readonly #head: ReadonlyArray<BoundColumn>
  readonly #within: ReadonlyArray<BoundColumn>
  readonly #indexes = new Map<BoundTable, ReadonlyArray<number>>()
  /** The rows that may be the head of the next row without one. If it is known, it is the only one. */
  #heads: ReadonlyArray<Cells> = []
  #isKnown = false

  /** The rows that may be the head of the current row. */
  above: ReadonlyArray<Cells> = []

  constructor(tables: ReadonlyArray<BoundTable>) {
    const columnsOf = ({ columns, layout: { fillDown } }: BoundTable, of: "columns" | "within") =>
      columns.filter(({ column }) => fillDown?.[of].includes(column.name) === true)
    this.#head = tables.flatMap((table) => columnsOf(table, "columns"))
    this.#within = tables.flatMap((table) => columnsOf(table, "within"))
    for (const table of tables) {
      this.#indexes.set(table, columnsOf(table, "columns").flatMap(({ indexes }) => indexes))
    }
  }

  /** Takes the next row. */
  row(cells: Cells): RowAbove {
    this.above = []
    if (this.#head.some((column) => hasValue(column, cells))) {
      this.#heads = [cells]
      this.#isKnown = true
      return "own"
    }
    const [head] = this.#heads
    if (!this.#isKnown || head === undefined) {
      this.above = this.#heads
      return "unknown"
    }
    if (this.#within.some((column) => hasValue(column, cells) && differs(column, cells, head))) {
      this.#heads = []
      this.#isKnown = false
      return "other"
    }
    this.above = this.#heads
    return "filled"
  }

  /** Takes a row that cannot be read: it may be a head, or belong to the head above it. */
  lost(cells: Cells): void {
    this.above = this.#heads
    this.#isKnown = false
    this.#heads = this.#heads.length < maxHeads ? [...this.#heads, cells] : []
  }

  /** Returns a row with the values of a head, for a table. A row without other values of the table stays as it is. */
  fill(table: BoundTable, cells: Cells, head: Cells): Cells {
    const indexes = this.#indexes.get(table) ?? []
    if (indexes.length === 0 || !table.columns.some((column) => hasValue(column, cells))) return cells
    return cells.map((cell, index) => indexes.includes(index) ? head[index] ?? "" : cell)
  }

  /** Whether a cell is in a column that is filled in. */
  isOfHead(index: number): boolean {
    return this.#head.some(({ indexes }) => indexes.includes(index))
  }

  /** Whether rows of a table get values of the row above. */
  fills(table: BoundTable): boolean {
    return (this.#indexes.get(table) ?? []).length > 0
  }
}

const hasValue = ({ indexes, read }: BoundColumn, cells: Cells): boolean => read(joined(cells, indexes)) !== undefined

const differs = (column: BoundColumn, cells: Cells, head: Cells): boolean =>
  joined(cells, column.indexes) !== joined(head, column.indexes)
