import type { LineFile } from "../../source/read/LineFile.ts"
import type { OpenFiles } from "../../source/read/OpenFiles.ts"
import type { ReadItem } from "../../source/read/RecordExtractor.ts"
import { RecordCollector, type RecordIndex } from "../../source/records/RecordIndex.ts"
import type { JoinRules } from "../../source/records/Servers.ts"
import type { SourceRecord } from "../../source/records/SourceRecord.ts"
import type { Linking } from "./Links.ts"
import type { Chunk } from "./readChunk.ts"
import { SpilledRecords, type SpillIndex } from "./SpilledRecords.ts"

/** The records of a run after all have been read. */
type Stored =
  /** In memory, because they are few. */
  | { readonly _tag: "Held"; readonly index: RecordIndex }
  /** On disk, like the links between them. */
  | { readonly _tag: "Spilled"; readonly records: SpillIndex }

/** Approximate memory of an input's records in addition to their text, in bytes. */
const defaultBytes = { entry: 1_500, cell: 24 }

/**
 * Takes the records of a run as they are read. They are held in memory up to `maxInMemoryBytes`; beyond that all are spilled to disk, those
 * held first.
 */
export class RecordStore {
  readonly #options: RecordStoreOptions
  #held: Array<ReadItem & { readonly _tag: "Record" | "Deletion" }> = []
  #bytes = 0
  #spilled: SpilledRecords | undefined

  constructor(options: RecordStoreOptions) {
    this.#options = options
  }

  /** Adds records and deletions; the caller handles problems. */
  add(item: ReadItem): void {
    if (item._tag !== "Record" && item._tag !== "Deletion") return
    if (this.#spilled !== undefined) return this.#spilled.add(item)
    if (item._tag === "Deletion") {
      this.#held.push(item)
      return
    }
    const { record, written } = item
    this.#held.push({ _tag: "Record", record })
    this.#bytes += written?.bytes.length ?? defaultSize(record)
    const { linking, maxInMemoryBytes } = this.#options
    if (this.#bytes > maxInMemoryBytes && linking !== undefined) this.#spill(linking)
  }

  /** Adds the records of one file, chunk by chunk. */
  addFile(file: string, chunks: ReadonlyArray<Chunk>): void {
    const { linking } = this.#options
    if (linking === undefined) throw new Error("records of a file are not found again without links")
    this.#spilled ??= this.#spill(linking)
    this.#spilled.addFile(file, chunks)
  }

  #spill(linking: Linking): SpilledRecords {
    const { beginPuttingAside, files = [], open } = this.#options
    const spilled = new SpilledRecords(linking, files, open)
    this.#spilled = spilled
    for (const item of this.#held) spilled.add(item)
    this.#held = []
    beginPuttingAside()
    return spilled
  }

  finish(): Stored {
    if (this.#spilled !== undefined) return { _tag: "Spilled", records: this.#spilled.finish() }
    const collector = new RecordCollector(this.#options.joins)
    for (const item of this.#held) collector.add(item)
    return { _tag: "Held", index: collector.index() }
  }
}

interface RecordStoreOptions {
  /** Without it, all records are held in memory. */
  readonly linking: Linking | undefined
  readonly joins?: JoinRules
  readonly maxInMemoryBytes: number
  /** Inputs whose records can be read in place. */
  readonly files?: ReadonlyArray<LineFile>
  /** Opens the files that hold spilled records. */
  readonly open: OpenFiles
  /** Called when the first records are spilled. */
  readonly beginPuttingAside: () => void
}

const defaultSize = ({ resource, row }: SourceRecord): number =>
  row === undefined ? defaultBytes.entry : defaultBytes.cell * Object.keys(resource).length
