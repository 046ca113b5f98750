import { Stream } from "effect"
import { didYouMean, suggest } from "../../diagnostic/suggest.ts"
import { findFault } from "../../json/findFault.ts"
import { scanValue } from "../../json/scanJson.ts"
import { beginsAsObjects, memberTexts, opensObject } from "../../json/unparsed.ts"
import { type InputProblem, problemAt } from "../InputProblem.ts"
import type { LazyParseState } from "../records/LazyRecord.ts"
import { isNamedAsRecords, isNamedAsTable, typesInName } from "../records/resourceTypes.ts"
import { UnreadableLines } from "../records/unreadableInText.ts"
import type { UnreadableRecord } from "../records/UnreadableRecord.ts"
import { SourceError } from "../SourceError.ts"
import { fittingTables, tablesOfFile } from "../tables/matchFiles.ts"
import { readTables, type RowListener } from "../tables/readTables.ts"
import type { TableLayout } from "../tables/TableLayout.ts"
import type { VersionWatch } from "../versions/VersionWatch.ts"
import { ByteReader } from "./ByteReader.ts"
import type { FileInput, Input } from "./findInputs.ts"
import { openBytes } from "./openBytes.ts"
import type { StandardInput } from "./openBytes.ts"
import { documentTooLarge, foreignProblem, headBytes, type Items, notUtf16Problem, readContent } from "./readContent.ts"
import { readDocument, unreadableIn } from "./readDocument.ts"
import type { DocumentError } from "./readDocument.ts"
import type { ReadItem } from "./ReadItem.ts"
import { defaultReadLimits } from "./ReadLimits.ts"
import type { ReadLimits } from "./ReadLimits.ts"
import { hasRest, readLines } from "./readLines.ts"
import { RecordExtractor } from "./RecordExtractor.ts"
import { sniffBytes, sniffText } from "./sniffFormat.ts"
import type { ByteFormat, Foreign } from "./sniffFormat.ts"

/** The settings of reading; all are optional. */
export interface ReadOptions {
  readonly limits?: ReadLimits
  /** The stream that `-` reads, if it is not the process's standard input. */
  readonly standardInput?: StandardInput
  /** The tables that CSV can hold. */
  readonly tables?: ReadonlyArray<TableLayout>
  /** Defers the parsing of NDJSON lines until their content is accessed; errors in lines that are never accessed are not reported. */
  readonly later?: LazyParseState
  /** Reads records of other versions of FHIR as R4. */
  readonly versions?: VersionWatch
  /** Receives the rows of files that hold tables. */
  readonly onRow?: RowListener
  /** The time of the run, in milliseconds since 1970. Visits cannot begin later. */
  readonly now?: number
}

/**
 * Reads everything in one input and detects its format by content, not by name. It can be a FHIR resource, an array, a Bundle of any
 * type, several consecutive documents, NDJSON, or CSV that holds tables of the mapping. It can be plain or gzip, and UTF-8 or, with a
 * byte-order mark, UTF-16.
 *
 * An error in the input is an item (`Problem`). An unreadable line or entry costs only that line or entry. A file that is rejected as a
 * whole (`unreadable-input`, `too-large`) gives no record. For this reason a compressed file is verified to its last byte, and a document
 * parsed to its end, before the first record is given. Fails if the system cannot read the bytes, and if they change during the read.
 */
export const readInput = (input: Input, options: ReadOptions = {}): Stream.Stream<ReadItem, SourceError> => {
  const reading: InputReading = {
    ...options,
    input,
    limits: options.limits ?? defaultReadLimits,
    tables: options.tables ?? []
  }
  const { limits } = reading
  const tables = tablesOfFile(input.name, reading.tables)
  return readContent<ReadItem>(input, { limits, standardInput: options.standardInput }, {
    text: (reader) => readText(reader, reading),
    bytes: (reader, format, head) => {
      const text = tableText(format, head, tables)
      return text === undefined
        ? undefined
        : readTables(reader, { file: input.name, tables, format: text, limits, now: options.now, onRow: options.onRow })
    },
    foreign: (format, held) =>
      rejectForeign(
        input,
        tables.length === 0 || !isUtf16(format)
          ? format
          : { ...format, help: `${format.help}, or set under its table:  encoding: utf-16le` },
        expectedIn(input, tables),
        held
      ),
    notUtf16: (bytes) => reject(input, notUtf16Problem, unreadableIn(asciiOf(bytes))),
    tooLarge: async (reader) => reject(input, documentTooLarge, { lost: await typesIn(reader), cut: true }),
    notInflated: async (problem, bytes) =>
      reject(input, problem, { lost: bytes === undefined ? [] : await unreadableInBytes(bytes(), limits), cut: true }),
    keepsWhatWasGiven: false
  })
}

/** Returns the items of all inputs, one input after the other. */
export const readInputs = (
  inputs: ReadonlyArray<Input>,
  options: ReadOptions = {}
): Stream.Stream<ReadItem, SourceError> =>
  Stream.fromIterable(inputs).pipe(Stream.flatMap((input) => readInput(input, options)))

/**
 * Returns the offset of the first line of an uncompressed NDJSON file in UTF-8. `undefined` if the file is something else or cannot be
 * read.
 */
export const lineStartOf = async (
  input: FileInput,
  options: Pick<ReadOptions, "limits" | "tables">
): Promise<number | undefined> => {
  const reader = new ByteReader(openBytes(input))
  try {
    const head = await reader.peek(headBytes)
    const format = sniffBytes(head)
    if (format._tag !== "Text" || format.encoding !== "utf-8") return undefined
    if (tableText(format, head, tablesOfFile(input.name, options.tables ?? [])) !== undefined) return undefined
    reader.skip(format.bom)
    const text = await reader.peek(headBytes)
    if (sniffText(text.toString("utf8", 0, headBytes), text.length < headBytes)._tag !== "Json") return undefined
    const { recordBytes } = options.limits ?? defaultReadLimits
    return await reader.peekUntil(recordBytes, lookAtFirstLine) === "lines" ? format.bom : undefined
  } catch (error) {
    if (error instanceof SourceError) return undefined
    throw error
  } finally {
    await reader.close()
  }
}

/** Reads as much as possible of a compressed file that is cut off or damaged. */
const unreadableInBytes = async (
  bytes: AsyncIterable<Buffer>,
  limits: ReadLimits
): Promise<ReadonlyArray<UnreadableRecord>> => {
  const lost = new UnreadableLines(limits.recordBytes)
  for await (const chunk of bytes) lost.take(chunk)
  return lost.finish()
}

/** Returns how to read a file with the name of a table as text; `undefined` if it is something else. */
const tableText = (
  format: ByteFormat,
  head: Buffer,
  tables: ReadonlyArray<TableLayout>
): TableText | undefined => {
  if (tables.length === 0 || format._tag === "Gzip") return undefined
  const declared = tables.find(({ dialect }) => dialect.encoding !== undefined)?.dialect.encoding
  if (format._tag === "Foreign") {
    return isUtf16(format) && declared?.startsWith("utf-16") === true
      ? { _tag: "Text", encoding: "utf-8", bom: 0 }
      : undefined
  }
  return beginsAsObjects(head.toString("latin1", 0, 4096)) ? undefined : format
}

const isUtf16 = ({ what }: Foreign): boolean => what.startsWith("text in UTF-16")

type TableText = ByteFormat & { readonly _tag: "Text" }

type InputReading = ReadOptions & Required<Pick<ReadOptions, "limits" | "tables">> & { readonly input: Input }

/** Reads UTF-8 text without byte-order mark. */
async function* readText(reader: ByteReader, reading: InputReading): Items<ReadItem> {
  const { input, limits, tables } = reading
  const head = await reader.peek(headBytes)
  const format = sniffText(head.toString("utf8", 0, headBytes), head.length < headBytes)
  switch (format._tag) {
    case "Json":
      return yield* readJson(reader, reading)
    case "Csv": {
      // Standard input has no name, so its header identifies the table.
      const fitting = input._tag === "StandardInput" ? fittingTables(head.toString("utf8"), tables) : []
      if (fitting.length === 0) return yield [reject(input, tables.length === 0 ? csvProblem : noTable(input, tables))]
      const format = { _tag: "Text", encoding: "utf-8", bom: 0 } as const
      return yield* readTables(reader, { file: input.name, tables: fitting, format, limits })
    }
    case "Blank":
      return yield [reject(input, emptyProblem(input))]
    case "Foreign":
      return yield [rejectForeign(input, format, expectedIn(input, tables))]
  }
}

/** Returns what a file should hold according to its name: types of resources, or tables of the mapping. */
const expectedIn = ({ name }: Input, tables: ReadonlyArray<TableLayout>): ReadonlyArray<string> => [
  ...typesInName(name),
  ...tablesOfFile(name, tables).map((table) => table.name)
]

/** Reads documents or NDJSON. Both begin alike, but the first line distinguishes them except in rare cases. */
async function* readJson(
  reader: ByteReader,
  { input, later, limits, tables, versions }: InputReading
): Items<ReadItem> {
  const extractor = new RecordExtractor(input.name, {
    named: input.named,
    expected: expectedIn(input, tables),
    versions
  })
  const first = await reader.peekUntil(limits.documentBytes, lookAtFirstLine)
  if (first === "lines") {
    yield* readLines(reader, extractor, limits, later)
    if (!extractor.hasContent) yield [reject(input, emptyProblem(input))]
    return
  }
  const bytes = await reader.peekAll(limits.documentBytes)
  if (bytes === undefined) return yield [reject(input, documentTooLarge, { lost: await typesIn(reader), cut: true })]
  const error = readDocument(bytes, extractor, limits)
  if (error === undefined) {
    extractor.finish()
    const items = extractor.take()
    if (items.length > 0) yield items
    else if (!extractor.hasContent) yield [reject(input, emptyProblem(input))]
  } else yield [reject(input, error.diagnostic, error)]
}

/** Returns "lines" if more follows a first line with a whole value, or if the first line is damaged and a later one is whole. */
export const lookAtFirstLine = (held: Buffer, ended: boolean): "lines" | "document" | undefined => {
  let start = 0
  while (start < held.length && isBlank(held[start])) start++
  const feed = held.indexOf(0x0a, start)
  if (feed === -1) return ended ? "document" : undefined
  if (!isWholeLine(held, start, feed)) return lookAtLaterLines(held, feed, ended)
  let next = feed
  while (next < held.length && isBlank(held[next])) next++
  return next < held.length ? "lines" : ended ? "document" : undefined
}

/** Bytes after the first line in which a whole line is searched for. */
const laterBytes = 16 * 1024 * 1024

/**
 * A whole object on a line of its own does not prove NDJSON, because an array can be written so. It is NDJSON if the lines up to it are
 * not JSON together. The second object decides, because an array needs a comma between two objects.
 */
const lookAtLaterLines = (held: Buffer, first: number, ended: boolean): "lines" | "document" | undefined => {
  const limit = Math.min(held.length, first + laterBytes)
  let whole = 0
  for (let start = first + 1; start < limit;) {
    const feed = held.indexOf(0x0a, start)
    const end = feed === -1 ? held.length : feed
    if (feed === -1 && !ended) break
    if (opensObject(held[start]) && isWholeLine(held, start, end)) {
      const fault = findFault(held.toString("utf8", 0, end))
      if (fault !== undefined && fault.isCut !== true) return "lines"
      if (++whole === 2) return "document"
    }
    start = end + 1
  }
  return ended || held.length - first > laterBytes ? "document" : undefined
}

const isWholeLine = (held: Buffer, start: number, end: number): boolean => {
  const scan = scanValue(held, start, end)
  return scan.closed && !hasRest(held, scan.end, end)
}

const isBlank = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

/** Decodes only the ASCII of a text in an encoding of two or four bytes; names of records are ASCII. */
const asciiOf = (bytes: Buffer): string => bytes.toString("latin1").replaceAll("\0", "")

/** Returns the types of the records in a text that is not held in memory. */
const typesIn = async (reader: ByteReader): Promise<ReadonlyArray<UnreadableRecord>> => {
  const types = new Set<string>()
  let before = ""
  for await (const chunk of reader.chunks()) {
    const text = before + asciiOf(chunk)
    for (const type of memberTexts(text, "resourceType")) if (/^[A-Za-z]+$/u.test(type)) types.add(type)
    before = text.slice(-200)
  }
  return [...types].map((type) => ({ type, names: [], references: [] }))
}

const reject = (
  input: Input,
  diagnostic: InputProblem,
  { cut = false, line = 1, lost }: Partial<Pick<DocumentError, "line" | "lost" | "cut">> = {}
): ReadItem =>
  problemAt(input.name, line, diagnostic, {
    breaksOff: true,
    ...(cut ? { cut } : {}),
    ...(lost === undefined ? {} : { lost })
  })

/** Notes and images in a folder are reported; a file that can hold records, or that the user named, is an error. */
const rejectForeign = (
  input: Input,
  format: Foreign,
  expected: ReadonlyArray<string>,
  text?: Buffer
): ReadItem =>
  reject(
    input,
    input.named || format.mayHoldRecords || expected.length > 0 || isNamedAsRecords(input.name) ||
      format.hasCells === true && isNamedAsTable(input.name)
      ? foreignProblem(format) :
      {
        code: "not-a-resource",
        severity: "warning",
        title: `a file of the folder was ignored: it looks like ${format.what}`
      },
    text === undefined ? {} : unreadableIn(asciiOf(text))
  )

const csvProblem: InputProblem = {
  code: "unreadable-input",
  severity: "error",
  title: "this looks like CSV: CSV needs tables in the mapping",
  help: ["declare under  table:  in the mapping which files have which columns; see docs/csv.md"]
}

const noTable = (input: Input, tables: ReadonlyArray<TableLayout>): InputProblem => {
  const name = input.name.slice(input.name.lastIndexOf("/") + 1).replace(/\.gz$/iu, "")
  const files = [...new Set(tables.flatMap((table) => table.files))]
  const near = suggest(name, files)
  return {
    code: "unreadable-input",
    severity: "error",
    title: input._tag === "StandardInput"
      ? "this looks like CSV, and no table of the mapping has this header"
      : "this looks like CSV, and no table of the mapping has a file of this name",
    ...(near === undefined ? {} : { label: didYouMean(near) }),
    help: [
      `the mapping reads: ${files.slice(0, 12).join(", ")}${
        files.length > 12 ? `, and ${files.length - 12} more names` : ""
      }`,
      "declare its table under  table:  with  file: …",
      ...(input.named ? [] : ["if its rows belong to no visit, name the files to read instead of the folder"])
    ]
  }
}

const emptyProblem = (input: Input): InputProblem => ({
  code: "unreadable-input",
  severity: input.named ? "error" : "warning",
  title: "the file is empty",
  help: ["export it again if it should have records"]
})
