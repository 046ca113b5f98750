import type { OpenFiles } from "../../source/read/OpenFiles.ts"
import type { SourceRecord } from "../../source/records/SourceRecord.ts"
import { Bits } from "./Bits.ts"
import { Buckets } from "./Buckets.ts"
import type { EncounterSortKey } from "./EncounterSortKey.ts"
import type { ReadTexts } from "./findCopies.ts"
import { findCopies } from "./findCopies.ts"
import { hashFrom, highOf, lowOf } from "./hashName.ts"
import { bucketOfName, joinReferences, nameBuckets } from "./joinReferences.ts"
import type { LinkedData } from "./LinkedRecords.ts"
import { LinkedRecords } from "./LinkedRecords.ts"
import type { Linking } from "./Links.ts"
import { isSpareType, Link, RecordFlags, recordFlags } from "./Links.ts"
import type { RecordLocation } from "./RecordLocations.ts"
import { orderOf, RecordLocations } from "./RecordLocations.ts"
import { ownHash } from "./referencedNames.ts"
import { RunLinks } from "./RunLinks.ts"
import { SpillFile } from "./SpillFile.ts"
import { StoredNumbers } from "./StoredNumbers.ts"
import { Types } from "./Types.ts"

/** Records of a run on disk, with the links between them; both are stored on disk. */
export class OnDiskRecords {
  readonly #linking: Linking
  readonly #files: OpenFiles
  readonly #spool: SpillFile
  readonly places: RecordLocations
  readonly #kinds: StoredNumbers
  readonly #types = new Types()
  /** Triples of a hash, a record and its links to the name of that hash. */
  readonly #names: Buckets
  #encounters: Array<EncounterSortKey> = []
  readonly #patients = new Map<string, string>()
  readonly #deleted = new Set<string>()
  /** Records that make no visit. */
  readonly #spare: {
    readonly places: RecordLocations
    readonly types: StoredNumbers
    readonly typesMet: Types
    /** The two halves of a hash, and a spare record. */
    readonly names: Buckets
  }

  constructor(linking: Linking, files: OpenFiles) {
    this.#linking = linking
    this.#files = files
    this.#spool = new SpillFile(files)
    this.places = new RecordLocations(this.#spool)
    this.#kinds = new StoredNumbers(this.#spool)
    this.#names = new Buckets(files, nameBuckets)
    this.#spare = {
      places: new RecordLocations(this.#spool),
      types: new StoredNumbers(this.#spool),
      typesMet: new Types(),
      names: new Buckets(files, nameBuckets)
    }
  }

  /** Adds the next records; their lines are counted from the line after `lines`. */
  append({ links, places, spare }: LinkedData, lines: number): void {
    this.#append({ links, places }, lines, this.#names)
    const { names, places: sparePlaces, types, typesMet } = this.#spare
    eachHash(spare, (hash, at) => {
      const bucket = bucketOfName(hash)
      names.push(bucket, lowOf(hash))
      names.push(bucket, highOf(hash))
      names.push(bucket, types.length + at)
    })
    sparePlaces.append(spare.places, lines)
    const numbers = spare.typeNames.map((name) => typesMet.numberOf(name))
    for (const type of spare.types) types.push(numbers[type]!)
  }

  /** `more` also receives their names. */
  #append(
    { links, places }: Pick<LinkedData, "links" | "places">,
    lines: number,
    ...more: ReadonlyArray<Buckets>
  ): void {
    const first = this.#kinds.length
    this.places.append(places, lines)
    eachHash(links, (hash, at, index) => {
      const bucket = bucketOfName(hash)
      for (const names of more) {
        names.push(bucket, lowOf(hash))
        names.push(bucket, highOf(hash))
        names.push(bucket, first + at)
        names.push(bucket, links.links[index]!)
      }
    })
    const types = links.typeNames.map((name) => this.#types.numberOf(name) << recordFlags)
    for (const kind of links.kinds) this.#kinds.push((kind & kindMask) | types[kind >>> recordFlags]!)
    for (const encounter of links.encounters) {
      const { line, number, patient } = encounter
      // A patient has many encounters: the text is kept once.
      const known = this.#patients.get(patient)
      if (known === undefined) this.#patients.set(patient, patient)
      this.#encounters.push({ ...encounter, number: first + number, line: line + lines, patient: known ?? patient })
    }
  }

  /** Notes that a record may be deleted. */
  addDeletion(reference: string): void {
    this.#deleted.add(reference)
  }

  /**
   * Joins linked records after all records have been read. Spare records take part if others may refer to them, and so do those that these
   * may refer to. `read` returns the record at a location and the number of its Bundle, or nothing if there is no record. `unread` receives
   * the number of records that are in no part, by type: remaining spare ones, and copies. `texts` reads the texts of records.
   */
  finish(
    read: (place: RecordLocation) => { readonly record: SourceRecord; readonly bundle: number } | undefined,
    texts: ReadTexts
  ): {
    readonly links: RunLinks
    readonly unused: ReadonlyMap<string, number>
    readonly copies: ReadonlyMap<string, number>
  } {
    const unused = this.#takeNeeded(read)
    this.#spare.names.close()
    const size = this.#kinds.length
    const names = joinReferences({
      files: this.#files,
      links: this.#names,
      count: size,
      spool: this.#spool,
      isDeleted: isOneOf(this.#deleted)
    })
    this.#names.close()
    const copies = findCopies({
      names,
      count: size,
      isNamed: (record) => (this.#kinds.at(record) & RecordFlags.named) !== 0,
      read: (records, give) => {
        const places = this.places.lists(records)
        const order = orderOf(places)
        if (order === undefined) texts(places, give)
        else {
          texts(this.places.lists(order.map((at) => records[at]!)), (found, index) => {
            give(found, order[index]!)
          })
        }
      }
    })
    const links = new RunLinks({
      names,
      copies,
      kinds: this.#kinds,
      types: this.#types,
      rootType: this.#linking.grouping.rootType,
      encounters: this.#encounters,
      deleted: this.#deleted
    })
    this.#encounters = []
    this.#patients.clear()
    const byType = new Map<string, number>()
    for (let record = 0; record < size; record++) {
      if (!copies.has(record)) continue
      addTo(unused, links.typeOf(record))
      if (!isSpareType(this.#linking.types, links.typeOf(record))) addTo(byType, links.typeOf(record))
    }
    return { links, unused, copies: byType }
  }

  #takeNeeded(
    read: (place: RecordLocation) => { readonly record: SourceRecord; readonly bundle: number } | undefined
  ): Map<string, number> {
    const { names, places, types, typesMet } = this.#spare
    const taken = new Bits(types.length)
    for (let asking = this.#names; types.length > 0;) {
      const needed = spareOf(asking, names, taken)
      if (asking !== this.#names) asking.close()
      if (needed.length === 0) break
      // Only the targets of these can be required beyond them.
      asking = new Buckets(this.#files, nameBuckets)
      for (let from = 0; from < needed.length; from += batchSize) {
        const batch = new LinkedRecords(this.#linking)
        for (const spare of needed.subarray(from, from + batchSize)) {
          const place = places.at(spare)
          const found = read(place)
          if (found !== undefined) batch.addNeeded(found.record, place, found.bundle)
        }
        this.#append(batch.data(), 0, this.#names, asking)
      }
    }
    const left = new Map<string, number>()
    for (let spare = 0; spare < types.length; spare++) {
      if (!taken.has(spare)) addTo(left, typesMet.names[types.at(spare)]!)
    }
    return left
  }
}

const addTo = (counts: Map<string, number>, type: string): void => {
  counts.set(type, (counts.get(type) ?? 0) + 1)
}

const isOneOf = (names: ReadonlySet<string>): (hash: number) => boolean => {
  const hashes = new Set([...names].map(ownHash))
  return (hash) => hashes.has(hash)
}

/** Records per batch that is added at once. */
export const batchSize = 1024

const kindMask = RecordFlags.encounter | RecordFlags.patient | RecordFlags.named

/** Iterates over each hash, the number of the record that has it, and its own number. */
const eachHash = (
  { ends, hashes }: { readonly ends: Uint32Array; readonly hashes: Float64Array },
  tell: (hash: number, at: number, index: number) => void
): void => {
  let index = 0
  for (let at = 0; at < ends.length; at++) {
    for (; index < ends[at]!; index++) tell(hashes[index]!, at, index)
  }
}

/** Takes the spare records that others may refer to and that have not been taken, in order. */
const spareOf = (asking: Buckets, spare: Buckets, taken: Bits): Uint32Array => {
  const found: Array<number> = []
  for (let bucket = 0; bucket < nameBuckets; bucket++) {
    const pairs = spare.read(bucket)
    if (pairs.length === 0) continue
    const requested = new Set<number>()
    const links = asking.read(bucket)
    for (let at = 0; at < links.length; at += 4) {
      if ((links[at + 3]! & (Link.followed | Link.own)) !== 0) requested.add(hashFrom(links[at]!, links[at + 1]!))
    }
    for (let at = 0; at < pairs.length; at += 3) {
      const record = pairs[at + 2]!
      if (!requested.has(hashFrom(pairs[at]!, pairs[at + 1]!)) || taken.has(record)) continue
      taken.add(record)
      found.push(record)
    }
  }
  return Uint32Array.from(found).sort()
}
