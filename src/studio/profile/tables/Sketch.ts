/** As many different values of a column are held; of more, a sample that is the same for every column that holds them. */
const held = 4096

/**
 * Different values of a column and how often each was met, as hashes. Of very many the ones with the smallest hashes are kept, so that
 * the samples of two columns hold the same values where the columns do.
 */
export class Sketch {
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
    this.#below = kept.at(-1)![0] + 1
  }

  /** Every value is held. */
  get isWhole(): boolean {
    return this.#below === Number.POSITIVE_INFINITY
  }

  /** How many different values there are: counted, or where they are too many estimated by the sample. */
  get different(): number {
    return this.isWhole ? this.#counts.size : Math.round((this.#counts.size / this.#below) * range)
  }

  /** No value was met twice, as far as is held. */
  get isUnique(): boolean {
    return !this.#repeated
  }

  /** How many values, and how many rows with them, are in another column; of those whose presence there can be told. */
  within(
    other: Sketch
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

/** A text as a number of 53 bits. It is never shown, and tells values apart as long as the program runs. */
export const sketchHashOf = (text: string): number => {
  let one = 0xdeadbeef
  let other = 0x41c6ce57
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    one = Math.imul(one ^ code, 2654435761)
    other = Math.imul(other ^ code, 1597334677)
  }
  one = Math.imul(one ^ (one >>> 16), 2246822507) ^ Math.imul(other ^ (other >>> 13), 3266489909)
  other = Math.imul(other ^ (other >>> 16), 2246822507) ^ Math.imul(one ^ (one >>> 13), 3266489909)
  return 4294967296 * (2097151 & other) + (one >>> 0)
}
