import { Bits } from "./Bits.ts"
import type { RunLinks } from "./RunLinks.ts"

/** A part of a run: visits that follow each other in the run's order, and all records that making them may ask for. */
export interface RunPartition {
  /** From 0. */
  readonly number: number
  /** Numbers of records, ascending. */
  readonly records: Uint32Array
  /** Beside each record: bits of `Role`. */
  readonly roles: Uint8Array
}

/**
 * What a record is in a part. A record that several parts ask for is accounted for in the first of them; an encounter that may be a visit is
 * one in one part, and known as `root` in the others.
 */
export const RecordRole = { accounted: 1, visit: 2, root: 4 } as const

/** What is added to a part until it is large enough. */
class Gathering {
  readonly #links: RunLinks
  readonly #sizeOf: (record: number) => number
  readonly #needed = new Set<number>()
  /** Records of whose visit all is there. */
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

  /** A visit: its records, and what they need. */
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

  /** A record that belongs to no visit, and what is needed to say why. */
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
 * Cuts a run into parts of about so many bytes, each of which can be converted by itself: what comes of all of them in turn is what comes of
 * the run as a whole. The last ones hold the records that no visit asks for.
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
      // Visits of one patient stay together as long as they can, as they share its records; those that the order does not tell apart always.
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
