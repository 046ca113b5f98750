import { hash } from "node:crypto"
import { at, numberAt } from "../../at.ts"
import { compareTexts } from "../../compareTexts.ts"
import { Bits } from "../records/Bits.ts"
import type { JoinedNames } from "./joinReferences.ts"
import { Link } from "./Links.ts"

/** The text of a record, and the sort key of its copies. */
export interface RecordText {
  /** The `fullUrl`, and the resource as written. */
  readonly fullUrl: string
  readonly text: Uint8Array
  /** The key of its Bundle; `""` if it is in none. */
  readonly bundleKey: string
  readonly file: string
  readonly line: number
}

/** Texts read at once. */
const batchSize = 4096

/**
 * Finds records that are exact copies of another under the same names, such as the practitioners of a hospital in the Bundle of each
 * patient. All records of a name must be equal, and none deleted; then one represents all, as in `dedupeRecords`. Other duplicates are
 * resolved where they are needed. So are records that belong to the visits of their documents: each visit may need its own copy. Without
 * this step every partition would require every copy.
 */
export const findCopies = ({ count, isNamed, isOfDocument, names: { ofNames }, read }: {
  readonly names: JoinedNames
  readonly count: number
  readonly isNamed: (record: number) => boolean
  /** Returns true for a record that may belong to the visit of its document. */
  readonly isOfDocument: (record: number) => boolean
  readonly read: (records: Uint32Array, onText: (text: RecordText, index: number) => void) => void
}): Bits => {
  const candidates = new Bits(count)
  let found = 0
  forEachGroup(ofNames, (records, isDeleted) => {
    if (isDeleted || records.some(isOfDocument)) return
    for (const record of records) {
      if (candidates.has(record) || !isNamed(record)) continue
      candidates.add(record)
      found++
    }
  })
  const copies = new Bits(count)
  if (found === 0) return copies
  const records = new Uint32Array(found)
  for (let record = 0, index = 0; record < count; record++) if (candidates.has(record)) records[index++] = record
  const contents = new Contents(records, read)
  // A record has several names, and must be unique under each of them.
  const different = new Bits(count)
  forEachGroup(ofNames, (records, isDeleted) => {
    if (!isDeleted && !records.some(isOfDocument) && contents.areEqual(records)) return
    for (const record of records) different.add(record)
  })
  forEachGroup(ofNames, (records) => {
    if (records.some((record) => different.has(record))) return
    const first = records.reduce((one, other) => (contents.compare(one, other) <= 0 ? one : other))
    for (const record of records) if (record !== first) copies.add(record)
  })
  return copies
}

/** Passes each group of records that share an own name. */
const forEachGroup = (
  { ends, pairs }: JoinedNames["ofNames"],
  onGroup: (records: ReadonlyArray<number>, isDeleted: boolean) => void
): void => {
  for (let name = 0, from = 0; name < ends.length; name++) {
    const end = ends.at(name) * 2
    const records: Array<number> = []
    let isDeleted = false
    for (let index = from; index < end; index += 2) {
      const links = pairs.at(index + 1)
      if ((links & Link.own) === 0) break
      records.push(pairs.at(index))
      isDeleted ||= (links & Link.deleted) !== 0
    }
    from = end
    if (records.length > 1) onGroup(records, isDeleted)
  }
}

/** The content of some records as hashes of 64 bits, and their sort keys. */
class Contents {
  /** Ascending. */
  readonly #records: Uint32Array
  readonly #hashes: BigUint64Array
  readonly #keys: Array<Pick<RecordText, "bundleKey" | "file" | "line">> = []

  constructor(records: Uint32Array, read: Parameters<typeof findCopies>[0]["read"]) {
    this.#records = records
    this.#hashes = new BigUint64Array(records.length)
    for (let from = 0; from < records.length; from += batchSize) {
      read(records.subarray(from, from + batchSize), ({ bundleKey, file, fullUrl, line, text }, index) => {
        const found = hash("sha256", Buffer.concat([Buffer.from(`${fullUrl}\n`), text]), "buffer")
        this.#hashes[from + index] = found.readBigUInt64LE()
        this.#keys[from + index] = { bundleKey, file, line }
      })
    }
  }

  #indexOf(record: number): number | undefined {
    let [low, high] = [0, this.#records.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (numberAt(this.#records, middle) < record) low = middle + 1
      else high = middle
    }
    return this.#records[low] === record ? low : undefined
  }

  #hashOf(record: number): bigint | undefined {
    const index = this.#indexOf(record)
    return index === undefined ? undefined : this.#hashes[index]
  }

  /** Returns true if the records have the same content under the same `fullUrl`. */
  areEqual([first, ...others]: ReadonlyArray<number>): boolean {
    const found = first === undefined ? undefined : this.#hashOf(first)
    return found !== undefined && others.every((record) => this.#hashOf(record) === found)
  }

  /** The order of copies; see `dedupeRecords`. */
  compare(one: number, other: number): number {
    const [first, second] = [this.#keyOf(one), this.#keyOf(other)]
    return compareTexts(first.bundleKey, second.bundleKey) || compareTexts(first.file, second.file) ||
      first.line - second.line
  }

  #keyOf(record: number): Pick<RecordText, "bundleKey" | "file" | "line"> {
    return at(this.#keys, this.#indexOf(record) ?? -1)
  }
}
