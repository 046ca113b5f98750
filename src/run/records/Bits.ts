import { numberAt } from "../../at.ts"

/** A fixed-size set of numbers: one bit for each. */
export class Bits {
  readonly #words: Uint32Array

  constructor(count: number) {
    this.#words = new Uint32Array(Math.ceil(count / 32))
  }

  has(number: number): boolean {
    return (numberAt(this.#words, number >>> 5) & (1 << (number & 31))) !== 0
  }

  add(number: number): void {
    const word = number >>> 5
    this.#words[word] = numberAt(this.#words, word) | (1 << (number & 31))
  }

  delete(number: number): void {
    const word = number >>> 5
    this.#words[word] = numberAt(this.#words, word) & ~(1 << (number & 31))
  }
}
