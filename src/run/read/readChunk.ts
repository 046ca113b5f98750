import { readSync } from "node:fs"
import { needsScan, scanValue } from "../../json/scanJson.ts"
import type { LineFileFacts } from "../../source/read/LineFile.ts"
import { expectUnchanged } from "../../source/read/LineFile.ts"
import type { ReadItem, ReadProblem } from "../../source/read/ReadItem.ts"
import { defaultReadLimits } from "../../source/read/ReadLimits.ts"
import { hasRest, readBlock } from "../../source/read/readLines.ts"
import { RecordExtractor } from "../../source/read/RecordExtractor.ts"
import { headOf } from "../../source/records/LazyRecord.ts"
import { isReadAtOnce, resourceTypes } from "../../source/records/resourceTypes.ts"
import type { SourceRecord } from "../../source/records/SourceRecord.ts"
import { statesVersion, type VersionWatch } from "../../source/versions/VersionWatch.ts"
import type { LinkRules } from "../links/Links.ts"
import { markOf } from "../records/RecordLocations.ts"
import { textOf } from "../records/recordText.ts"
import { withScratch } from "../records/scratch.ts"
import type { LineScanner } from "./LineScanner.ts"
import type { LinkedData } from "./LinkedRecords.ts"
import { LinkedRecords } from "./LinkedRecords.ts"
import { namesInText } from "./referencedNames.ts"

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
 * make no visit are not parsed, nor those that `scanner` reads. Throws `SourceError`.
 */
export const readChunk = (
  task: ChunkTask,
  linkRules: LinkRules,
  { blockBytes = 128 * 1024, onPatient, scanner, versions }: {
    /** Rewrites records as R4. */
    readonly versions: VersionWatch
    /** Finds the names in lines that need not be parsed. Without it, each line of a type that makes a visit is parsed. */
    readonly scanner?: LineScanner
    /** Receives every Patient. */
    readonly onPatient?: (record: SourceRecord) => void
    /** Bytes read at once. The records of a block are in memory together, so those of a small one cost the garbage collector less. */
    readonly blockBytes?: number
  }
): Chunk => {
  const { file, source } = task
  const limits = defaultReadLimits
  const records = new LinkedRecords(linkRules)
  const problems: Array<ReadProblem> = []
  const rewritten: Array<Buffer> = []
  let rewrittenBytes = 0
  let [count, lines] = [0, 0]
  let irregular = false

  /** Adds the record of a line by its text. Returns false if the line must be parsed. */
  const addUnparsed = (block: Buffer, offset: number, start: number, end: number, line: number): boolean => {
    if (scanner?.read(block, start, end) === true) {
      const mark = markOf(line, scanner.needsScan, scanner.isUsual)
      records.addScanned(scanner, { source, offset: offset + start, length: end - start, mark })
      count++
      return true
    }
    const head = headOf(block, start, end)
    if (head === undefined || !records.isSpare(head.type)) return false
    if (!resourceTypes.has(head.type) || isReadAtOnce(head.type) || statesVersion(head.type)) return false
    const scan = scanValue(block, start, end)
    if (!scan.closed || scan.surrogates || scan.depth > limits.depth || hasRest(block, scan.end, end)) return false
    const names = namesInText(block.subarray(start, scan.end), head)
    if (names === undefined) return false
    const mark = markOf(line, needsScan(scan))
    records.addSpare(head.type, { source, offset: offset + start, length: scan.end - start, mark }, names)
    count++
    return true
  }
  /** Adds a parsed record. Returns false if its text is not a line of the file. */
  const addParsed = (
    { isRewritten, record, written }: ReadItem & { readonly _tag: "Record" },
    offsetOf: (bytes: Uint8Array) => number
  ): boolean => {
    const { origin: { line }, resource } = record
    if (written !== undefined) {
      const { bytes, needsScan } = written
      records.add(record, { source, offset: offsetOf(bytes), length: bytes.length, mark: markOf(line, needsScan) }, 0)
    } else if (isRewritten === true) {
      const { bytes, needsScan } = textOf(resource)
      const text = Buffer.from(bytes)
      records.add(record, { source: 0, offset: rewrittenBytes, length: text.length, mark: markOf(line, needsScan) }, 0)
      rewritten.push(text)
      rewrittenBytes += text.length
    } else return false
    if (resource.resourceType === "Patient") onPatient?.(record)
    count++
    return true
  }

  const reading = new RecordExtractor(file.name, { versions })
  withScratch(blockBytes, (scratch) => {
    for (const found of blocksOf(task, scratch.subarray(0, blockBytes), limits.recordBytes)) {
      if (found === "too long") {
        irregular = true
        return
      }
      const { block, cut, offset } = found
      const offsetOf = (bytes: Uint8Array): number => offset + bytes.byteOffset - block.byteOffset
      const takeItems = (): void => {
        for (const item of reading.take()) {
          if (item._tag === "Record") irregular ||= !addParsed(item, offsetOf)
          else if (item._tag === "Problem" && item.diagnostic.code !== "not-a-resource") problems.push(item)
          else irregular = true
        }
      }
      lines += readBlock(block, lines + 1, reading, {
        limits,
        cut,
        isPassing: true,
        passOver: (_, start, end, line) => {
          // Records are numbered in the order of their lines.
          if (reading.hasItems) takeItems()
          return addUnparsed(block, offset, start, end, line)
        }
      })
      takeItems()
      if (irregular) return
    }
  })
  reading.finish()
  if (reading.take().length > 0) irregular = true
  expectUnchanged(file)
  return { source, records: records.data(), count, lines, problems, rewritten: Buffer.concat(rewritten), irregular }
}

/** Lines of a file that are read at once. They are valid until the next block is read. */
interface Block {
  readonly block: Buffer
  /** Bytes from the beginning of the file. */
  readonly offset: number
  /** Whether the file ends here without a line feed. */
  readonly cut: boolean
}

/**
 * Reads the lines that begin in a chunk, in blocks. The read buffer `scratch` is replaced by a larger one if a line does not fit. Ends with
 * `"too long"` at a line longer than `maxBytes`.
 */
function* blocksOf(
  { file, from, to }: ChunkTask,
  scratch: Buffer,
  maxBytes: number
): Generator<Block | "too long", void> {
  let buffer = scratch
  let filled = 0
  // A line begins at `from` if the byte before is a line feed.
  let isInLine = from > file.start
  /** The offset of the buffer's first byte in the file. */
  let offset = isInLine ? from - 1 : from
  for (;;) {
    const expected = Math.min(buffer.length - filled, file.size - offset - filled)
    const read = expected <= 0 ? 0 : readSync(file.descriptor, buffer, filled, expected, offset + filled)
    if (read === 0 && expected > 0) {
      // The file has become shorter.
      expectUnchanged(file)
      return
    }
    filled += read
    const bytes = buffer.subarray(0, filled)
    const isAtEnd = offset + filled >= file.size
    let start = 0
    if (isInLine) {
      const feed = bytes.indexOf(0x0a)
      if (feed === -1) {
        if (isAtEnd) return
        offset += filled
        filled = 0
        continue
      }
      isInLine = false
      start = feed + 1
    }
    const border = to - offset
    if (start >= border) return
    const lastFeed = filled >= border ? bytes.indexOf(0x0a, Math.max(start, border - 1)) : -1
    const end = lastFeed !== -1 ? lastFeed + 1 : isAtEnd ? filled : bytes.lastIndexOf(0x0a) + 1
    if (end > start) {
      yield { block: bytes.subarray(start, end), offset: offset + start, cut: isAtEnd && end === filled }
    }
    if (lastFeed !== -1 || isAtEnd) return
    // Keep the line that is not complete yet.
    const done = Math.max(start, end)
    buffer.copyWithin(0, done, filled)
    offset += done
    filled -= done
    if (filled > maxBytes) {
      yield "too long"
      return
    }
    if (filled === buffer.length) {
      const larger = Buffer.allocUnsafe(buffer.length * 2)
      larger.set(buffer)
      buffer = larger
    }
  }
}
