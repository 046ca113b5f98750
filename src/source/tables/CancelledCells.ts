import type { TableLayout } from "./TableLayout.ts"

/** Finds words for a cancelled row in columns that no table reads, such as a new column of states. */
export class CancelledCells {
  readonly #columns: ReadonlyArray<number>
  readonly #words: ReadonlySet<string>
  readonly #longest: number

  /** `columns`: the indexes of the columns that no table reads. */
  constructor(columns: ReadonlyArray<number>, tables: ReadonlyArray<TableLayout>) {
    this.#columns = columns
    this.#words = new Set(tables.flatMap(({ cancelled = [] }) => [...cancelled]))
    this.#longest = Math.max(0, ...[...this.#words].map(({ length }) => length))
  }

  /** Returns the index of the first cell with such a word. */
  find(cells: ReadonlyArray<string>): number | undefined {
    return this.#columns.find((index) => {
      const word = cells[index]?.trim() ?? ""
      return word !== "" && word.length <= this.#longest && this.#words.has(word.toLowerCase())
    })
  }
}
