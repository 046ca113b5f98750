import type { FhirPath, Variables } from "../fhirpath/FhirPath.ts"
import { evaluatePath, isPathFault, valueOf } from "../fhirpath/FhirPath.ts"
import type { GroupingPlan } from "../grouping/GroupingPlan.ts"
import { patientName } from "../grouping/patientName.ts"
import type { NameRank } from "../source/compareRecords.ts"
import { compareIds, compareNameRanks, nameRankOf } from "../source/compareRecords.ts"
import type { SourceRecord } from "../source/SourceRecord.ts"
import { Growing } from "./Growing.ts"
import { eachName, eachReference, isOwn, ownHash } from "./namesOf.ts"
import type { NamePairs } from "./NameTable.ts"
import { NameTable } from "./NameTable.ts"
import { Types } from "./Types.ts"

/** By which links the records of a visit are found; part of a mapping. */
export interface Linking {
  readonly fhirPath: FhirPath
  readonly constants: Variables
  readonly grouping: GroupingPlan
  /** The elements that are followed backwards: `DiagnosticReport.result`. */
  readonly backwards: ReadonlySet<string>
  /** Those of them by which a record may reach its visit. */
  readonly backwardsToVisit: ReadonlySet<string>
  /** Names of elements; References under others are never followed. `undefined`: any may be. */
  readonly followed: ReadonlySet<string> | undefined
  /** Types that make visits; records of others only count where one of these refers to them. `undefined`: it may be any. */
  readonly types: ReadonlySet<string> | undefined
}

/** The links of records that came in no Bundle, to be handed on. */
export interface LinksData {
  readonly names: NamePairs
  readonly references: NamePairs
  readonly backwards: NamePairs
  readonly leading: NamePairs
  readonly ofPatient: NamePairs
  readonly timed: NamePairs
  readonly followed: Uint32Array<ArrayBuffer>
  readonly followedStarts: Uint32Array<ArrayBuffer>
  readonly nameStarts: Uint32Array<ArrayBuffer>
  readonly referenceStarts: Uint32Array<ArrayBuffer>
  readonly kinds: Uint32Array<ArrayBuffer>
  readonly typeNames: ReadonlyArray<string>
  readonly encounters: ReadonlyArray<Encounter>
}

/**
 * Who names whom among the records of a run, by hashes: about a hundred bytes for each record, and nothing that it says. Records are known by
 * their number, in the order in which they came.
 */
export class RunLinks {
  readonly #linking: Linking
  readonly #names = new NameTable()
  readonly #references = new NameTable()
  /** The hashes of those that a mapping may follow, where it does not follow all. */
  readonly #followed = new Growing()
  readonly #followedStarts = new Growing()
  /** References that are followed backwards by a function of the mapping, and those of them by which a record may reach its visit. */
  readonly #backwards = new NameTable()
  readonly #leading = new NameTable()
  /** Those of records that belong to a patient, and of encounters and records that are placed by a patient's time. */
  readonly #ofPatient = new NameTable()
  readonly #timed = new NameTable()
  readonly #nameStarts = new Growing()
  readonly #referenceStarts = new Growing()
  /** What kind of record it is, and the number of its type: bits of `Kind`. */
  readonly #kinds = new Growing()
  /** The numbers of their Bundles, from the first record of a document on. */
  readonly #bundles = new Growing()
  #firstOfDocument = 0
  readonly #typesMet = new Types()
  readonly #documents = new Map<number, Array<number>>()
  readonly #encounters: Array<Encounter> = []
  readonly #patients = new Map<string, string>()
  readonly #deleted = new Set<string>()
  readonly #reversedOf: ReadonlyMap<string, ReadonlyArray<ReadonlyArray<string>>>

  constructor(linking: Linking) {
    this.#linking = linking
    this.#reversedOf = Map.groupBy(
      [...linking.backwards].map((element) => element.split(".")),
      ([type]) => type!
    ) as ReadonlyMap<string, ReadonlyArray<ReadonlyArray<string>>>
  }

  /** How many records there are. */
  get size(): number {
    return this.#kinds.length
  }

  /** Takes the next record. `bundle` is the number of its Bundle, from 1. */
  add(record: SourceRecord, bundle: number): void {
    const { grouping: { document, patientScope, rootType, windows } } = this.#linking
    const number = this.size
    const { resource } = record
    const type = resource.resourceType
    const isEncounter = type === rootType
    const isDocument = document && record.bundle?.type === "document"
    const windowed = windows.has(type)
    const reversed = this.#reversedOf.get(type)
    const scoped = patientScope.has(type)
    this.#kinds.push(
      (this.#typesMet.numberOf(type) << kindBits) | (isEncounter ? Kind.encounter : 0) |
        (isDocument ? Kind.inDocument : 0) |
        (mayBePatient(type, rootType) ? Kind.patient : 0) |
        (isDocument && (isEncounter || type === "Composition") ? Kind.leadsDocument : 0) |
        (reversed === undefined ? 0 : Kind.reversed)
    )
    if (isDocument && this.#bundles.length === 0) this.#firstOfDocument = number
    if (isDocument || this.#bundles.length > 0) this.#bundles.push(bundle)
    if (isDocument) {
      const all = this.#documents.get(bundle)
      if (all === undefined) this.#documents.set(bundle, [number])
      else all.push(number)
    }
    this.#nameStarts.push(this.#names.length)
    eachName(record, (hash) => {
      this.#names.add(hash, number)
    })
    const firstReference = this.#references.length
    this.#referenceStarts.push(firstReference)
    const { followed } = this.#linking
    if (followed !== undefined) this.#followedStarts.push(this.#followed.length)
    const followsAll = !/^[A-Z]/u.test(type)
    eachReference(resource, (hash, path) => {
      if (!this.#references.hasSince(firstReference, hash)) this.#references.add(hash, number)
      if (followed !== undefined && (followsAll || isFollowed(path.at(-1)!, followed))) this.#followed.push(hash)
      const backwards = reversed?.find((element) => isAt(element, path))
      if (backwards !== undefined) {
        this.#backwards.add(hash, number)
        if (this.#linking.backwardsToVisit.has(backwards.join("."))) this.#leading.add(hash, number)
      }
      if (scoped) this.#ofPatient.add(hash, number)
      if (windows.size > 0 && (windowed || isEncounter)) this.#timed.add(hash, number)
    })
    if (isEncounter) {
      this.#keep(number, nameRankOf(record), this.#parentOf(record), patientName(record, this.#linking))
    }
  }

  data(): LinksData {
    return {
      names: this.#names.data(),
      references: this.#references.data(),
      backwards: this.#backwards.data(),
      leading: this.#leading.data(),
      ofPatient: this.#ofPatient.data(),
      timed: this.#timed.data(),
      followed: this.#followed.data(),
      followedStarts: this.#followedStarts.data(),
      nameStarts: this.#nameStarts.data(),
      referenceStarts: this.#referenceStarts.data(),
      kinds: this.#kinds.data(),
      typeNames: this.#typesMet.names,
      encounters: this.#encounters
    }
  }

  /** Takes the next records with their links, as they were found elsewhere; their lines are counted from the one behind `lines`. */
  append(data: LinksData, lines: number): void {
    const first = this.size
    this.#followedStarts.append(data.followedStarts, this.#followed.length)
    this.#nameStarts.append(data.nameStarts, this.#names.length)
    this.#referenceStarts.append(data.referenceStarts, this.#references.length)
    this.#followed.append(data.followed)
    this.#names.append(data.names, first)
    this.#references.append(data.references, first)
    this.#backwards.append(data.backwards, first)
    this.#leading.append(data.leading, first)
    this.#ofPatient.append(data.ofPatient, first)
    this.#timed.append(data.timed, first)
    if (this.#bundles.length > 0) this.#bundles.append(new Uint32Array(data.kinds.length))
    const types = data.typeNames.map((name) => this.#typesMet.numberOf(name))
    this.#kinds.append(data.kinds.map((kind) => (kind & kindMask) | (types[kind >>> kindBits]! << kindBits)))
    for (const encounter of data.encounters) {
      const { line, number, parent, patient } = encounter
      this.#keep(number + first, { ...encounter, line: line + lines }, parent, patient)
    }
  }

  #keep(number: number, { fullUrl, id, line, order }: NameRank, parent: string | null, patient: string): void {
    // A patient has many encounters: the text is kept once.
    const known = this.#patients.get(patient)
    if (known === undefined) this.#patients.set(patient, patient)
    this.#encounters.push({ number, id, fullUrl, order, line, parent, patient: known ?? patient })
  }

  /** Takes note that a record may be none any more. */
  addDeletion(reference: string): void {
    this.#deleted.add(reference)
  }

  /** Encounters that may be a visit, in the order of a run: not those that are part of another for certain. */
  roots(): ReadonlyArray<Encounter> {
    const byNumber = new Map(this.#encounters.map((encounter) => [encounter.number, encounter]))
    const parentOf = ({ number, parent }: Encounter): Encounter | undefined => {
      if (parent === null || parent === "") return undefined
      const found: Array<Encounter> = []
      this.#names.each(ownHash(parent), (other) => {
        const encounter = byNumber.get(other)
        // Here a hash is not enough: what is not looked at is never sent.
        if (encounter !== undefined && this.#isNamed(encounter, parent)) found.push(encounter)
      })
      const [only] = found
      return found.length !== 1 || only!.number === number || this.#deleted.has(this.#referenceOf(only!))
        ? undefined
        : only
    }
    const isPart = (encounter: Encounter): boolean => {
      const seen = new Set<Encounter>()
      let top = encounter
      for (let one = parentOf(top); one !== undefined; one = parentOf(top)) {
        // Of versions of one encounter another may be meant.
        if (!this.#isAlone(top.number) || !this.#isAlone(one.number)) return false
        // One of those that are part of each other in a circle is the visit.
        if (seen.has(one)) return false
        seen.add(one)
        top = one
      }
      // What the last of them says may lead back in a circle; only one that says nothing is the end for certain.
      return top !== encounter && top.parent === null
    }
    return this.#encounters
      .filter((encounter) => !isPart(encounter))
      .toSorted(compareEncounters)
  }

  #isNamed(encounter: Encounter, name: string): boolean {
    return encounter.fullUrl === name || this.#referenceOf(encounter) === name
  }

  #referenceOf({ id }: Encounter): string {
    return `${this.#linking.grouping.rootType}/${id}`
  }

  /** No other record has a name of this one. */
  #isAlone(number: number): boolean {
    const last = this.#end(this.#nameStarts, number, this.#names.length)
    let alone = true
    for (let at = this.#nameStarts.at(number); at < last; at++) {
      const name = this.#names.hashAt(at)
      if (isOwn(name)) {
        this.#names.each(name, (other) => {
          if (other !== number) alone = false
        })
      }
    }
    return alone
  }

  /** The encounter that one says it is part of, as it is written; `null` when it says nothing, `""` when it says it in another way. */
  #parentOf(record: SourceRecord): string | null {
    const { constants, fhirPath, grouping: { partOf } } = this.#linking
    const found = partOf === undefined ? [] : evaluatePath(partOf, [fhirPath.elementOf(record)], constants)
    if (isPathFault(found)) return ""
    const [parent, ...others] = found.map(valueOf)
    if (parent === undefined) return null
    if (others.length > 0 || typeof parent !== "object" || parent === null || !("reference" in parent)) return ""
    return typeof parent.reference === "string" ? parent.reference : ""
  }

  typeOf(number: number): string {
    return this.#typesMet.names[this.#kinds.at(number) >>> kindBits]!
  }

  /** Tells each name that a record may be followed to, and its own names. */
  eachFollowed(number: number, tell: (hash: number) => void): void {
    this.#eachFollowedName(number, tell)
    const last = this.#end(this.#nameStarts, number, this.#names.length)
    for (let at = this.#nameStarts.at(number); at < last; at++) {
      const name = this.#names.hashAt(at)
      if (isOwn(name)) tell(name)
    }
  }

  #eachFollowedName(number: number, tell: (hash: number) => void): void {
    if (this.#linking.followed === undefined) {
      const to = this.#end(this.#referenceStarts, number, this.#references.length)
      for (let at = this.#referenceStarts.at(number); at < to; at++) tell(this.#references.hashAt(at))
    } else {
      const to = this.#end(this.#followedStarts, number, this.#followed.length)
      for (let at = this.#followedStarts.at(number); at < to; at++) tell(this.#followed.at(at))
    }
  }

  isEncounter(number: number): boolean {
    return (this.#kinds.at(number) & Kind.encounter) !== 0
  }

  /** Everything a record may lead a mapping to: what it names and, where the mapping goes that way, what names it. */
  eachNeeded(number: number, tell: (number: number) => void): void {
    const kind = this.#kinds.at(number)
    this.#eachFollowedName(number, (hash) => {
      this.#names.each(hash, tell)
    })
    const last = this.#end(this.#nameStarts, number, this.#names.length)
    for (let at = this.#nameStarts.at(number); at < last; at++) {
      const name = this.#names.hashAt(at)
      if (isOwn(name)) this.#names.each(name, tell)
      this.#backwards.each(name, tell)
      if ((kind & Kind.patient) !== 0) {
        this.#ofPatient.each(name, tell)
        this.#timed.each(name, (other) => {
          if (this.isEncounter(other)) tell(other)
        })
      }
      // Which encounter of a patient is nearest to a time depends on all of them, those that are part of another too.
      if ((kind & Kind.encounter) !== 0 && this.#timed.length > 0) {
        this.#references.each(name, (other) => {
          if (this.isEncounter(other)) tell(other)
        })
      }
    }
    if ((kind & Kind.inDocument) !== 0) {
      for (const other of this.#documentOf(number)) {
        if ((this.#kinds.at(other) & Kind.leadsDocument) !== 0) tell(other)
      }
    }
  }

  /** Records that may belong to the visit of a record of it: those that name it, in one way or another. */
  eachBelonging(number: number, tell: (number: number) => void): void {
    const kind = this.#kinds.at(number)
    const last = this.#end(this.#nameStarts, number, this.#names.length)
    for (let at = this.#nameStarts.at(number); at < last; at++) {
      const name = this.#names.hashAt(at)
      this.#references.each(name, tell)
      // What names another version of it may mean this one.
      if (isOwn(name)) this.#names.each(name, tell)
    }
    if ((kind & Kind.leadsDocument) !== 0) this.#documentOf(number).forEach(tell)
    const mayLead = (kind & Kind.reversed) !== 0 && this.#leading.length > 0
    const isTimed = (kind & Kind.encounter) !== 0 && this.#timed.length > 0
    if (!mayLead && !isTimed) return
    const to = this.#end(this.#referenceStarts, number, this.#references.length)
    for (let at = this.#referenceStarts.at(number); at < to; at++) {
      const name = this.#references.hashAt(at)
      if (isTimed) {
        this.#names.each(name, (patient) => {
          this.#eachTimed(patient, tell)
        })
      }
      if (mayLead) {
        this.#leading.each(name, (other) => {
          if (other === number) this.#names.each(name, tell)
        })
      }
    }
  }

  /** Records that name a patient, however, and are placed by its time. */
  #eachTimed(patient: number, tell: (number: number) => void): void {
    const last = this.#end(this.#nameStarts, patient, this.#names.length)
    for (let at = this.#nameStarts.at(patient); at < last; at++) {
      this.#timed.each(this.#names.hashAt(at), (other) => {
        if (!this.isEncounter(other)) tell(other)
      })
    }
  }

  #documentOf(number: number): ReadonlyArray<number> {
    return this.#documents.get(this.#bundles.at(number - this.#firstOfDocument))!
  }

  #end(starts: Growing, number: number, all: number): number {
    return number + 1 < starts.length ? starts.at(number + 1) : all
  }
}

/** An encounter, as much of it as its place in the order depends on. */
export interface Encounter extends NameRank {
  readonly number: number
  /** What it says it is part of; `null` when nothing, `""` when it cannot be read yet. */
  readonly parent: string | null
  readonly patient: string
}

/** The order of visits in a run; `0` where names do not tell. */
export const compareEncounters = (one: Encounter, other: Encounter): number =>
  compareIds(one.patient, other.patient) || compareNameRanks(one, other)

/** What kind of record one is, in bits. */
const Kind = { encounter: 1, inDocument: 2, leadsDocument: 4, patient: 8, reversed: 16 } as const
/** Above them stands the number of the type. */
const kindBits = 5
const kindMask = 31

/** Rows of any table may stand for a patient. */
const mayBePatient = (type: string, rootType: string): boolean =>
  type === "Patient" || type === "Group" || (/^[a-z]/u.test(rootType) && type !== rootType)

/** `medicationReference` is what an expression calls `medication`. */
const isFollowed = (element: string, followed: ReadonlySet<string>): boolean =>
  followed.has(element) || (element.endsWith("Reference") && followed.has(element.slice(0, -"Reference".length)))

const isAt = ([, ...element]: ReadonlyArray<string>, path: ReadonlyArray<string>): boolean =>
  element.length === path.length &&
  element.every((name, at) => name === path[at] || `${name}Reference` === path[at])
