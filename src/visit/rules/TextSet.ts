import { TextTable } from "./TextTable.ts"

/** A set of texts such as visit codes, in a fraction of the memory of a `Set`. */
export class TextSet {
  readonly #texts = new TextTable()

  get size(): number {
    return this.#texts.length
  }

  has(text: string): boolean {
    return this.#texts.alike(text).length > 0
  }

  add(text: string): void {
    if (!this.has(text)) this.#texts.add(text)
  }
}
