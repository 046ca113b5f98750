const quote = 0x22
const backslash = 0x5c

/** Minimum size of a text that is removed. Such a text is an attachment or a narrative; names, types, references and times are shorter. */
const longText = 16 * 1024

/**
 * A line too long to hold in memory, without its long texts. Its references are kept wherever they are in the line. It is read piece by
 * piece, in one pass; memory is limited to the kept bytes.
 */
export class LongLine {
  readonly #limit: number
  #kept = Buffer.alloc(1024)
  #length = 0
  /** Offset in the kept bytes at which the open text begins. */
  #open: number | undefined
  /** Bytes of the open text so far. */
  #size = 0
  #escaped = false
  #isFull = false

  /** Keeps at most `limit` bytes. */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** Reads the next bytes of the line, without its line feed. They are copied. */
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

  /** True if nothing was read, or nothing of it was kept. */
  get isEmpty(): boolean {
    return this.#length === 0
  }

  /** True if more than long texts is missing. */
  get isPartial(): boolean {
    return this.#isFull
  }

  /** Returns the kept text; its long texts are empty. */
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
