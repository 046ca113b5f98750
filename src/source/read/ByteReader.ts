import { setImmediate } from "node:timers/promises"

const pieceBytes = 4 * 1024 * 1024

/** Bytes as they come, with a look ahead: what is peeked at is still read afterwards. */
export class ByteReader {
  readonly #source: AsyncIterator<Buffer>
  readonly #held: Array<Buffer> = []
  #heldBytes = 0
  #ended = false

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  /** The first `bytes` bytes; fewer when the input is shorter. */
  async peek(bytes: number): Promise<Buffer> {
    while (this.#heldBytes < bytes && await this.#more());
    return this.#joined()
  }

  /**
   * Looks further and further ahead until `enough` answers for the bytes held so far, the input ends, or more than `limit` bytes
   * are held. Gives the last answer.
   */
  async peekUntil<A>(limit: number, enough: (held: Buffer, ended: boolean) => A | undefined): Promise<A | undefined> {
    for (;;) {
      const held = this.#joined()
      const answer = enough(held, this.#ended)
      if (answer !== undefined || this.#ended || held.length > limit) return answer
      // Twice as much each time, so that bytes are not copied again and again.
      const expected = Math.max(1, held.length * 2)
      while (this.#heldBytes < expected && await this.#more());
    }
  }

  /** Everything, unless it is more than `limit` bytes; what was read until then can still be read. */
  async peekAll(limit: number): Promise<Buffer | undefined> {
    while (this.#heldBytes <= limit && await this.#more());
    return this.#ended && this.#heldBytes <= limit ? this.#joined() : undefined
  }

  /**
   * The bytes one chunk after the other, from the first one on. Bytes that are held come in pieces with a pause between them, so that
   * signals are heard.
   */
  async *chunks(): AsyncGenerator<Buffer> {
    for (;;) {
      const next = this.#held.shift()
      if (next !== undefined) {
        this.#heldBytes -= next.length
        for (let at = 0; at < next.length; at += pieceBytes) {
          if (at > 0) await setImmediate()
          yield next.subarray(at, at + pieceBytes)
        }
      } else if (!await this.#more()) return
    }
  }

  /** Drops the first `bytes` bytes, which have been peeked at. */
  skip(bytes: number): void {
    const rest = this.#joined().subarray(bytes)
    this.#held.splice(0, this.#held.length, rest)
    this.#heldBytes = rest.length
  }

  /** Ends the source; nothing can be read afterwards. */
  async close(): Promise<void> {
    this.#ended = true
    await this.#source.return?.()
  }

  async #more(): Promise<boolean> {
    if (this.#ended) return false
    const next = await this.#source.next()
    if (next.done === true) {
      this.#ended = true
      return false
    }
    this.#held.push(next.value)
    this.#heldBytes += next.value.length
    return true
  }

  #joined(): Buffer {
    if (this.#held.length !== 1) this.#held.splice(0, this.#held.length, Buffer.concat(this.#held))
    return this.#held[0]!
  }
}
