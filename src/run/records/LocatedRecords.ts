import { at, numberAt } from "../../at.ts"
import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import type { LineFileFacts } from "../../source/read/LineFile.ts"
import { expectUnchanged } from "../../source/read/LineFile.ts"
import { notJson } from "../../source/read/readLines.ts"
import { originOfRecord } from "../../source/records/originOfRecord.ts"
import type { SourceRecord } from "../../source/records/SourceRecord.ts"
import { SourceError } from "../../source/SourceError.ts"
import type { RecordText } from "../links/findCopies.ts"
import type { LocationLists, RecordLocation } from "./RecordLocations.ts"
import { isUsual, lineOf, locationLists, mustBeScanned } from "./RecordLocations.ts"
import type { RepeatedValues } from "./recordText.ts"
import { headOfEntry, headOfLine, parseResource, recordReader, textOfEntry } from "./recordText.ts"
import { readEntries } from "./SpillFile.ts"

/**
 * What a location's source is: records in memory, entries of a spill file or of a part's file, or lines of an input file. The offset of a
 * record in memory is its index.
 */
type RecordSource =
  | { readonly _tag: "Memory"; readonly records: ReadonlyArray<SourceRecord> }
  | { readonly _tag: "Entries"; readonly bytes: number | Buffer }
  | { readonly _tag: "Lines"; readonly file: LineFileFacts }

/** What records are read from. Only sources of records in memory cannot be transferred to another thread. */
export interface RecordSources {
  /** By the number of a location's source. */
  readonly sources: ReadonlyArray<RecordSource>
  readonly values: RepeatedValues
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
  readonly #from: RecordSources
  readonly #recordOf: (bytes: Buffer, start: number, end: number) => SourceRecord

  constructor(from: RecordSources) {
    this.#from = from
    this.#recordOf = recordReader(from.values)
  }

  /** Passes the records at the given locations, which are in order. Throws `SourceError` when a file has changed. */
  read(locations: LocationLists, onRecord: (record: SourceRecord, index: number) => void): void {
    this.#each(locations, {
      onMemory: onRecord,
      onEntry: (bytes, start, end, index) => onRecord(this.#recordOf(bytes, start, end), index),
      onLine: (bytes, start, end, index, { file, mark }) => {
        const record = recordOfLine(bytes, start, end, file.name, mark)
        if (record === undefined) throw new SourceError({ reason: { _tag: "Changed", input: file.name } })
        onRecord(record, index)
      }
    })
  }

  /** Passes the texts of records at the given locations, and the sort key of copies. */
  readTexts(locations: LocationLists, onText: (text: RecordText, index: number) => void): void {
    this.#each(locations, {
      onEntry: (bytes, start, end, index) => onText(textOfEntry(this.#from.values, bytes, start, end), index),
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
    locations: LocationLists,
    onEntry: (index: number, pieces: ReadonlyArray<string | Uint8Array>, names: EntryNames) => void
  ): void {
    const { sources, values } = this.#from
    const entries = sources.filter(({ _tag }) => _tag === "Entries").length
    this.#each(locations, {
      onEntry: (bytes, start, end, index) => {
        const { head: [file, , bundle, row] } = headOfEntry(bytes, start, end)
        onEntry(index, [bytes.subarray(start, end)], { file, bundle, row })
      },
      onLine: (bytes, start, end, index, { mark, source }) => {
        const file = values.files.length + source - entries
        const head = headOfLine(file, lineOf(mark), mustBeScanned(mark))
        onEntry(index, [head, bytes.subarray(start, end)], { file, bundle: 0, row: 0 })
      }
    })
  }

  /** Returns the record at a location, or the reason why there is none. */
  readOne(location: RecordLocation): SourceRecord | Diagnostic {
    const found: Array<SourceRecord | Diagnostic> = []
    this.#each(locationLists([location]), {
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

  /** Passes what is at each location. Only records in memory need no reading. */
  #each(
    { lengths, marks, offsets, sources }: LocationLists,
    { onEntry, onMemory = inMemory, onLine }: {
      readonly onMemory?: (record: SourceRecord, index: number) => void
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
    for (let from = 0; from < sources.length;) {
      const source = numberAt(sources, from)
      const first = from
      while (from < sources.length && sources[from] === source) from++
      const [these, sizes] = [offsets.subarray(first, from), lengths.subarray(first, from)]
      const found = at(this.#from.sources, source)
      switch (found._tag) {
        case "Memory":
          for (const [index, number] of these.entries()) onMemory(at(found.records, number), first + index)
          break
        case "Entries":
          readEntries(
            found.bytes,
            these,
            sizes,
            (bytes, start, end, index) => onEntry(bytes, start, end, first + index)
          )
          break
        case "Lines": {
          const { file } = found
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
  }
}

const inMemory = (): never => {
  throw new Error("a record in memory has no text")
}

const recordOfLine = (
  bytes: Buffer,
  start: number,
  end: number,
  file: string,
  mark: number
): SourceRecord | undefined => {
  try {
    const usual = isUsual(mark)
    const resource = parseResource(bytes, start, end, mustBeScanned(mark), usual)
    return {
      origin: originOfRecord(file, lineOf(mark), resource, undefined),
      resource,
      isUsual: usual
    }
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
