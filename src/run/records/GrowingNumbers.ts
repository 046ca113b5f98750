const blockBits = 14
const blockSize = 1 << blockBits
const inBlock = blockSize - 1

type Numbers = Uint32Array<ArrayBuffer> | Float64Array<ArrayBuffer>

/**
 * A growable list of numbers in blocks of a fixed size. Growing never copies. It takes as many bytes as its kind of typed array, less than
 * an array of numbers, and reserves at most one block in advance.
 */
class GrowingNumbers<A extends Numbers> {
  readonly #make: (length: number) => A
  readonly #full: Array<A> = []
  #last: A
  #length = 0

  constructor(make: (length: number) => A) {
    this.#make = make
    this.#last = make(0)
  }

  get length(): number {
    return this.#length
  }

  push(number: number): void {
    const at = this.#length & inBlock
    if (at === 0) {
      if (this.#length > 0) this.#full.push(this.#last)
      this.#last = this.#make(blockSize)
    }
    this.#last[at] = number
    this.#length++
  }

  /** A copy of the numbers. */
  data(): A {
    const all = this.#make(this.#length)
    for (const [index, block] of this.#full.entries()) all.set(block, index * blockSize)
    const first = this.#full.length * blockSize
    all.set(this.#last.subarray(0, this.#length - first), first)
    return all
  }
}

/** Whole numbers from 0 to 4294967295. */
export const growingNumbers = (): GrowingNumbers<Uint32Array<ArrayBuffer>> =>
  new GrowingNumbers((length) => new Uint32Array(length))

/** Hashes of names. */
export const growingHashes = (): GrowingNumbers<Float64Array<ArrayBuffer>> =>
  new GrowingNumbers((length) => new Float64Array(length))
