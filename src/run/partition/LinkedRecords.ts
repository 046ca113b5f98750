import type { SourceRecord } from "../../source/records/SourceRecord.ts"
import type { LinksData } from "./FoundLinks.ts"
import { FoundLinks } from "./FoundLinks.ts"
import { growingHashes, growingNumbers } from "./GrowableUint32Array.ts"
import { isSpareType, type Linking } from "./Links.ts"
import type { PlaceLists, RecordLocation } from "./RecordLocations.ts"
import { placeLists } from "./RecordLocations.ts"
import { eachName } from "./referencedNames.ts"
import { Types } from "./Types.ts"

/** Records with their links, in a transferable form. */
export interface LinkedData {
  readonly links: LinksData
  readonly places: PlaceLists
  readonly spare: {
    readonly ends: Uint32Array<ArrayBuffer>
    readonly hashes: Float64Array<ArrayBuffer>
    readonly places: PlaceLists
    readonly types: Uint32Array<ArrayBuffer>
    readonly typeNames: ReadonlyArray<string>
  }
}

/** Some records in files, as they are read: their locations by number, and the names they refer to. */
export class LinkedRecords {
  readonly #links: FoundLinks
  readonly #places: Array<RecordLocation> = []
  readonly #types: ReadonlySet<string> | undefined
  /** Records of types that make no visit. Only their names are kept until a record refers to them. */
  readonly #spare = {
    ends: growingNumbers(),
    hashes: growingHashes(),
    types: growingNumbers(),
    places: [] as Array<RecordLocation>
  }
  readonly #typesMet = new Types()

  constructor(linking: Linking) {
    this.#types = linking.types
    this.#links = new FoundLinks(linking)
  }

  /** Number of records. */
  get size(): number {
    return this.#places.length + this.#spare.places.length
  }

  /** Returns true if records of the type make no visit. */
  isSpare(type: string): boolean {
    return isSpareType(this.#types, type)
  }

  /** Adds the next record. `bundle` is the number of its Bundle, from 1. */
  add(record: SourceRecord, place: RecordLocation, bundle: number): void {
    const type = record.resource.resourceType
    if (this.isSpare(type)) {
      this.addSpare(type, place, (tell) => {
        eachName(record, tell)
      })
    } else this.addNeeded(record, place, bundle)
  }

  /** Adds a record that makes a visit, or that such a record refers to. */
  addNeeded(record: SourceRecord, place: RecordLocation, bundle: number): void {
    this.#places.push(place)
    this.#links.add(record, bundle)
  }

  /** Adds a record that makes no visit, by its names. */
  addSpare(type: string, place: RecordLocation, names: (tell: (hash: number) => void) => void): void {
    const { ends, hashes, places, types } = this.#spare
    types.push(this.#typesMet.numberOf(type))
    places.push(place)
    names((hash) => {
      hashes.push(hash)
    })
    ends.push(hashes.length)
  }

  data(): LinkedData {
    const { ends, hashes, places, types } = this.#spare
    return {
      links: this.#links.data(),
      places: placeLists(this.#places),
      spare: {
        ends: ends.data(),
        hashes: hashes.data(),
        places: placeLists(places),
        types: types.data(),
        typeNames: this.#typesMet.names
      }
    }
  }
}
