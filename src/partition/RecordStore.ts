import type { Deletion, ReadItem } from "../source/Reading.ts"
import type { RecordIndex } from "../source/RecordIndex.ts"
import { RecordCollector } from "../source/RecordIndex.ts"
import type { SourceRecord } from "../source/SourceRecord.ts"
import { Growing } from "./Growing.ts"
import { eachName } from "./namesOf.ts"
import { NameTable } from "./NameTable.ts"
import type { Commons } from "./recordText.ts"
import { CommonsCollector, recordReader, writeRecord } from "./recordText.ts"
import type { Linking } from "./RunLinks.ts"
import { RunLinks } from "./RunLinks.ts"
import { readEntries, Spool } from "./Spool.ts"

/** The records of a run when all have been read. */
export type Stored =
  /** In memory, as there are few. */
  | { readonly _tag: "Held"; readonly index: RecordIndex }
  /** Put aside on disk; who names whom is in memory. */
  | { readonly _tag: "PutAside"; readonly records: PutAside }

/** Records that were put aside, by their numbers. */
export interface PutAside {
  readonly links: RunLinks
  readonly commons: Commons
  /** The file they are in, which is there as long as somebody holds this. */
  readonly spool: Spool
  readonly placeOf: (record: number) => { readonly offset: number; readonly length: number }
  readonly deletions: ReadonlyArray<Deletion>
  /** Records that no line can read, by type. They have no number. */
  readonly unread: ReadonlyMap<string, number>
}

/** What the records of an input take that do not come with their text, about. */
const usualBytes = { entry: 1_500, cell: 24 }

/**
 * Takes the records of a run as they are read. They are held in memory until they come to `heldBytes`, and from then on put aside on disk,
 * those that were held first.
 */
export class RecordStore {
  readonly #linking: Linking | undefined
  readonly #heldBytes: number
  readonly #beginPuttingAside: () => void
  #held: Array<ReadItem & { readonly _tag: "Record" | "Deletion" }> = []
  #bytes = 0
  #aside: Aside | undefined

  /** Without `linking` everything is held. `beginPuttingAside` is told when the first records are put aside. */
  constructor(options: {
    readonly linking: Linking | undefined
    readonly heldBytes: number
    readonly beginPuttingAside: () => void
  }) {
    this.#linking = options.linking
    this.#heldBytes = options.heldBytes
    this.#beginPuttingAside = options.beginPuttingAside
  }

  /** Takes records and deletions; problems are for the caller. */
  add(item: ReadItem): void {
    if (item._tag !== "Record" && item._tag !== "Deletion") return
    if (this.#aside !== undefined) return this.#aside.add(item)
    if (item._tag === "Deletion") {
      this.#held.push(item)
      return
    }
    const { record, written } = item
    this.#held.push({ _tag: "Record", record })
    this.#bytes += written?.bytes.length ?? usualSize(record)
    if (this.#bytes <= this.#heldBytes || this.#linking === undefined) return
    this.#aside = new Aside(this.#linking)
    for (const one of this.#held) this.#aside.add(one)
    this.#held = []
    this.#beginPuttingAside()
  }

  finish(): Stored {
    if (this.#aside !== undefined) return { _tag: "PutAside", records: this.#aside.finish() }
    const collector = new RecordCollector()
    for (const item of this.#held) collector.add(item)
    return { _tag: "Held", index: collector.index() }
  }
}

const usualSize = ({ resource, row }: SourceRecord): number =>
  row === undefined ? usualBytes.entry : usualBytes.cell * Object.keys(resource).length

/** Places of records in a spool, as many as come. */
class Places {
  #offsets = new Float64Array(1024)
  readonly #lengths = new Growing()

  push(offset: number, length: number): void {
    const number = this.#lengths.length
    if (number === this.#offsets.length) {
      const larger = new Float64Array(number + (number >> 1))
      larger.set(this.#offsets)
      this.#offsets = larger
    }
    this.#offsets[number] = offset
    this.#lengths.push(length)
  }

  at(number: number): { readonly offset: number; readonly length: number } {
    return { offset: this.#offsets[number]!, length: this.#lengths.at(number) }
  }
}

class Aside {
  readonly #types: ReadonlySet<string> | undefined
  readonly #links: RunLinks
  readonly #spool = new Spool()
  readonly #commons = new CommonsCollector()
  readonly #deletions: Array<Deletion> = []
  readonly #places = new Places()
  /** Records of types that make no visit: only their names are known as long as nobody refers to them. */
  readonly #spare = new NameTable()
  readonly #sparePlaces = new Places()
  readonly #spareTypes: Array<string> = []

  constructor(linking: Linking) {
    this.#types = linking.types
    this.#links = new RunLinks(linking)
  }

  add(item: ReadItem): void {
    if (item._tag === "Deletion") {
      this.#deletions.push(item.deletion)
      this.#links.addDeletion(item.deletion.reference)
    }
    if (item._tag !== "Record") return
    const { record, written } = item
    const offset = this.#spool.length
    writeRecord(record, written, this.#commons, this.#append)
    const length = this.#spool.length - offset
    const type = record.resource.resourceType
    if (this.#types === undefined || this.#types.has(type) || !/^[A-Z]/u.test(type)) {
      this.#places.push(offset, length)
      this.#links.add(record, this.#commons.bundle(record.bundle))
      return
    }
    const number = this.#spareTypes.push(type) - 1
    this.#sparePlaces.push(offset, length)
    eachName(record, (hash) => {
      this.#spare.add(hash, number)
    })
  }

  readonly #append = (piece: string | Uint8Array): void => {
    this.#spool.append(piece)
  }

  /** Takes the spare records that others may lead to, and those that these may lead to. */
  #takeNeeded(): ReadonlySet<number> {
    const taken = new Set<number>()
    if (this.#spareTypes.length === 0) return taken
    const recordOf = recordReader(this.#commons)
    for (let number = 0; number < this.#links.size; number++) {
      const needed: Array<number> = []
      this.#links.eachFollowed(number, (hash) => {
        this.#spare.each(hash, (spare) => {
          if (taken.has(spare)) return
          taken.add(spare)
          needed.push(spare)
        })
      })
      for (const spare of needed.toSorted((one, other) => one - other)) {
        const { length, offset } = this.#sparePlaces.at(spare)
        readEntries(this.#spool.descriptor, Float64Array.of(offset), Uint32Array.of(length), (bytes, start, end) => {
          const record = recordOf(bytes, start, end)
          this.#places.push(offset, length)
          this.#links.add(record, this.#commons.bundle(record.bundle))
        })
      }
    }
    return taken
  }

  finish(): PutAside {
    this.#spool.flush()
    const taken = this.#takeNeeded()
    const unread = new Map<string, number>()
    this.#spareTypes.forEach((type, number) => {
      if (!taken.has(number)) unread.set(type, (unread.get(type) ?? 0) + 1)
    })
    return {
      links: this.#links,
      commons: this.#commons,
      spool: this.#spool,
      placeOf: (record) => this.#places.at(record),
      deletions: this.#deletions,
      unread
    }
  }
}
