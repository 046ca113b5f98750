/** Whole numbers from 0 to 4294967295, as many as come: four bytes each, where an array of numbers would take eight and more. */
export class Growing {
  #numbers = new Uint32Array(1024)
  #length = 0

  get length(): number {
    return this.#length
  }

  push(number: number): void {
    if (this.#length === this.#numbers.length) {
      // A fixed part on top of what is there: twice as much would be half empty.
      const larger = new Uint32Array(this.#length + Math.max(1024, this.#length >> 1))
      larger.set(this.#numbers)
      this.#numbers = larger
    }
    this.#numbers[this.#length++] = number
  }

  at(index: number): number {
    return this.#numbers[index]!
  }
}
