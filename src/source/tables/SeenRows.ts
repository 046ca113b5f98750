/** Maximum number of rows remembered; a later row replaces an earlier one. */
const slots = 2 ** 20

/**
 * The rows of a table already seen in a file, as 64-bit hashes. Memory is 8 MB for a file of any length. A forgotten row is returned
 * again, which is harmless: equal rows with one key become one record.
 */
export class SeenRows {
  readonly #hashes = new Uint32Array(2 * slots)

  /** Returns whether these cells of a row were seen before, and remembers them. */
  has(cells: ReadonlyArray<string>, indexes: ReadonlyArray<number>): boolean {
    let one = 0xdeadbeef
    let other = 0x41c6ce57
    for (const index of indexes) {
      const cell = cells[index] ?? ""
      for (let at = 0; at < cell.length; at++) {
        const code = cell.charCodeAt(at)
        one = Math.imul(one ^ code, 2654435761)
        other = Math.imul(other ^ code, 1597334677)
      }
      // This separator occurs in no text, so cells that are cut differently stay different.
      one = Math.imul(one ^ 0x10000, 2654435761)
      other = Math.imul(other ^ 0x10000, 1597334677)
    }
    const first = mixed(one, other)
    const second = mixed(other, first) | 1
    const slot = 2 * (first & (slots - 1))
    if (this.#hashes[slot] === first && this.#hashes[slot + 1] === second >>> 0) return true
    this.#hashes[slot] = first
    this.#hashes[slot + 1] = second
    return false
  }
}

const mixed = (one: number, other: number): number =>
  (Math.imul(one ^ (one >>> 16), 2246822507) ^ Math.imul(other ^ (other >>> 13), 3266489909)) >>> 0
