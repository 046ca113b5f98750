/** Maximum number of distinct values held per column. Above it, columns with the same values hold the same sample. */
const held = 4096

/**
 * Distinct values of a column and their counts, as hashes of 53 bits. Above the limit only the smallest hashes are kept, so that
 * the samples of two columns hold the same values if the columns do.
 */
export class ValueSketch {
  #counts = new Map<number, number>()
  #below = Number.POSITIVE_INFINITY
  #repeated = false

  add(hash: number): void {
    if (hash >= this.#below) return
    const before = this.#counts.get(hash) ?? 0
    if (before > 0) this.#repeated = true
    this.#counts.set(hash, before + 1)
    if (this.#counts.size < 2 * held) return
    const kept = [...this.#counts].toSorted(([a], [b]) => a - b).slice(0, held)
    this.#counts = new Map(kept)
    const [last = this.#below] = kept.at(-1) ?? []
    this.#below = last + 1
  }

  /** Every value is held. */
  get isWhole(): boolean {
    return this.#below === Number.POSITIVE_INFINITY
  }

  /** The number of distinct values: exact, or estimated from the sample if there are too many. */
  get different(): number {
    return this.isWhole ? this.#counts.size : Math.round((this.#counts.size / this.#below) * range)
  }

  /** No value occurs twice, among the values held. */
  get isUnique(): boolean {
    return !this.#repeated
  }

  /** The fraction of rows that repeat the value of another, among the values held. */
  get repeats(): number {
    let rows = 0
    for (const count of this.#counts.values()) rows += count
    return rows === 0 ? 0 : 1 - this.#counts.size / rows
  }

  /** Counts the values, and the rows with them, that another column has. Only values whose presence there is decidable are counted. */
  within(
    other: ValueSketch
  ): { readonly values: number; readonly found: number; readonly rows: number; readonly lost: number } {
    let values = 0
    let found = 0
    let rows = 0
    let lost = 0
    for (const [hash, count] of this.#counts) {
      if (hash >= other.#below) continue
      values++
      rows += count
      if (other.#counts.has(hash)) found++
      else lost += count
    }
    return { values, found, rows, lost }
  }
}

const range = 2 ** 53
