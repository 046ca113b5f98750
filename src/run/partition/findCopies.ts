import { hash } from "node:crypto"
import { compareTexts } from "../../source/records/compareRecords.ts"
import { Bits } from "./Bits.ts"
import type { JoinedNames } from "./joinReferences.ts"
import { Link } from "./Links.ts"
import type { PlaceLists } from "./RecordLocations.ts"

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

/** Reads the texts of records at the given locations, in order. Each text is valid until the next one. */
export type ReadTexts = (places: PlaceLists, give: (found: RecordText, index: number) => void) => void

/** Texts read at once. */
const batchSize = 4096

/**
 * Finds records that are exact copies of another under the same names, such as the practitioners of a hospital in the Bundle of each
 * patient. All records of a name must be equal, and none deleted; then one represents all, as in `dedupeRecords`. Other duplicates are
 * resolved where they are needed. Without this step every part would require every copy.
 */
export const findCopies = ({ count, isNamed, names: { ofNames }, read }: {
  readonly names: JoinedNames
  /** Number of records. */
  readonly count: number
  readonly isNamed: (record: number) => boolean
  readonly read: (records: Uint32Array, give: (found: RecordText, index: number) => void) => void
}): Bits => {
  const shared = new Bits(count)
  let many = 0
  eachGroup(ofNames, (records, isDeleted) => {
    for (const record of records) {
      if (isDeleted || shared.has(record) || !isNamed(record)) continue
      shared.add(record)
      many++
    }
  })
  const copies = new Bits(count)
  if (many === 0) return copies
  const contents = new Contents(many, shared, count, read)
  // A record has several names, and must be unique under each of them.
  const unlike = new Bits(count)
  eachGroup(ofNames, (records, isDeleted) => {
    if (!isDeleted && contents.areAlike(records)) return
    for (const record of records) unlike.add(record)
  })
  eachGroup(ofNames, (records) => {
    if (records.some((record) => unlike.has(record))) return
    const first = records.reduce((one, other) => (contents.compare(one, other) <= 0 ? one : other))
    for (const record of records) if (record !== first) copies.add(record)
  })
  return copies
}

/** Iterates over the groups of records that share an own name. */
const eachGroup = (
  { ends, pairs }: JoinedNames["ofNames"],
  tell: (records: ReadonlyArray<number>, isDeleted: boolean) => void
): void => {
  for (let name = 0, at = 0; name < ends.length; name++) {
    const end = ends.at(name) * 2
    const records: Array<number> = []
    let isDeleted = false
    for (; at < end; at += 2) {
      const links = pairs.at(at + 1)
      if ((links & Link.own) === 0) break
      records.push(pairs.at(at))
      isDeleted ||= (links & Link.deleted) !== 0
    }
    at = end
    if (records.length > 1) tell(records, isDeleted)
  }
}

/** The content of some records as hashes of 64 bits, and their sort keys. */
class Contents {
  readonly #records: Uint32Array
  readonly #lower: Uint32Array
  readonly #upper: Uint32Array
  readonly #ranks: Array<{ readonly bundleKey: string; readonly file: string; readonly line: number }> = []

  constructor(many: number, shared: Bits, count: number, read: Parameters<typeof findCopies>[0]["read"]) {
    this.#records = new Uint32Array(many)
    this.#lower = new Uint32Array(many)
    this.#upper = new Uint32Array(many)
    for (let record = 0, at = 0; record < count; record++) if (shared.has(record)) this.#records[at++] = record
    for (let from = 0; from < many; from += batchSize) {
      read(this.#records.subarray(from, from + batchSize), ({ bundleKey, file, fullUrl, line, text }, index) => {
        const found = hash("sha256", Buffer.concat([Buffer.from(`${fullUrl}\n`), text]), "buffer")
        this.#lower[from + index] = found.readUInt32LE(0)
        this.#upper[from + index] = found.readUInt32LE(4)
        this.#ranks[from + index] = { bundleKey, file, line }
      })
    }
  }

  #at(record: number): number | undefined {
    let [low, high] = [0, this.#records.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#records[middle]! < record) low = middle + 1
      else high = middle
    }
    return this.#records[low] === record ? low : undefined
  }

  /** Returns true if the records have the same content under the same `fullUrl`. */
  areAlike(records: ReadonlyArray<number>): boolean {
    const first = this.#at(records[0]!)
    return first !== undefined && records.every((record) => {
      const at = this.#at(record)
      return at !== undefined && this.#lower[at] === this.#lower[first] && this.#upper[at] === this.#upper[first]
    })
  }

  /** The order of copies; see `dedupeRecords`. */
  compare(one: number, other: number): number {
    const [first, second] = [this.#ranks[this.#at(one)!]!, this.#ranks[this.#at(other)!]!]
    return compareTexts(first.bundleKey, second.bundleKey) || compareTexts(first.file, second.file) ||
      first.line - second.line
  }
}
