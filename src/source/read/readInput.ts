import { Stream } from "effect"
import { didYouMean, suggest } from "../../diagnostic/suggest.ts"
import { findFault } from "../../json/findFault.ts"
import { scanValue } from "../../json/scanJson.ts"
import type { LazyParseState } from "../records/LazyRecord.ts"
import { typesInName } from "../records/typesInName.ts"
import { UnreadableLines } from "../records/unreadableInText.ts"
import type { UnreadableRecord } from "../records/UnreadableRecord.ts"
import { SourceError } from "../SourceError.ts"
import { fittingTables, tablesOfFile } from "../tables/matchFiles.ts"
import { readTables } from "../tables/readTables.ts"
import type { TableLayout } from "../tables/TableLayout.ts"
import type { VersionWatch } from "../versions/VersionWatch.ts"
import { ByteReader } from "./ByteReader.ts"
import type { Input } from "./findInputs.ts"
import { openBytes } from "./openBytes.ts"
import type { StandardInput } from "./openBytes.ts"
import {
  type ContentProblem,
  documentTooLarge,
  foreignProblem,
  headBytes,
  type Items,
  notUtf16Problem,
  readContent
} from "./readContent.ts"
import { readDocument, unreadableIn } from "./readDocument.ts"
import type { DocumentError } from "./readDocument.ts"
import { defaultReadLimits } from "./ReadLimits.ts"
import type { ReadLimits } from "./ReadLimits.ts"
import { hasRest, readLines } from "./readLines.ts"
import { RecordExtractor } from "./RecordExtractor.ts"
import type { ReadItem } from "./RecordExtractor.ts"
import { sniffBytes, sniffText } from "./sniffFormat.ts"
import type { ByteFormat, Foreign } from "./sniffFormat.ts"

/** How inputs are read. */
export interface ReadOptions {
  readonly limits?: ReadLimits
  /** Where `-` comes from, when it is not the process's standard input. */
  readonly standardInput?: StandardInput
  /** The tables that CSV may hold. */
  readonly tables?: ReadonlyArray<TableLayout>
  /** Lines of NDJSON are parsed when somebody asks what they hold; what is wrong in the others is not told. */
  readonly later?: LazyParseState
  /** Reads records of other versions of FHIR as R4. */
  readonly versions?: VersionWatch
}

/**
 * Everything in one input, found by content and not by name: a FHIR resource, an array, a Bundle of any type, several documents behind
 * each other, NDJSON, or CSV that holds tables of the mapping; plain or gzip; UTF-8 or, with a byte-order mark, UTF-16.
 *
 * What is wrong in the input is an item (`Problem`). A line or entry that cannot be read costs that line or entry; a file that is
 * refused as a whole (`unreadable-input`, `too-large`) gives no record at all: a compressed file is verified to its last byte, and a
 * document parsed to its end, before the first record is given. Fails when the system does not give the bytes, and when they change
 * while they are read.
 */
export const readInput = (input: Input, options: ReadOptions = {}): Stream.Stream<ReadItem, SourceError> => {
  const wanted: Wanted = {
    limits: options.limits ?? defaultReadLimits,
    tables: options.tables ?? [],
    later: options.later,
    versions: options.versions
  }
  const { limits } = wanted
  const tables = tablesOfFile(input.name, wanted.tables)
  return readContent<ReadItem>(input, { limits, standardInput: options.standardInput }, {
    text: (reader) => readText(reader, input, wanted),
    bytes: (reader, format, head) => {
      const text = tableText(format, head, tables)
      return text === undefined ? undefined : readTables(reader, input.name, tables, text, limits)
    },
    foreign: (format, held) =>
      refuseForeign(
        input,
        tables.length === 0 || !isUtf16(format)
          ? format
          : { ...format, help: `${format.help}, or say under its table:  encoding: utf-16le` },
        expectedIn(input, tables),
        held
      ),
    notUtf16: (bytes) => refuse(input, notUtf16Problem, unreadableIn(asciiOf(bytes))),
    tooLarge: async (reader) => refuse(input, documentTooLarge, { lost: await typesIn(reader), cut: true }),
    notInflated: async (problem, bytes) =>
      refuse(input, problem, { lost: bytes === undefined ? [] : await unreadableInBytes(bytes(), limits), cut: true }),
    keepsWhatWasGiven: false
  })
}

/** The items of all inputs, one input after the other. */
export const readInputs = (
  inputs: ReadonlyArray<Input>,
  options: ReadOptions = {}
): Stream.Stream<ReadItem, SourceError> =>
  Stream.fromIterable(inputs).pipe(Stream.flatMap((input) => readInput(input, options)))

/**
 * Where the lines of a file begin when it is NDJSON that is stored as it is read: UTF-8, not compressed. `undefined` when it is something
 * else, or cannot be read.
 */
export const lineStartOf = async (
  input: Input & { readonly _tag: "File" },
  options: Pick<ReadOptions, "limits" | "tables"> = {}
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

/** What can be read of a compressed file that is cut off or damaged. */
const unreadableInBytes = async (
  bytes: AsyncIterable<Buffer>,
  limits: ReadLimits
): Promise<ReadonlyArray<UnreadableRecord>> => {
  const lost = new UnreadableLines(limits.recordBytes)
  for await (const chunk of bytes) lost.take(chunk)
  return lost.finish()
}

/** How a file that is named like a table is to be read as text; `undefined` when it is something else. */
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
  return /^\s*(?:\{|\[\s*[{\]])/.test(head.toString("latin1", 0, 4096)) ? undefined : format
}

const isUtf16 = ({ what }: Foreign): boolean => what.startsWith("text in UTF-16")

type TableText = ByteFormat & { readonly _tag: "Text" }

/** How an input is read, and what CSV may hold. */
interface Wanted {
  readonly limits: ReadLimits
  readonly tables: ReadonlyArray<TableLayout>
  readonly later: LazyParseState | undefined
  readonly versions: VersionWatch | undefined
}

/** Reads UTF-8 text without byte-order mark. */
async function* readText(reader: ByteReader, input: Input, wanted: Wanted): Items<ReadItem> {
  const { limits, tables } = wanted
  const head = await reader.peek(headBytes)
  const format = sniffText(head.toString("utf8", 0, headBytes), head.length < headBytes)
  switch (format._tag) {
    case "Json":
      return yield* readJson(reader, input, wanted)
    case "Csv": {
      // What has no name is known by its header.
      const fitting = input._tag === "StandardInput" ? fittingTables(head.toString("utf8"), tables) : []
      if (fitting.length === 0) return yield [refuse(input, tables.length === 0 ? csvProblem : noTable(input, tables))]
      return yield* readTables(reader, input.name, fitting, { _tag: "Text", encoding: "utf-8", bom: 0 }, limits)
    }
    case "Blank":
      return yield [refuse(input, emptyProblem(input))]
    case "Foreign":
      return yield [refuseForeign(input, format, expectedIn(input, tables))]
  }
}

/** What a file should hold by its name: types of resources, or tables of the mapping. */
const expectedIn = ({ name }: Input, tables: ReadonlyArray<TableLayout>): ReadonlyArray<string> => [
  ...typesInName(name),
  ...tablesOfFile(name, tables).map((table) => table.name)
]

/** Documents and NDJSON look alike from the first byte on; the first line tells them apart in all but odd cases. */
async function* readJson(
  reader: ByteReader,
  input: Input,
  { later, limits, tables, versions }: Wanted
): Items<ReadItem> {
  const reading = new RecordExtractor(input.name, input.named, expectedIn(input, tables), versions)
  const first = await reader.peekUntil(limits.documentBytes, lookAtFirstLine)
  if (first === "lines") return yield* readLines(reader, reading, limits, later)
  const bytes = await reader.peekAll(limits.documentBytes)
  if (bytes === undefined) return yield [refuse(input, documentTooLarge, { lost: await typesIn(reader), cut: true })]
  const refusal = readDocument(bytes, reading, limits)
  if (refusal === undefined) {
    reading.finish()
    const items = reading.take()
    if (items.length > 0) yield items
  } else yield [refuse(input, refusal.diagnostic, refusal)]
}

/** NDJSON when the first line holds a whole value and more follows it, or when the first line is damaged and a later one is whole. */
export const lookAtFirstLine = (held: Buffer, ended: boolean): "lines" | "document" | undefined => {
  let start = 0
  while (start < held.length && isBlank(held[start]!)) start++
  const feed = held.indexOf(0x0a, start)
  if (feed === -1) return ended ? "document" : undefined
  if (!isWholeLine(held, start, feed)) return lookAtLaterLines(held, feed, ended)
  let next = feed
  while (next < held.length && isBlank(held[next]!)) next++
  return next < held.length ? "lines" : ended ? "document" : undefined
}

/** Bytes behind the first line in which a whole line is looked for. */
const laterBytes = 16 * 1024 * 1024

/**
 * A whole object on a line of its own does not make NDJSON: an array can be written so. It does when the lines until then are no JSON
 * together. The second one decides, because two objects without a comma between them are elements of nothing.
 */
const lookAtLaterLines = (held: Buffer, first: number, ended: boolean): "lines" | "document" | undefined => {
  const limit = Math.min(held.length, first + laterBytes)
  let whole = 0
  for (let start = first + 1; start < limit;) {
    const feed = held.indexOf(0x0a, start)
    const end = feed === -1 ? held.length : feed
    if (feed === -1 && !ended) break
    if (held[start] === 0x7b && isWholeLine(held, start, end)) {
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

const isBlank = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

/** A text in an encoding of two or four bytes as far as it is ASCII, as the names of records are. */
const asciiOf = (bytes: Buffer): string => bytes.toString("latin1").replaceAll("\0", "")

/** The types of the records in a text that is not held. */
const typesIn = async (reader: ByteReader): Promise<ReadonlyArray<UnreadableRecord>> => {
  const types = new Set<string>()
  let before = ""
  for await (const chunk of reader.chunks()) {
    const text = before + asciiOf(chunk)
    for (const [, type] of text.matchAll(/"resourceType"\s*:\s*"([A-Za-z]+)"/gu)) types.add(type!)
    before = text.slice(-200)
  }
  return [...types].map((type) => ({ type, names: [], references: [] }))
}

const refuse = (
  input: Input,
  diagnostic: ContentProblem,
  { cut = false, line = 1, lost }: Partial<Pick<DocumentError, "line" | "lost" | "cut">> = {}
): ReadItem => ({
  _tag: "Problem",
  diagnostic: { ...diagnostic, origin: { file: input.name, line, reference: "" } },
  breaksOff: true,
  ...(cut ? { cut } : {}),
  ...(lost === undefined ? {} : { lost })
})

/** Notes and pictures that lie in a folder are reported; what may hold records, or was asked for by name, is an error. */
const refuseForeign = (
  input: Input,
  format: Foreign,
  expected: ReadonlyArray<string>,
  text?: Buffer
): ReadItem =>
  refuse(
    input,
    input.named || format.mayHoldRecords || expected.length > 0 ? foreignProblem(format) : {
      code: "not-a-resource",
      severity: "warning",
      title: `a file of the folder was left out: it looks like ${format.what}`
    },
    text === undefined ? {} : unreadableIn(asciiOf(text))
  )

const csvProblem: ContentProblem = {
  code: "unreadable-input",
  severity: "error",
  title: "this looks like CSV: CSV needs tables in the mapping",
  help: ["say under  table:  in the mapping which files hold which columns; docs/csv.md tells how"]
}

const noTable = (input: Input, tables: ReadonlyArray<TableLayout>): ContentProblem => {
  const name = input.name.slice(input.name.lastIndexOf("/") + 1).replace(/\.gz$/iu, "")
  const files = [...new Set(tables.flatMap((table) => table.files))]
  const near = suggest(name, files)
  return {
    code: "unreadable-input",
    severity: "error",
    title: input._tag === "StandardInput"
      ? "this looks like CSV, and its header is that of no table of the mapping"
      : "this looks like CSV, and no table of the mapping has a file of this name",
    ...(near === undefined ? {} : { label: didYouMean(near) }),
    help: [
      `the mapping reads: ${files.slice(0, 12).join(", ")}${
        files.length > 12 ? `, and ${files.length - 12} more names` : ""
      }`,
      "say under  table:  which table it holds:  file: …",
      ...(input.named ? [] : ["where its rows belong to no visit, name the files to read instead of the folder"])
    ]
  }
}

const emptyProblem = (input: Input): ContentProblem => ({
  code: "unreadable-input",
  severity: input.named ? "error" : "warning",
  title: "the file is empty",
  help: ["export it again if it should hold records"]
})
