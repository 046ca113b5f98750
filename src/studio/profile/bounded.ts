import { hash } from "node:crypto"

/** A text as a number of 48 bits: enough to tell a million texts apart, and no way back to the text. */
export const digest = (text: string): number => hash("sha1", text, "buffer").readUIntBE(0, 6)

/** People or records that something was met for, as far as it matters: whether they are several. */
export class AtLeastThree {
  readonly #seen: Array<number> = []

  add(who: number): void {
    if (this.#seen.length < enough && !this.#seen.includes(who)) this.#seen.push(who)
  }

  /** Who it was met for, up to as many as matter. */
  get digests(): ReadonlyArray<number> {
    return this.#seen
  }

  /** Met for so many that it says nothing about one of them. */
  get areEnough(): boolean {
    return this.#seen.length >= enough
  }
}

/** What is met for as many different people is not a fact about one. */
export const enough = 3

/** Different digests, up to a limit; what comes beyond is not told apart any more. */
export class Digests {
  readonly #all = new Set<number>()
  readonly #limit: number
  isFull = false

  constructor(limit: number) {
    this.#limit = limit
  }

  add(one: number): void {
    if (this.#all.size < this.#limit) this.#all.add(one)
    else if (!this.#all.has(one)) this.isFull = true
  }

  get size(): number {
    return this.#all.size
  }
}

/** Things by name, made when first met, up to a limit; what comes beyond is counted together. */
export class BoundedMap<A> {
  readonly #all = new Map<string, A>()
  readonly #limit: number
  readonly #make: (key: string) => A
  /** How often something was met that has no place any more. */
  beyond = 0

  constructor(limit: number, make: (key: string) => A) {
    this.#limit = limit
    this.#make = make
  }

  at(key: string): A | undefined {
    let known = this.#all.get(key)
    if (known === undefined) {
      if (this.#all.size >= this.#limit) {
        this.beyond++
        return undefined
      }
      known = this.#make(key)
      this.#all.set(key, known)
    }
    return known
  }

  get(key: string): A | undefined {
    return this.#all.get(key)
  }

  get size(): number {
    return this.#all.size
  }

  entries(): Iterable<[string, A]> {
    return this.#all
  }

  values(): Iterable<A> {
    return this.#all.values()
  }
}

/** Counts by a name out of a small, closed set. */
export class BoundedCounts<K extends string = string> {
  readonly #all = new Map<K, number>()

  add(key: K, by = 1): void {
    this.#all.set(key, (this.#all.get(key) ?? 0) + by)
  }

  get(key: K): number {
    return this.#all.get(key) ?? 0
  }

  /** The most frequent first. */
  sorted(): ReadonlyArray<readonly [key: K, count: number]> {
    return [...this.#all].toSorted(([a, one], [b, other]) => other - one || (a < b ? -1 : 1))
  }
}
