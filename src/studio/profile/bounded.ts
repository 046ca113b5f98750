import { getOrMake, increment, mostFrequentFirst } from "../../maps.ts"

/** Distinct digests, up to a limit; those beyond the limit are not distinguished. */
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

  some(found: (one: number) => boolean): boolean {
    return this.#all.values().some(found)
  }
}

/** Entries by name, created on first use up to a limit; those beyond the limit are counted together. */
export class BoundedMap<A> {
  readonly #all = new Map<string, A>()
  readonly #limit: number
  readonly #make: (key: string) => A
  /** The number of occurrences beyond the limit. */
  beyond = 0

  constructor(limit: number, make: (key: string) => A) {
    this.#limit = limit
    this.#make = make
  }

  at(key: string): A | undefined {
    if (this.#all.has(key) || this.#all.size < this.#limit) return getOrMake(this.#all, key, () => this.#make(key))
    this.beyond++
    return undefined
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

/** Counts by a name from a small, closed set. */
export class BoundedCounts<K extends string = string> {
  readonly #all = new Map<K, number>()

  add(key: K): void {
    increment(this.#all, key)
  }

  get(key: K): number {
    return this.#all.get(key) ?? 0
  }

  /** Returns the counts, the most frequent first. */
  sorted(): ReadonlyArray<readonly [key: K, count: number]> {
    return mostFrequentFirst(this.#all)
  }
}
