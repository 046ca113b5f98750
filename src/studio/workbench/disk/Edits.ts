import { Latch } from "effect"

/** Texts that are used instead of files until they are saved or undone. */
export class Edits {
  readonly #texts = new Map<string, { readonly text: string; readonly from: string }>()
  /** Increases with each edit, undo, and save. */
  revision = 0
  #next = Promise.withResolvers<void>()
  /** Closed while an edit is waiting to be loaded: all visits but the one in view wait for it. */
  readonly loaded = Latch.makeUnsafe(true)

  get isEmpty(): boolean {
    return this.#texts.size === 0
  }

  get files(): ReadonlyArray<string> {
    return [...this.#texts.keys()]
  }

  get texts(): ReadonlyMap<string, string> {
    return new Map([...this.#texts].map(([file, { text }]) => [file, text]))
  }

  /** The texts of the files as they were when the edits began. */
  get begun(): ReadonlyMap<string, string> {
    return new Map([...this.#texts].map(([file, { from }]) => [file, from]))
  }

  /** Uses a text instead of a file. `begun` is the text that the user began to edit; an edit back to it removes the edit. */
  set(file: string, text: string, begun: string): void {
    const from = this.#texts.get(file)?.from ?? begun
    if (text === from) this.#texts.delete(file)
    else this.#texts.set(file, { text, from })
  }

  /** Forgets the edit of a file that was written, unless it has been edited again. */
  saved(file: string, text: string): void {
    if (this.#texts.get(file)?.text === text) this.#texts.delete(file)
  }

  clear(): void {
    this.#texts.clear()
  }

  /** Makes the visits wait until the edits are loaded, and returns their revision. */
  change(): number {
    this.revision++
    this.loaded.closeUnsafe()
    this.#next.resolve()
    this.#next = Promise.withResolvers()
    return this.revision
  }

  /** Resolves at the next change. */
  get next(): Promise<void> {
    return this.#next.promise
  }
}
