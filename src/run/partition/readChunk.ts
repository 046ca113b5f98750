import { readSync } from "node:fs"
import { scanValue } from "../../json/scanJson.ts"
import type { LineFileFacts } from "../../source/read/LineFile.ts"
import { expectUnchanged } from "../../source/read/LineFile.ts"
import { defaultReadLimits } from "../../source/read/ReadLimits.ts"
import type { LineOptions } from "../../source/read/readLines.ts"
import { hasRest, readBlock } from "../../source/read/readLines.ts"
import type { ReadItem, ReadProblem } from "../../source/read/RecordExtractor.ts"
import { RecordExtractor } from "../../source/read/RecordExtractor.ts"
import { headOf } from "../../source/records/LazyRecord.ts"
import { isReadAtOnce, resourceTypes } from "../../source/records/resourceTypes.ts"
import type { SourceRecord } from "../../source/records/SourceRecord.ts"
import { statesVersion, type VersionWatch } from "../../source/versions/VersionWatch.ts"
import type { LinkedData } from "./LinkedRecords.ts"
import { LinkedRecords } from "./LinkedRecords.ts"
import type { Linking } from "./Links.ts"
import { markOf, type RecordLocation } from "./RecordLocations.ts"
import { textOf } from "./recordText.ts"
import { namesInText } from "./referencedNames.ts"
import { withScratch } from "./scratch.ts"

/** A chunk of an input file: the lines that begin in it. */
export interface ChunkTask {
  readonly file: LineFileFacts
  /** The number of the file, from 1: the source of its records' locations. */
  readonly source: number
  /** Bytes from the beginning of the file. */
  readonly from: number
  readonly to: number
}

/** The result of reading one chunk. Lines are counted from its beginning. */
export interface Chunk {
  /** The number of the file, from 1. */
  readonly source: number
  readonly records: LinkedData
  /** Number of its records. */
  readonly count: number
  readonly lines: number
  readonly problems: ReadonlyArray<ReadProblem>
  /** The texts of records that were rewritten as R4. The locations of these records are in it, with source `0`. */
  readonly rewritten: Uint8Array
  /** It does not have one resource per line: the file must be read as a whole. */
  readonly irregular: boolean
}

/**
 * Reads the lines of a chunk like `readLines`, and keeps their offsets and the names they refer to; nothing is spilled. Lines of types that
 * make no visit are not parsed. Throws `SourceError`.
 */
export const readChunk = (
  { file, from, source, to }: ChunkTask,
  linking: Linking,
  { blockBytes = 1024 * 1024, onRecord, versions }: {
    /** Rewrites records as R4. */
    readonly versions: VersionWatch
    /** Receives every record that is parsed. */
    readonly onRecord?: (record: SourceRecord) => void
    readonly blockBytes?: number
  }
): Chunk => {
  const limits = defaultReadLimits
  const records = new LinkedRecords(linking)
  const problems: Array<ReadProblem> = []
  const rewritten: Array<Buffer> = []
  let rewrittenBytes = 0
  let count = 0
  let irregular = false
  const keep = (item: ReadItem, offsetOf: (bytes: Uint8Array) => number): void => {
    const location = item._tag === "Record" ? locationOf(item, offsetOf) : undefined
    if (item._tag === "Record" && location !== undefined) {
      const { record } = item
      records.add(record, location, 0)
      onRecord?.(record)
      count++
    } else if (item._tag === "Problem" && item.diagnostic.code !== "not-a-resource") problems.push(item)
    else irregular = true
  }
  const locationOf = (
    { isRewritten, record: { origin, resource }, written }: ReadItem & { readonly _tag: "Record" },
    offsetOf: (bytes: Uint8Array) => number
  ): RecordLocation | undefined => {
    if (written !== undefined) {
      const { bytes, exact } = written
      return { source, offset: offsetOf(bytes), length: bytes.length, mark: markOf(origin.line, exact) }
    }
    if (isRewritten !== true) return undefined
    const { bytes, exact } = textOf(resource)
    const text = Buffer.from(bytes)
    rewritten.push(text)
    rewrittenBytes += text.length
    return { source: 0, offset: rewrittenBytes - text.length, length: text.length, mark: markOf(origin.line, exact) }
  }
  const reading = new RecordExtractor(file.name, true, [], versions)
  let blockAt = 0
  /** Adds a record of a type that makes no visit by its text, without parsing it. Returns false if it must be parsed. */
  const passOver: LineOptions["passOver"] = (block, start, end, line) => {
    const head = headOf(block, start, end)
    if (head === undefined || !resourceTypes.has(head.type) || isReadAtOnce(head.type)) return false
    if (!records.isSpare(head.type) || statesVersion(head.type)) return false
    const scan = scanValue(block, start, end)
    if (!scan.closed || scan.surrogates || scan.depth > limits.depth || hasRest(block, scan.end, end)) return false
    const names = namesInText(block.subarray(start, scan.end), head)
    if (names === undefined) return false
    const mark = markOf(line, scan.lossy !== undefined)
    records.addSpare(head.type, { source, offset: blockAt + start, length: scan.end - start, mark }, names)
    count++
    return true
  }
  const take = (block: Buffer, at: number, firstLine: number, cut: boolean): number | undefined => {
    blockAt = at
    const offsetOf = (bytes: Uint8Array): number => at + bytes.byteOffset - block.byteOffset
    const read = readBlock(block, firstLine, reading, { limits, cut, passOver })
    for (const item of reading.take()) keep(item, offsetOf)
    return irregular ? undefined : read
  }
  const lines = withScratch(blockBytes, (buffer) => ({
    result: eachBlock({ file, from, to, scratch: buffer.subarray(0, blockBytes), limit: limits.recordBytes }, take)
  }))
  reading.finish()
  if (reading.take().length > 0) irregular = true
  expectUnchanged(file)
  return {
    source,
    records: records.data(),
    count,
    lines: lines ?? 0,
    problems,
    rewritten: Buffer.concat(rewritten),
    irregular: irregular || lines === undefined
  }
}

/**
 * Passes the lines that begin in a chunk in blocks. Each has its offset in the file, the number of the first line, and whether the file
 * ends without a line feed. Returns the number of lines. Returns `undefined` if a line is longer than `limit`, or if `take` returns
 * nothing.
 */
const eachBlock = (
  { file, from, limit, scratch, to }: {
    readonly file: LineFileFacts
    /** The read buffer; it is replaced by a larger one if a line does not fit. */
    readonly scratch: Buffer
    readonly from: number
    readonly to: number
    readonly limit: number
  },
  take: (block: Buffer, at: number, firstLine: number, cut: boolean) => number | undefined
): number | undefined => {
  let buffer = scratch
  let filled = 0
  // A line begins here if the byte before is a line feed.
  let skipping = from > file.start
  let base = skipping ? from - 1 : from
  let lines = 0
  for (;;) {
    const expected = Math.min(buffer.length - filled, file.size - base - filled)
    const read = expected <= 0 ? 0 : readSync(file.descriptor, buffer, filled, expected, base + filled)
    if (read === 0 && expected > 0) {
      // The file has become shorter.
      expectUnchanged(file)
      return lines
    }
    filled += read
    const held = buffer.subarray(0, filled)
    const ended = base + filled >= file.size
    let start = 0
    if (skipping) {
      const feed = held.indexOf(0x0a)
      if (feed === -1) {
        if (ended) return lines
        base += filled
        filled = 0
        continue
      }
      skipping = false
      start = feed + 1
    }
    const border = to - base
    if (start >= border) return lines
    const last = filled >= border ? held.indexOf(0x0a, Math.max(start, border - 1)) : -1
    const end = last !== -1 ? last + 1 : ended ? filled : held.lastIndexOf(0x0a) + 1
    if (end > start) {
      const taken = take(held.subarray(start, end), base + start, lines + 1, ended && end === filled)
      if (taken === undefined) return undefined
      lines += taken
    }
    if (last !== -1 || ended) return lines
    const done = Math.max(start, end)
    buffer.copyWithin(0, done, filled)
    base += done
    filled -= done
    if (filled > limit) return undefined
    if (filled === buffer.length) {
      const larger = Buffer.allocUnsafe(buffer.length * 2)
      larger.set(buffer)
      buffer = larger
    }
  }
}
