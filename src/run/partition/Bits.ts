/** A fixed-size set of numbers: one bit for each. */
export class Bits {
  readonly #words: Uint32Array

  constructor(count: number) {
    this.#words = new Uint32Array(Math.ceil(count / 32))
  }

  has(number: number): boolean {
    return (this.#words[number >>> 5]! & (1 << (number & 31))) !== 0
  }

  add(number: number): void {
    this.#words[number >>> 5]! |= 1 << (number & 31)
  }
}
