const quote = 0x22
const backslash = 0x5c

/** A longer text in a record is an attachment or a narrative: no name, type, reference or time is as long. */
const longText = 16 * 1024

/**
 * A line that is too long to be held, without its long texts: what it refers to stays known wherever it stands in the line. It is taken
 * piece by piece, in one pass; memory is that of what is kept.
 */
export class LongLine {
  readonly #limit: number
  #kept = Buffer.alloc(1024)
  #length = 0
  /** Where the text that is open begins in what is kept. */
  #open: number | undefined
  /** Its bytes so far. */
  #size = 0
  #escaped = false
  #isFull = false

  /** At most `limit` bytes are kept. */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** The next bytes of the line, without its line feed. They are copied. */
  take(bytes: Buffer): void {
    if (this.#isFull) return
    this.#makeRoom(bytes.length)
    for (const byte of bytes) {
      if (this.#length >= this.#limit) {
        this.#isFull = true
        return
      }
      if (this.#open === undefined) {
        this.#kept[this.#length++] = byte
        if (byte !== quote) continue
        this.#open = this.#length
        this.#size = 0
      } else if (byte === quote && !this.#escaped) {
        if (this.#size > longText) this.#length = this.#open
        this.#kept[this.#length++] = byte
        this.#open = undefined
      } else {
        this.#escaped = byte === backslash && !this.#escaped
        if (this.#size++ < longText) this.#kept[this.#length++] = byte
      }
    }
  }

  /** Nothing was taken, or nothing was kept of it. */
  get isEmpty(): boolean {
    return this.#length === 0
  }

  /** More than long texts is missing. */
  get isPartial(): boolean {
    return this.#isFull
  }

  /** What is kept; its long texts are empty. */
  text(): string {
    return this.#kept.toString("utf8", 0, this.#length)
  }

  #makeRoom(bytes: number): void {
    const expected = Math.min(this.#length + bytes, this.#limit)
    if (expected <= this.#kept.length) return
    const larger = Buffer.alloc(Math.min(Math.max(expected, this.#kept.length * 2), this.#limit))
    this.#kept.copy(larger, 0, 0, this.#length)
    this.#kept = larger
  }
}
