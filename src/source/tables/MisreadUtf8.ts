import type { InputProblem } from "../InputProblem.ts"
import { utf8File } from "./rowProblems.ts"
import { signOfUtf8In } from "./rows/decodeText.ts"

/** Watches whether a file that is read with one byte per character is UTF-8: then some cells have typical wrong characters. */
export class MisreadUtf8 {
  readonly #encoding: string
  readonly #sign: RegExp
  /** The first such cell, from 0, and its line, from 1. */
  #first: { readonly line: number; readonly cell: number } | undefined
  #rows = 0

  /** `encoding`: one with one byte per character. */
  constructor(encoding: string) {
    this.#encoding = encoding
    this.#sign = signOfUtf8In(encoding)
  }

  row(line: number, cells: ReadonlyArray<string>, isRead: (cell: number) => boolean): void {
    const cell = cells.findIndex((text, at) => this.#sign.test(text) && isRead(at))
    if (cell === -1) return
    this.#rows++
    this.#first ??= { line, cell }
  }

  /** Returns the first such cell, and the problem of the file; `undefined` if no row has one. `rows`: the number of all rows. */
  found(
    rows: number
  ): { readonly line: number; readonly cell: number; readonly problem: InputProblem } | undefined {
    return this.#first && { ...this.#first, problem: utf8File(this.#encoding, this.#rows, rows) }
  }
}
