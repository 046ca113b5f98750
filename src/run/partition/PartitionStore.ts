import type { OpenFiles } from "../../source/read/OpenFiles.ts"
import type { RunPartition } from "./planPartitions.ts"
import { SpillFile } from "./SpillFile.ts"
import { bytesOf } from "./StoredNumbers.ts"

/** The parts of a run by number, on disk. */
export class PartitionStore {
  readonly #spool: SpillFile
  readonly #places: Array<{ readonly offset: number; readonly records: number }> = []

  constructor(files: OpenFiles) {
    this.#spool = new SpillFile(files)
  }

  /** Adds the next part. */
  push({ number, records, roles }: RunPartition): void {
    if (number !== this.#places.length) throw new Error("parts are taken in their order")
    this.#places.push({ offset: this.#spool.length, records: records.length })
    this.#spool.append(bytesOf(records))
    this.#spool.append(roles)
  }

  get length(): number {
    return this.#places.length
  }

  at(number: number): RunPartition {
    const { offset, records: count } = this.#places[number]!
    const [records, roles] = [new Uint32Array(count), new Uint8Array(count)]
    this.#spool.read(bytesOf(records), offset)
    this.#spool.read(roles, offset + records.byteLength)
    return { number, records, roles }
  }
}
