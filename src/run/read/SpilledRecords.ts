import { at, numberAt } from "../../at.ts"
import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import { increment } from "../../maps.ts"
import type { LineFile } from "../../source/read/LineFile.ts"
import type { OpenFiles } from "../../source/read/OpenFiles.ts"
import type { Deletion, Written } from "../../source/read/ReadItem.ts"
import type { SourceRecord } from "../../source/records/SourceRecord.ts"
import { findCopies } from "../links/findCopies.ts"
import { hashFrom, highOf, lowOf } from "../links/hashName.ts"
import { bucketOfName, joinReferences, nameBuckets } from "../links/joinReferences.ts"
import type { LinkRules } from "../links/Links.ts"
import { flagBits, isSpareType, Link, RecordFlags } from "../links/Links.ts"
import type { EncounterSortKey } from "../links/Roots.ts"
import { RunLinks } from "../links/RunLinks.ts"
import { TypeNumbers } from "../links/TypeNumbers.ts"
import { Bits } from "../records/Bits.ts"
import { Buckets } from "../records/Buckets.ts"
import { LocatedRecords, type RecordSources } from "../records/LocatedRecords.ts"
import type { LocationLists } from "../records/RecordLocations.ts"
import { eachLocation, lineOf, mustBeScanned, orderOf, RecordLocations } from "../records/RecordLocations.ts"
import { headOfLine, RepeatedValueCollector, writeRecord } from "../records/recordText.ts"
import { SpillFile } from "../records/SpillFile.ts"
import { StoredNumbers } from "../records/StoredNumbers.ts"
import { type LinkedData, LinkedRecords } from "./LinkedRecords.ts"
import type { Chunk } from "./readChunk.ts"
import { ownHash } from "./referencedNames.ts"

/** The records of a run on disk, by number, after all have been read. */
export interface SpillIndex {
  readonly links: RunLinks
  readonly locations: RecordLocations
  readonly from: RecordSources
  readonly deletions: ReadonlyArray<Deletion>
  /** Records that are in no partition, by type: those that no line can read, which have no number, and copies of others. */
  readonly unused: ReadonlyMap<string, number>
  /** Of those, the copies of types that lines read. */
  readonly copies: ReadonlyMap<string, number>
  /** Lines that looked like such a record by their first bytes, and contain none. */
  readonly notRecords: ReadonlyArray<Diagnostic>
}

/** Records per batch that is added at once. */
const batchSize = 1024

/**
 * The records of a run, their locations and their links, on disk. Records of chunks stay in their input files; all others are written to a
 * spill file. Memory holds a few bits for each record, and the names of encounters.
 */
export class SpilledRecords {
  readonly #linkRules: LinkRules
  readonly #files: ReadonlyArray<LineFile>
  readonly #open: OpenFiles
  /** The texts of records that are not read from their input file. */
  readonly #texts: SpillFile
  readonly #values = new RepeatedValueCollector()
  /** Records in the spill file that are not yet added to the others. */
  #batch: LinkedRecords

  readonly #numbers: SpillFile
  readonly #locations: RecordLocations
  /** For each record: bits of `RecordFlags`, and above them the number of its type. */
  readonly #kinds: StoredNumbers
  readonly #types = new TypeNumbers()
  /** The two halves of a hash, a record, and its links to the name of that hash. */
  readonly #names: Buckets
  #encounters: Array<EncounterSortKey> = []
  /** A patient has many encounters: the text of its name is kept once. */
  readonly #patients = new Map<string, string>()
  /** Records that make no visit. */
  readonly #spare: {
    readonly locations: RecordLocations
    readonly kinds: StoredNumbers
    readonly types: TypeNumbers
    /** The two halves of a hash, and a spare record. */
    readonly names: Buckets
  }

  /** `files` are the inputs that are read in chunks. */
  constructor(linkRules: LinkRules, files: ReadonlyArray<LineFile>, open: OpenFiles) {
    this.#linkRules = linkRules
    this.#files = files
    this.#open = open
    this.#texts = new SpillFile(open)
    this.#batch = new LinkedRecords(linkRules)
    this.#numbers = new SpillFile(open)
    this.#locations = new RecordLocations(this.#numbers)
    this.#kinds = new StoredNumbers(this.#numbers)
    this.#names = new Buckets(open, nameBuckets)
    this.#spare = {
      locations: new RecordLocations(this.#numbers),
      kinds: new StoredNumbers(this.#numbers),
      types: new TypeNumbers(),
      names: new Buckets(open, nameBuckets)
    }
  }

  /** Adds a record, and writes it to the spill file. */
  add(record: SourceRecord, written?: Written): void {
    const offset = this.#texts.length
    writeRecord(record, written, this.#values, (piece) => this.#texts.append(piece))
    const location = { source: 0, offset, length: this.#texts.length - offset, mark: 0 }
    this.#batch.add(record, location, this.#values.bundle(record.bundle))
    if (this.#batch.size === batchSize) this.#addBatch()
  }

  /** Adds the records of a file that was read in chunks. */
  addFile(name: string, chunks: ReadonlyArray<Chunk>): void {
    this.#addBatch()
    const file = this.#values.file(name)
    let lines = 0
    for (const { lines: count, records, rewritten } of chunks) {
      if (rewritten.length > 0) {
        for (const locations of [records.locations, records.spare.locations]) {
          this.#spill(file, locations, rewritten, lines)
        }
      }
      this.#add(records, lines)
      lines += count
    }
  }

  /** Writes the rewritten records of a chunk that begins after `lines` to the spill file, and changes their locations. */
  #spill(file: number, locations: LocationLists, texts: Uint8Array, lines: number): void {
    for (const [index, { length, mark, offset, source }] of [...eachLocation(locations)].entries()) {
      if (source !== 0) continue
      locations.offsets[index] = this.#texts.length
      this.#texts.append(headOfLine(file, lines + lineOf(mark), mustBeScanned(mark)))
      this.#texts.append(texts.subarray(offset, offset + length))
      locations.lengths[index] = this.#texts.length - at(locations.offsets, index)
    }
  }

  #addBatch(): void {
    if (this.#batch.size === 0) return
    this.#add(this.#batch.data(), 0)
    this.#batch = new LinkedRecords(this.#linkRules)
  }

  /** Adds the next records; their lines are counted from the line after `lines`. */
  #add(read: LinkedData, lines: number): void {
    this.#addNeeded(read, lines)
    const { spare } = read
    const { kinds, locations, names, types } = this.#spare
    for (let record = 0, index = 0; record < spare.ends.length; record++) {
      for (const end = numberAt(spare.ends, record); index < end; index++) {
        const hash = at(spare.hashes, index)
        names.push(bucketOfName(hash), lowOf(hash), highOf(hash), kinds.length + record)
      }
    }
    locations.append(spare.locations, lines)
    const numbers = spare.typeNames.map((name) => types.numberOf(name))
    for (const type of spare.types) kinds.push(at(numbers, type))
  }

  /** Adds records that make visits, or that such a record refers to. */
  #addNeeded({ links, locations }: LinkedData, lines: number): void {
    const first = this.#kinds.length
    this.#locations.append(locations, lines)
    addNames(links, first, this.#names)
    const types = links.typeNames.map((name) => this.#types.numberOf(name) << flagBits)
    for (const kind of links.kinds) this.#kinds.push((kind & flagMask) | at(types, kind >>> flagBits))
    for (const encounter of links.encounters) {
      const { line, number, patient: name } = encounter
      const patient = this.#patients.get(name) ?? name
      this.#patients.set(name, patient)
      this.#encounters.push({ ...encounter, number: first + number, line: line + lines, patient })
    }
  }

  /** Joins the links of the records after all have been read. */
  finish(deletions: ReadonlyArray<Deletion>): SpillIndex {
    this.#addBatch()
    this.#texts.flush()
    const from: RecordSources = {
      sources: [
        { _tag: "Entries", bytes: this.#texts.descriptor },
        ...this.#files.map(({ facts }) => ({ _tag: "Lines", file: facts }) as const)
      ],
      values: this.#values
    }
    const reader = new LocatedRecords(from)
    const { notRecords, unused } = this.#addNeededSpares(reader)
    const deleted = new Set(deletions.map(({ reference }) => reference))
    const deletedHashes = new Set(Array.from(deleted, ownHash))
    const count = this.#kinds.length
    const names = joinReferences({
      files: this.#open,
      links: this.#names,
      count,
      spill: this.#numbers,
      isDeleted: (hash) => deletedHashes.has(hash)
    })
    this.#names.close()
    const duplicates = findCopies({
      names,
      count,
      isNamed: (record) => (this.#kinds.at(record) & RecordFlags.named) !== 0,
      isOfDocument: (record) => (this.#kinds.at(record) & RecordFlags.ofDocument) !== 0,
      read: (records, onText) => {
        const order = orderOf(this.#locations.lists(records)) ?? Uint32Array.from(records.keys())
        reader.readTexts(this.#locations.lists(order.map((index) => at(records, index))), (text, index) => {
          onText(text, at(order, index))
        })
      }
    })
    const links = new RunLinks({
      names,
      copies: duplicates,
      kinds: this.#kinds,
      types: this.#types,
      rootType: this.#linkRules.grouping.rootType,
      encounters: this.#encounters,
      deleted
    })
    this.#encounters = []
    this.#patients.clear()
    const copies = new Map<string, number>()
    for (let record = 0; record < count; record++) {
      if (!duplicates.has(record)) continue
      const type = links.typeOf(record)
      increment(unused, type)
      if (!isSpareType(this.#linkRules.read, type)) increment(copies, type)
    }
    return { links, locations: this.#locations, from, deletions, unused, copies, notRecords }
  }

  /**
   * Adds the spare records that others may refer to, and those that these may refer to. Returns the number of the remaining ones by type,
   * and the lines that contain no record although they looked like one.
   */
  #addNeededSpares(
    reader: LocatedRecords
  ): { readonly unused: Map<string, number>; readonly notRecords: ReadonlyArray<Diagnostic> } {
    const { kinds, locations, names, types } = this.#spare
    const added = new Bits(kinds.length)
    const notRecords: Array<Diagnostic> = []
    for (let referring = this.#names; kinds.length > 0;) {
      const needed = referencedSpares(referring, names, added)
      if (referring !== this.#names) referring.close()
      if (needed.length === 0) break
      // Only the targets of these can be required beyond them.
      referring = new Buckets(this.#open, nameBuckets)
      for (let from = 0; from < needed.length; from += batchSize) {
        const batch = new LinkedRecords(this.#linkRules)
        for (const spare of needed.subarray(from, from + batchSize)) {
          const location = locations.at(spare)
          const record = reader.readOne(location)
          if ("resource" in record) batch.addNeeded(record, location, this.#values.bundle(record.bundle))
          else notRecords.push(record)
        }
        const data = batch.data()
        addNames(data.links, this.#kinds.length, referring)
        this.#addNeeded(data, 0)
      }
    }
    names.close()
    const unused = new Map<string, number>()
    for (let spare = 0; spare < kinds.length; spare++) {
      if (!added.has(spare)) increment(unused, at(types.names, kinds.at(spare)))
    }
    return { unused, notRecords }
  }
}

const flagMask = RecordFlags.encounter | RecordFlags.patient | RecordFlags.named | RecordFlags.ofDocument

/** Adds the names of records that are numbered from `first`. As a function of its own, V8 compiles this loop sooner and less often. */
const addNames = ({ ends, hashes, links }: LinkedData["links"], first: number, names: Buckets): void => {
  for (let record = 0, index = 0; record < ends.length; record++) {
    for (const end = numberAt(ends, record); index < end; index++) {
      const hash = at(hashes, index)
      names.push(bucketOfName(hash), lowOf(hash), highOf(hash), first + record, numberAt(links, index))
    }
  }
}

/** Returns the spare records that others may refer to and that have not been added, in order, and notes them as added. */
const referencedSpares = (referring: Buckets, spare: Buckets, added: Bits): Uint32Array => {
  const found: Array<number> = []
  for (let bucket = 0; bucket < nameBuckets; bucket++) {
    const names = spare.read(bucket)
    if (names.length === 0) continue
    const referenced = new Set<number>()
    const links = referring.read(bucket)
    for (let first = 0; first < links.length; first += 4) {
      if ((numberAt(links, first + 3) & (Link.followed | Link.own)) === 0) continue
      referenced.add(hashFrom(numberAt(links, first), numberAt(links, first + 1)))
    }
    for (let first = 0; first < names.length; first += 3) {
      const record = numberAt(names, first + 2)
      if (!referenced.has(hashFrom(numberAt(names, first), numberAt(names, first + 1))) || added.has(record)) continue
      added.add(record)
      found.push(record)
    }
  }
  return Uint32Array.from(found).sort()
}
