import { at } from "../../at.ts"
import type { OpenFiles } from "../../source/read/OpenFiles.ts"
import { Bits } from "../records/Bits.ts"
import { SpillFile } from "../records/SpillFile.ts"
import { bytesOf } from "../records/StoredNumbers.ts"
import { type RunLinks, SeenNames } from "./RunLinks.ts"

/**
 * A partition of a run: visits that are consecutive in the run's order, and all records that they may require. Shared records among these
 * are only named.
 */
export interface RunPartition {
  /** From 0. */
  readonly number: number
  /** Numbers of records, ascending. */
  readonly records: Uint32Array
  /** For each record: bits of `RecordRole`. */
  readonly roles: Uint8Array
}

/**
 * The role of a record in a partition. A record that several partitions require is accounted for in the first of them. An encounter that
 * may be a visit is a visit in one partition, and known as `root` in the others. A record that belongs to no patient is `shared`: it is not
 * part of the partition, which only refers to it. Each thread finds it in its look-up (`SharedRecords`). No visit or root is shared, so the
 * roles of a record are one decimal digit.
 */
export const RecordRole = { accounted: 1, visit: 2, root: 4, shared: 8 } as const

/** The sizes of an empty partition. */
const nothing = { bytes: 0, sharedBytes: 0 }

/** Returns a size in bytes, or 0 for a few records, which are quickly read again for each partition. */
const ifMany = (bytes: number): number => (bytes < 65_536 ? 0 : bytes)

/** Collects the visits and records of a partition until it is large enough. */
class PartitionBuilder {
  readonly #links: RunLinks
  readonly #sizeOf: (record: number) => number
  readonly #required: Bits
  /** Required records that belong to no patient. */
  readonly #shared: Bits
  /** Records whose visit is completely included, and those that are added without a visit. */
  readonly #belonging: Bits
  readonly #visits: Bits
  /** The names whose records are in it. */
  #names = new SeenNames()
  /** Records of the run that are known to belong to no patient. Many partitions ask for the same ones. */
  readonly #ofNobody: Bits
  /** The required records; those of the other sets are among them. */
  records: Array<number> = []
  /** The size of its own records. */
  bytes = 0
  /** The size of the shared records that it refers to. */
  sharedBytes = 0
  /** Both sizes after the first visit or record was added. */
  #first = nothing

  constructor(links: RunLinks, sizeOf: (record: number) => number) {
    this.#links = links
    this.#sizeOf = sizeOf
    const none = (): Bits => new Bits(links.size)
    this.#required = none()
    this.#shared = none()
    this.#belonging = none()
    this.#visits = none()
    this.#ofNobody = none()
  }

  /** Adds a visit: its records, and what they require. */
  addVisit(root: number): void {
    this.#visits.add(root)
    const first = this.records.length
    const open = [root]
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (this.#belonging.has(next)) continue
      this.#belonging.add(next)
      this.#require(next)
      this.#links.addBelonging(next, open, this.#names)
    }
    this.#addRequired(first)
  }

  /**
   * Returns true if it is large enough to end before a record is added, as a visit or without one. The limits are for its own records and
   * for shared ones. One record can require much: thousands of copies of a name, for example. The next ones then usually require the same,
   * and each partition would read all of it. So related records stay together until the bytes that the first one required double. A
   * partition also has at least as many bytes of its own as of shared records. Without both, the time would grow with the square of the
   * copies.
   */
  isFull(next: number, maxBytes: number, maxSharedBytes: number): boolean {
    const { bytes, sharedBytes } = this.#first
    if (this.sharedBytes >= Math.max(maxSharedBytes, sharedBytes * 2)) return true
    if (this.bytes < maxBytes || this.bytes < ifMany(this.sharedBytes)) return false
    return this.bytes >= ifMany(bytes) * 2 || !this.#isRelatedTo(next)
  }

  /** Returns true if it holds the record, or one that the record requires; shared records do not count. */
  #isRelatedTo(record: number): boolean {
    const isOwn = (one: number): boolean => this.#required.has(one) && !this.#shared.has(one)
    return isOwn(record) || this.#links.someNeeded(record, isOwn)
  }

  /** Adds a record that belongs to no visit, and what is required to explain why. */
  addRecord(record: number): void {
    const first = this.records.length
    this.#belonging.add(record)
    this.#require(record)
    this.#addRequired(first)
  }

  #require(record: number): void {
    if (this.#required.has(record)) return
    this.#required.add(record)
    this.records.push(record)
    if (this.#isShared(record)) {
      this.#shared.add(record)
      this.sharedBytes += this.#sizeOf(record)
    } else this.bytes += this.#sizeOf(record)
  }

  /** Returns true if it is in the compartment of no patient, and belongs to none of the visits. */
  #isShared(record: number): boolean {
    if (this.#belonging.has(record)) return false
    if (!this.#ofNobody.has(record)) {
      if (this.#links.isOfPatient(record)) return false
      this.#ofNobody.add(record)
    }
    return true
  }

  /** Adds what the records from an index on require; the records that this adds, too. */
  #addRequired(first: number): void {
    const found: Array<number> = []
    for (let index = first; index < this.records.length; index++) {
      this.#links.addNeeded(at(this.records, index), found, this.#names)
      for (const record of found) this.#require(record)
      found.length = 0
    }
    if (first === 0) this.#first = { bytes: this.bytes, sharedBytes: this.sharedBytes }
  }

  /** Returns the records, and for each whether it is a visit or shared. Begins the next partition. */
  take(): Omit<RunPartition, "number"> {
    const records = Uint32Array.from(this.records).sort()
    const roles = new Uint8Array(records.length)
    for (const [index, record] of records.entries()) {
      if (this.#visits.has(record)) roles[index] = RecordRole.visit
      // A visit that was added later may include a shared record.
      else if (this.#shared.has(record) && !this.#belonging.has(record)) roles[index] = RecordRole.shared
      this.#required.delete(record)
      this.#shared.delete(record)
      this.#belonging.delete(record)
      this.#visits.delete(record)
    }
    this.records = []
    this.bytes = 0
    this.sharedBytes = 0
    this.#first = nothing
    this.#names = new SeenNames()
    return { records, roles }
  }
}

/**
 * Cuts a run into partitions of about `partitionBytes` bytes that can be converted independently. Their results in order equal the result of the
 * whole run. The last partitions hold the records that no visit requires.
 *
 * A partition holds whole patient compartments (FHIR's word for all records that reach one patient), because visits are ordered by patient.
 * A compartment of more than eight times `partitionBytes` is cut by its visits; the records that these share are in each piece. Shared
 * records, such as practitioners, are listed where they are referred to and do not count towards `partitionBytes`. A partition that
 * refers to eight times as many bytes of them ends too, because a thread needs them at once. If one visit requires much by itself, related
 * visits are added until its size doubles.
 */
export function* planPartitions({ links, partitionBytes, sizeOf }: {
  readonly links: RunLinks
  readonly sizeOf: (record: number) => number
  readonly partitionBytes: number
}): Generator<RunPartition> {
  const builder = new PartitionBuilder(links, sizeOf)
  const accounted = new Bits(links.size)
  const { roots } = links
  const isRoot = new Bits(links.size)
  for (let index = 0; index < roots.length; index++) isRoot.add(roots.numberOf(index))
  const largest = partitionBytes * 8
  let number = 0
  const partition = (): RunPartition => {
    const { records, roles } = builder.take()
    for (const [index, record] of records.entries()) {
      const role = at(roles, index)
      const first = accounted.has(record) ? 0 : RecordRole.accounted
      accounted.add(record)
      roles[index] = (isRoot.has(record) ? RecordRole.root | (role & RecordRole.visit) : role) | first
    }
    return { number: number++, records, roles }
  }
  for (let index = 0; index < roots.length; index++) {
    // Visits of one patient stay together if possible, because they share its records. Visits that the order does not distinguish always
    // stay together.
    const enough = roots.isOfSamePatient(index) ? largest : partitionBytes
    const root = roots.numberOf(index)
    if (builder.isFull(root, enough, largest) && !roots.isAlike(index)) yield partition()
    builder.addVisit(root)
  }
  if (builder.records.length > 0) yield partition()
  for (let record = 0; record < links.size; record++) {
    if (accounted.has(record) || links.isCopy(record)) continue
    if (builder.isFull(record, partitionBytes, largest)) yield partition()
    builder.addRecord(record)
  }
  if (builder.records.length > 0) yield partition()
}

/** The partitions of a run by number, on disk. */
export class PartitionStore {
  readonly #spill: SpillFile
  readonly #entries: Array<{ readonly offset: number; readonly records: number }> = []

  constructor(files: OpenFiles) {
    this.#spill = new SpillFile(files)
  }

  /** Adds the next partition. */
  push({ number, records, roles }: RunPartition): void {
    if (number !== this.#entries.length) throw new Error("partitions are added in their order")
    this.#entries.push({ offset: this.#spill.length, records: records.length })
    this.#spill.append(bytesOf(records))
    this.#spill.append(roles)
  }

  get length(): number {
    return this.#entries.length
  }

  at(number: number): RunPartition {
    const { offset, records: count } = at(this.#entries, number)
    const [records, roles] = [new Uint32Array(count), new Uint8Array(count)]
    this.#spill.read(bytesOf(records), offset)
    this.#spill.read(roles, offset + records.byteLength)
    return { number, records, roles }
  }
}
