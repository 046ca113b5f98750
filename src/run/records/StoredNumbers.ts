import { at, numberAt } from "../../at.ts"
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
  readonly #spill: SpillFile
  /** The offset of each full page in the spill file. */
  readonly #offsets: Array<number> = []
  /** The pages in memory. Page `n` takes the slot `n` modulo the number of slots. */
  readonly #held: Array<{ page: number; readonly numbers: Uint32Array<ArrayBuffer> }> = []
  /** The page that is being filled. */
  readonly #last = new Uint32Array(pageSize)
  #length = 0

  constructor(spill: SpillFile) {
    this.#spill = spill
  }

  get length(): number {
    return this.#length
  }

  push(number: number): void {
    const index = this.#length & inPage
    this.#last[index] = number
    this.#length++
    if (index === inPage) {
      this.#offsets.push(this.#spill.length)
      this.#spill.append(bytesOf(this.#last))
    }
  }

  at(index: number): number {
    const page = index >>> pageBits
    if (page === this.#offsets.length) return numberAt(this.#last, index & inPage)
    const slot = page % heldPages
    const held = (this.#held[slot] ??= { page: -1, numbers: new Uint32Array(pageSize) })
    if (held.page !== page) {
      this.#spill.read(bytesOf(held.numbers), at(this.#offsets, page))
      held.page = page
    }
    return numberAt(held.numbers, index & inPage)
  }
}

/** Numbers in the machine's byte order: spilled data is read on the same machine. */
export const bytesOf = (numbers: Uint32Array): Uint8Array =>
  new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength)
