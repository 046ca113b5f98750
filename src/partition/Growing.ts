const chunkBits = 14
const chunkSize = 1 << chunkBits
const inChunk = chunkSize - 1

/**
 * Whole numbers from 0 to 4294967295, as many as come: four bytes each, where an array of numbers would take eight and more. They stand in
 * chunks, so that none is copied when more come, and no room is kept that may never be needed.
 */
export class Growing {
  readonly #chunks: Array<Uint32Array<ArrayBuffer>> = []
  #length = 0

  get length(): number {
    return this.#length
  }

  push(number: number): void {
    const at = this.#length & inChunk
    if (at === 0) this.#chunks.push(new Uint32Array(chunkSize))
    this.#chunks[this.#length >>> chunkBits]![at] = number
    this.#length++
  }

  /** A copy of what is there. */
  data(): Uint32Array<ArrayBuffer> {
    const all = new Uint32Array(this.#length)
    this.#chunks.forEach((chunk, index) => {
      const from = index << chunkBits
      all.set(this.#length - from < chunkSize ? chunk.subarray(0, this.#length - from) : chunk, from)
    })
    return all
  }
}
