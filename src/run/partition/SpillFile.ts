import { randomUUID } from "node:crypto"
import { readSync, unlinkSync, writeSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { codeOf } from "../../source/read/findInputs.ts"
import type { OpenFiles } from "../../source/read/OpenFiles.ts"
import { NoRoom, SourceError } from "../../source/SourceError.ts"
import { withScratch } from "./scratch.ts"

const chunkBytes = 1024 * 1024

/**
 * A temporary file for the data of a run that does not fit into memory. Only its owner can read it (mode 0600). It is unlinked before
 * anything is written, so that nothing is left of it however the run ends.
 */
export class SpillFile {
  /** All threads of the process can read with it. */
  readonly descriptor: number
  readonly #files: OpenFiles
  readonly #folder = tmpdir()
  #chunk = Buffer.allocUnsafe(chunkBytes)
  #filled = 0
  #written = 0

  constructor(files: OpenFiles) {
    this.#files = files
    try {
      const file = join(this.#folder, `fhir2visit-${randomUUID()}.aside`)
      this.descriptor = files.open(file, "wx+", 0o600)
      unlinkSync(file)
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
    if (this.#filled + size > this.#chunk.length) {
      this.flush()
      if (size > this.#chunk.length) {
        this.#chunk = Buffer.allocUnsafe(size)
      }
    }
    if (typeof bytes === "string") this.#filled += this.#chunk.write(bytes, this.#filled, "utf8")
    else {
      this.#chunk.set(bytes, this.#filled)
      this.#filled += bytes.length
    }
  }

  /** Fills `into` with the bytes at `offset`. */
  read(into: Uint8Array, offset: number): void {
    if (offset + into.length > this.#written) this.flush()
    for (let at = 0; at < into.length;) {
      const read = readSync(this.descriptor, into, at, into.length - at, offset + at)
      if (read === 0) throw new Error("a spill file is truncated")
      at += read
    }
  }

  /** Frees the disk space; nothing can be read afterwards. */
  close(): void {
    this.#files.close(this.descriptor)
  }

  /** Call it before anything is read with the descriptor. */
  flush(): void {
    try {
      for (let at = 0; at < this.#filled;) at += writeSync(this.descriptor, this.#chunk, at, this.#filled - at)
    } catch (error) {
      throw this.#noRoom(error)
    }
    this.#written += this.#filled
    this.#filled = 0
    if (this.#chunk.length > chunkBytes) this.#chunk = Buffer.allocUnsafe(chunkBytes)
  }

  #noRoom(error: unknown): SourceError {
    return new SourceError({ reason: new NoRoom({ folder: this.#folder, detail: codeOf(error) ?? "" }) })
  }
}

/** Ranges of a spill file that are closer together than this are read at once. */
const gapBytes = 32 * 1024
const readBytes = 1024 * 1024

/** Reads entries of a spill file, or of the bytes of a file, at ascending offsets. It passes each with its bytes, in a buffer that is reused for the next entry. */
export const readEntries = (
  source: number | Buffer,
  offsets: Float64Array,
  lengths: Uint32Array,
  give: (bytes: Buffer, start: number, end: number, index: number) => void
): void => {
  if (typeof source !== "number") {
    offsets.forEach((start, index) => {
      give(source, start, start + lengths[index]!, index)
    })
    return
  }
  withScratch(readBytes, (scratch) => ({
    result: undefined,
    larger: readInto(scratch, source, offsets, lengths, give)
  }))
}

/** Returns the buffer, enlarged if necessary. */
const readInto = (
  scratch: Buffer,
  descriptor: number,
  offsets: Float64Array,
  lengths: Uint32Array,
  give: (bytes: Buffer, start: number, end: number, index: number) => void
): Buffer => {
  let buffer = scratch
  for (let first = 0; first < offsets.length;) {
    const from = offsets[first]!
    let last = first
    let to = from + lengths[first]!
    while (
      last + 1 < offsets.length && offsets[last + 1]! - to <= gapBytes &&
      offsets[last + 1]! + lengths[last + 1]! - from <= readBytes
    ) {
      last++
      to = offsets[last]! + lengths[last]!
    }
    if (to - from > buffer.length) buffer = Buffer.allocUnsafe(to - from)
    for (let at = 0; at < to - from;) {
      const read = readSync(descriptor, buffer, at, to - from - at, from + at)
      if (read === 0) throw new Error("the spilled records are truncated")
      at += read
    }
    for (; first <= last; first++) {
      const start = offsets[first]! - from
      give(buffer, start, start + lengths[first]!, first)
    }
  }
  return buffer
}
