import { hash } from "node:crypto"
import { compareTexts } from "../../source/records/compareRecords.ts"
import { Bits } from "./Bits.ts"
import type { JoinedNames } from "./joinReferences.ts"
import { Link } from "./Links.ts"
import type { PlaceLists } from "./RecordLocations.ts"

/** The text of a record, and what copies of it are ordered by. */
export interface RecordText {
  /** The `fullUrl`, and the resource as it is written. */
  readonly fullUrl: string
  readonly text: Uint8Array
  /** Of its Bundle; `""` when it came in none. */
  readonly bundleKey: string
  readonly file: string
  readonly line: number
}

/** Reads the texts of records at places, in their order. What is given is good until the next is. */
export type ReadTexts = (places: PlaceLists, give: (found: RecordText, index: number) => void) => void

/** So many texts are read at once. */
const batchSize = 4096

/**
 * Records that are another one word for word, under the same names: the practitioners of a hospital, once in the Bundle of each patient. All of
 * a name must be alike, and nobody must have deleted it; then the one that counts stands for all, as `dedupeRecords` has it. What is left
 * is settled where it is needed; but without this every part would need every copy.
 */
export const findCopies = ({ count, isNamed, names: { ofNames }, read }: {
  readonly names: JoinedNames
  /** How many records there are. */
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
  // A record has several names; of all of them it must be the only one.
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

/** Tells which records have an own name in common, of each such name. */
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

/** What some records say, by hashes of 64 bits, and what they are ordered by. */
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

  /** Records say the same, under the same `fullUrl`. */
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
