import { at } from "../../at.ts"
import type { Bits } from "../records/Bits.ts"
import type { StoredNumbers } from "../records/StoredNumbers.ts"
import type { JoinedNames, PairRows } from "./joinReferences.ts"
import { sectionOf } from "./joinReferences.ts"
import { flagBits, Link, RecordFlags } from "./Links.ts"
import type { EncounterSortKey, Roots } from "./Roots.ts"
import { rootsOf } from "./Roots.ts"
import type { TypeNumbers } from "./TypeNumbers.ts"

/** The links between the records of a run. Records are identified by number, in the order in which they were added. */
export class RunLinks {
  readonly #names: JoinedNames
  /** Records that are exact copies of another; no partition requires them. */
  readonly #copies: Bits
  readonly #kinds: StoredNumbers
  readonly #types: TypeNumbers
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

  /** Number of records. */
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
    let alone = true
    this.#eachName(number, (name, links) => {
      if ((links & Link.own) === 0) return
      this.#eachRecord(name, Link.own, (other) => {
        if (other !== number) alone = false
      })
    })
    return alone
  }

  /**
   * Passes every record that a mapping may reach from this one: the targets of its references. If the mapping follows a reference
   * backwards, the records that refer to this one are included.
   */
  eachNeeded(number: number, onRecord: (number: number) => void): void {
    const kind = this.#kinds.at(number)
    const ofPatient = (kind & RecordFlags.patient) === 0 ? 0 : Link.ofPatient | Link.timedEncounter
    // The encounter of a patient nearest to a time depends on all of them, including those that are part of another.
    const ofEncounter = (kind & RecordFlags.encounter) === 0 ? 0 : Link.timedEncounter
    this.#eachName(number, (name, links) => {
      let expected = 0
      if ((links & Link.followed) !== 0) expected |= Link.own | Link.loose
      if ((links & Link.own) !== 0) expected |= Link.own
      if ((links & (Link.own | Link.loose)) !== 0) expected |= Link.backwards | ofPatient | ofEncounter
      if ((links & Link.inDocument) !== 0) expected |= Link.leads
      if (expected !== 0) this.#eachRecord(name, expected, onRecord)
    })
  }

  /** Returns true if it is a patient, or refers to one. */
  isOfPatient(number: number): boolean {
    const isPatient = (record: number): boolean => (this.#kinds.at(record) & RecordFlags.patient) !== 0
    let found = isPatient(number)
    this.#eachName(number, (name, links) => {
      if (found || (links & Link.refers) === 0) return
      this.#eachRecord(name, Link.own | Link.loose, (record) => {
        found ||= isPatient(record)
      })
    })
    return found
  }

  /** Passes the records that may belong to the visit of this one: those that refer to it in any way. */
  eachBelonging(number: number, onRecord: (number: number) => void): void {
    const kind = this.#kinds.at(number)
    const isEncounter = (kind & RecordFlags.encounter) !== 0
    this.#eachName(number, (name, links) => {
      let expected = 0
      if ((links & (Link.own | Link.loose)) !== 0) expected |= Link.refers
      // A reference to another version of it may mean this one.
      if ((links & Link.own) !== 0) expected |= Link.own
      if ((links & Link.leads) !== 0) expected |= Link.inDocument
      if ((links & Link.leading) !== 0) expected |= Link.own | Link.loose
      if (expected !== 0) this.#eachRecord(name, expected, onRecord)
      if (isEncounter && (links & Link.timedEncounter) !== 0) {
        this.#eachRecord(name, Link.own | Link.loose, (patient) => {
          this.#eachTimed(patient, onRecord)
        })
      }
    })
  }

  /** Passes the records that refer to a patient in any way, and are assigned by time. */
  #eachTimed(patient: number, onRecord: (number: number) => void): void {
    this.#eachName(patient, (name, links) => {
      if ((links & (Link.own | Link.loose)) !== 0) this.#eachRecord(name, Link.timed, onRecord)
    })
  }

  #eachName(number: number, onName: (name: number, links: number) => void): void {
    const { ends, pairs } = this.#names.ofRecords
    const end = ends.at(number) * 2
    for (let index = startOf(ends, number) * 2; index < end; index += 2) onName(pairs.at(index), pairs.at(index + 1))
  }

  #eachRecord(name: number, expected: number, onRecord: (number: number) => void): void {
    const { ends, pairs } = this.#names.ofNames
    const end = ends.at(name) * 2
    const last = lastSection(expected)
    for (let index = startOf(ends, name) * 2; index < end; index += 2) {
      const links = pairs.at(index + 1)
      if (sectionOf(links) > last) return
      if ((links & expected) !== 0) {
        const number = pairs.at(index)
        if (!this.#copies.has(number)) onRecord(number)
      }
    }
  }
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
