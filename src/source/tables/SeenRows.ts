/** As many rows are remembered; a later one takes the place of an earlier one. */
const places = 2 ** 20

/**
 * The rows of a table that were met before in a file, as hashes of 64 bits in a memory of 8 MB, however long the file is. A row that was
 * forgotten is given once more: rows with one key that say the same are one record wherever they stand.
 */
export class SeenRows {
  readonly #hashes = new Uint32Array(2 * places)

  /** Whether some cells of a row were met before; they are remembered. */
  has(cells: ReadonlyArray<string>, numbers: ReadonlyArray<number>): boolean {
    let one = 0xdeadbeef
    let other = 0x41c6ce57
    for (const number of numbers) {
      const cell = cells[number] ?? ""
      for (let at = 0; at < cell.length; at++) {
        const code = cell.charCodeAt(at)
        one = Math.imul(one ^ code, 2654435761)
        other = Math.imul(other ^ code, 1597334677)
      }
      // No text holds it: cells that are cut otherwise are other cells.
      one = Math.imul(one ^ 0x10000, 2654435761)
      other = Math.imul(other ^ 0x10000, 1597334677)
    }
    const first = mixed(one, other)
    const second = mixed(other, first) | 1
    const place = 2 * (first & (places - 1))
    if (this.#hashes[place] === first && this.#hashes[place + 1] === second >>> 0) return true
    this.#hashes[place] = first
    this.#hashes[place + 1] = second
    return false
  }
}

const mixed = (one: number, other: number): number =>
  (Math.imul(one ^ (one >>> 16), 2246822507) ^ Math.imul(other ^ (other >>> 13), 3266489909)) >>> 0
