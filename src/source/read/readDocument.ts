import { isUtf8 } from "node:buffer"
import { findFault, type JsonFault } from "../../json/findFault.ts"
import { isJsonObject, jsonObjectOf } from "../../json/JsonObject.ts"
import { parseRecord } from "../../json/parseRecord.ts"
import { scanText, scanValue } from "../../json/scanJson.ts"
import type { ElementList, TopValue } from "../../json/scanJson.ts"
import type { InputProblem } from "../InputProblem.ts"
import { unreadableInText } from "../records/unreadableInText.ts"
import type { UnreadableRecord } from "../records/UnreadableRecord.ts"
import { contentHashOf } from "./bundles.ts"
import type { ReadLimits } from "./ReadLimits.ts"
import type { Entry, RecordExtractor } from "./RecordExtractor.ts"

/** Why a whole file is rejected, and at which line. */
export interface DocumentError {
  readonly line: number
  readonly diagnostic: InputProblem
  /** The records that are lost with it. */
  readonly lost?: ReadonlyArray<UnreadableRecord>
  /** The content after the end is unknown. */
  readonly cut?: boolean
}

/**
 * Returns what is lost with an unreadable text. If a document of one patient is cut off, the missing part can concern only that patient.
 */
export const unreadableIn = (text: string, fault = findFault(text)): Pick<DocumentError, "lost" | "cut"> => {
  const lost = unreadableInText(text)
  if (fault?.isCut !== true) return { lost }
  const [patient, ...others] = lost.filter(({ type }) => type === "Patient")
  return patient === undefined || others.length > 0 || lost.length === 1
    ? { lost, cut: true }
    : { lost: [...lost, { names: [], references: patient.names }] }
}

/**
 * Reads a JSON document, or several consecutive ones, into `reading`. Entries are parsed one by one, so that each has its line and none
 * exceeds the limits of size and depth. JSON is what `JSON.parse` accepts. An error anywhere rejects the whole document, because the
 * rest of a broken text may not mean what it seems to mean.
 */
export const readDocument = (
  bytes: Buffer,
  reading: RecordExtractor,
  limits: ReadLimits
): DocumentError | undefined => {
  if (!isUtf8(bytes)) return notUtf8(bytes)
  const values = scanText(bytes)
  if (values === undefined) return notJson(bytes)
  try {
    for (const value of values) readTop(bytes, value, reading, limits)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    reading.take()
    return notJson(bytes)
  }
  return undefined
}

const readTop = (bytes: Buffer, top: TopValue, reading: RecordExtractor, limits: ReadLimits): void => {
  if (top.list?.isRegular === true) {
    const { list } = top
    const around = Buffer.concat([bytes.subarray(top.start, list.open + 1), bytes.subarray(list.close, top.end)])
    const header = parseRecord(around, scanValue(around, 0, around.length), limits.depth)
    if ("unfit" in header) return reading.unfit(top.line, header.unfit, bytes)
    const { value } = header
    if (Array.isArray(value)) {
      if (list.elements.length === 0) return reading.value(value, top.line)
      for (const element of parseElements(bytes, list, reading, limits)) reading.value(element.value, element.line)
      return
    }
    if (
      isJsonObject(value) && value.resourceType === "Bundle" && Array.isArray(value.entry) && value.entry.length === 0
    ) {
      const hashes = list.elements.map(({ scan }) => contentHashOf(bytes.subarray(scan.start, scan.end)))
      return reading.bundle(value, parseElements(bytes, list, reading, limits), hashes)
    }
  }
  const scan = scanValue(bytes, top.start, top.end)
  const parsed = parseRecord(bytes, scan, limits.depth)
  if ("unfit" in parsed) return reading.unfit(top.line, parsed.unfit, bytes.subarray(top.start, top.end))
  if (top.end - top.start > limits.recordBytes && isSingle(parsed.value)) {
    return reading.unfit(top.line, "too-large", bytes.subarray(top.start, top.end))
  }
  reading.value(parsed.value, top.line)
}

const isSingle = (value: unknown): boolean => !Array.isArray(value) && jsonObjectOf(value).resourceType !== "Bundle"

function* parseElements(
  bytes: Buffer,
  list: ElementList,
  reading: RecordExtractor,
  limits: ReadLimits
): Generator<Entry> {
  for (const { line, scan } of list.elements) {
    if (scan.end - scan.start > limits.recordBytes) {
      reading.unfit(line, "too-large", bytes.subarray(scan.start, scan.end))
      continue
    }
    const parsed = parseRecord(bytes, scan, limits.depth)
    if ("unfit" in parsed) reading.unfit(line, parsed.unfit, bytes.subarray(scan.start, scan.end))
    else yield { value: parsed.value, line }
  }
}

const notJson = (bytes: Buffer): DocumentError => {
  const text = bytes.toString("utf8")
  const fault = findFault(text)
  return { ...notJsonProblem(fault), ...unreadableIn(text, fault) }
}

/** Returns the error in a document that is not JSON, and its line. */
export const notJsonProblem = (fault: JsonFault | undefined): Pick<DocumentError, "line" | "diagnostic"> =>
  fault === undefined
    ? { line: 1, diagnostic: { code: "unreadable-input", severity: "error", title: "the file is not JSON" } }
    : {
      line: fault.line,
      diagnostic: {
        code: "unreadable-input",
        severity: "error",
        title: `the file is not JSON: ${fault.reason}`,
        label: `line ${fault.line}, column ${fault.column}`,
        facts: [["column", String(fault.column)]],
        help: [...(fault.help === undefined ? [] : [fault.help]), "nothing of this file was read"]
      }
    }

const notUtf8 = (bytes: Buffer): DocumentError => ({
  ...notUtf8Problem(bytes),
  ...unreadableIn(bytes.toString("latin1"))
})

/** Returns the error in a document that is not UTF-8, and its line. */
export const notUtf8Problem = (bytes: Buffer): Pick<DocumentError, "line" | "diagnostic"> => {
  const { column, line } = firstInvalidByte(bytes)
  return {
    line,
    diagnostic: {
      code: "unreadable-input",
      severity: "error",
      title: "the file is not UTF-8",
      label: `line ${line}, byte ${column}`,
      help: notUtf8Help
    }
  }
}

export const notUtf8Help: ReadonlyArray<string> = [
  "save or export it as UTF-8; a file in ISO 8859-1 or Windows-1252 is converted with  iconv -f WINDOWS-1252 -t UTF-8"
]

/** Returns the line, and the byte within it, of the first byte that is not UTF-8, both from 1. The bytes must contain one. */
export const firstInvalidByte = (bytes: Buffer): { readonly line: number; readonly column: number } => {
  let line = 1
  let start = 0
  for (;;) {
    const feed = bytes.indexOf(0x0a, start)
    const end = feed === -1 ? bytes.length : feed
    if (!isUtf8(bytes.subarray(start, end))) {
      let at = start
      let size = sizeOf(bytes[at])
      while (size > 0 && isUtf8(bytes.subarray(at, at + size))) {
        at += size
        size = sizeOf(bytes[at])
      }
      return { line, column: at - start + 1 }
    }
    if (feed === -1) return { line, column: 1 }
    start = feed + 1
    line++
  }
}

/** Returns the number of bytes of the character that begins with this byte; `0` if none does, or at the end. */
const sizeOf = (first = 0xff): number =>
  first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0
