import type { Hash } from "node:crypto"
import { createHash } from "node:crypto"
import { closeSync, fstatSync, fsyncSync, openSync, readSync, writeSync } from "node:fs"
import { dirname } from "node:path"
import { at } from "../../at.ts"
import { codeOf } from "../../source/read/findInputs.ts"
import type { BundleContext } from "../../source/records/SourceRecord.ts"
import { SourceError } from "../../source/SourceError.ts"
import type { EntryNames } from "../records/LocatedRecords.ts"
import type { RepeatedValues, TableColumns } from "../records/recordText.ts"

/**
 * The index of a file of a part: of one part of a run, or of the records that parts share. The file holds entries of records, the
 * index as JSON, and the length of the index in bytes.
 */
interface EntryIndex<More> {
  /** The lengths of the entries in bytes, in order. */
  readonly lengths: ReadonlyArray<number>
  /** What the entries refer to, by its number in the run. */
  readonly files: ReadonlyArray<readonly [number: number, name: string]>
  readonly bundles: ReadonlyArray<readonly [number: number, bundle: BundleContext]>
  readonly rows: ReadonlyArray<
    readonly [
      number: number,
      names: ReadonlyArray<readonly [string, string]>,
      naming: ReadonlyArray<string>,
      currencies: ReadonlyArray<readonly [string, string]>
    ]
  >
  readonly more: More
}

/** The size of a file, and the hash of its content. */
export interface FileIdentity {
  readonly bytes: number
  readonly sha256: string
}

const bufferBytes = 1024 * 1024
/** The length of the index in decimal digits, and a line feed. */
const tailBytes = 16

/** A file that is written sequentially. Only its owner can read it. */
export class HashedFile {
  readonly #path: string
  readonly #descriptor: number
  readonly #hash: Hash = createHash("sha256")
  #buffer = Buffer.allocUnsafe(bufferBytes)
  #filled = 0
  #bytes = 0

  constructor(path: string) {
    this.#path = path
    this.#descriptor = this.#guarded(() => openSync(path, "wx", 0o600))
  }

  append(piece: string | Uint8Array): number {
    const bytes = typeof piece === "string" ? Buffer.from(piece) : piece
    if (this.#filled + bytes.length > this.#buffer.length) this.#flush()
    if (bytes.length > this.#buffer.length) this.#write(bytes)
    else {
      this.#buffer.set(bytes, this.#filled)
      this.#filled += bytes.length
    }
    this.#bytes += bytes.length
    return bytes.length
  }

  close(): FileIdentity {
    this.#flush()
    this.#guarded(() => fsyncSync(this.#descriptor))
    closeSync(this.#descriptor)
    return { bytes: this.#bytes, sha256: this.#hash.digest("hex") }
  }

  #flush(): void {
    this.#write(this.#buffer.subarray(0, this.#filled))
    this.#filled = 0
  }

  #write(bytes: Uint8Array): void {
    this.#hash.update(bytes)
    this.#guarded(() => {
      for (let done = 0; done < bytes.length;) done += writeSync(this.#descriptor, bytes, done, bytes.length - done)
    })
  }

  #guarded<A>(work: () => A): A {
    return inPart(dirname(this.#path), work)
  }
}

/** Runs work that writes to the folder of the parts. */
export const inPart = <A>(folder: string, work: () => A): A => {
  try {
    return work()
  } catch (error) {
    throw new SourceError({ reason: { _tag: "NoRoom", folder, detail: codeOf(error) ?? "", setBy: "-o" } })
  }
}

/** Writes a file of a part. */
export class EntryFileWriter {
  readonly #file: HashedFile
  readonly #values: RepeatedValues
  readonly #lengths: Array<number> = []
  readonly #files = new Set<number>()
  readonly #bundles = new Set<number>()
  readonly #rows = new Set<number>()

  /** `values`: repeated values of the run's entries; `files` includes line files too. */
  constructor(path: string, values: RepeatedValues) {
    this.#file = new HashedFile(path)
    this.#values = values
  }

  add(pieces: ReadonlyArray<string | Uint8Array>, { bundle, file, row }: EntryNames): void {
    let length = 0
    for (const piece of pieces) length += this.#file.append(piece)
    this.#lengths.push(length)
    this.#files.add(file)
    if (bundle !== 0) this.#bundles.add(bundle - 1)
    if (row !== 0) this.#rows.add(row - 1)
  }

  close<More>(more: More): FileIdentity {
    const { bundles, files, rows } = this.#values
    const index: EntryIndex<More> = {
      lengths: this.#lengths,
      files: inOrder(this.#files).map((number) => [number, at(files, number)]),
      bundles: inOrder(this.#bundles).map((number) => [number, at(bundles, number)]),
      rows: inOrder(this.#rows).map((number) => {
        const { currencies = [], names, naming } = at(rows, number)
        return [number, [...names], [...naming], [...currencies]]
      }),
      more
    }
    const length = this.#file.append(JSON.stringify(index))
    this.#file.append(`${String(length).padStart(tailBytes - 1)}\n`)
    return this.#file.close()
  }
}

const inOrder = (numbers: ReadonlySet<number>): ReadonlyArray<number> =>
  [...numbers].toSorted((one, other) => one - other)

/** A file of a part that is open for reading, whose bytes have been verified. */
export interface OpenEntryFile<More> {
  readonly descriptor: number
  /** The source of its records: its bytes, or the descriptor if the file is large. */
  readonly source: number | Buffer
  readonly index: EntryIndex<More>
}

/** A file of a part up to this size is read once, and kept in memory. A larger one is read to verify it, and again later. */
const maxKeptBytes = 64 * 1024 * 1024

/** Opens a file of a part; `undefined` if its bytes have changed since it was written. Throws system errors. */
export const openEntryFile = <More>(path: string, { bytes, sha256 }: FileIdentity): OpenEntryFile<More> | undefined => {
  const descriptor = openSync(path, "r")
  try {
    const isSameSize = fstatSync(descriptor).size === bytes
    const source = isSameSize && bytes <= maxKeptBytes ? readAt(descriptor, 0, bytes) : descriptor
    if (isSameSize && hashOf(source) === sha256) {
      const length = Number(readAt(source, bytes - tailBytes, tailBytes).toString())
      // The hash shows that the file is as `partition` wrote it.
      const index = JSON.parse(readAt(source, bytes - tailBytes - length, length).toString()) as EntryIndex<More>
      return { descriptor, source, index }
    }
  } catch (error) {
    closeSync(descriptor)
    throw error
  }
  closeSync(descriptor)
  return undefined
}

const hashOf = (descriptor: number | Buffer): string => {
  if (typeof descriptor !== "number") return createHash("sha256").update(descriptor).digest("hex")
  const hash = createHash("sha256")
  const buffer = Buffer.allocUnsafe(bufferBytes)
  for (let offset = 0;;) {
    const read = readSync(descriptor, buffer, 0, buffer.length, offset)
    if (read === 0) return hash.digest("hex")
    hash.update(buffer.subarray(0, read))
    offset += read
  }
}

const readAt = (descriptor: number | Buffer, from: number, length: number): Buffer => {
  if (typeof descriptor !== "number") return descriptor.subarray(from, from + length)
  const bytes = Buffer.allocUnsafe(length)
  for (let filled = 0; filled < length;) {
    const read = readSync(descriptor, bytes, filled, length - filled, from + filled)
    if (read === 0) throw new Error("a file of a part is truncated")
    filled += read
  }
  return bytes
}

/** The repeated values of the entries of some files of parts of one run. A Bundle that several of them name is merged. */
export const repeatedValuesOf = (indexes: ReadonlyArray<EntryIndex<unknown>>): RepeatedValues => {
  const files: Array<string> = []
  const bundles: Array<BundleContext> = []
  const rows: Array<TableColumns> = []
  for (const index of indexes) {
    for (const [number, name] of index.files) files[number] = name
    for (const [number, bundle] of index.bundles) bundles[number] = bundle
    for (const [number, names, naming, currencies] of index.rows) {
      rows[number] = {
        names: new Map(names),
        naming: new Set(naming),
        ...(currencies.length === 0 ? {} : { currencies: new Map(currencies) })
      }
    }
  }
  return { files, bundles, rows }
}
