import { hash } from "node:crypto"

/** Hashes a text to a 48-bit number. That distinguishes a million texts, and the text cannot be recovered. */
export const digest = (text: string): number => {
  if (text !== lastText) [lastText, lastDigest] = [text, hash("sha1", text, "buffer").readUIntBE(0, 6)]
  return lastDigest
}

/** The text that was last hashed: the visits of a person follow each other, and each counts in several places. */
let lastText: string | undefined
let lastDigest = 0

/** A value that occurs for this many different people identifies none of them, so it can be shown. */
const minPeople = 3

/** The people or records of a value, counted only until there are several. */
export class AtLeastThree {
  readonly #seen: Array<number> = []

  add(who: number): void {
    if (this.#seen.length < minPeople && !this.#seen.includes(who)) this.#seen.push(who)
  }

  /** Adds a person by name. An unknown one may be any of those already counted. */
  addPerson(name: string | undefined): void {
    if (name !== undefined && !this.areEnough) this.add(digest(name))
  }

  /** Adds the people of another count. */
  addAll(digests: ReadonlyArray<number>): this {
    for (const one of digests) this.add(one)
    return this
  }

  /** Digests of the people it occurred for, up to the number that matters. */
  get digests(): ReadonlyArray<number> {
    return this.#seen
  }

  /** It occurred for so many people that it identifies none of them. */
  get areEnough(): boolean {
    return this.#seen.length >= minPeople
  }
}
