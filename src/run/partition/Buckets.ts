import { SpillFile } from "./SpillFile.ts"
import { bytesOf } from "./StoredNumbers.ts"

const blockSize = 2048

/**
 * Rows of whole numbers, each of which only grows at its end and is then read as a whole: what is to be brought together is put into one
 * bucket, so that one at a time has to fit into memory.
 */
export class Buckets {
  readonly #spool = new SpillFile()
  readonly #filling: Uint32Array<ArrayBuffer>
  readonly #filled: Uint32Array<ArrayBuffer>
  /** What is read into: arrays made anew for each bucket would stay until somebody looks for them. */
  #held = new Uint32Array(0)
  /** Where the blocks of each bucket stand. */
  readonly #blocks: ReadonlyArray<Array<number>>

  constructor(count: number) {
    this.#filling = new Uint32Array(count * blockSize)
    this.#filled = new Uint32Array(count)
    this.#blocks = Array.from({ length: count }, () => [])
  }

  push(bucket: number, number: number): void {
    const at = this.#filled[bucket]!
    const first = bucket * blockSize
    this.#filling[first + at] = number
    if (at + 1 < blockSize) this.#filled[bucket] = at + 1
    else {
      this.#blocks[bucket]!.push(this.#spool.length)
      this.#spool.append(bytesOf(this.#filling.subarray(first, first + blockSize)))
      this.#filled[bucket] = 0
    }
  }

  /** All numbers of a bucket, in the order in which they came; good until the next is read. */
  read(bucket: number): Uint32Array<ArrayBuffer> {
    const blocks = this.#blocks[bucket]!
    const filled = this.#filled[bucket]!
    const length = blocks.length * blockSize + filled
    if (length > this.#held.length) this.#held = new Uint32Array(length)
    const all = this.#held.subarray(0, length)
    blocks.forEach((offset, index) => {
      this.#spool.read(bytesOf(all.subarray(index * blockSize, (index + 1) * blockSize)), offset)
    })
    const first = bucket * blockSize
    all.set(this.#filling.subarray(first, first + filled), blocks.length * blockSize)
    return all
  }

  get count(): number {
    return this.#blocks.length
  }

  close(): void {
    this.#held = new Uint32Array(0)
    this.#spool.close()
  }
}
