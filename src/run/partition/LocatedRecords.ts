import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import { parseRecord, parseText } from "../../json/parseRecord.ts"
import { scanValue } from "../../json/scanJson.ts"
import type { LineFileFacts } from "../../source/read/LineFile.ts"
import { expectUnchanged } from "../../source/read/LineFile.ts"
import { notJson } from "../../source/read/readLines.ts"
import { referenceOf } from "../../source/read/RecordExtractor.ts"
import type { Resource, SourceRecord } from "../../source/records/SourceRecord.ts"
import { Changed, SourceError } from "../../source/SourceError.ts"
import { at, numberAt } from "./at.ts"
import type { RecordText } from "./findCopies.ts"
import type { PlaceLists, RecordLocation } from "./RecordLocations.ts"
import { isExact, lineOf, placeLists } from "./RecordLocations.ts"
import type { SharedRecordData } from "./recordText.ts"
import { headOfEntry, headOfLine, recordReader, textOfEntry } from "./recordText.ts"
import { readEntries } from "./SpillFile.ts"

/** The locations of records, as plain data. */
export interface RecordLocationTable {
  readonly commons: SharedRecordData
  /** The spill files, or the bytes of partition files: the first sources of locations, from 0. */
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

  /** Passes the records at the given locations, which are in order. Throws `SourceError` when a file has changed. */
  read(locations: PlaceLists, onRecord: (record: SourceRecord, index: number) => void): void {
    this.#eachText(locations, {
      onEntry: (bytes, start, end, index) => onRecord(this.#recordOf(bytes, start, end), index),
      onLine: (bytes, start, end, index, { file, mark }) => {
        const record = recordOfLine(bytes, start, end, file.name, mark)
        if (record === undefined) throw new SourceError({ reason: new Changed({ input: file.name }) })
        onRecord(record, index)
      }
    })
  }

  /** Passes the texts of records at the given locations, and the sort key of copies. */
  readTexts(locations: PlaceLists, onText: (text: RecordText, index: number) => void): void {
    this.#eachText(locations, {
      onEntry: (bytes, start, end, index) => onText(textOfEntry(this.#where.commons, bytes, start, end), index),
      onLine: (bytes, start, end, index, { file, mark }) => {
        const text = bytes.subarray(start, end)
        onText({ fullUrl: "", text, bundleKey: "", file: file.name, line: lineOf(mark) }, index)
      }
    })
  }

  /**
   * Passes the records at the given locations as entries, in pieces, with the numbers in their heads. A line of an input file becomes an
   * entry; its file is numbered after the others.
   */
  readEntries(
    locations: PlaceLists,
    onEntry: (index: number, pieces: ReadonlyArray<string | Uint8Array>, names: EntryNames) => void
  ): void {
    const { aside, commons } = this.#where
    this.#eachText(locations, {
      onEntry: (bytes, start, end, index) => {
        const { head: [file, , bundle, row] } = headOfEntry(bytes, start, end)
        onEntry(index, [bytes.subarray(start, end)], { file, bundle, row })
      },
      onLine: (bytes, start, end, index, { mark, source }) => {
        const file = commons.files.length + source - aside.length
        const head = headOfLine(file, lineOf(mark), isExact(mark))
        onEntry(index, [head, bytes.subarray(start, end), "]"], { file, bundle: 0, row: 0 })
      }
    })
  }

  /** Returns the record at a location, or the reason why there is none. */
  readOne(location: RecordLocation): SourceRecord | Diagnostic {
    const found: Array<SourceRecord | Diagnostic> = []
    this.#eachText(placeLists([location]), {
      onEntry: (bytes, start, end) => found.push(this.#recordOf(bytes, start, end)),
      onLine: (bytes, start, end, _, { file, mark }) =>
        found.push(
          recordOfLine(bytes, start, end, file.name, mark) ?? {
            ...notJson(bytes.toString("utf8", start, end), false),
            origin: { file: file.name, line: lineOf(mark), reference: "" }
          }
        )
    })
    return at(found, 0)
  }

  /** Passes the text at each location: an entry of a spill file or of a partition file, or a line of an input file. */
  #eachText(
    { lengths, marks, offsets, sources }: PlaceLists,
    { onEntry, onLine }: {
      readonly onEntry: (bytes: Buffer, start: number, end: number, index: number) => void
      readonly onLine: (
        bytes: Buffer,
        start: number,
        end: number,
        index: number,
        line: { readonly file: LineFileFacts; readonly source: number; readonly mark: number }
      ) => void
    }
  ): void {
    const { aside, files } = this.#where
    for (let from = 0; from < sources.length;) {
      const source = numberAt(sources, from)
      const first = from
      while (from < sources.length && sources[from] === source) from++
      const [these, sizes] = [offsets.subarray(first, from), lengths.subarray(first, from)]
      const entries = aside[source]
      if (entries !== undefined) {
        readEntries(entries, these, sizes, (bytes, start, end, index) => onEntry(bytes, start, end, first + index))
        continue
      }
      const file = at(files, source - aside.length)
      try {
        readEntries(
          file.descriptor,
          these,
          sizes,
          (bytes, start, end, index) =>
            onLine(bytes, start, end, first + index, { file, source, mark: numberAt(marks, first + index) })
        )
      } finally {
        // A failure may be due to the file having become shorter.
        expectUnchanged(file)
      }
    }
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
