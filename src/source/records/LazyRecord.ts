import type { Origin } from "../../diagnostic/Origin.ts"
import { parseRecord } from "../../json/parseRecord.ts"
import { scanValue } from "../../json/scanJson.ts"
import { beginsWithTexts } from "../../json/unparsed.ts"
import type { VersionWatch } from "../versions/VersionWatch.ts"
import { isResource, type Resource, type SourceRecord } from "./SourceRecord.ts"

/** What the deferred parsing of lines has shown. */
export interface LazyParseState {
  /** A line did not hold the record that its first bytes announce. The result of this run must be discarded. */
  broken: boolean
  /** Reads records of other versions of FHIR as R4. */
  versions?: VersionWatch
}

/** How the lines of a file are read that are not parsed yet. */
export interface LazyLines {
  readonly file: string
  /** The depth to which a record may be nested. */
  readonly depth: number
  readonly state: LazyParseState
}

/**
 * A record on a line of NDJSON, parsed on first access to its content. A run has millions of them, so a record keeps little: the place of
 * its line in the block. It keeps no text if only a part of it is used.
 */
export class LazyRecord implements SourceRecord {
  readonly origin: Origin
  readonly type: string
  readonly id: string
  /** The lines that were read at once, of which its own is between `start` and `end`, without the line feed. */
  readonly block: Buffer
  readonly start: number
  readonly end: number
  readonly #lines: LazyLines
  #resource: Resource | undefined

  constructor(head: Head, block: Buffer, start: number, end: number, line: number, lines: LazyLines) {
    const reference = `${head.type}/${head.id}`
    // A part of the head would keep all of its text, which is longer.
    this.type = reference.slice(0, head.type.length)
    this.id = reference.slice(head.type.length + 1)
    this.origin = { file: lines.file, line, reference }
    this.block = block
    this.start = start
    this.end = end
    this.#lines = lines
  }

  get resource(): Resource {
    return this.#resource ??= this.#parse()
  }

  #parse(): Resource {
    const { block, end, id, start, type } = this
    const { depth, state } = this.#lines
    try {
      const parsed = parseRecord(block, { ...scanValue(block, start, end), end }, depth)
      const resource = "unfit" in parsed ? undefined : parsed.value
      if (isResource(resource) && resource.resourceType === type && resource.id === id) {
        // A text that JSON writes differently cannot be searched for in the bytes of other lines.
        if (state.versions?.read(resource, this.origin) !== undefined) state.broken = true
        return resource
      }
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
    }
    state.broken = true
    return { resourceType: type, id }
  }
}

/** Returns the records in whose lines one of the texts occurs. */
export const mentioning = (
  records: Iterable<LazyRecord>,
  texts: ReadonlyArray<Buffer>
): ReadonlySet<LazyRecord> => {
  const found = new Set<LazyRecord>()
  for (const [bytes, lines] of Map.groupBy(records, ({ block }) => block)) {
    // Searching all lines of a block at once takes a tenth of the time of searching each line.
    const ends = new Set<number>()
    for (const text of texts) {
      for (let at = bytes.indexOf(text); at !== -1;) {
        const end = bytes.indexOf(lineFeed, at)
        if (end === -1) break
        ends.add(end)
        at = bytes.indexOf(text, end)
      }
    }
    for (const record of lines) {
      const { end, start } = record
      // The last line of a file may end without a line feed.
      if (bytes[end] === lineFeed ? ends.has(end) : texts.some((text) => bytes.subarray(start, end).includes(text))) {
        found.add(record)
      }
    }
  }
  return found
}

const lineFeed = 0x0a

/** The type and id of a record. */
interface Head {
  readonly type: string
  readonly id: string
}

/** Returns the type and id from the first bytes of a line, if it begins as nearly every export writes lines. */
export const headOf = (block: Buffer, start: number, end: number): Head | undefined => {
  const [, type, id] = head.exec(block.toString("latin1", start, Math.min(end, start + 160))) ?? []
  return type === undefined || id === undefined ? undefined : { type, id }
}

/** `{"resourceType":"Observation","id":"9f2c1a",` */
const head = beginsWithTexts([["resourceType", "[A-Za-z]+"], ["id", String.raw`[\w.-]+`]])

export const isLazy = (record: SourceRecord): record is LazyRecord => record instanceof LazyRecord

/** Returns the type of a record without parsing the record. */
export const recordTypeOf = (record: SourceRecord): string =>
  isLazy(record) ? record.type : record.resource.resourceType
