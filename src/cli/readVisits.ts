import { Effect, Stream } from "effect"
import { createReadStream } from "node:fs"
import { stat } from "node:fs/promises"
import { stdin } from "node:process"
import { pipeline, type Readable } from "node:stream"
import { createGunzip } from "node:zlib"
import type { Diagnostic } from "../diagnostic/Diagnostic.ts"
import { NotAFile, NotFound, NotReadable, SourceError } from "../source/SourceError.ts"
import { sliceVisits } from "./sliceVisits.ts"

/** The text of one visit in a file of visits, or why there is none. The text of a line may not be JSON. */
export type VisitText =
  | { readonly _tag: "Text"; readonly file: string; readonly line: number; readonly text: string }
  | { readonly _tag: "Unreadable"; readonly problem: Diagnostic }

/** A visit is 5 to 40 kB; a line of this size is something else. */
const maxLine = 16 * 1024 * 1024
/** A JSON document is read as a whole; more visits than this belong in `.ndjson`. */
const maxDocument = 256 * 1024 * 1024

/**
 * The visits of files, in the order of the files: a submission request (§2.3), an array, a single visit, or one visit a line;
 * plain or gzip; `-` is standard input. A file with nothing in it has no visits, as `convert` writes one when it has none. A file whose name says `.ndjson` is read line by line, and its size does not matter.
 */
export const readVisits = (files: ReadonlyArray<string>): Stream.Stream<VisitText, SourceError> =>
  Stream.fromIterable(files).pipe(
    Stream.flatMap((file) =>
      Stream.fromAsyncIterable(visitsOf(file), (error) => sourceError(file, error)).pipe(
        Stream.flatMap(Stream.fromIterable)
      )
    )
  )

/** The names are there, before anything is read. */
export const checkFiles = (files: ReadonlyArray<string>): Effect.Effect<void, SourceError> =>
  Effect.forEach(files, (file) =>
    file === "-" ? Effect.void : Effect.tryPromise({
      try: async () => {
        if ((await stat(file)).isDirectory()) throw Object.assign(new Error("a folder"), { code: "EISDIR" })
      },
      catch: (error) => sourceError(file, error)
    }), { discard: true })

async function* visitsOf(file: string): AsyncGenerator<ReadonlyArray<VisitText>> {
  const bytes = open(file)
  if (/\.(?:ndjson|jsonl)(?:\.gz)?$/i.test(file)) {
    yield* linesOf(file, bytes)
    return
  }
  const document = decode(await whole(file, bytes))
  yield document === undefined
    ? [unreadable(file, 1, "the file is not UTF-8")]
    : documentVisits(file, document).map(bounded)
}

/** One limit for a visit, in whatever form of file it stands. */
const bounded = (item: VisitText): VisitText =>
  item._tag === "Text" && Buffer.byteLength(item.text) > maxLine ? tooLarge(item.file, item.line) : item

/** Visits of a document that is JSON, or of lines when it is not and its first line is. */
const documentVisits = (file: string, text: string): ReadonlyArray<VisitText> => {
  if (text.trim() === "") return []
  const wrong = syntaxError(text)
  if (wrong === undefined) {
    const visits = sliceVisits(text)
    if (visits === "no list") return [unreadable(file, 1, "`visits` is not an array (§2.3)")]
    if (visits === "no object") {
      return [unreadable(file, 1, "the file is JSON, and neither a visit, an array of visits nor a submission request")]
    }
    let line = 1
    let counted = 0
    return visits.map(({ end, start }) => {
      line += lineFeeds(text, counted, start)
      counted = start
      return { _tag: "Text", file, line, text: text.slice(start, end) }
    })
  }
  const lines = text.split("\n")
  if (lines.length > 1 && syntaxError(lines[0]!) === undefined) {
    return lines.flatMap((line, index) => (line.trim() === "" ? [] : [lineVisit(file, index + 1, line)]))
  }
  const before = text.slice(0, wrong)
  const line = lineFeeds(before, 0, before.length) + 1
  return [
    unreadable(
      file,
      line,
      `the file is not JSON: column ${before.length - before.lastIndexOf("\n")} cannot stand there`
    )
  ]
}

async function* linesOf(file: string, bytes: AsyncIterable<Buffer>): AsyncGenerator<ReadonlyArray<VisitText>> {
  let rest: Array<Buffer> = []
  let length = 0
  let number = 0
  const lineOf = (parts: ReadonlyArray<Buffer>): ReadonlyArray<VisitText> => {
    number++
    const size = parts.reduce((sum, part) => sum + part.length, 0)
    if (size > maxLine) return [tooLarge(file, number)]
    const text = decode(Buffer.concat(parts))
    if (text === undefined) return [unreadable(file, number, "the line is not UTF-8")]
    return text.trim() === "" ? [] : [lineVisit(file, number, text)]
  }
  for await (const chunk of bytes) {
    const batch: Array<VisitText> = []
    let start = 0
    for (;;) {
      const end = chunk.indexOf(10, start)
      if (end < 0) break
      batch.push(...lineOf([...rest, chunk.subarray(start, end)]))
      rest = []
      length = 0
      start = end + 1
    }
    length += chunk.length - start
    // Of a line that is too long only its length is kept.
    if (length <= maxLine + 1 || rest.length === 0) rest.push(chunk.subarray(start))
    if (batch.length > 0) yield batch
  }
  if (length > 0) yield lineOf(rest)
}

const lineVisit = (file: string, line: number, text: string): VisitText => ({
  _tag: "Text",
  file,
  line,
  text: text.trim()
})

const tooLarge = (file: string, line: number): VisitText => ({
  _tag: "Unreadable",
  problem: {
    code: "too-large",
    severity: "error",
    title: "a visit is larger than the limit of 16 MiB",
    origin: { file, line, reference: "" }
  }
})

const unreadable = (file: string, line: number, title: string): VisitText => ({
  _tag: "Unreadable",
  problem: { code: "unreadable-record", severity: "error", title, origin: { file, line, reference: "" } }
})

/** The character that cannot stand where it stands, from 0; `undefined` when the text is JSON. */
export const syntaxError = (text: string): number | undefined => {
  const found = parsed(text)
  if (found !== "unplaced") return found
  // The engine does not always tell the place: the longest beginning that might go on is looked for.
  let good = 0
  let bad = text.length
  while (bad - good > 1) {
    const middle = (good + bad) >> 1
    const end = parsed(text.slice(0, middle))
    if (end === undefined || (end !== "unplaced" && end >= middle)) good = middle
    else bad = middle
  }
  return bad - 1
}

/** Where the engine says that parsing went wrong; the text's length when it ended too early. */
const parsed = (text: string): number | "unplaced" | undefined => {
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    const message = String(error)
    const place = /position (\d+)/.exec(message)?.[1]
    if (place !== undefined) return Number(place)
    return message.includes("end of JSON input") ? text.length : "unplaced"
  }
}

const lineFeeds = (text: string, from: number, to: number): number => {
  let count = 0
  for (let at = text.indexOf("\n", from); at >= 0 && at < to; at = text.indexOf("\n", at + 1)) count++
  return count
}

const decode = (bytes: Uint8Array): string | undefined => {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** The bytes of a file, inflated when they are gzip. */
async function* open(file: string): AsyncGenerator<Buffer> {
  const input: Readable = file === "-" ? stdin : createReadStream(file, { highWaterMark: 256 * 1024 })
  const chunks = input.iterator({ destroyOnReturn: true }) as AsyncIterator<Buffer>
  const first = await chunks.next()
  if (first.done === true) return
  const all = restored(first.value, chunks)
  if (first.value[0] !== 0x1f || first.value[1] !== 0x8b) {
    yield* all
    return
  }
  const gunzip = createGunzip()
  pipeline(all, gunzip, () => undefined)
  yield* gunzip
}

async function* restored(first: Buffer, chunks: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield first
  for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) yield next.value
}

const whole = async (file: string, bytes: AsyncIterable<Buffer>): Promise<Buffer> => {
  const parts: Array<Buffer> = []
  let length = 0
  for await (const part of bytes) {
    length += part.length
    if (length > maxDocument) {
      throw new SourceError({ reason: new NotReadable({ input: file, detail: "larger than 256 MB; use .ndjson" }) })
    }
    parts.push(part)
  }
  return Buffer.concat(parts)
}

const sourceError = (file: string, error: unknown): SourceError => {
  if (error instanceof SourceError) return error
  const code = typeof error === "object" && error !== null && "code" in error ? String(error.code) : ""
  if (code === "ENOENT" || code === "ENOTDIR") return new SourceError({ reason: new NotFound({ input: file }) })
  if (code === "EISDIR") return new SourceError({ reason: new NotAFile({ input: file, kind: "a folder" }) })
  const detail = code === "EACCES" || code === "EPERM"
    ? "not permitted"
    : code.startsWith("Z_")
    ? "the gzip data is damaged or cut off"
    : "the disk refuses"
  return new SourceError({ reason: new NotReadable({ input: file, detail }) })
}
