import { evaluatePath, isPathFault, valueOf } from "../../fhirpath/FhirPath.ts"
import { readingScope } from "../../mapping/apply/runScope.ts"
import type { GroupingPlan } from "../../mapping/grouping/GroupingPlan.ts"
import { patientName } from "../../mapping/grouping/patientName.ts"
import { getOrMake } from "../../maps.ts"
import { idOf, nameRankOf } from "../../source/records/compareRecords.ts"
import type { SourceRecord } from "../../source/records/SourceRecord.ts"
import { isFollowed } from "../links/followedElements.ts"
import { hashName } from "../links/hashName.ts"
import { flagBits, isSpareType, Link, type Linking, RecordFlags } from "../links/Links.ts"
import type { EncounterSortKey } from "../links/Roots.ts"
import { TypeNumbers } from "../links/TypeNumbers.ts"
import type { LocationLists, RecordLocation } from "../records/RecordLocations.ts"
import { locationLists } from "../records/RecordLocations.ts"
import { eachReference, isOwn, nameHashesOf } from "./referencedNames.ts"

/** The links of some records, in a transferable form. */
interface LinksData {
  /** For each record: bits of `RecordFlags`, and above them the number of its type. */
  readonly kinds: Uint32Array<ArrayBuffer>
  readonly typeNames: ReadonlyArray<string>
  /** The end index of each record's names among all names. */
  readonly ends: Uint32Array<ArrayBuffer>
  readonly hashes: Float64Array<ArrayBuffer>
  /** For each hash: bits of `Link`. */
  readonly links: Uint32Array<ArrayBuffer>
  readonly encounters: ReadonlyArray<EncounterSortKey>
}

/** Records with their links, in a transferable form. */
export interface LinkedData {
  readonly links: LinksData
  readonly locations: LocationLists
  readonly spare: {
    readonly ends: Uint32Array<ArrayBuffer>
    readonly hashes: Float64Array<ArrayBuffer>
    readonly locations: LocationLists
    readonly types: Uint32Array<ArrayBuffer>
    readonly typeNames: ReadonlyArray<string>
  }
}

/**
 * Some records as they are read: their locations, and the names that they have and refer to. Names are kept as hashes. Records are
 * numbered in the order in which they were added.
 */
export class LinkedRecords {
  readonly #links: RecordLinks
  readonly #locations: Array<RecordLocation> = []
  readonly #assigned: ReadonlySet<string> | undefined
  /** Records of types that make no visit. Only their names are kept until a record refers to them. */
  readonly #spare: {
    readonly ends: Array<number>
    readonly hashes: Array<number>
    readonly types: Array<number>
    readonly typeNumbers: TypeNumbers
    readonly locations: Array<RecordLocation>
  } = { ends: [], hashes: [], types: [], typeNumbers: new TypeNumbers(), locations: [] }

  constructor(linking: Linking) {
    this.#assigned = linking.assigned
    this.#links = new RecordLinks(linking)
  }

  /** Number of records. */
  get size(): number {
    return this.#locations.length + this.#spare.locations.length
  }

  /** Returns true if records of the type make no visit. */
  isSpare(type: string): boolean {
    return isSpareType(this.#assigned, type)
  }

  /** Adds the next record. `bundle` is the number of its Bundle, from 1. */
  add(record: SourceRecord, location: RecordLocation, bundle: number): void {
    const type = record.resource.resourceType
    if (this.isSpare(type)) this.addSpare(type, location, nameHashesOf(record))
    else this.addNeeded(record, location, bundle)
  }

  /** Adds a record that makes a visit, or that such a record refers to. */
  addNeeded(record: SourceRecord, location: RecordLocation, bundle: number): void {
    this.#locations.push(location)
    this.#links.add(record, bundle)
  }

  /** Adds a record that makes no visit, by the hashes of its names. */
  addSpare(type: string, location: RecordLocation, names: ReadonlyArray<number>): void {
    const { ends, hashes, locations, typeNumbers, types } = this.#spare
    types.push(typeNumbers.numberOf(type))
    locations.push(location)
    for (const hash of names) hashes.push(hash)
    ends.push(hashes.length)
  }

  data(): LinkedData {
    const { ends, hashes, locations, typeNumbers, types } = this.#spare
    return {
      links: this.#links.data(),
      locations: locationLists(this.#locations),
      spare: {
        ends: Uint32Array.from(ends),
        hashes: Float64Array.from(hashes),
        locations: locationLists(locations),
        types: Uint32Array.from(types),
        typeNames: typeNumbers.names
      }
    }
  }
}

/** The seed for the hashes of documents. */
const documentSeed = 3

/** An element that is followed backwards. */
interface BackwardElement {
  /** The names on its path. */
  readonly path: ReadonlyArray<string>
  /** Bits of `Link`. */
  readonly links: number
}

/** What follows for the links of a record from its type. */
interface TypeLinks {
  readonly isEncounter: boolean
  /** Bits of `RecordFlags`, and above them the number of the type. */
  readonly kind: number
  /** Bits of `Link` for its document, if it has one. */
  readonly leads: number
  /** Bits of `Link` for every name that it refers to. */
  readonly always: number
  /** Names of elements; References under others are not followed. `undefined`: any may be. */
  readonly followed: ReadonlySet<string> | undefined
  readonly backwards: ReadonlyArray<BackwardElement>
}

/** The names of records, and the relation of each name to its record. */
class RecordLinks {
  readonly #linking: Linking
  readonly #kinds: Array<number> = []
  readonly #typeNumbers = new TypeNumbers()
  readonly #ends: Array<number> = []
  readonly #hashes: Array<number> = []
  readonly #links: Array<number> = []
  readonly #encounters: Array<EncounterSortKey> = []
  /** The elements that are followed backwards, by type. */
  readonly #backwards: ReadonlyMap<string, ReadonlyArray<BackwardElement>>
  readonly #ofTypes = new Map<string, TypeLinks>()
  /** Those of the current record. */
  #ofType: TypeLinks | undefined
  /** The hashes of the current record's names, and bits of `Link` for each. */
  readonly #names = new Map<number, number>()

  constructor(linking: Linking) {
    this.#linking = linking
    const backwards = Array.from(linking.backwards, (written) => {
      const [type = "", ...path] = written.split(".")
      const leading = linking.backwardsToVisit.has(written) ? Link.leading : 0
      return { type, path, links: Link.backwards | leading }
    })
    this.#backwards = Map.groupBy(backwards, ({ type }) => type)
  }

  /** Adds the next record. `bundle` is the number of its Bundle, from 1. */
  add(record: SourceRecord, bundle: number): void {
    const { resource } = record
    const ofType = getOrMake(this.#ofTypes, resource.resourceType, () => this.#linksOf(resource.resourceType))
    const { isEncounter, kind, leads } = ofType
    const number = this.#kinds.length
    this.#kinds.push(kind | (record.fullUrl === undefined && idOf(resource) === undefined ? 0 : RecordFlags.named))
    for (const hash of nameHashesOf(record)) this.#link(hash, isOwn(hash) ? Link.own : Link.loose)
    if (record.bundle !== undefined && this.#linking.grouping.bundles.has(record.bundle.type)) {
      this.#link(hashName(String(bundle), documentSeed), Link.inDocument | leads)
    }
    this.#ofType = ofType
    eachReference(resource, this.#refer)
    for (const [hash, links] of this.#names) {
      this.#hashes.push(hash)
      this.#links.push(links)
    }
    this.#names.clear()
    this.#ends.push(this.#hashes.length)
    if (isEncounter) {
      const patient = patientName(record, this.#linking, readingScope)
      this.#encounters.push({ number, ...nameRankOf(record), parent: this.#parentOf(record), patient })
    }
  }

  #linksOf(type: string): TypeLinks {
    const { followed, grouping } = this.#linking
    const { patientScope, rootType, windows } = grouping
    const isEncounter = type === rootType
    return {
      isEncounter,
      kind: (this.#typeNumbers.numberOf(type) << flagBits) | (isEncounter ? RecordFlags.encounter : 0) |
        (mayBePatient(type, grouping) ? RecordFlags.patient : 0),
      leads: isEncounter || type === "Composition" ? Link.leads : 0,
      always: Link.refers | (patientScope.has(type) ? Link.ofPatient : 0) |
        (windows.size === 0 ? 0 : isEncounter ? Link.timedEncounter : windows.has(type) ? Link.timed : 0),
      // A row of a table has columns, and not elements.
      followed: /^[A-Z]/u.test(type) ? followed : undefined,
      backwards: this.#backwards.get(type) ?? []
    }
  }

  readonly #refer = (hash: number, path: ReadonlyArray<string>): void => {
    if (this.#ofType === undefined) return
    const { always, backwards, followed } = this.#ofType
    const element = path.at(-1)
    const follows = element === undefined || isFollowed(element, followed) ? Link.followed : 0
    const backward = backwards.find((one) => isAt(one.path, path))
    this.#link(hash, always | follows | (backward === undefined ? 0 : backward.links))
  }

  #link(hash: number, links: number): void {
    const known = this.#names.get(hash)
    if (known === undefined) this.#names.set(hash, links)
    else if ((known | links) !== known) this.#names.set(hash, known | links)
  }

  #parentOf(record: SourceRecord): string | null {
    const { constants, fhirPath, grouping: { partOf } } = this.#linking
    const found = partOf === undefined
      ? []
      : evaluatePath(partOf, [fhirPath.elementOf(record)], constants, readingScope)
    if (isPathFault(found)) return ""
    const [parent, ...others] = found.map(valueOf)
    if (parent === undefined) return null
    if (others.length > 0 || typeof parent !== "object" || parent === null || !("reference" in parent)) return ""
    return typeof parent.reference === "string" ? parent.reference : ""
  }

  data(): LinksData {
    return {
      kinds: Uint32Array.from(this.#kinds),
      typeNames: this.#typeNumbers.names,
      ends: Uint32Array.from(this.#ends),
      hashes: Float64Array.from(this.#hashes),
      links: Uint32Array.from(this.#links),
      encounters: this.#encounters
    }
  }
}

/** If visits are rows of a table, so are their patients, unless the mapping's path may lead to other records. */
const mayBePatient = (type: string, { patientTables, rootType }: GroupingPlan): boolean =>
  type === "Patient" || type === "Group" ||
  (/^[a-z]/u.test(rootType) && type !== rootType && patientTables?.has(type) !== false)

const isAt = (elements: ReadonlyArray<string>, path: ReadonlyArray<string>): boolean =>
  elements.length === path.length &&
  elements.every((name, index) => name === path[index] || `${name}Reference` === path[index])
