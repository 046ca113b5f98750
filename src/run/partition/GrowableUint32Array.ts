const chunkBits = 14
const chunkSize = 1 << chunkBits
const inChunk = chunkSize - 1

type Numbers = Uint32Array<ArrayBuffer> | Float64Array<ArrayBuffer>

/**
 * A growable list of numbers in fixed chunks; growing never copies. It takes as many bytes as its kind of typed array, less than an array
 * of numbers, and reserves no space in advance.
 */
class GrowableUint32Array<A extends Numbers> {
  readonly #make: (length: number) => A
  readonly #chunks: Array<A> = []
  #length = 0

  constructor(make: (length: number) => A) {
    this.#make = make
  }

  get length(): number {
    return this.#length
  }

  push(number: number): void {
    const at = this.#length & inChunk
    if (at === 0) this.#chunks.push(this.#make(chunkSize))
    this.#chunks[this.#length >>> chunkBits]![at] = number
    this.#length++
  }

  /** A copy of the numbers. */
  data(): A {
    const all = this.#make(this.#length)
    this.#chunks.forEach((chunk, index) => {
      const from = index << chunkBits
      all.set(this.#length - from < chunkSize ? chunk.subarray(0, this.#length - from) : chunk, from)
    })
    return all
  }
}

/** Whole numbers from 0 to 4294967295. */
export const growingNumbers = (): GrowableUint32Array<Uint32Array<ArrayBuffer>> =>
  new GrowableUint32Array((length) => new Uint32Array(length))

/** Hashes of names. */
export const growingHashes = (): GrowableUint32Array<Float64Array<ArrayBuffer>> =>
  new GrowableUint32Array((length) => new Float64Array(length))
