const chunkBits = 18
const chunkSize = 1 << chunkBits
const inChunk = chunkSize - 1

/**
 * A growable list of texts, numbered from 0. A text of thirty letters takes a few dozen bytes; a `Map` takes more than a hundred. Texts are
 * looked up by key.
 */
export class TextTable {
  readonly #keyOf: (text: string) => string
  readonly #chunks: Array<Buffer> = []
  /** The last chunk, which is enlarged up to the size of a chunk, and its used bytes. */
  #last = Buffer.alloc(0)
  #used = chunkSize
  readonly #starts = new Numbers()
  readonly #hashes = new Numbers()
  /** Numbers of texts, from 1, each in the first free slot at or after that of its hash. */
  #slots = new Uint32Array(firstSize)

  constructor(keyOf: (text: string) => string = (text) => text) {
    this.#keyOf = keyOf
  }

  get length(): number {
    return this.#starts.length
  }

  /** Returns the numbers of the texts with the same key as this one, in the order of insertion. */
  alike(text: string): ReadonlyArray<number> {
    const key = this.#keyOf(text)
    const hash = hashOf(key)
    const found: Array<number> = []
    for (let at = this.#first(hash);; at = this.#after(at)) {
      const slot = this.#slots[at] ?? 0
      if (slot === 0) return found
      const number = slot - 1
      if (this.#hashes.at(number) === hash && this.#keyOf(this.at(number)) === key) found.push(number)
    }
  }

  /** Adds a text, which can be present already, and returns its number. */
  add(text: string): number {
    if ((this.length + 1) * 4 > this.#slots.length * 3) this.#spread()
    const number = this.length
    this.#starts.push(this.#write(text))
    const hash = hashOf(this.#keyOf(text))
    this.#hashes.push(hash)
    this.#put(hash, number)
    return number
  }

  at(number: number): string {
    const start = this.#starts.at(number)
    // The number is one that `add` returned, so its chunk exists.
    const chunk = this.#chunks[start >>> chunkBits]!
    const at = start & inChunk
    const head = chunk.readUInt32LE(at)
    const end = at + headBytes + (head >>> 1)
    return chunk.toString((head & 1) === 0 ? "latin1" : "utf16le", at + headBytes, end)
  }

  #write(text: string): number {
    const isWide = /[^\0-\xFF]/u.test(text)
    const bytes = isWide ? text.length * 2 : text.length
    const needed = headBytes + bytes
    if (this.#used + needed > chunkSize) {
      this.#last = Buffer.alloc(0)
      this.#chunks.push(this.#last)
      this.#used = 0
    }
    if (this.#used + needed > this.#last.length) this.#enlarge(this.#used + needed)
    const at = this.#used
    this.#last.writeUInt32LE(bytes * 2 + (isWide ? 1 : 0), at)
    this.#last.write(text, at + headBytes, isWide ? "utf16le" : "latin1")
    this.#used = at + needed
    return (this.#chunks.length - 1) * chunkSize + at
  }

  /** A text longer than a chunk gets its own chunk. */
  #enlarge(needed: number): void {
    const larger = Buffer.allocUnsafe(Math.max(Math.min(needed * 2, chunkSize), needed))
    this.#last.copy(larger)
    this.#last = larger
    this.#chunks[this.#chunks.length - 1] = larger
  }

  #first(hash: number): number {
    return hash & (this.#slots.length - 1)
  }

  #after(at: number): number {
    return (at + 1) & (this.#slots.length - 1)
  }

  #put(hash: number, number: number): void {
    let at = this.#first(hash)
    while (this.#slots[at] !== 0) at = this.#after(at)
    this.#slots[at] = number + 1
  }

  #spread(): void {
    this.#slots = new Uint32Array(this.#slots.length * 2)
    for (let number = 0; number < this.length; number++) this.#put(this.#hashes.at(number), number)
  }
}

const headBytes = 4

/** First size of a list: V8 keeps so few numbers in its heap, where they take a fraction of the time of a buffer. */
const firstSize = 16

const hashOf = (key: string): number => {
  let hash = 0x811c9dc5
  for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193)
  // Only the lowest bits select the first slot.
  hash ^= hash >>> 15
  return hash >>> 0
}

/** A growable list of integers up to 4294967295, four bytes each. */
export class Numbers {
  #all = new Uint32Array(firstSize)
  length = 0

  push(number: number): void {
    if (this.length === this.#all.length) {
      const larger = new Uint32Array(this.length * 2)
      larger.set(this.#all)
      this.#all = larger
    }
    this.#all[this.length++] = number
  }

  set(index: number, number: number): void {
    this.#all[index] = number
  }

  at(index: number): number {
    return this.#all[index] ?? 0
  }
}
