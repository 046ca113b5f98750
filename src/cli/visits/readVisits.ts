import { Effect, Stream } from "effect"
import { isUtf8 } from "node:buffer"
import { stat } from "node:fs/promises"
import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import { findFault } from "../../json/findFault.ts"
import { jsonIn } from "../../json/JsonObject.ts"
import { lineBlocks } from "../../json/lines.ts"
import { scanText } from "../../json/scanJson.ts"
import type { InputProblem } from "../../source/InputProblem.ts"
import type { ByteReader } from "../../source/read/ByteReader.ts"
import { codeOf, expectFile, type Input, notReadable } from "../../source/read/findInputs.ts"
import {
  documentTooLarge,
  foreignProblem,
  type Items,
  notUtf16Problem,
  readContent
} from "../../source/read/readContent.ts"
import { notJsonProblem, notUtf8Problem } from "../../source/read/readDocument.ts"
import { lookAtFirstLine } from "../../source/read/readInput.ts"
import { defaultReadLimits, type ReadLimits } from "../../source/read/ReadLimits.ts"
import { BlockLines } from "../../source/read/readLines.ts"
import { SourceError } from "../../source/SourceError.ts"

/** The text of one visit in a file of visits, or why there is none. The text of a line may not be JSON. */
export type VisitText =
  | { readonly _tag: "Text"; readonly file: string; readonly line: number; readonly text: string }
  | { readonly _tag: "Unreadable"; readonly problem: Diagnostic }

/**
 * Reads the visits of files, in the order of the files. A file has a submission request (§2.3), an array, a single visit, or one visit per
 * line; `-` is standard input. Compression, encodings, and limits are those of records. Visits on lines are read one by one, so the file can have any size. An empty
 * file has no visits: `convert` writes one if there are none.
 */
export const readVisits = (
  files: ReadonlyArray<string>,
  limits: ReadLimits = defaultReadLimits
): Stream.Stream<VisitText, SourceError> =>
  Stream.fromIterable(files).pipe(Stream.flatMap((file) => visitsIn(inputOf(file), limits)))

const inputOf = (file: string): Input =>
  file === "-"
    ? { _tag: "StandardInput", name: "-", named: true }
    : { _tag: "File", name: file, path: file, named: true }

/** Fails if a name is not that of a regular file, before anything is read. */
export const checkFiles = (files: ReadonlyArray<string>): Effect.Effect<void, SourceError> =>
  Effect.forEach(files, (file) =>
    file === "-" ? Effect.void : Effect.tryPromise({
      try: async () => expectFile(file, await stat(file)),
      catch: (error) => {
        if (error instanceof SourceError) return error
        const code = codeOf(error)
        return code === "ENOENT" || code === "ENOTDIR"
          ? new SourceError({ reason: { _tag: "NotFound", input: file } })
          : notReadable(file, error)
      }
    }), { discard: true })

const visitsIn = (input: Input, limits: ReadLimits): Stream.Stream<VisitText, SourceError> => {
  const { name } = input
  const invalid = (problem: InputProblem): VisitText => unreadable(name, 1, problem)
  return readContent<VisitText>(input, { limits }, {
    text: (reader) => readText(reader, name, limits),
    foreign: (format) => invalid(foreignProblem(format)),
    notUtf16: () => invalid(notUtf16Problem),
    tooLarge: () => Promise.resolve(invalid(documentTooLarge)),
    notInflated: (problem) => Promise.resolve(invalid(problem)),
    keepsWhatWasGiven: true
  })
}

async function* readText(reader: ByteReader, name: string, limits: ReadLimits): Items<VisitText> {
  if (await reader.peekUntil(limits.documentBytes, lookAtFirstLine) === "lines") {
    return yield* visitsOfLines(reader, name, limits)
  }
  const bytes = await reader.peekAll(limits.documentBytes)
  if (bytes === undefined) return yield [unreadable(name, 1, documentTooLarge)]
  yield visitsOfDocument(bytes, name, limits)
}

async function* visitsOfLines(reader: ByteReader, name: string, limits: ReadLimits): Items<VisitText> {
  for await (const block of lineBlocks(reader.chunks(), limits.recordBytes)) {
    if (block._tag === "TooLong") {
      yield [unreadable(name, block.line, tooLarge(limits))]
      continue
    }
    const { bytes } = block
    const lines = new BlockLines(bytes, block.line, limits, block.isCut)
    let visits: Array<VisitText> = []
    let from = 0
    while (lines.next()) {
      if (lines.isBlank) continue
      const { end, line, start } = lines
      const problem = lines.isTooLong ? tooLarge(limits) : lines.notText()
      visits.push(
        problem === undefined
          ? { _tag: "Text", file: name, line, text: bytes.toString("utf8", start, end) }
          : unreadable(name, line, problem)
      )
      if (visits.length === textsAtOnce || end - from > bytesAtOnce) {
        yield visits
        visits = []
        from = end
      }
    }
    if (visits.length > 0) yield visits
  }
}

/** Maximum of visits, and of their bytes, in memory at a time. With few visits, V8 frees them while they are young, which is cheap. */
const textsAtOnce = 16
const bytesAtOnce = 256 * 1024

/** The visits of a document, each with its source text. */
const visitsOfDocument = (bytes: Buffer, file: string, limits: ReadLimits): ReadonlyArray<VisitText> => {
  const invalid = ({ diagnostic, line }: { readonly diagnostic: InputProblem; readonly line: number }) => [
    unreadable(file, line, diagnostic)
  ]
  const noVisits = (title: string) =>
    invalid({ line: 1, diagnostic: { code: "unreadable-record", severity: "error", title } })
  if (!isUtf8(bytes)) return invalid(notUtf8Problem(bytes))
  const text = bytes.toString("utf8")
  if (text.trim() === "") return []
  const value = jsonIn(text)
  if (value === undefined) return invalid(notJsonProblem(findFault(text)))
  if (typeof value !== "object" || value === null) {
    return noVisits("the file is JSON, and neither a visit, an array of visits nor a submission request")
  }
  const given: unknown = Array.isArray(value) ? value : "visits" in value ? value.visits : undefined
  if (given !== undefined && !Array.isArray(given)) return noVisits("`visits` is not an array (§2.3)")
  const [top] = scanText(bytes, "visits") ?? []
  if (top === undefined) return noVisits("the file has no visit")
  if (given === undefined) return [visitAt(bytes, file, limits, top)]
  const elements = top.list?.elements ?? []
  // The key may be written with escapes, or twice.
  if (elements.length !== given.length) return noVisits("`visits` is written twice, or with escapes in its name")
  return elements.map(({ line, scan }) => visitAt(bytes, file, limits, { line, start: scan.start, end: scan.end }))
}

interface Slice {
  readonly start: number
  readonly end: number
  readonly line: number
}

const visitAt = (bytes: Buffer, file: string, limits: ReadLimits, { end, line, start }: Slice): VisitText =>
  end - start > limits.recordBytes
    ? unreadable(file, line, tooLarge(limits))
    : { _tag: "Text", file, line, text: bytes.toString("utf8", start, end) }

const tooLarge = ({ recordBytes }: ReadLimits): InputProblem => ({
  code: "too-large",
  severity: "error",
  title: `a visit is larger than the limit of ${recordBytes / (1024 * 1024)} MiB`
})

const unreadable = (file: string, line: number, problem: InputProblem): VisitText => ({
  _tag: "Unreadable",
  problem: { ...problem, origin: { file, line, reference: "" } }
})
