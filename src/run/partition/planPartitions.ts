import { Bits } from "./Bits.ts"
import type { RunLinks } from "./RunLinks.ts"

/** A part of a run: visits that are consecutive in the run's order, and all records that they may require. */
export interface RunPartition {
  /** From 0. */
  readonly number: number
  /** Numbers of records, ascending. */
  readonly records: Uint32Array
  /** For each record: bits of `RecordRole`. */
  readonly roles: Uint8Array
}

/**
 * The role of a record in a part. A record that several parts require is accounted for in the first of them. An encounter that may be a
 * visit is a visit in one part, and known as `root` in the others.
 */
export const RecordRole = { accounted: 1, visit: 2, root: 4 } as const

/** Collects the visits and records of a part until it is large enough. */
class Gathering {
  readonly #links: RunLinks
  readonly #sizeOf: (record: number) => number
  readonly #needed = new Set<number>()
  /** Records whose visit is completely included. */
  readonly #belonging = new Set<number>()
  readonly #tasks: Array<number> = []
  #completed = 0
  records: Array<number> = []
  bytes = 0

  constructor(links: RunLinks, sizeOf: (record: number) => number) {
    this.#links = links
    this.#sizeOf = sizeOf
  }

  begin(): void {
    this.#needed.clear()
    this.#belonging.clear()
    this.records = []
    this.bytes = 0
    this.#completed = 0
  }

  /** Adds a visit: its records, and what they require. */
  addVisit(root: number): void {
    const belong = (record: number): void => {
      if (this.#belonging.has(record)) return
      this.#belonging.add(record)
      this.#tasks.push(record)
      this.#need(record)
    }
    belong(root)
    for (let next = this.#tasks.pop(); next !== undefined; next = this.#tasks.pop()) {
      this.#links.eachBelonging(next, belong)
    }
    this.#complete()
  }

  /** Adds a record that belongs to no visit, and what is required to explain why. */
  addRecord(record: number): void {
    this.#need(record)
    this.#complete()
  }

  readonly #need = (record: number): void => {
    if (this.#needed.has(record)) return
    this.#needed.add(record)
    this.records.push(record)
    this.bytes += this.#sizeOf(record)
  }

  #complete(): void {
    for (; this.#completed < this.records.length; this.#completed++) {
      this.#links.eachNeeded(this.records[this.#completed]!, this.#need)
    }
  }
}

interface Cutting {
  readonly links: RunLinks
  readonly sizeOf: (record: number) => number
  readonly partBytes: number
}

/**
 * Cuts a run into parts of about `partBytes` bytes that can be converted independently. Their results in order equal the result of the
 * whole run. The last parts hold the records that no visit requires.
 */
export function* planPartitions({ links, partBytes, sizeOf }: Cutting): Generator<RunPartition> {
  const gathering = new Gathering(links, sizeOf)
  const accounted = new Bits(links.size)
  let number = 0
  const { roots } = links
  const isRoot = new Bits(links.size)
  for (let index = 0; index < roots.length; index++) isRoot.add(roots.numberOf(index))
  const part = (visits: ReadonlySet<number>): Omit<RunPartition, "number"> => {
    const records = Uint32Array.from(gathering.records).sort()
    const roles = new Uint8Array(records.length)
    records.forEach((record, index) => {
      roles[index] = (accounted.has(record) ? 0 : RecordRole.accounted) | (isRoot.has(record) ? RecordRole.root : 0) |
        (visits.has(record) ? RecordRole.visit : 0)
      accounted.add(record)
    })
    gathering.begin()
    return { records, roles }
  }
  function* partsOfVisits(): Generator<Omit<RunPartition, "number">> {
    let visits = new Set<number>()
    for (let index = 0; index < roots.length; index++) {
      // Visits of one patient stay together if possible, because they share its records. Visits that the order does not distinguish always
      // stay together.
      const enough = roots.isOfSamePatient(index) ? partBytes * 8 : partBytes
      if (gathering.bytes >= enough && !roots.isAlike(index)) {
        yield part(visits)
        visits = new Set()
      }
      visits.add(roots.numberOf(index))
      gathering.addVisit(roots.numberOf(index))
    }
    if (visits.size > 0) yield part(visits)
  }
  const none = new Set<number>()
  function* partsOfOthers(): Generator<Omit<RunPartition, "number">> {
    for (let record = 0; record < links.size; record++) {
      if (accounted.has(record) || links.isCopy(record)) continue
      gathering.addRecord(record)
      if (gathering.bytes >= partBytes) yield part(none)
    }
    if (gathering.records.length > 0) yield part(none)
  }

  gathering.begin()
  for (const one of partsOfVisits()) yield { ...one, number: number++ }
  for (const one of partsOfOthers()) yield { ...one, number: number++ }
}
