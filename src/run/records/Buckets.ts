import { at } from "../../at.ts"
import type { OpenFiles } from "../../source/read/OpenFiles.ts"
import { SpillFile } from "./SpillFile.ts"
import { bytesOf } from "./StoredNumbers.ts"

/** Numbers per block on disk. */
const blockSize = 2048
/** First size of the block in memory, which is enlarged: a small run has few numbers in each of its buckets. */
const firstSize = 16

const none = new Uint32Array(0)

interface Bucket {
  /** The block that is being filled; `none` before the first number, because a small run needs few of its buckets. */
  last: Uint32Array<ArrayBuffer>
  /** Numbers in it. */
  filled: number
  /** The offsets of the full blocks in the spill file. */
  readonly blocks: Array<number>
}

/**
 * Lists of whole numbers that only grow at their end and are read as a whole. Data to be joined goes into the same bucket, so that only one
 * bucket at a time must fit into memory.
 */
export class Buckets {
  readonly #spill: SpillFile
  readonly #buckets: ReadonlyArray<Bucket>
  /** Reused for all buckets, because allocating per bucket delays garbage collection. */
  #read = new Uint32Array(0)

  constructor(files: OpenFiles, count: number) {
    this.#spill = new SpillFile(files)
    this.#buckets = Array.from({ length: count }, () => ({ last: none, filled: 0, blocks: [] }))
  }

  push(number: number, ...values: ReadonlyArray<number>): void {
    const bucket = at(this.#buckets, number)
    for (const value of values) {
      if (bucket.filled === bucket.last.length) bucket.last = enlarged(bucket.last)
      bucket.last[bucket.filled++] = value
      if (bucket.filled === blockSize) {
        bucket.blocks.push(this.#spill.length)
        this.#spill.append(bytesOf(bucket.last))
        bucket.filled = 0
      }
    }
  }

  /** All numbers of a bucket, in the order in which they were added; valid until the next read. */
  read(number: number): Uint32Array<ArrayBuffer> {
    const { blocks, filled, last } = at(this.#buckets, number)
    const full = blocks.length * blockSize
    if (full + filled > this.#read.length) this.#read = new Uint32Array(full + filled)
    const all = this.#read.subarray(0, full + filled)
    for (const [index, offset] of blocks.entries()) {
      this.#spill.read(bytesOf(all.subarray(index * blockSize, (index + 1) * blockSize)), offset)
    }
    all.set(last.subarray(0, filled), full)
    return all
  }

  get count(): number {
    return this.#buckets.length
  }

  close(): void {
    this.#read = new Uint32Array(0)
    this.#spill.close()
  }
}

const enlarged = (block: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> => {
  const larger = new Uint32Array(Math.max(firstSize, block.length * 2))
  larger.set(block)
  return larger
}
