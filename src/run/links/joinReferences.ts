import { at, numberAt } from "../../at.ts"
import type { OpenFiles } from "../../source/read/OpenFiles.ts"
import { Buckets } from "../records/Buckets.ts"
import type { SpillFile } from "../records/SpillFile.ts"
import { StoredNumbers } from "../records/StoredNumbers.ts"
import { hashFrom } from "./hashName.ts"
import { hasFlag, Link } from "./Links.ts"

/** Rows of pairs by number: the pairs of row `n` end before `ends.at(n)` and follow those of the row before. */
export interface PairRows {
  readonly ends: StoredNumbers
  readonly pairs: StoredNumbers
}

/** The links between records by name. Names are numbered so that those of neighbouring records are close to each other. */
export interface JoinedNames {
  /** For each record the names that it shares with others, and its links to each. */
  readonly ofRecords: PairRows
  /** For each name the records and their links to it: first the records that have the name, then the others in the order of `sectionOf`. */
  readonly ofNames: PairRows
}

/** Number of buckets for names, by hash. */
export const nameBuckets = 128
export const bucketOfName = (hash: number): number => (hash ^ (hash >>> 16)) & (nameBuckets - 1)

/**
 * The section of a record among the records of a name, from 0. Thousands of records refer to some names. Records that are looked up come
 * first, so that a lookup does not have to pass all others.
 */
export const sectionOf = (links: number): number =>
  (links & (hasFlag | Link.inDocument)) !== 0
    ? 0
    : (links & Link.backwards) !== 0
    ? 1
    : (links & (Link.ofPatient | Link.timed | Link.timedEncounter)) !== 0
    ? 2
    : lastSection
const lastSection = 3

/** Records joined at once, approximately. */
const rangeSize = 2 ** 16
const maxRanges = 128

/**
 * Joins records that have a name in common. `links` holds the two halves of a hash, a record and its links to that name, in the hash's
 * bucket. `count` is the number of records. Records with a name that `isDeleted` are marked. Memory holds one bucket at a time:
 *
 * 1. The links of each bucket are sorted by name. A name that links two records is a group, in the range of its first owner.
 * 2. The names of each range are numbered in the order of their first owners.
 * 3. The names of each record are brought together, again in ranges of records.
 */
export const joinReferences = ({ count, files, isDeleted, links, spill }: {
  readonly links: Buckets
  readonly count: number
  readonly spill: SpillFile
  readonly files: OpenFiles
  readonly isDeleted: (hash: number) => boolean
}): JoinedNames => {
  const ranges = Math.max(1, Math.min(maxRanges, Math.ceil(count / rangeSize)))
  const perRange = Math.max(1, Math.ceil(count / ranges))
  const rangeOf = (record: number): number => Math.floor(record / perRange)
  const [groups, ofRecords] = [new Buckets(files, ranges), new Buckets(files, ranges)]
  try {
    const buffers = new SortBuffers()
    for (let bucket = 0; bucket < links.count; bucket++) {
      group(links.read(bucket), groups, buffers, rangeOf, isDeleted)
    }
    const names = rows(spill)
    for (let range = 0; range < ranges; range++) {
      number(groups.read(range), range * perRange, buffers, names, (record, name, found) => {
        ofRecords.push(rangeOf(record), record, name, found)
      })
    }
    const records = rows(spill)
    for (let range = 0; range < ranges; range++) {
      const first = range * perRange
      gather(ofRecords.read(range), first, Math.min(count, first + perRange), buffers, records)
    }
    return { ofRecords: records, ofNames: names }
  } finally {
    groups.close()
    ofRecords.close()
  }
}

/** Reused for all buckets, because allocating per bucket delays garbage collection. */
class SortBuffers {
  #keys = new Float64Array(0)
  #order = new Uint32Array(0)
  #numbers = new Uint32Array(0)

  /** Returns the indexes up to `length` in the order of a number that each has; indexes of equal numbers stay in their order. */
  orderBy(length: number, numberOf: (index: number) => number): Uint32Array {
    if (length >= perKey) throw new Error("bucket overflow: too many names")
    if (length > this.#keys.length) {
      this.#keys = new Float64Array(length)
      this.#order = new Uint32Array(length)
    }
    const [keys, order] = [this.#keys.subarray(0, length), this.#order.subarray(0, length)]
    for (let index = 0; index < length; index++) keys[index] = numberOf(index) * perKey + index
    // Without a function that compares, V8 sorts several times faster.
    keys.sort()
    for (let position = 0; position < length; position++) {
      const key = at(keys, position)
      // The rest of the division, for which `%` takes longer.
      order[position] = key - Math.floor(key / perKey) * perKey
    }
    return order
  }

  numbers(length: number): Uint32Array {
    if (length > this.#numbers.length) this.#numbers = new Uint32Array(length)
    return this.#numbers.subarray(0, length)
  }
}

const rows = (spill: SpillFile): PairRows => ({ ends: new StoredNumbers(spill), pairs: new StoredNumbers(spill) })

/** Numbers per entry: a record, a name and the links between them. */
const triple = 3
/** Numbers per entry with the hash of the name in two halves. */
const quad = 4
/** A sort key is a number times this, plus an index up to it. A double has 53 bits, and the numbers have at most 26. */
const perKey = 2 ** 27

/**
 * Puts the names of a bucket that link two records into the bucket of the first record that has them. An entry holds that record, the
 * number of records, and each record with its links.
 */
const group = (
  links: Uint32Array,
  groups: Buckets,
  buffers: SortBuffers,
  rangeOf: (record: number) => number,
  isDeleted: (hash: number) => boolean
): void => {
  const length = links.length / quad
  const lowAt = (index: number): number => numberAt(links, index * quad)
  const highAt = (index: number): number => numberAt(links, index * quad + 1)
  // Sort by lower half, then by record. Lower halves in a bucket differ in the remaining bits.
  const order = buffers.orderBy(length, (index) => Math.floor(lowAt(index) / nameBuckets))
  const add = (same: Uint32Array): void => {
    const first = numberAt(same, 0)
    const flag = isDeleted(hashFrom(lowAt(first), highAt(first))) ? Link.deleted : 0
    addGroup(links, same, groups, rangeOf, flag)
  }
  for (let to = 0; to < length;) {
    const from = to
    const low = lowAt(numberAt(order, from))
    while (to < length && lowAt(numberAt(order, to)) === low) to++
    if (to === from + 1) continue
    const same = order.subarray(from, to)
    const high = highAt(numberAt(same, 0))
    if (same.every((index) => highAt(index) === high)) add(same)
    else for (const some of Map.groupBy(same, highAt).values()) if (some.length > 1) add(Uint32Array.from(some))
  }
}

/** Adds the links to one name, if a record has it and another may refer to it. `flag` is added to each link. */
const addGroup = (
  links: Uint32Array,
  same: Uint32Array,
  groups: Buckets,
  rangeOf: (record: number) => number,
  flag: number
): void => {
  let [owners, first, requested, sections] = [0, Number.POSITIVE_INFINITY, false, 0]
  for (const index of same) {
    const found = numberAt(links, index * quad + 3)
    if ((found & hasFlag) !== 0) {
      owners++
      first = Math.min(first, numberAt(links, index * quad + 2))
    }
    if ((found & (Link.refers | Link.inDocument)) !== 0 || ((found & Link.own) !== 0 && owners > 1)) requested = true
    sections |= 1 << sectionOf(found)
  }
  if (owners === 0 || !requested) return
  const bucket = rangeOf(first)
  groups.push(bucket, first, same.length)
  for (let section = 0; section <= lastSection; section++) {
    if ((sections & (1 << section)) === 0) continue
    for (const index of same) {
      const found = numberAt(links, index * quad + 3)
      if (sectionOf(found) === section) groups.push(bucket, numberAt(links, index * quad + 2), found | flag)
    }
  }
}

/**
 * Numbers the names of the range from `first` in the order of the first records that have them. Passes the records related to each name.
 */
const number = (
  groups: Uint32Array,
  first: number,
  buffers: SortBuffers,
  { ends, pairs }: PairRows,
  onLink: (record: number, name: number, links: number) => void
): void => {
  // A group takes at least four numbers.
  const starts = buffers.numbers(Math.ceil(groups.length / 4))
  let count = 0
  for (let start = 0; start < groups.length; start += 2 + numberAt(groups, start + 1) * 2) starts[count++] = start
  for (const index of buffers.orderBy(count, (index) => numberAt(groups, numberAt(starts, index)) - first)) {
    const start = numberAt(starts, index)
    const end = start + 2 + numberAt(groups, start + 1) * 2
    for (let pair = start + 2; pair < end; pair += 2) {
      const [record, links] = [numberAt(groups, pair), numberAt(groups, pair + 1)]
      pairs.push(record)
      pairs.push(links)
      onLink(record, ends.length, links)
    }
    ends.push(pairs.length / 2)
  }
}

/** Brings together the names of each record from `first`. */
const gather = (
  triples: Uint32Array,
  first: number,
  to: number,
  buffers: SortBuffers,
  { ends, pairs }: PairRows
): void => {
  // A counting sort: `starts` holds the position of each record's first triple among the sorted ones.
  const starts = new Uint32Array(to - first + 1)
  for (let index = 0; index < triples.length; index += triple) {
    const next = numberAt(triples, index) - first + 1
    starts[next] = numberAt(starts, next) + 1
  }
  for (let record = 1; record < starts.length; record++) {
    starts[record] = numberAt(starts, record) + numberAt(starts, record - 1)
  }
  const free = starts.slice()
  const sorted = buffers.numbers(triples.length / triple)
  for (let index = 0; index < triples.length; index += triple) {
    const record = numberAt(triples, index) - first
    const position = numberAt(free, record)
    sorted[position] = index
    free[record] = position + 1
  }
  for (let record = 0, position = 0; record < to - first; record++) {
    for (const end = numberAt(starts, record + 1); position < end; position++) {
      const index = numberAt(sorted, position)
      pairs.push(numberAt(triples, index + 1))
      pairs.push(numberAt(triples, index + 2))
    }
    ends.push(pairs.length / 2)
  }
}
