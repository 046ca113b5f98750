import { increment } from "../../../../maps.ts"

/** A column varies if it differs for more than one in so many values. */
const fewest = 20

/** Maximum number of values whose rows are compared. Above it, those with the smallest hashes are a sample. */
const held = 512

/** The rows with one value in a column: how many repeat it, and which other columns differ between them. Values are kept as hashes. */
export class RowGroups {
  readonly #first = new Map<number, Float64Array>()
  /** The values with several rows. */
  readonly #several = new Set<number>()
  #below = Number.POSITIVE_INFINITY

  /** Adds a row by the hash of its value, with the hashes of all its cells. */
  add(value: number, cells: () => ReadonlyArray<number>): void {
    if (value >= this.#below) return
    const first = this.#first.get(value)
    if (first === undefined) {
      this.#first.set(value, Float64Array.from(cells()))
      if (this.#first.size >= 2 * held) this.#shrink()
      return
    }
    this.#several.add(value)
    const now = cells()
    // NaN represents a column that differs, and is equal to nothing.
    for (let at = 0; at < first.length; at++) if (first[at] !== now[at]) first[at] = Number.NaN
  }

  /** Some rows have the value of another. */
  get repeats(): boolean {
    return this.#several.size > 0
  }

  /** The indexes of the columns that differ between rows with one value. A column that differs for few values differs by mistake. */
  get varying(): ReadonlySet<number> {
    const counts = new Map<number, number>()
    for (const cells of this.#first.values()) {
      for (const [at, cell] of cells.entries()) if (Number.isNaN(cell)) increment(counts, at)
    }
    return new Set([...counts].flatMap(([at, count]) => count * fewest > this.#several.size ? [at] : []))
  }

  #shrink(): void {
    const values = [...this.#first.keys()].toSorted((one, other) => one - other)
    for (const value of values.slice(held)) {
      this.#first.delete(value)
      this.#several.delete(value)
    }
    this.#below = (values[held - 1] ?? 0) + 1
  }
}
