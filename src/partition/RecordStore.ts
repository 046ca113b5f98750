import type { Deletion, ReadItem } from "../source/Reading.ts"
import type { RecordIndex } from "../source/RecordIndex.ts"
import { RecordCollector } from "../source/RecordIndex.ts"
import type { SourceRecord } from "../source/SourceRecord.ts"
import type { Commons } from "./recordText.ts"
import { CommonsCollector, writeRecord } from "./recordText.ts"
import type { Linking } from "./RunLinks.ts"
import { RunLinks } from "./RunLinks.ts"
import { Spool } from "./Spool.ts"

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
  readonly descriptor: number
  readonly placeOf: (record: number) => { readonly offset: number; readonly length: number }
  readonly deletions: ReadonlyArray<Deletion>
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

class Aside {
  readonly #links: RunLinks
  readonly #spool = new Spool()
  readonly #commons = new CommonsCollector()
  readonly #deletions: Array<Deletion> = []
  #offsets = new Float64Array(1024)

  constructor(linking: Linking) {
    this.#links = new RunLinks(linking)
  }

  add(item: ReadItem): void {
    if (item._tag === "Deletion") {
      this.#deletions.push(item.deletion)
      this.#links.addDeletion(item.deletion.reference)
    }
    if (item._tag !== "Record") return
    const { record, written } = item
    const number = this.#links.size
    if (number + 1 >= this.#offsets.length) {
      const larger = new Float64Array(number + (number >> 1) + 2)
      larger.set(this.#offsets)
      this.#offsets = larger
    }
    this.#offsets[number] = this.#spool.length
    writeRecord(record, written, this.#commons, this.#append)
    this.#links.add(record, this.#commons.bundle(record.bundle))
  }

  readonly #append = (piece: string | Uint8Array): void => {
    this.#spool.append(piece)
  }

  finish(): PutAside {
    this.#spool.flush()
    const spool = this.#spool
    const offsets = this.#offsets
    offsets[this.#links.size] = spool.length
    return {
      links: this.#links,
      commons: this.#commons,
      descriptor: spool.descriptor,
      placeOf: (record) => ({ offset: offsets[record]!, length: offsets[record + 1]! - offsets[record]! }),
      deletions: this.#deletions
    }
  }
}
