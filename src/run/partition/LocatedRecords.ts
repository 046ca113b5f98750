import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import { parseRecord, parseText } from "../../json/parseRecord.ts"
import { scanValue } from "../../json/scanJson.ts"
import type { LineFileFacts } from "../../source/read/LineFile.ts"
import { expectUnchanged } from "../../source/read/LineFile.ts"
import { notJson } from "../../source/read/readLines.ts"
import { referenceOf } from "../../source/read/RecordExtractor.ts"
import type { Resource, SourceRecord } from "../../source/records/SourceRecord.ts"
import { Changed, SourceError } from "../../source/SourceError.ts"
import type { RecordText } from "./findCopies.ts"
import type { PlaceLists, RecordLocation } from "./RecordLocations.ts"
import { isExact, lineOf, placeLists } from "./RecordLocations.ts"
import type { SharedRecordData } from "./recordText.ts"
import { headOfEntry, headOfLine, recordReader, textOfEntry } from "./recordText.ts"
import { readEntries } from "./SpillFile.ts"

/** The locations of records, as plain data. */
export interface RecordLocationTable {
  readonly commons: SharedRecordData
  /** The spill files, or the bytes of part files: the first sources of locations, from 0. */
  readonly aside: ReadonlyArray<number | Buffer>
  /** Input files that contain other records: the sources after the spill files. */
  readonly files: ReadonlyArray<LineFileFacts>
}

/** The numbers in the head of an entry. */
export interface EntryNames {
  readonly file: number
  /** From 1; `0` means none. */
  readonly bundle: number
  readonly row: number
}

/** Reads records at their locations. */
export class LocatedRecords {
  readonly #where: RecordLocationTable
  readonly #recordOf: (bytes: Buffer, start: number, end: number) => SourceRecord

  constructor(where: RecordLocationTable) {
    this.#where = where
    this.#recordOf = recordReader(where.commons)
  }

  /** Passes the records at the given locations, which are in order, to `give`. Throws `SourceError` when a file has changed. */
  read({ lengths, marks, offsets, sources }: PlaceLists, give: (record: SourceRecord, index: number) => void): void {
    for (let from = 0; from < sources.length;) {
      const source = sources[from]!
      let to = from + 1
      while (to < sources.length && sources[to] === source) to++
      const first = from
      const [these, sizes] = [offsets.subarray(from, to), lengths.subarray(from, to)]
      const aside = this.#where.aside[source]
      if (aside !== undefined) {
        readEntries(aside, these, sizes, (bytes, start, end, index) => {
          give(this.#recordOf(bytes, start, end), first + index)
        })
      } else {
        const file = this.#fileAt(source)
        const changed = (): SourceError => new SourceError({ reason: new Changed({ input: file.name }) })
        try {
          readEntries(file.descriptor, these, sizes, (bytes, start, end, index) => {
            const record = recordOfLine(bytes, start, end, file.name, marks[first + index]!)
            if (record === undefined) throw changed()
            give(record, first + index)
          })
        } finally {
          // A failure may be due to the file having become shorter.
          expectUnchanged(file)
        }
      }
      from = to
    }
  }

  /** Passes the texts of records at the given locations, and the sort key of copies. */
  readTexts(
    { lengths, marks, offsets, sources }: PlaceLists,
    give: (found: RecordText, index: number) => void
  ): void {
    const { aside, commons } = this.#where
    for (let from = 0; from < sources.length;) {
      const source = sources[from]!
      let to = from + 1
      while (to < sources.length && sources[to] === source) to++
      const first = from
      const file = source < aside.length ? undefined : this.#fileAt(source)
      const [these, sizes] = [offsets.subarray(from, to), lengths.subarray(from, to)]
      readEntries(file?.descriptor ?? aside[source]!, these, sizes, (bytes, start, end, index) => {
        const at = first + index
        if (file === undefined) give(textOfEntry(commons, bytes, start, end), at)
        else {
          const text = bytes.subarray(start, end)
          give({ fullUrl: "", text, bundleKey: "", file: file.name, line: lineOf(marks[at]!) }, at)
        }
      })
      from = to
    }
  }

  /**
   * Passes the records at the given locations as entries, in pieces, with the numbers in their heads. These are the numbers of the file,
   * the Bundle and the CSV row, the last two from 1. A line of an input file becomes an entry; its file is numbered after the others.
   */
  readEntries(
    { lengths, marks, offsets, sources }: PlaceLists,
    give: (index: number, pieces: ReadonlyArray<string | Uint8Array>, names: EntryNames) => void
  ): void {
    const { aside, commons } = this.#where
    for (let from = 0; from < sources.length;) {
      const source = sources[from]!
      let to = from + 1
      while (to < sources.length && sources[to] === source) to++
      const first = from
      const [these, sizes] = [offsets.subarray(from, to), lengths.subarray(from, to)]
      const descriptor = aside[source]
      if (descriptor !== undefined) {
        readEntries(descriptor, these, sizes, (bytes, start, end, index) => {
          const { head: [file, , bundle, row] } = headOfEntry(bytes, start, end)
          give(first + index, [bytes.subarray(start, end)], { file, bundle, row })
        })
      } else {
        const file = this.#fileAt(source)
        const number = commons.files.length + source - aside.length
        readEntries(file.descriptor, these, sizes, (bytes, start, end, index) => {
          const mark = marks[first + index]!
          const head = headOfLine(number, lineOf(mark), isExact(mark))
          give(first + index, [head, bytes.subarray(start, end), "]"], { file: number, bundle: 0, row: 0 })
        })
        expectUnchanged(file)
      }
      from = to
    }
  }

  #fileAt(source: number): LineFileFacts {
    return this.#where.files[source - this.#where.aside.length]!
  }

  /** Returns the record at a location, or the reason why there is none. */
  readOne(place: RecordLocation): SourceRecord | Diagnostic {
    const { length, mark, offset, source } = place
    let found: SourceRecord | Diagnostic | undefined
    if (source < this.#where.aside.length) this.read(placeLists([place]), (record) => (found = record))
    else {
      const file = this.#fileAt(source)
      readEntries(file.descriptor, Float64Array.of(offset), Uint32Array.of(length), (bytes, start, end) => {
        found = recordOfLine(bytes, start, end, file.name, mark) ?? {
          ...notJson(bytes.toString("utf8", start, end), false),
          origin: { file: file.name, line: lineOf(mark), reference: "" }
        }
      })
      expectUnchanged(file)
    }
    return found!
  }
}

const recordOfLine = (
  bytes: Buffer,
  start: number,
  end: number,
  file: string,
  mark: number
): SourceRecord | undefined => {
  const resource = isExact(mark) ? exactly(bytes, start, end) : parsed(bytes.toString("utf8", start, end))
  return resource === undefined
    ? undefined
    : { origin: { file, line: lineOf(mark), reference: referenceOf(resource, undefined) }, resource }
}

const parsed = (text: string): Resource | undefined => {
  try {
    return parseText(text) as Resource
  } catch {
    return undefined
  }
}

const exactly = (bytes: Buffer, start: number, end: number): Resource | undefined => {
  try {
    const found = parseRecord(bytes, { ...scanValue(bytes, start, end), start, end }, Number.POSITIVE_INFINITY)
    return "unfit" in found ? undefined : found.value as Resource
  } catch {
    return undefined
  }
}
