import type { OpenFiles } from "../../source/read/OpenFiles.ts"
import { SpillFile } from "./SpillFile.ts"
import { bytesOf } from "./StoredNumbers.ts"

const blockSize = 2048

/**
 * Rows of whole numbers that only grow at their end and are read as a whole. Data to be joined goes into the same bucket, so that only one
 * bucket at a time must fit into memory.
 */
export class Buckets {
  readonly #spool: SpillFile
  readonly #filling: Uint32Array<ArrayBuffer>
  readonly #filled: Uint32Array<ArrayBuffer>
  /** Reused for all buckets, because allocating per bucket delays garbage collection. */
  #held = new Uint32Array(0)
  /** Offsets of the blocks of each bucket. */
  readonly #blocks: ReadonlyArray<Array<number>>

  constructor(files: OpenFiles, count: number) {
    this.#spool = new SpillFile(files)
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

  /** All numbers of a bucket, in the order in which they were added; valid until the next read. */
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
