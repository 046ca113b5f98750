import { at, numberAt } from "../../at.ts"
import { evaluatePath, isPathFault, valueOf } from "../../fhirpath/FhirPath.ts"
import { readingScope } from "../../mapping/apply/scope/runScope.ts"
import { patientName } from "../../mapping/grouping/patientName.ts"
import { idOf, nameRankOf } from "../../source/records/compareRecords.ts"
import type { SourceRecord } from "../../source/records/SourceRecord.ts"
import { hashName } from "../links/hashName.ts"
import { flagBits, isSpareType, Link, type LinkRules, RecordFlags } from "../links/Links.ts"
import type { EncounterSortKey } from "../links/Roots.ts"
import { linksAt, type TypeLinks, typeLinks } from "../links/TypeLinks.ts"
import { TypeNumbers } from "../links/TypeNumbers.ts"
import type { LocationLists, RecordLocation } from "../records/RecordLocations.ts"
import { locationLists } from "../records/RecordLocations.ts"
import type { ScannedLine } from "./LineScanner.ts"
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

  constructor(linkRules: LinkRules) {
    this.#assigned = linkRules.assigned
    this.#links = new RecordLinks(linkRules)
  }

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

  /** Like `addNeeded`, by the names in the record's line. */
  addScanned(line: ScannedLine, location: RecordLocation): void {
    this.#locations.push(location)
    this.#links.addScanned(line)
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

/** The names of records, and the relation of each name to its record. */
class RecordLinks {
  readonly #linkRules: LinkRules
  readonly #linksOf: (type: string) => TypeLinks
  readonly #kinds: Array<number> = []
  readonly #typeNumbers = new TypeNumbers()
  readonly #ends: Array<number> = []
  readonly #hashes: Array<number> = []
  readonly #links: Array<number> = []
  readonly #encounters: Array<EncounterSortKey> = []
  /** Those of the current record. */
  #ofType: TypeLinks | undefined
  /** The index of its first name. */
  #first = 0
  /** One more than the index of a name, at a place that follows from its hash. Those before `#first` are of earlier records. */
  #places = new Uint32Array(64)

  constructor(linkRules: LinkRules) {
    this.#linkRules = linkRules
    this.#linksOf = typeLinks(linkRules)
  }

  /** Adds the next record. `bundle` is the number of its Bundle, from 1. */
  add(record: SourceRecord, bundle: number): void {
    const { resource } = record
    const type = resource.resourceType
    const ofType = this.#linksOf(type)
    for (const hash of nameHashesOf(record)) this.#link(hash, isOwn(hash) ? Link.own : Link.loose)
    const inDocument = record.bundle !== undefined && this.#linkRules.grouping.bundles.has(record.bundle.type)
    if (inDocument) {
      this.#link(hashName(String(bundle), documentSeed), Link.inDocument | ofType.leads)
    }
    this.#ofType = ofType
    eachReference(resource, this.#refer)
    if (ofType.isEncounter) {
      const patient = patientName(record, this.#linkRules, readingScope)
      this.#encounters.push({
        number: this.#kinds.length,
        ...nameRankOf(record),
        parent: this.#parentOf(record),
        patient
      })
    }
    const isNamed = record.fullUrl !== undefined || idOf(resource) !== undefined
    this.#end(type, ofType.flags | (isNamed ? RecordFlags.named : 0) | (inDocument ? ofType.flagsInDocument : 0))
  }

  /** Adds a record by the names in its line. It is no encounter. */
  addScanned({ hashes, id, identifiers, links, own, type }: ScannedLine): void {
    this.#link(own, Link.own)
    this.#link(id, Link.loose)
    for (const hash of identifiers) this.#link(hash, Link.loose)
    for (let index = 0; index < hashes.length; index++) this.#link(at(hashes, index), at(links, index))
    this.#end(type, this.#linksOf(type).flags | RecordFlags.named)
  }

  /** Adds what was collected of a record. */
  #end(type: string, flags: number): void {
    this.#kinds.push((this.#typeNumbers.numberOf(type) << flagBits) | flags)
    this.#first = this.#hashes.length
    this.#ends.push(this.#first)
  }

  readonly #refer = (hash: number, path: ReadonlyArray<string>): void => {
    if (this.#ofType !== undefined) this.#link(hash, linksAt(this.#ofType, path))
  }

  /** Adds a name of the current record, or further links to it. */
  #link(hash: number, links: number): void {
    const index = this.#indexOf(hash)
    if (index < this.#hashes.length) this.#links[index] = at(this.#links, index) | links
    else {
      this.#hashes.push(hash)
      this.#links.push(links)
    }
  }

  /** Returns the index of a name of the current record: the next one if it is new. */
  #indexOf(hash: number): number {
    const next = this.#hashes.length
    if ((next - this.#first) * 2 >= this.#places.length) {
      this.#places = new Uint32Array(this.#places.length * 2)
      for (let index = this.#first; index < next; index++) this.#place(at(this.#hashes, index), index)
    }
    return this.#place(hash, next)
  }

  /** Returns the index of a name that has a place, or gives it one. */
  #place(hash: number, index: number): number {
    const mask = this.#places.length - 1
    for (let place = hash & mask;; place = (place + 1) & mask) {
      const known = numberAt(this.#places, place) - 1
      if (known < this.#first) {
        this.#places[place] = index + 1
        return index
      }
      if (this.#hashes[known] === hash) return known
    }
  }

  #parentOf(record: SourceRecord): string | null {
    const { constants, fhirPath, grouping: { partOf } } = this.#linkRules
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
