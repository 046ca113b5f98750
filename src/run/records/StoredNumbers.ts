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
  /** By page: its numbers, if it is in memory. Any pages can be, so that those that are read in turn do not displace each other. */
  readonly #held: Array<Uint32Array<ArrayBuffer> | undefined> = []
  /** The pages in memory, in the order in which they were read; the next one replaces that at `#oldest`. */
  readonly #inMemory: Array<number> = []
  #oldest = 0
  /** The page that is being filled. It is enlarged up to the size of a page: a small run has few numbers. */
  #last = new Uint32Array(16)
  #length = 0

  constructor(spill: SpillFile) {
    this.#spill = spill
  }

  get length(): number {
    return this.#length
  }

  push(number: number): void {
    const index = this.#length & inPage
    if (index === this.#last.length) this.#enlarge()
    this.#last[index] = number
    this.#length++
    if (index === inPage) {
      this.#offsets.push(this.#spill.length)
      this.#spill.append(bytesOf(this.#last))
      this.#held.push(undefined)
    }
  }

  #enlarge(): void {
    const larger = new Uint32Array(this.#last.length * 2)
    larger.set(this.#last)
    this.#last = larger
  }

  at(index: number): number {
    const page = index >>> pageBits
    if (page === this.#offsets.length) return numberAt(this.#last, index & inPage)
    return numberAt(this.#held[page] ?? this.#read(page), index & inPage)
  }

  #read(page: number): Uint32Array {
    const replaced = this.#inMemory[this.#oldest]
    const numbers = (replaced === undefined ? undefined : this.#held[replaced]) ?? new Uint32Array(pageSize)
    if (replaced !== undefined) this.#held[replaced] = undefined
    this.#spill.read(bytesOf(numbers), at(this.#offsets, page))
    this.#held[page] = numbers
    this.#inMemory[this.#oldest] = page
    this.#oldest = (this.#oldest + 1) % heldPages
    return numbers
  }
}

/** Numbers in the machine's byte order: spilled data is read on the same machine. */
export const bytesOf = (numbers: Uint32Array): Uint8Array =>
  new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength)
