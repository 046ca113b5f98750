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

/**
 * A record on a line of NDJSON, parsed on first access to its content. A run has millions of them, so their parts are not put into an object
 * first.
 */
export class LazyRecord implements SourceRecord {
  readonly origin: Origin
  readonly type: string
  readonly id: string
  /** Its bytes, without the line feed. */
  readonly line: Buffer
  readonly #depth: number
  readonly #reading: LazyParseState
  #resource: Resource | undefined

  constructor(head: Head, bytes: Buffer, file: string, line: number, depth: number, reading: LazyParseState) {
    this.type = head.type
    this.id = head.id
    this.origin = { file, line, reference: `${head.type}/${head.id}` }
    this.line = bytes
    this.#depth = depth
    this.#reading = reading
  }

  get resource(): Resource {
    return this.#resource ??= this.#parse()
  }

  #parse(): Resource {
    const { id, type } = this
    try {
      const scan = scanValue(this.line, 0, this.line.length)
      const parsed = parseRecord(this.line, { ...scan, end: this.line.length }, this.#depth)
      const resource = "unfit" in parsed ? undefined : parsed.value
      if (isResource(resource) && resource.resourceType === type && resource.id === id) {
        // A text that JSON writes differently cannot be searched for in the bytes of other lines.
        if (this.#reading.versions?.read(resource, this.origin) !== undefined) this.#reading.broken = true
        return resource
      }
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
    }
    this.#reading.broken = true
    return { resourceType: type, id }
  }
}

/** Returns the records in whose lines one of the texts occurs. */
export const mentioning = (
  records: Iterable<LazyRecord>,
  texts: ReadonlyArray<Buffer>
): ReadonlySet<LazyRecord> => {
  const found = new Set<LazyRecord>()
  const blocks = Map.groupBy(records, ({ line }) => line.buffer)
  for (const [block, lines] of blocks) {
    // Searching all lines of a block at once takes a tenth of the time of searching each line.
    const bytes = Buffer.from(block)
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
      const { line } = record
      const end = line.byteOffset + line.length
      // The last line of a file may end without a line feed.
      if (bytes[end] === lineFeed ? ends.has(end) : texts.some((text) => line.includes(text))) found.add(record)
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
