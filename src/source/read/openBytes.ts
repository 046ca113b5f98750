import type { Stats } from "node:fs"
import { closeSync, constants, fstatSync, openSync, read, readSync } from "node:fs"
import { pipeline, Readable } from "node:stream"
import { promisify } from "node:util"
import { createGunzip, gunzipSync } from "node:zlib"
import { SourceError } from "../SourceError.ts"
import { codeOf, expectFile, notReadable } from "./findInputs.ts"
import type { Input } from "./findInputs.ts"

const chunkBytes = 256 * 1024

/** The stream that `-` reads (default: the process's standard input). */
export type StandardInput = () => AsyncIterable<Buffer | string>

const processInput: StandardInput = () => process.stdin

/** Returns the bytes of an input as stored. Throws `SourceError` if the system cannot read them. */
export const openBytes = (
  input: Input,
  standardInput: StandardInput = processInput,
  signal?: AbortSignal
): AsyncGenerator<Buffer> =>
  stopping(input._tag === "File" ? fileBytes(input.name, input.path) : standardBytes(standardInput), signal)

/** Ends with `Stopped` at the next chunk after the signal, because a running step may never request another item. */
async function* stopping(chunks: AsyncGenerator<Buffer>, signal: AbortSignal | undefined): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    if (signal?.aborted === true) throw new Stopped()
    yield chunk
  }
}

/** The reader has stopped. This error reaches no message. */
class Stopped extends Error {}

async function* standardBytes(standardInput: StandardInput): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of standardInput()) yield typeof chunk === "string" ? Buffer.from(chunk) : chunk
  } catch (error) {
    throw notReadable("-", error)
  }
}

async function* fileBytes(name: string, path: string): AsyncGenerator<Buffer> {
  let file: number | undefined
  let reading: Promise<Buffer> | Buffer | undefined
  try {
    // To wait for a short step takes longer than the step.
    // The open does not block: if the file has become a pipe since it was found, opening it would wait for a writer.
    const opened = file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    const before = fstatSync(opened)
    expectFile(name, before)
    const size = Math.min(chunkBytes, Math.max(before.size, 1) + 1)
    const readNow = (): Buffer => {
      const buffer = Buffer.allocUnsafe(size)
      return buffer.subarray(0, readSync(opened, buffer, 0, size, null))
    }
    const readAhead = async (): Promise<Buffer> => {
      const { buffer, bytesRead } = await readBytes(opened, Buffer.allocUnsafe(size), 0, size, null)
      return buffer.subarray(0, bytesRead)
    }
    let taken = 0
    for (reading = readNow();;) {
      const chunk = await reading
      if (chunk.length === 0) break
      taken += chunk.length
      // The next chunk is read while this one is used. After the last one there is only the end to be seen.
      reading = taken < before.size ? readAhead() : readNow()
      // If it fails, that is reported when it is awaited. After the consumer has stopped, it is not awaited.
      if (reading instanceof Promise) reading.catch(() => undefined)
      yield chunk
    }
    if (isChanged(before, fstatSync(opened))) throw new SourceError({ reason: { _tag: "Changed", input: name } })
  } catch (error) {
    throw error instanceof SourceError ? error : notReadable(name, error)
  } finally {
    // Its number may be given to another file as soon as it is closed.
    if (reading instanceof Promise) await reading.catch(() => undefined)
    if (file !== undefined) closeSync(file)
  }
}

const readBytes = promisify(read)

const isChanged = (before: Stats, after: Stats): boolean =>
  before.size !== after.size || before.mtimeMs !== after.mtimeMs

/** The error in compressed bytes: cut off, damaged, or larger than allowed. */
export class InflateFailure extends Error {
  readonly fault: "truncated" | "damaged" | "too-large"

  constructor(fault: InflateFailure["fault"]) {
    super(fault)
    this.fault = fault
  }
}

/** Inflates gzip that is completely in memory; `undefined` if it inflates to more than `limit` bytes. Throws `InflateFailure`. */
export const inflateWhole = (compressed: Buffer, limit: number): Buffer | undefined => {
  try {
    // The type library lacks the option `info`.
    const { buffer, engine } = gunzipSync(compressed, { maxOutputLength: limit, info: true }) as unknown as Inflated
    if (compressed.length - engine.bytesWritten > zerosAtEnd(compressed)) throw new InflateFailure("damaged")
    return buffer
  } catch (error) {
    if (error instanceof InflateFailure) throw error
    if (codeOf(error) === "ERR_BUFFER_TOO_LARGE") return undefined
    throw failureOf(error)
  }
}

/** The result of `gunzipSync` with `info`; `bytesWritten` is the number of bytes it consumed. */
interface Inflated {
  readonly buffer: Buffer
  readonly engine: { readonly bytesWritten: number }
}

/** Zeros at the end of a compressed file are padding. Anything after them is an error, because it would not be read. */
const zerosAtEnd = (bytes: Buffer): number => {
  let zeros = 0
  while (zeros < bytes.length && bytes[bytes.length - 1 - zeros] === 0) zeros++
  return zeros
}

const failureOf = (error: unknown): InflateFailure =>
  new InflateFailure(codeOf(error) === "Z_BUF_ERROR" ? "truncated" : "damaged")

/**
 * Inflates gzip as a stream, with one or several consecutive members. Throws `InflateFailure` at the first invalid byte. The checksum at
 * the end of a member is verified when its last byte is read.
 */
export async function* inflate(
  compressed: AsyncIterable<Buffer>,
  limits: { readonly inflatedBytes: number; readonly inflatedRatio: number; readonly maxInMemoryBytes: number }
): AsyncGenerator<Buffer> {
  /** Bytes read and bytes inflated. */
  let taken = 0
  let given = 0
  let zeros = 0
  /** The bytes could not be read, or the reader has stopped. */
  let failed: { readonly error: unknown } | undefined
  const counted = async function*(): AsyncGenerator<Buffer> {
    try {
      for await (const chunk of compressed) {
        taken += chunk.length
        const atEnd = zerosAtEnd(chunk)
        zeros = atEnd === chunk.length ? zeros + atEnd : atEnd
        yield chunk
      }
    } catch (error) {
      failed = { error }
      throw error
    }
  }
  const gunzip = createGunzip({ chunkSize: 256 * 1024 })
  pipeline(Readable.from(counted(), { objectMode: false, highWaterMark: chunkBytes }), gunzip, () => {})
  try {
    const chunks: AsyncIterable<Buffer> = gunzip
    for await (const chunk of chunks) {
      given += chunk.length
      if (given > limits.inflatedBytes || (given > limits.maxInMemoryBytes && given > taken * limits.inflatedRatio)) {
        throw new InflateFailure("too-large")
      }
      yield chunk
    }
    if (taken - gunzip.bytesWritten > zeros) throw new InflateFailure("damaged")
  } catch (error) {
    if (failed !== undefined) throw failed.error
    if (error instanceof InflateFailure || error instanceof SourceError) throw error
    throw failureOf(error)
  } finally {
    gunzip.destroy()
  }
}
