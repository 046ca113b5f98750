/** Types of records, as numbers in the order of their first occurrence. */
export class TypeNumbers {
  readonly names: Array<string> = []
  readonly #numbers = new Map<string, number>()

  numberOf(type: string): number {
    let number = this.#numbers.get(type)
    if (number === undefined) {
      number = this.names.push(type) - 1
      this.#numbers.set(type, number)
    }
    return number
  }
}
