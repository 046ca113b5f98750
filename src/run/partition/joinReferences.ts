import type { OpenFiles } from "../../source/read/OpenFiles.ts"
import { Buckets } from "./Buckets.ts"
import { hashFrom } from "./hashName.ts"
import { hasFlag, Link } from "./Links.ts"
import type { SpillFile } from "./SpillFile.ts"
import { StoredNumbers } from "./StoredNumbers.ts"

/** Rows of pairs by number: the pairs of row `n` end before `ends.at(n)` and follow those of the row before. */
export interface PairRows {
  readonly ends: StoredNumbers
  readonly pairs: StoredNumbers
}

/** The links between records by name. Names are numbered so that those of neighbouring records are close to each other. */
export interface JoinedNames {
  /** For each record the names that it shares with others, and its links to each. */
  readonly ofRecords: PairRows
  /** For each name the records and their links to it: first those that have it, then those requested most often; see `sectionOf`. */
  readonly ofNames: PairRows
}

/** Number of buckets for names, by hash. */
export const nameBuckets = 128
export const bucketOfName = (hash: number): number => (hash ^ (hash >>> 16)) & (nameBuckets - 1)

/** Thousands of records refer to some names. The records that are looked up come first, so that no lookup walks past all others. */
export const sectionOf = (links: number): number =>
  (links & (hasFlag | Link.inDocument)) !== 0
    ? 0
    : (links & Link.backwards) !== 0
    ? 1
    : (links & (Link.ofPatient | Link.timed | Link.timedEncounter)) !== 0
    ? 2
    : 3

/** Records joined at once, approximately. */
const rangeSize = 2 ** 16
const maxRanges = 128

/**
 * Joins records that have a name in common. `links` holds the two halves of a hash, a record and its links to that name, in the hash's
 * bucket. `count` is the number of records. Memory holds one bucket at a time. Records with a name that `isDeleted` are marked.
 */
export const joinReferences = ({ count, files, isDeleted, links, spool }: {
  readonly links: Buckets
  readonly count: number
  readonly spool: SpillFile
  readonly files: OpenFiles
  readonly isDeleted: (hash: number) => boolean
}): JoinedNames => {
  const ranges = Math.max(1, Math.min(maxRanges, Math.ceil(count / rangeSize)))
  const perRange = Math.max(1, Math.ceil(count / ranges))
  const rangeOf = (record: number): number => Math.floor(record / perRange)
  const [groups, ofRecords] = [new Buckets(files, ranges), new Buckets(files, ranges)]
  try {
    const held = new BucketBuffers()
    for (let bucket = 0; bucket < links.count; bucket++) group(links.read(bucket), groups, held, rangeOf, isDeleted)
    const names = rows(spool)
    for (let range = 0; range < ranges; range++) {
      number(groups.read(range), range * perRange, held, names, (record, name, found) => {
        const to = rangeOf(record)
        ofRecords.push(to, record)
        ofRecords.push(to, name)
        ofRecords.push(to, found)
      })
    }
    const records = rows(spool)
    for (let range = 0; range < ranges; range++) {
      const first = range * perRange
      gather(ofRecords.read(range), first, Math.min(count, first + perRange), held, records)
    }
    return { ofRecords: records, ofNames: names }
  } finally {
    groups.close()
    ofRecords.close()
  }
}

/** Reused for all buckets, because allocating per bucket delays garbage collection. */
class BucketBuffers {
  #doubles = new Float64Array(0)
  #numbers = new Uint32Array(0)

  doubles(length: number): Float64Array {
    if (length > this.#doubles.length) this.#doubles = new Float64Array(length)
    return this.#doubles.subarray(0, length)
  }

  numbers(length: number): Uint32Array {
    if (length > this.#numbers.length) this.#numbers = new Uint32Array(length)
    return this.#numbers.subarray(0, length)
  }
}

const rows = (spool: SpillFile): PairRows => ({ ends: new StoredNumbers(spool), pairs: new StoredNumbers(spool) })

/** Numbers per entry: a record, a name and the links between them. */
const triple = 3
/** Numbers per entry with the hash of the name in two halves. */
const quad = 4
/** What remains of a double's 53 bits after an index of up to 2^27. */
const perOrder = 2 ** 27

/**
 * Puts the names of a bucket that link two records into the bucket of the first record that has them. An entry holds that record, the
 * number of records, and each record with its links.
 */
const group = (
  links: Uint32Array,
  groups: Buckets,
  held: BucketBuffers,
  rangeOf: (record: number) => number,
  isDeleted: (hash: number) => boolean
): void => {
  const length = links.length / quad
  if (length >= perOrder) throw new Error("bucket overflow: too many names")
  // Sort by lower half, then by record. Lower halves in a bucket differ in the remaining bits.
  const order = held.doubles(length)
  for (let at = 0; at < length; at++) order[at] = Math.floor(links[at * quad]! / nameBuckets) * perOrder + at
  order.sort()
  const lowAt = (at: number): number => links[(order[at]! % perOrder) * quad]!
  const highOfKey = (key: number): number => links[(key % perOrder) * quad + 1]!
  for (let from = 0; from < length;) {
    const low = lowAt(from)
    let to = from + 1
    while (to < length && lowAt(to) === low) to++
    if (to > from + 1) {
      const alike = order.subarray(from, to)
      const high = highOfKey(alike[0]!)
      const put = (keys: Float64Array, high: number): void =>
        putGroup(links, keys, groups, rangeOf, isDeleted(hashFrom(low, high)) ? Link.deleted : 0)
      if (alike.every((key) => highOfKey(key) === high)) put(alike, high)
      else {for (const [high, keys] of Map.groupBy(alike, highOfKey)) {
          if (keys.length > 1) put(Float64Array.from(keys), high)
        }}
    }
    from = to
  }
}

const putGroup = (
  all: Uint32Array,
  order: Float64Array,
  groups: Buckets,
  rangeOf: (record: number) => number,
  more: number
): void => {
  let [owners, first, requested] = [0, Number.POSITIVE_INFINITY, false]
  for (const key of order) {
    const at = (key % perOrder) * quad
    const [record, links] = [all[at + 2]!, all[at + 3]!]
    if ((links & hasFlag) !== 0) {
      owners++
      first = Math.min(first, record)
    }
    if ((links & (Link.refers | Link.inDocument)) !== 0 || ((links & Link.own) !== 0 && owners > 1)) requested = true
  }
  // No record has the name, or no record refers to it.
  if (owners === 0 || !requested) return
  const bucket = rangeOf(first)
  groups.push(bucket, first)
  groups.push(bucket, order.length)
  for (let section = 0; section <= 3; section++) {
    for (const key of order) {
      const at = (key % perOrder) * quad
      if (sectionOf(all[at + 3]!) !== section) continue
      groups.push(bucket, all[at + 2]!)
      groups.push(bucket, all[at + 3]! | more)
    }
  }
}

/**
 * Numbers the names of the range from `first` in the order of the first records that have them. Passes the records related to each name.
 */
const number = (
  groups: Uint32Array,
  first: number,
  held: BucketBuffers,
  { ends, pairs }: PairRows,
  tell: (record: number, name: number, links: number) => void
): void => {
  // A group takes at least four numbers.
  const starts = held.numbers(Math.ceil(groups.length / 4))
  let count = 0
  for (let at = 0; at < groups.length; at += 2 + groups[at + 1]! * 2) starts[count++] = at
  const order = held.doubles(count)
  for (let index = 0; index < count; index++) order[index] = (groups[starts[index]!]! - first) * perOrder + index
  order.sort()
  for (const key of order) {
    const start = starts[key % perOrder]!
    const end = start + 2 + groups[start + 1]! * 2
    for (let at = start + 2; at < end; at += 2) {
      pairs.push(groups[at]!)
      pairs.push(groups[at + 1]!)
      tell(groups[at]!, ends.length, groups[at + 1]!)
    }
    ends.push(pairs.length / 2)
  }
}

/** Groups the names of each record from `first`. */
const gather = (
  triples: Uint32Array,
  first: number,
  to: number,
  held: BucketBuffers,
  { ends, pairs }: PairRows
): void => {
  const starts = new Uint32Array(to - first + 1)
  for (let at = 0; at < triples.length; at += triple) starts[triples[at]! - first + 1]!++
  for (let record = 1; record < starts.length; record++) starts[record]! += starts[record - 1]!
  const placed = starts.slice()
  const sorted = held.numbers(triples.length / triple)
  for (let at = 0; at < triples.length; at += triple) sorted[placed[triples[at]! - first]!++] = at
  for (let record = first; record < to; record++) {
    for (let index = starts[record - first]!; index < starts[record - first + 1]!; index++) {
      pairs.push(triples[sorted[index]! + 1]!)
      pairs.push(triples[sorted[index]! + 2]!)
    }
    ends.push(pairs.length / 2)
  }
}
