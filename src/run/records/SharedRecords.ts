import { at } from "../../at.ts"
import type { SourceRecord } from "../../source/records/SourceRecord.ts"
import type { LocatedRecords } from "./LocatedRecords.ts"
import { eachLocation, type LocationLists, pickLocations, type RecordLocation } from "./RecordLocations.ts"

/**
 * The look-up of a thread for shared records: those that belong to no patient, such as practitioners. A record is read and parsed when a
 * partition first asks for it, and kept for the next partitions. Kept records have up to `maxBytes` bytes of text. The
 * least recently used are dropped first, and read again when they are needed.
 *
 * Several partitions receive the same object. So a fact may be kept with a record only if it follows from that record and
 * nothing else.
 */
export class SharedRecords {
  readonly #located: Pick<LocatedRecords, "read">
  readonly #maxBytes: number
  /** By location; those that were not asked for the longest come first. */
  readonly #kept = new Map<string, { readonly record: SourceRecord; readonly bytes: number }>()
  #bytes = 0

  constructor(located: Pick<LocatedRecords, "read">, maxBytes: number) {
    this.#located = located
    this.#maxBytes = maxBytes
  }

  /** Passes the records at the given locations, which are in order: first those that are kept, then those that are read. */
  read(locations: LocationLists, onRecord: (record: SourceRecord, index: number) => void): void {
    const all = [...eachLocation(locations)]
    const missing: Array<number> = []
    for (const [index, location] of all.entries()) {
      const record = this.#take(keyOf(location))
      if (record === undefined) missing.push(index)
      else onRecord(record, index)
    }
    this.#located.read(pickLocations(locations, missing), (record, position) => {
      const index = at(missing, position)
      this.#keep(at(all, index), record)
      onRecord(record, index)
    })
  }

  #take(key: string): SourceRecord | undefined {
    const found = this.#kept.get(key)
    if (found === undefined) return undefined
    // It becomes the last one.
    this.#kept.delete(key)
    this.#kept.set(key, found)
    return found.record
  }

  #keep(location: RecordLocation, record: SourceRecord): void {
    this.#kept.set(keyOf(location), { record, bytes: location.length })
    this.#bytes += location.length
    for (const [key, { bytes }] of this.#kept) {
      if (this.#bytes <= this.#maxBytes) return
      this.#kept.delete(key)
      this.#bytes -= bytes
    }
  }
}

const keyOf = ({ offset, source }: RecordLocation): string => `${source}:${offset}`
