import type { SourceRecord } from "../source/SourceRecord.ts"
import { Growing } from "./Growing.ts"
import { eachName } from "./namesOf.ts"
import type { NamePairs } from "./NameTable.ts"
import { NameTable } from "./NameTable.ts"
import type { Place, PlaceLists } from "./Places.ts"
import { comparePlaces, Places } from "./Places.ts"
import type { Linking, LinksData } from "./RunLinks.ts"
import { RunLinks } from "./RunLinks.ts"
import { Types } from "./Types.ts"

/** Linked records of an input file, to be handed on. */
export interface LinkedData {
  readonly links: LinksData
  readonly places: PlaceLists
  readonly spare: {
    readonly names: NamePairs
    readonly places: PlaceLists
    readonly types: Uint32Array<ArrayBuffer>
    readonly typeNames: ReadonlyArray<string>
  }
}

/** Records that stand on disk: by their numbers where they stand, and who names whom. */
export class LinkedRecords {
  readonly links: RunLinks
  readonly places = new Places()
  readonly #types: ReadonlySet<string> | undefined
  /** Records of types that make no visit: only their names are known as long as nobody refers to them. */
  readonly #spare = new NameTable()
  readonly #sparePlaces = new Places()
  readonly #spareTypes = new Growing()
  readonly #typesMet = new Types()

  constructor(linking: Linking) {
    this.#types = linking.types
    this.links = new RunLinks(linking)
  }

  /** Records of the type make no visit. */
  isSpare(type: string): boolean {
    return this.#types !== undefined && !this.#types.has(type) && /^[A-Z]/u.test(type)
  }

  /** Takes the next record. `bundle` is the number of its Bundle, from 1. */
  add(record: SourceRecord, place: Place, bundle: number): void {
    const type = record.resource.resourceType
    if (this.isSpare(type)) {
      this.addSpare(type, place, (tell) => {
        eachName(record, tell)
      })
    } else {
      this.places.push(place)
      this.links.add(record, bundle)
    }
  }

  /** Takes a record that makes no visit, by its names. */
  addSpare(type: string, place: Place, names: (tell: (hash: number) => void) => void): void {
    const number = this.#spareTypes.length
    this.#spareTypes.push(this.#typesMet.numberOf(type))
    this.#sparePlaces.push(place)
    names((hash) => {
      this.#spare.add(hash, number)
    })
  }

  data(): LinkedData {
    return {
      links: this.links.data(),
      places: this.places.data(),
      spare: {
        names: this.#spare.data(),
        places: this.#sparePlaces.data(),
        types: this.#spareTypes.data(),
        typeNames: this.#typesMet.names
      }
    }
  }

  /** Takes the next records; their lines are counted from the one behind `lines`. */
  append({ links, places, spare }: LinkedData, lines: number): void {
    this.places.append(places, lines)
    this.links.append(links, lines)
    this.#spare.append(spare.names, this.#spareTypes.length)
    this.#sparePlaces.append(spare.places, lines)
    const types = spare.typeNames.map((name) => this.#typesMet.numberOf(name))
    this.#spareTypes.append(spare.types.map((type) => types[type]!))
  }

  /**
   * Takes the spare records that others may lead to, and those that these may lead to. `read` gives the record at a place and the number of its
   * Bundle, or nothing where there turns out to be none. Gives how many spare records are left, by type.
   */
  takeNeeded(
    read: (place: Place) => { readonly record: SourceRecord; readonly bundle: number } | undefined
  ): ReadonlyMap<string, number> {
    const taken = new Set<number>()
    for (let number = 0; this.#spareTypes.length > 0 && number < this.links.size; number++) {
      const needed: Array<number> = []
      this.links.eachFollowed(number, (hash) => {
        this.#spare.each(hash, (spare) => {
          if (taken.has(spare)) return
          taken.add(spare)
          needed.push(spare)
        })
      })
      for (const place of needed.map((spare) => this.#sparePlaces.at(spare)).toSorted(comparePlaces)) {
        const found = read(place)
        if (found === undefined) continue
        this.places.push(place)
        this.links.add(found.record, found.bundle)
      }
    }
    const left = new Map<string, number>()
    for (let spare = 0; spare < this.#spareTypes.length; spare++) {
      if (taken.has(spare)) continue
      const type = this.#typesMet.names[this.#spareTypes.at(spare)]!
      left.set(type, (left.get(type) ?? 0) + 1)
    }
    return left
  }
}
