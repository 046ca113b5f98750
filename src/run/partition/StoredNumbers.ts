import type { SpillFile } from "./SpillFile.ts"

const pageBits = 12
const pageSize = 1 << pageBits
const inPage = pageSize - 1
/** Pages in memory at once: a megabyte. */
const heldPages = 64

/**
 * A list of whole numbers from 0 to 4294967295 of any length. They are on disk in pages, with a few pages in memory for sequential or
 * repeated reads. Memory does not grow with the list.
 */
export class StoredNumbers {
  readonly #spool: SpillFile
  readonly #offsets: Array<number> = []
  readonly #held: Array<Uint32Array<ArrayBuffer>> = []
  /** The page number of each page in memory. */
  readonly #pages = new Int32Array(heldPages).fill(-1)
  /** The page that is being filled. */
  readonly #last = new Uint32Array(pageSize)
  #length = 0

  constructor(spool: SpillFile) {
    this.#spool = spool
  }

  get length(): number {
    return this.#length
  }

  push(number: number): void {
    const at = this.#length & inPage
    this.#last[at] = number
    this.#length++
    if (at === inPage) {
      this.#offsets.push(this.#spool.length)
      this.#spool.append(bytesOf(this.#last))
    }
  }

  at(index: number): number {
    const page = index >>> pageBits
    if (page === this.#offsets.length) return this.#last[index & inPage]!
    const slot = page % heldPages
    if (this.#pages[slot] !== page) this.#hold(page, slot)
    return this.#held[slot]![index & inPage]!
  }

  #hold(page: number, slot: number): void {
    const into = (this.#held[slot] ??= new Uint32Array(pageSize))
    this.#spool.read(bytesOf(into), this.#offsets[page]!)
    this.#pages[slot] = page
  }
}

/** Numbers in the machine's byte order: spilled data is read on the same machine. */
export const bytesOf = (numbers: Uint32Array): Uint8Array =>
  new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength)
