import { isUtf8 } from "node:buffer"
import { findFault } from "../../json/findFault.ts"
import { lineBlocks } from "../../json/lines.ts"
import { LongLine } from "../../json/LongLine.ts"
import { parseRecord } from "../../json/parseRecord.ts"
import { needsScan, scanValue } from "../../json/scanJson.ts"
import { closesObject, opensValue } from "../../json/unparsed.ts"
import type { InputProblem } from "../InputProblem.ts"
import type { LazyLines, LazyParseState } from "../records/LazyRecord.ts"
import { headOf, LazyRecord } from "../records/LazyRecord.ts"
import { isReadAtOnce, resourceTypes } from "../records/resourceTypes.ts"
import { unreadableInText } from "../records/unreadableInText.ts"
import type { ByteReader } from "./ByteReader.ts"
import { firstInvalidByte, notUtf8Help } from "./readDocument.ts"
import type { ReadItem } from "./ReadItem.ts"
import type { ReadLimits } from "./ReadLimits.ts"
import type { RecordExtractor } from "./RecordExtractor.ts"

/**
 * Reads NDJSON as a stream, one block of whole lines after the other, so that memory holds one block. An unreadable line costs only that
 * line. Each yielded value holds the items of one block. With `later`, a line is parsed when its content is accessed.
 */
export async function* readLines(
  reader: ByteReader,
  reading: RecordExtractor,
  limits: ReadLimits,
  later?: LazyParseState
): AsyncGenerator<ReadonlyArray<ReadItem>> {
  const options: LineOptions = later === undefined
    ? { limits }
    : { limits, passOver: deferLines(reading, limits, later) }
  for await (const block of lineBlocks(reader.chunks(), limits.recordBytes)) {
    if (block._tag === "TooLong") reading.tooLong(block.line, block.gist)
    else readBlock(block.bytes, block.line, reading, block.isCut ? { ...options, cut: true } : options)
    const items = reading.take()
    if (items.length > 0) yield items
  }
  reading.finish()
  const items = reading.take()
  if (items.length > 0) yield items
}

interface LineOptions {
  readonly limits: ReadLimits
  /** The last line has no line feed. */
  readonly cut?: boolean
  /** Whether the records are not kept after their block: who needs them parses them again. */
  readonly isPassing?: boolean
  /** Called for each line before it is parsed; returns `true` if it took the line, which is between `start` and `end`. */
  readonly passOver?: (block: Buffer, start: number, end: number, line: number) => boolean
}

/** Reads whole lines and returns their number. */
export const readBlock = (block: Buffer, firstLine: number, reading: RecordExtractor, options: LineOptions): number => {
  const lines = new BlockLines(block, firstLine, options.limits, options.cut)
  while (lines.next()) readLine(block, lines, reading, options)
  return lines.line - firstLine + (block.length > 0 ? 1 : 0)
}

/**
 * Moves through the lines of a block, for records and for visits: finds the text of each line, and why a line is unreadable. It creates
 * no object for a line, because large exports have many millions of them.
 */
export class BlockLines {
  line: number
  /** The text without white space around it, a byte-order mark, and what pads the end of a file. */
  start = 0
  end = 0
  /** The offset of the line itself. */
  from = 0
  /** True if the block ends with this line, and nothing shows that the line is complete. */
  isCut = false
  readonly #block: Buffer
  readonly #clean: boolean
  readonly #limits: ReadLimits
  readonly #cut: boolean
  #next = 0

  constructor(block: Buffer, firstLine: number, limits: ReadLimits, cut = false) {
    this.#block = block
    this.#clean = isUtf8(block)
    this.#limits = limits
    this.#cut = cut
    this.line = firstLine - 1
  }

  /** Moves to the next line; returns `false` after the last one. */
  next(): boolean {
    const block = this.#block
    if (this.#next >= block.length) return false
    this.line++
    this.from = this.#next
    const feed = block.indexOf(0x0a, this.from)
    this.isCut = this.#cut && feed === -1
    let start = this.from
    let end = feed === -1 ? block.length : feed
    this.#next = end + 1
    // Old systems end a file with Ctrl-Z and pad it with NULs.
    if (this.isCut) { while (end > start && (block[end - 1] === 0x1a || block[end - 1] === 0)) end-- }
    // Files that were concatenated can have a byte-order mark in the middle.
    if (block[start] === 0xef && block[start + 1] === 0xbb && block[start + 2] === 0xbf) start += 3
    while (start < end && isSpace(block[start])) start++
    while (end > start && isSpace(block[end - 1])) end--
    this.start = start
    this.end = end
    return true
  }

  get isBlank(): boolean {
    return this.start === this.end
  }

  get isTooLong(): boolean {
    return this.end - this.start > this.#limits.recordBytes
  }

  /** Returns why the line is not text. */
  notText(): InputProblem | undefined {
    if (this.#clean || isUtf8(this.#block.subarray(this.start, this.end))) return undefined
    return {
      code: "unreadable-record",
      severity: "error",
      title: "a line is not UTF-8",
      label: `byte ${firstInvalidByte(this.#block.subarray(this.from, this.end)).column}`,
      help: notUtf8Help
    }
  }
}

/** Defers parsing of lines that hold one resource, as their first bytes show. */
const deferLines = (
  reading: RecordExtractor,
  limits: ReadLimits,
  later: LazyParseState
): NonNullable<LineOptions["passOver"]> => {
  const lines: LazyLines = { file: reading.file, depth: limits.depth, state: later }
  return (block, start, end, line) => {
    // A line that is cut off is a problem of the run, even if its record is not used.
    if (!closesObject(block[end - 1])) return false
    const head = headOf(block, start, end)
    if (head === undefined || isReadAtOnce(head.type) || !resourceTypes.has(head.type)) return false
    reading.later(new LazyRecord(head, block, start, end, line, lines))
    return true
  }
}

const readLine = (
  block: Buffer,
  lines: BlockLines,
  reading: RecordExtractor,
  { isPassing, limits, passOver }: LineOptions
): void => {
  if (lines.isBlank) return
  const { end, from, line, start } = lines
  if (lines.isTooLong) {
    const gist = new LongLine(limits.recordBytes)
    gist.take(block.subarray(start, end))
    return reading.tooLong(line, gist)
  }
  const notText = lines.notText()
  if (notText !== undefined) {
    return reading.problem(line, notText, { lost: unreadableInText(block.toString("latin1", start, end)) })
  }
  if (passOver?.(block, start, end, line) === true) return
  try {
    if (opensValue(block[start])) {
      const scan = scanValue(block, start, end)
      // `JSON.parse` rejects anything after the value.
      const whole = hasRest(block, scan.end, end) ? { ...scan, end } : scan
      const parsed = parseRecord(block, whole, limits.depth, isPassing)
      if ("unfit" in parsed) reading.unfit(line, parsed.unfit, block.subarray(start, end))
      else {
        reading.value(parsed.value, line, {
          bytes: block.subarray(scan.start, scan.end),
          needsScan: needsScan(scan)
        })
      }
    } else reading.value(JSON.parse(block.toString("utf8", start, end)), line)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    const text = block.toString("utf8", from, end)
    // A truncated record has begun; any other text after the last record shows that the record was the last.
    const isCut = lines.isCut && opensValue(block[start])
    const ends = findFault(text)?.isCut === true
    reading.problem(line, notJson(text, isCut), { lost: unreadableInText(text), cut: isCut, ends })
  }
}

/** Returns the error in a line that is not JSON. `cut`: the file ends with this line. */
export const notJson = (line: string, cut: boolean): InputProblem => {
  const fault = findFault(line)
  return {
    code: "unreadable-record",
    severity: "error",
    title: cut ? "the last line is cut off" : "a line is not JSON",
    ...(fault === undefined ? {} : { label: `column ${fault.column}: ${fault.reason}` }),
    help: cut
      ? ["the export may have stopped before its end: export again, or the visits of this line may be incomplete"]
      : fault?.help === undefined
      ? ["NDJSON has one JSON value on each line"]
      : [fault.help]
  }
}

/** Whether the line has more than white space from `from` on. */
export const hasRest = (block: Buffer, from: number, end: number): boolean => {
  for (let at = from; at < end; at++) if (!isSpace(block[at])) return true
  return false
}

const isSpace = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x0d || byte === 0x09
