import { at } from "../../at.ts"
import { getOrMake } from "../../maps.ts"
import type { Bits } from "../records/Bits.ts"
import type { StoredNumbers } from "../records/StoredNumbers.ts"
import type { JoinedNames, PairRows } from "./joinReferences.ts"
import { sectionOf } from "./joinReferences.ts"
import { flagBits, Link, RecordFlags } from "./Links.ts"
import type { EncounterSortKey, Roots } from "./Roots.ts"
import { rootsOf } from "./Roots.ts"
import type { TypeNumbers } from "./TypeNumbers.ts"

/** Records of a name from which it is noted that they have been passed. */
const manyRecords = 32

/**
 * The names of many records, with the links that have been passed for each, to a caller that needs a record once. Without it, the records of
 * a name would be passed again for each of them.
 */
export class SeenNames {
  readonly needed = new Map<number, number>()
  readonly belonging = new Map<number, number>()
  readonly patients = new Map<number, number>()
  readonly timed = new Map<number, number>()
}

/** The links between the records of a run. Records are identified by number, in the order in which they were added. */
export class RunLinks {
  readonly #names: JoinedNames
  /** Records that are exact copies of another; no partition requires them. */
  readonly #copies: Bits
  readonly #kinds: StoredNumbers
  readonly #types: TypeNumbers
  /** The names of many records: whether a patient has the name. */
  readonly #patientNames = new Map<number, boolean>()
  /** Encounters that may be a visit. */
  readonly roots: Roots

  constructor(options: {
    readonly names: JoinedNames
    readonly copies: Bits
    readonly kinds: StoredNumbers
    readonly types: TypeNumbers
    readonly rootType: string
    readonly encounters: ReadonlyArray<EncounterSortKey>
    /** References to records that may be deleted. */
    readonly deleted: ReadonlySet<string>
  }) {
    this.#names = options.names
    this.#copies = options.copies
    this.#kinds = options.kinds
    this.#types = options.types
    this.roots = rootsOf({
      ...options,
      encounters: options.encounters.filter(({ number }) => !this.isCopy(number)),
      isAlone: (number) => this.#isAlone(number)
    })
  }

  get size(): number {
    return this.#kinds.length
  }

  typeOf(number: number): string {
    return at(this.#types.names, this.#kinds.at(number) >>> flagBits)
  }

  /** Returns true if another record with the same text and the same names represents it. */
  isCopy(number: number): boolean {
    return this.#copies.has(number)
  }

  /** Returns true if no other record has one of its names. */
  #isAlone(number: number): boolean {
    return !this.#someName(
      number,
      (name, links) => (links & Link.own) !== 0 && this.#someRecord(name, Link.own, (other) => other !== number)
    )
  }

  /**
   * Adds every record that a mapping may reach from this one: the targets of its references. If the mapping follows a reference
   * backwards, the records that refer to this one are included.
   */
  addNeeded(number: number, found: Array<number>, seen: SeenNames): void {
    const kind = this.#kinds.at(number)
    const { ends, pairs } = this.#names.ofRecords
    const end = ends.at(number) * 2
    for (let index = startOf(ends, number) * 2; index < end; index += 2) {
      const name = pairs.at(index)
      this.#addRecords(name, this.#unseen(seen, "needed", name, neededLinks(kind, pairs.at(index + 1))), found)
    }
  }

  /** Returns true if some of these records fulfils a condition. */
  someNeeded(number: number, isExpected: (number: number) => boolean): boolean {
    const kind = this.#kinds.at(number)
    return this.#someName(number, (name, links) => this.#someRecord(name, neededLinks(kind, links), isExpected))
  }

  /** Returns true if it is a patient, or refers to one. */
  isOfPatient(number: number): boolean {
    return this.#isPatient(number) ||
      this.#someName(number, (name, links) => (links & Link.refers) !== 0 && this.#namesPatient(name))
  }

  #isPatient(number: number): boolean {
    return (this.#kinds.at(number) & RecordFlags.patient) !== 0
  }

  #namesPatient(name: number): boolean {
    const find = (): boolean => this.#someRecord(name, Link.own | Link.loose, (record) => this.#isPatient(record))
    return this.#hasMany(name) ? getOrMake(this.#patientNames, name, find) : find()
  }

  /** Adds the records that may belong to the visit of this one: those that refer to it in any way. */
  addBelonging(number: number, found: Array<number>, seen: SeenNames): void {
    const isEncounter = (this.#kinds.at(number) & RecordFlags.encounter) !== 0
    const { ends, pairs } = this.#names.ofRecords
    const end = ends.at(number) * 2
    for (let index = startOf(ends, number) * 2; index < end; index += 2) {
      const name = pairs.at(index)
      const links = pairs.at(index + 1)
      let expected = 0
      if ((links & (Link.own | Link.loose)) !== 0) expected |= Link.refers
      // A reference to another version of it may mean this one.
      if ((links & Link.own) !== 0) expected |= Link.own
      if ((links & Link.leads) !== 0) expected |= Link.inDocument
      if ((links & Link.leading) !== 0) expected |= Link.own | Link.loose
      this.#addRecords(name, this.#unseen(seen, "belonging", name, expected), found)
      if (isEncounter && (links & Link.timedEncounter) !== 0) {
        const patients: Array<number> = []
        this.#addRecords(name, this.#unseen(seen, "patients", name, Link.own | Link.loose), patients)
        for (const patient of patients) this.#addTimed(patient, found, seen)
      }
    }
  }

  /** Adds the records that refer to a patient in any way, and are assigned by time. */
  #addTimed(patient: number, found: Array<number>, seen: SeenNames): void {
    const { ends, pairs } = this.#names.ofRecords
    const end = ends.at(patient) * 2
    for (let index = startOf(ends, patient) * 2; index < end; index += 2) {
      if ((pairs.at(index + 1) & (Link.own | Link.loose)) === 0) continue
      const name = pairs.at(index)
      this.#addRecords(name, this.#unseen(seen, "timed", name, Link.timed), found)
    }
  }

  /** Returns the links that have not been passed for a name, and notes them. The records of other names are few: they are passed again. */
  #unseen(seen: SeenNames, of: keyof SeenNames, name: number, links: number): number {
    if (links === 0 || !this.#hasMany(name)) return links
    const known = seen[of].get(name) ?? 0
    seen[of].set(name, known | links)
    return links & ~known
  }

  #hasMany(name: number): boolean {
    const { ends } = this.#names.ofNames
    return ends.at(name) - startOf(ends, name) >= manyRecords
  }

  #someName(number: number, isExpected: (name: number, links: number) => boolean): boolean {
    const { ends, pairs } = this.#names.ofRecords
    const end = ends.at(number) * 2
    for (let index = startOf(ends, number) * 2; index < end; index += 2) {
      if (isExpected(pairs.at(index), pairs.at(index + 1))) return true
    }
    return false
  }

  /** Adds the records of a name that have one of these links. */
  #addRecords(name: number, expected: number, found: Array<number>): void {
    if (expected === 0) return
    const { ends, pairs } = this.#names.ofNames
    const end = ends.at(name) * 2
    const last = lastSection(expected)
    for (let index = startOf(ends, name) * 2; index < end; index += 2) {
      const links = pairs.at(index + 1)
      if (sectionOf(links) > last) return
      if ((links & expected) === 0) continue
      const number = pairs.at(index)
      if (!this.#copies.has(number)) found.push(number)
    }
  }

  #someRecord(name: number, expected: number, isExpected: (number: number) => boolean): boolean {
    if (expected === 0) return false
    const { ends, pairs } = this.#names.ofNames
    const end = ends.at(name) * 2
    const last = lastSection(expected)
    for (let index = startOf(ends, name) * 2; index < end; index += 2) {
      const links = pairs.at(index + 1)
      if (sectionOf(links) > last) return false
      if ((links & expected) !== 0) {
        const number = pairs.at(index)
        if (!this.#copies.has(number) && isExpected(number)) return true
      }
    }
    return false
  }
}

/** Returns the links of the records that a mapping may reach from a record by one of its names. */
const neededLinks = (kind: number, links: number): number => {
  const ofPatient = (kind & RecordFlags.patient) === 0 ? 0 : Link.ofPatient | Link.timedEncounter
  // The encounter of a patient nearest to a time depends on all of them, including those that are part of another.
  const ofEncounter = (kind & RecordFlags.encounter) === 0 ? 0 : Link.timedEncounter
  let expected = 0
  if ((links & Link.followed) !== 0) expected |= Link.own | Link.loose
  if ((links & Link.own) !== 0) expected |= Link.own
  if ((links & (Link.own | Link.loose)) !== 0) expected |= Link.backwards | ofPatient | ofEncounter
  if ((links & Link.inDocument) !== 0) expected |= Link.leads
  return expected
}

const startOf = (ends: PairRows["ends"], number: number): number => (number === 0 ? 0 : ends.at(number - 1))

/** The last section of records that have one of these links. */
const lastSection = (expected: number): number =>
  (expected & Link.refers) !== 0
    ? 3
    : (expected & (Link.ofPatient | Link.timed | Link.timedEncounter)) !== 0
    ? 2
    : (expected & Link.backwards) !== 0
    ? 1
    : 0
