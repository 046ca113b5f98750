import { randomUUID } from "node:crypto"
import { readSync, unlinkSync, writeSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { at, numberAt } from "../../at.ts"
import { codeOf } from "../../source/read/findInputs.ts"
import type { OpenFiles } from "../../source/read/OpenFiles.ts"
import { SourceError } from "../../source/SourceError.ts"
import { withScratch } from "./scratch.ts"

const bufferBytes = 1024 * 1024
/** First size of the buffer. A small run fills little of it, and large buffers delay garbage collection. */
const firstBytes = 1024

/**
 * A temporary file for the data of a run that does not fit into memory. Only its owner can read it (mode 0600). It is unlinked before
 * anything is written, so that nothing is left of it however the run ends.
 */
export class SpillFile {
  readonly #files: OpenFiles
  readonly #folder = tmpdir()
  #descriptor: number | undefined
  #buffer = Buffer.allocUnsafe(firstBytes)
  #filled = 0
  #written = 0

  constructor(files: OpenFiles) {
    this.#files = files
  }

  /** All threads of the process can read with it. The file is created on first use: in a small run, few of them are. */
  get descriptor(): number {
    return (this.#descriptor ??= this.#create())
  }

  #create(): number {
    try {
      const file = join(this.#folder, `fhir2visit-${randomUUID()}.aside`)
      const descriptor = this.#files.open(file, "wx+", 0o600)
      unlinkSync(file)
      return descriptor
    } catch (error) {
      throw this.#noRoom(error)
    }
  }

  /** The offset of the next write. */
  get length(): number {
    return this.#written + this.#filled
  }

  append(bytes: string | Uint8Array): void {
    const size = typeof bytes === "string" ? bytes.length * 3 : bytes.length
    if (this.#filled + size > this.#buffer.length) this.#makeRoom(size)
    if (typeof bytes === "string") this.#filled += this.#buffer.write(bytes, this.#filled, "utf8")
    else {
      this.#buffer.set(bytes, this.#filled)
      this.#filled += bytes.length
    }
  }

  /** Enlarges the buffer up to `bufferBytes`, or for one piece that is larger; a full buffer is written first. */
  #makeRoom(size: number): void {
    if (this.#filled + size > bufferBytes) this.flush()
    const needed = this.#filled + size
    if (needed <= this.#buffer.length) return
    const larger = Buffer.allocUnsafe(Math.max(Math.min(needed * 2, bufferBytes), needed))
    this.#buffer.copy(larger, 0, 0, this.#filled)
    this.#buffer = larger
  }

  /** Fills `into` with the bytes at `offset`. */
  read(into: Uint8Array, offset: number): void {
    if (offset + into.length > this.#written) this.flush()
    for (let filled = 0; filled < into.length;) {
      const read = readSync(this.descriptor, into, filled, into.length - filled, offset + filled)
      if (read === 0) throw new Error("a spill file is truncated")
      filled += read
    }
  }

  /** Frees the disk space; nothing can be read afterwards. */
  close(): void {
    if (this.#descriptor !== undefined) this.#files.close(this.#descriptor)
  }

  /** Call it before anything is read with the descriptor. */
  flush(): void {
    if (this.#filled === 0) return
    const { descriptor } = this
    try {
      for (let done = 0; done < this.#filled;) {
        done += writeSync(descriptor, this.#buffer, done, this.#filled - done)
      }
    } catch (error) {
      throw this.#noRoom(error)
    }
    this.#written += this.#filled
    this.#filled = 0
    if (this.#buffer.length > bufferBytes) this.#buffer = Buffer.allocUnsafe(bufferBytes)
  }

  #noRoom(error: unknown): SourceError {
    return new SourceError({
      reason: { _tag: "NoRoom", folder: this.#folder, detail: codeOf(error) ?? "", setBy: "TMPDIR" }
    })
  }
}

/** Ranges of a spill file that are closer together than this are read at once. */
const gapBytes = 32 * 1024
const readBytes = 1024 * 1024

/**
 * Reads entries at ascending offsets of a file, or of its bytes. Passes each with its bytes, in a buffer that is reused for the next entry.
 */
export const readEntries = (
  source: number | Buffer,
  offsets: Float64Array,
  lengths: Uint32Array,
  onEntry: (bytes: Buffer, start: number, end: number, index: number) => void
): void => {
  if (typeof source === "number") {
    withScratch(readBytes, (scratch) => readWith(scratch, source, offsets, lengths, onEntry))
  } else for (const [index, start] of offsets.entries()) onEntry(source, start, start + numberAt(lengths, index), index)
}

const readWith = (
  scratch: Buffer,
  descriptor: number,
  offsets: Float64Array,
  lengths: Uint32Array,
  onEntry: (bytes: Buffer, start: number, end: number, index: number) => void
): void => {
  const startOf = (index: number): number => at(offsets, index)
  const endOf = (index: number): number => at(offsets, index) + numberAt(lengths, index)
  for (let first = 0; first < offsets.length;) {
    const from = startOf(first)
    let to = endOf(first)
    let next = first + 1
    while (next < offsets.length && startOf(next) - to <= gapBytes && endOf(next) - from <= readBytes) {
      to = endOf(next++)
    }
    const buffer = to - from > scratch.length ? Buffer.allocUnsafe(to - from) : scratch
    for (let filled = 0; filled < to - from;) {
      const read = readSync(descriptor, buffer, filled, to - from - filled, from + filled)
      if (read === 0) throw new Error("the spilled records are truncated")
      filled += read
    }
    for (; first < next; first++) onEntry(buffer, startOf(first) - from, endOf(first) - from, first)
  }
}
