import { Array, Channel, Stream } from "effect"
import { TextDecoder } from "node:util"
import type { InputProblem } from "../InputProblem.ts"
import { SourceError, sourceErrorOrDie } from "../SourceError.ts"
import { ByteReader, once } from "./ByteReader.ts"
import type { Input } from "./findInputs.ts"
import { inflate, InflateFailure, inflateWhole, openBytes } from "./openBytes.ts"
import type { StandardInput } from "./openBytes.ts"
import type { ReadLimits } from "./ReadLimits.ts"
import { sniffBytes } from "./sniffFormat.ts"
import type { ByteFormat, Foreign } from "./sniffFormat.ts"

/** How the bytes of any input are read. */
interface ByteOptions {
  readonly limits: ReadLimits
  /** The stream that `-` reads, if it is not the process's standard input. */
  readonly standardInput?: StandardInput | undefined
}

export type Items<A> = AsyncGenerator<ReadonlyArray<A>, void>

/** What to produce from an input: records, or visits. */
interface Content<A> {
  /** Reads UTF-8 text without byte-order mark. */
  readonly text: (reader: ByteReader) => Items<A>
  /** Reads bytes in another encoding, as tables have; `undefined` if it does not. */
  readonly bytes?: (reader: ByteReader, format: ByteFormat, head: Buffer) => Items<A> | undefined
  /** Handles content other than text. `held` are its bytes if they can be text in another encoding. */
  readonly foreign: (format: Foreign, held: Buffer | undefined) => A
  /** Handles a text that is invalid in its two-byte encoding. */
  readonly notUtf16: (bytes: Buffer) => A
  /** Handles a text in a two-byte encoding that is larger than a document can be. */
  readonly tooLarge: (reader: ByteReader) => Promise<A>
  /** Handles a compressed file that is cut off, damaged, or too large. `bytes` reads it again up to the error. */
  readonly notInflated: (problem: InputProblem, bytes: (() => AsyncIterable<Buffer>) | undefined) => Promise<A>
  /** Items already given stay valid if the end of a compressed standard input turns out to be damaged. */
  readonly keepsWhatWasGiven: boolean
}

/**
 * Reads one input and detects its format by content, not by name: plain or gzip; UTF-8 or, with a byte-order mark, UTF-16. A compressed
 * file is verified to its last byte before the first item is given. Fails if the system cannot read the bytes, and if they change during
 * the read. If the consumer stops, reading stops within 512 KiB, even while a compressed file is verified.
 */
export const readContent = <A>(
  input: Input,
  options: ByteOptions,
  content: Content<A>
): Stream.Stream<A, SourceError> =>
  Channel.fromAsyncIterable(
    {
      [Symbol.asyncIterator]: (): AsyncIterator<ReadonlyArray<A>> => {
        const stop = new AbortController()
        const items = new ContentReader(input, options, content, stop.signal).items()
        return {
          next: () => items.next(),
          return: async () => {
            stop.abort()
            // A running step ends at its next chunk.
            await items.return().catch(() => undefined)
            return { done: true, value: undefined } as const
          }
        }
      }
    },
    sourceErrorOrDie
  ).pipe(Channel.filter(Array.isReadonlyArrayNonEmpty), Stream.fromChannel)

export const headBytes = 64 * 1024
/** A compressed file up to this size, in bytes, is inflated at once. */
const smallBytes = 4 * 1024 * 1024

class ContentReader<A> {
  readonly #input: Input
  readonly #options: ByteOptions
  readonly #content: Content<A>
  readonly #signal: AbortSignal

  constructor(input: Input, options: ByteOptions, content: Content<A>, signal: AbortSignal) {
    this.#input = input
    this.#options = options
    this.#content = content
    this.#signal = signal
  }

  async *items(): Items<A> {
    const stored = new ByteReader(this.#open())
    try {
      const format = sniffBytes(await stored.peek(headBytes))
      if (format._tag !== "Gzip") yield* this.#bytes(stored)
      else yield* this.#compressed(stored)
    } catch (error) {
      if (!(error instanceof InflateFailure)) throw error
      // A file that is too large is not read a second time.
      const again = this.#input._tag === "File" && error.fault !== "too-large"
      yield [
        await this.#content.notInflated(
          inflateProblems[error.fault],
          again ? () => endingEarly(inflate(this.#open(), this.#options.limits)) : undefined
        )
      ]
    } finally {
      await stored.close()
    }
  }

  #open(): AsyncGenerator<Buffer> {
    return openBytes(this.#input, this.#options.standardInput, this.#signal)
  }

  /** Inflates to the end before giving anything, then gives the held bytes or inflates a second time. */
  async *#compressed(stored: ByteReader): Items<A> {
    const { limits } = this.#options
    const small = await stored.peekAll(Math.min(limits.maxInMemoryBytes, smallBytes))
    const whole = small === undefined ? undefined : inflateWhole(small, limits.maxInMemoryBytes)
    if (whole !== undefined) return yield* this.#bytes(new ByteReader(once(whole)))
    const inflated = new ByteReader(inflate(stored.chunks(), limits))
    try {
      if (await inflated.peekAll(limits.maxInMemoryBytes) !== undefined) return yield* this.#bytes(inflated)
      // Standard input cannot be read twice.
      if (this.#input._tag === "StandardInput") return yield* this.#failingLate(inflated)
      for await (const _ of inflated.chunks());
    } finally {
      await inflated.close()
    }
    const again = new ByteReader(inflate(this.#open(), limits))
    try {
      // The file has been verified, so a failure now means that it was replaced.
      yield* this.#failingLate(again)
    } finally {
      await again.close()
    }
  }

  async *#failingLate(reader: ByteReader): Items<A> {
    try {
      yield* this.#bytes(reader)
    } catch (error) {
      if (!(error instanceof InflateFailure) || this.#content.keepsWhatWasGiven) throw error
      throw new SourceError({
        reason: { _tag: "Damaged", input: this.#input.name, detail: inflateProblems[error.fault].title }
      })
    }
  }

  /** Reads uncompressed bytes of any content. */
  async *#bytes(reader: ByteReader): Items<A> {
    const { limits } = this.#options
    const head = await reader.peek(headBytes)
    const format = sniffBytes(head)
    const items = this.#content.bytes?.(reader, format, head)
    if (items !== undefined) return yield* items
    if (format._tag === "Gzip") return yield [this.#content.foreign(compressedTwice, undefined)]
    if (format._tag === "Foreign") {
      const held = format.what.startsWith("text in UTF") ? await reader.peekAll(limits.documentBytes) : undefined
      return yield [this.#content.foreign(format, held)]
    }
    reader.skip(format.bom)
    if (format.encoding === "utf-8") return yield* this.#content.text(reader)
    const bytes = await reader.peekAll(limits.documentBytes)
    if (bytes === undefined) return yield [await this.#content.tooLarge(reader)]
    const text = utf8Of(bytes, format.encoding)
    if (text === undefined) return yield [this.#content.notUtf16(bytes)]
    yield* this.#content.text(new ByteReader(once(text)))
  }
}

const utf8Of = (bytes: Buffer, encoding: "utf-16le" | "utf-16be"): Buffer | undefined => {
  try {
    return Buffer.from(new TextDecoder(encoding, { fatal: true }).decode(bytes), "utf8")
  } catch {
    return undefined
  }
}

/** Ends at the first invalid byte of the compressed data. */
async function* endingEarly(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* chunks
  } catch (error) {
    if (!(error instanceof InflateFailure)) throw error
  }
}

const compressedTwice: Foreign = {
  _tag: "Foreign",
  what: "a file that was compressed twice",
  help: "unpack it once",
  mayHoldRecords: true
}

/** A JSON document that is larger than the limit. */
export const documentTooLarge: InputProblem = {
  code: "too-large",
  severity: "error",
  title: "a JSON document is larger than the limit",
  help: ["export it as NDJSON, which is read line by line, or split it"]
}

export const notUtf16Problem: InputProblem = {
  code: "unreadable-input",
  severity: "error",
  title: "the file begins as UTF-16 and is not UTF-16 throughout",
  help: ["save or export it as UTF-8"]
}

export const foreignProblem = (format: Foreign): InputProblem => ({
  code: "unreadable-input",
  severity: "error",
  title: `this looks like ${format.what}`,
  help: [format.help]
})

const inflateProblems: Readonly<Record<InflateFailure["fault"], InputProblem>> = {
  truncated: {
    code: "unreadable-input",
    severity: "error",
    title: "the compressed file is cut off",
    help: ["copy or export it again; nothing of this file was read"]
  },
  damaged: {
    code: "unreadable-input",
    severity: "error",
    title: "the compressed file is damaged: its checksum or its contents are wrong",
    help: ["copy or export it again; nothing of this file was read"]
  },
  "too-large": {
    code: "too-large",
    severity: "error",
    title: "the compressed file inflates to more than the limit",
    help: ["split the export; no real export shrinks that much"]
  }
}
