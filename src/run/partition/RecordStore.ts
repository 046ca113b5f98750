import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import type { LineFile } from "../../source/read/LineFile.ts"
import type { OpenFiles } from "../../source/read/OpenFiles.ts"
import type { Deletion, ReadItem } from "../../source/read/RecordExtractor.ts"
import type { RecordIndex } from "../../source/records/RecordIndex.ts"
import { RecordCollector } from "../../source/records/RecordIndex.ts"
import type { JoinRules } from "../../source/records/Servers.ts"
import type { SourceRecord } from "../../source/records/SourceRecord.ts"
import { LinkedRecords } from "./LinkedRecords.ts"
import type { Linking } from "./Links.ts"
import type { RecordLocationTable } from "./LocatedRecords.ts"
import { LocatedRecords } from "./LocatedRecords.ts"
import { batchSize, OnDiskRecords } from "./OnDiskRecords.ts"
import type { Chunk } from "./readChunk.ts"
import type { PlaceLists, RecordLocation, RecordLocations } from "./RecordLocations.ts"
import { isExact, lineOf } from "./RecordLocations.ts"
import { headOfLine, SharedRecordCollector, writeRecord } from "./recordText.ts"
import type { RunLinks } from "./RunLinks.ts"
import { SpillFile } from "./SpillFile.ts"

/** The records of a run after all have been read. */
type Stored =
  /** In memory, because they are few. */
  | { readonly _tag: "Held"; readonly index: RecordIndex }
  /** On disk, like the links between them. */
  | { readonly _tag: "Spilled"; readonly records: SpillIndex }

/** Records on disk, by number. */
export interface SpillIndex {
  readonly links: RunLinks
  readonly places: RecordLocations
  /** The data for reading them. */
  readonly where: RecordLocationTable
  readonly deletions: ReadonlyArray<Deletion>
  /** Records that are in no part, by type: those that no line can read, which have no number, and copies of others. */
  readonly unused: ReadonlyMap<string, number>
  /** Of those, the copies. */
  readonly copies: ReadonlyMap<string, number>
  /** Lines that looked like such a record by their first bytes, and contain none. */
  readonly lost: ReadonlyArray<Diagnostic>
}

/** Approximate memory of an input's records in addition to their text, in bytes. */
const defaultBytes = { entry: 1_500, cell: 24 }

/**
 * Takes the records of a run as they are read. They are held in memory up to `maxInMemoryBytes`; beyond that all are spilled to disk, those
 * held first.
 */
export class RecordStore {
  readonly #linking: Linking | undefined
  readonly #joins: JoinRules | undefined
  readonly #maxInMemoryBytes: number
  readonly #files: ReadonlyArray<LineFile>
  readonly #open: OpenFiles
  readonly #beginPuttingAside: () => void
  #held: Array<ReadItem & { readonly _tag: "Record" | "Deletion" }> = []
  #bytes = 0
  #aside: Aside | undefined

  /**
   * Without `linking` everything is held in memory. `files` are inputs whose records can be read in place. `beginPuttingAside` is called
   * when the first records are spilled.
   */
  constructor(options: {
    readonly linking: Linking | undefined
    readonly joins?: JoinRules
    readonly maxInMemoryBytes: number
    readonly files?: ReadonlyArray<LineFile>
    /** Opens the files that hold spilled records. */
    readonly open: OpenFiles
    readonly beginPuttingAside: () => void
  }) {
    this.#linking = options.linking
    this.#joins = options.joins
    this.#maxInMemoryBytes = options.maxInMemoryBytes
    this.#files = options.files ?? []
    this.#open = options.open
    this.#beginPuttingAside = options.beginPuttingAside
  }

  /** Adds records and deletions; the caller handles problems. */
  add(item: ReadItem): void {
    if (item._tag !== "Record" && item._tag !== "Deletion") return
    if (this.#aside !== undefined) return this.#aside.add(item)
    if (item._tag === "Deletion") {
      this.#held.push(item)
      return
    }
    const { record, written } = item
    this.#held.push({ _tag: "Record", record })
    this.#bytes += written?.bytes.length ?? defaultSize(record)
    if (this.#bytes > this.#maxInMemoryBytes && this.#linking !== undefined) this.#putAside(this.#linking)
  }

  /** Adds the records of one file, chunk by chunk. */
  addFile(file: string, stretches: ReadonlyArray<Chunk>): void {
    if (this.#linking === undefined) throw new Error("records of a file are not found again without links")
    this.#aside ??= this.#putAside(this.#linking)
    this.#aside.addFile(file, stretches)
  }

  #putAside(linking: Linking): Aside {
    const aside = new Aside(linking, this.#files, this.#open)
    this.#aside = aside
    for (const one of this.#held) aside.add(one)
    this.#held = []
    this.#beginPuttingAside()
    return aside
  }

  finish(): Stored {
    if (this.#aside !== undefined) return { _tag: "Spilled", records: this.#aside.finish() }
    const collector = new RecordCollector(this.#joins)
    for (const item of this.#held) collector.add(item)
    return { _tag: "Held", index: collector.index() }
  }
}

const defaultSize = ({ resource, row }: SourceRecord): number =>
  row === undefined ? defaultBytes.entry : defaultBytes.cell * Object.keys(resource).length

class Aside {
  readonly #records: OnDiskRecords
  readonly #linking: Linking
  readonly #spool: SpillFile
  readonly #commons = new SharedRecordCollector()
  readonly #deletions: Array<Deletion> = []
  readonly #files: ReadonlyArray<LineFile>
  /** Records that are spilled and not yet added to the others. */
  #batch: LinkedRecords

  constructor(linking: Linking, files: ReadonlyArray<LineFile>, open: OpenFiles) {
    this.#linking = linking
    this.#spool = new SpillFile(open)
    this.#records = new OnDiskRecords(linking, open)
    this.#batch = new LinkedRecords(linking)
    this.#files = files
  }

  add(item: ReadItem): void {
    if (item._tag === "Deletion") {
      this.#deletions.push(item.deletion)
      this.#records.addDeletion(item.deletion.reference)
    }
    if (item._tag !== "Record") return
    const { record, written } = item
    const offset = this.#spool.length
    writeRecord(record, written, this.#commons, this.#append)
    const place: RecordLocation = { source: 0, offset, length: this.#spool.length - offset, mark: 0 }
    this.#batch.add(record, place, this.#commons.bundle(record.bundle))
    if (this.#batch.size === batchSize) this.#takeBatch()
  }

  #takeBatch(): void {
    if (this.#batch.size === 0) return
    this.#records.append(this.#batch.data(), 0)
    this.#batch = new LinkedRecords(this.#linking)
  }

  addFile(file: string, stretches: ReadonlyArray<Chunk>): void {
    this.#takeBatch()
    let lines = 0
    for (const stretch of stretches) {
      const { places, spare } = stretch.records
      for (const lists of [places, spare.places]) {
        this.#putAside(this.#commons.file(file), lists, stretch.rewritten, lines)
      }
      this.#records.append(stretch.records, lines)
      lines += stretch.lines
    }
  }

  /** Spills the rewritten records of a chunk that begins after `lines`, and changes their places. */
  #putAside(file: number, { lengths, marks, offsets, sources }: PlaceLists, texts: Uint8Array, lines: number): void {
    for (let at = 0; texts.length > 0 && at < sources.length; at++) {
      if (sources[at] !== 0) continue
      const [from, mark] = [offsets[at]!, marks[at]!]
      const offset = this.#spool.length
      this.#append(headOfLine(file, lines + lineOf(mark), isExact(mark)))
      this.#append(texts.subarray(from, from + lengths[at]!))
      this.#append("]")
      offsets[at] = offset
      lengths[at] = this.#spool.length - offset
    }
  }

  readonly #append = (piece: string | Uint8Array): void => {
    this.#spool.append(piece)
  }

  finish(): SpillIndex {
    this.#takeBatch()
    this.#spool.flush()
    const where = {
      commons: this.#commons,
      aside: [this.#spool.descriptor],
      files: this.#files.map(({ facts }) => facts)
    }
    const reader = new LocatedRecords(where)
    const lost: Array<Diagnostic> = []
    const read = (place: RecordLocation) => {
      const found = reader.readOne(place)
      if ("resource" in found) return { record: found, bundle: this.#commons.bundle(found.bundle) }
      lost.push(found)
      return undefined
    }
    const { copies, links, unused } = this.#records.finish(read, (places, give) => {
      reader.readTexts(places, give)
    })
    return {
      links,
      places: this.#records.places,
      where,
      deletions: this.#deletions,
      unused,
      copies,
      lost
    }
  }
}
