import { setImmediate } from "node:timers/promises"

const pieceBytes = 4 * 1024 * 1024

/** A stream of bytes that are in memory. */
export async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}

/** A stream of bytes with lookahead: peeked bytes are still read afterwards. */
export class ByteReader {
  readonly #source: AsyncIterator<Buffer>
  readonly #held: Array<Buffer> = []
  #heldBytes = 0
  #ended = false

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  /** Returns the first `bytes` bytes; fewer if the input is shorter. */
  async peek(bytes: number): Promise<Buffer> {
    while (this.#heldBytes < bytes && await this.#more());
    return this.#joined()
  }

  /**
   * Peeks further until `enough` returns a result for the bytes held so far. It also stops at the end of the input, or if more than
   * `limit` bytes are held. Returns the last result.
   */
  async peekUntil<A>(limit: number, enough: (held: Buffer, ended: boolean) => A | undefined): Promise<A | undefined> {
    for (;;) {
      const held = this.#joined()
      const answer = enough(held, this.#ended)
      if (answer !== undefined || this.#ended || held.length > limit) return answer
      // The amount doubles each time, so that bytes are not copied repeatedly.
      const expected = Math.max(1, held.length * 2)
      while (this.#heldBytes < expected && await this.#more());
    }
  }

  /** Returns the whole input, unless it has more than `limit` bytes; bytes read until then can still be read. */
  async peekAll(limit: number): Promise<Buffer | undefined> {
    while (this.#heldBytes <= limit && await this.#more());
    return this.#ended && this.#heldBytes <= limit ? this.#joined() : undefined
  }

  /**
   * Yields the bytes chunk by chunk, from the first one on. Held bytes are yielded with pauses between chunks, so that signals are
   * handled.
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

  /** Drops the first `bytes` bytes, which have been peeked. */
  skip(bytes: number): void {
    const rest = this.#joined().subarray(bytes)
    this.#held.splice(0, this.#held.length, rest)
    this.#heldBytes = rest.length
  }

  /** Closes the source; nothing can be read afterwards. */
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
    const [only] = this.#held
    if (only !== undefined && this.#held.length === 1) return only
    const joined = Buffer.concat(this.#held)
    this.#held.splice(0, this.#held.length, joined)
    return joined
  }
}
