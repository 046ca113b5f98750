/** Whole numbers from 0 to 4294967295, as many as come: four bytes each, where an array of numbers would take eight and more. */
export class Growing {
  #numbers = new Uint32Array(1024)
  #length = 0

  get length(): number {
    return this.#length
  }

  push(number: number): void {
    if (this.#length === this.#numbers.length) this.#grow(this.#length + 1)
    this.#numbers[this.#length++] = number
  }

  at(index: number): number {
    return this.#numbers[index]!
  }

  /** A copy of what is there. */
  data(): Uint32Array<ArrayBuffer> {
    return this.#numbers.slice(0, this.#length)
  }

  /** Adds numbers, each greater by `more`. */
  append(numbers: Uint32Array, more = 0): void {
    const from = this.#length
    if (from + numbers.length > this.#numbers.length) this.#grow(from + numbers.length)
    this.#numbers.set(numbers, from)
    this.#length += numbers.length
    if (more !== 0) { for (let at = from; at < this.#length; at++) this.#numbers[at]! += more }
  }

  #grow(least: number): void {
    // A fixed part on top of what is there: twice as much would be half empty.
    const larger = new Uint32Array(Math.max(least, this.#length + Math.max(1024, this.#length >> 1)))
    larger.set(this.#numbers.subarray(0, this.#length))
    this.#numbers = larger
  }
}
