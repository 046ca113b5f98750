import { Growing } from "./Growing.ts"

/** The pairs of a table, to be handed on. */
export interface NamePairs {
  readonly hashes: Uint32Array<ArrayBuffer>
  readonly owners: Uint32Array<ArrayBuffer>
}

const farEnough = 16

/** Who has a name: pairs of a name's hash and a number, looked up by the hash once all are there. */
export class NameTable {
  readonly #hashes = new Growing()
  readonly #owners = new Growing()
  #heads = new Int32Array(0)
  #next = new Int32Array(0)
  #indexed = -1

  add(hash: number, owner: number): void {
    this.#hashes.push(hash)
    this.#owners.push(owner)
  }

  data(): NamePairs {
    return { hashes: this.#hashes.data(), owners: this.#owners.data() }
  }

  /** Adds pairs, the number of each owner greater by `more`. */
  append({ hashes, owners }: NamePairs, more: number): void {
    this.#hashes.append(hashes)
    this.#owners.append(owners, more)
  }

  /** How many pairs there are. */
  get length(): number {
    return this.#hashes.length
  }

  /** Whether a hash has been added from the pair `first` on, as far as it is worth looking. */
  hasSince(first: number, hash: number): boolean {
    for (let at = Math.max(first, this.length - farEnough); at < this.length; at++) {
      if (this.#hashes.at(at) === hash) return true
    }
    return false
  }

  hashAt(index: number): number {
    return this.#hashes.at(index)
  }

  /** Tells everybody who has a name of this hash, in the order in which they were added backwards. */
  each(hash: number, tell: (owner: number) => void): void {
    if (this.#indexed !== this.length) this.#index()
    if (this.#heads.length === 0) return
    for (let at = this.#heads[slotOf(hash, this.#heads.length)]!; at !== -1; at = this.#next[at]!) {
      if (this.#hashes.at(at) === hash) tell(this.#owners.at(at))
    }
  }

  #index(): void {
    const length = this.length
    this.#indexed = length
    if (length === 0) return
    this.#heads = new Int32Array(2 ** Math.floor(Math.log2(length))).fill(-1)
    this.#next = new Int32Array(length)
    for (let at = 0; at < length; at++) {
      const slot = slotOf(this.#hashes.at(at), this.#heads.length)
      this.#next[at] = this.#heads[slot]!
      this.#heads[slot] = at
    }
  }
}

const slotOf = (hash: number, slots: number): number => (hash ^ (hash >>> 16)) & (slots - 1)
