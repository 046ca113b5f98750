import type { LineFile } from "../../source/read/LineFile.ts"
import type { OpenFiles } from "../../source/read/OpenFiles.ts"
import type { Deletion, ReadItem } from "../../source/read/ReadItem.ts"
import type { SourceRecord } from "../../source/records/SourceRecord.ts"
import type { LinkRules } from "../links/Links.ts"
import type { RecordSources } from "../records/LocatedRecords.ts"
import type { Chunk } from "./readChunk.ts"
import { SpilledRecords, type SpillIndex } from "./SpilledRecords.ts"

/** The records of a run that fits into memory, after all have been read. */
export interface RecordsInMemory {
  readonly records: ReadonlyArray<SourceRecord>
  readonly from: RecordSources
  readonly deletions: ReadonlyArray<Deletion>
}

/** Approximate memory of an input's records in addition to their text, in bytes. */
const defaultBytes = { entry: 1_500, cell: 24 }

/**
 * Takes the records of a run as they are read. They are held in memory up to `maxInMemoryBytes`; beyond that all are spilled to disk, those
 * held first.
 */
export class RecordStore {
  readonly #options: RecordStoreOptions
  #records: Array<SourceRecord> = []
  readonly #deletions: Array<Deletion> = []
  #bytes = 0
  #spilled: SpilledRecords | undefined

  constructor(options: RecordStoreOptions) {
    this.#options = options
  }

  get isSpilled(): boolean {
    return this.#spilled !== undefined
  }

  /** Approximate size of the records that were added one by one. */
  get bytes(): number {
    return this.#bytes
  }

  /** Adds records and deletions; the caller handles problems. */
  add(item: ReadItem): void {
    if (item._tag === "Deletion") this.#deletions.push(item.deletion)
    if (item._tag !== "Record") return
    const { record, written } = item
    this.#bytes += written?.bytes.length ?? defaultSize(record)
    if (this.#spilled !== undefined) return this.#spilled.add(record, written)
    this.#records.push(record)
    const { linkRules, maxInMemoryBytes } = this.#options
    if (this.#bytes > maxInMemoryBytes && linkRules !== undefined) this.#spill(linkRules)
  }

  /** Adds the records of one file, chunk by chunk. */
  addFile(file: string, chunks: ReadonlyArray<Chunk>): void {
    const { linkRules } = this.#options
    if (linkRules === undefined) throw new Error("records of a file are not found again without links")
    this.#spilled ??= this.#spill(linkRules)
    this.#spilled.addFile(file, chunks)
  }

  #spill(linkRules: LinkRules): SpilledRecords {
    const { files = [], open } = this.#options
    const spilled = new SpilledRecords(linkRules, files, open)
    this.#spilled = spilled
    for (const record of this.#records) spilled.add(record)
    this.#records = []
    return spilled
  }

  /** Returns all records, in memory or on disk. */
  finish(): RecordsInMemory | SpillIndex {
    if (this.#spilled !== undefined) return this.#spilled.finish(this.#deletions)
    const [records, deletions] = [this.#records, this.#deletions]
    return {
      records,
      from: { sources: [{ _tag: "Memory", records }], values: { files: [], bundles: [], rows: [] } },
      deletions
    }
  }
}

interface RecordStoreOptions {
  /** Without it, all records are held in memory. */
  readonly linkRules: LinkRules | undefined
  readonly maxInMemoryBytes: number
  /** Inputs whose records can be read in place. */
  readonly files?: ReadonlyArray<LineFile>
  /** Opens the files that hold spilled records. */
  readonly open: OpenFiles
}

const defaultSize = ({ resource, row }: SourceRecord): number =>
  row === undefined ? defaultBytes.entry : defaultBytes.cell * Object.keys(resource).length
