import { Effect } from "effect"
import { closeSync, createReadStream, fstatSync, fsyncSync, openSync, renameSync, writeFileSync } from "node:fs"
import { createGunzip, gzipSync } from "node:zlib"
import { lineBlocks } from "../json/lines.ts"
import { errorCodeOf } from "../service/connectionErrors.ts"
import { type ServerError, serverError } from "./ServerError.ts"

/** Works on a file of the mirror; fails with the system's error code. */
export const onDisk = <A>(file: string, work: () => A): Effect.Effect<A, ServerError> =>
  Effect.try({ try: work, catch: (cause) => unwritable(file, cause) })

/** A mirror file that the system did not write, with the system's error code. */
export const unwritable = (file: string, cause: unknown): ServerError =>
  serverError({ _tag: "MirrorUnusable", detail: `cannot write \`${file}\` (${errorCodeOf(cause)})`, busy: false })

/** Returns the name that a file has until it is complete. */
export const partialFile = (file: string): string => `${file}.part`

/**
 * Appends lines to a compressed file and flushes them to disk. A file without lines still gets the header of gzip, because a reader takes
 * an empty file for a damaged one. Returns the size of the file in bytes.
 */
export const appendLines = (file: string, lines: ReadonlyArray<string>, flags: "a" | "w" = "a"): number => {
  const handle = openSync(file, flags, 0o600)
  try {
    if (lines.length > 0 || fstatSync(handle).size === 0) {
      writeFileSync(handle, gzipSync(lines.map((line) => `${line}\n`).join("")))
    }
    fsyncSync(handle)
    return fstatSync(handle).size
  } finally {
    closeSync(handle)
  }
}

/** Writes a compressed file of lines. It gets its name when it is complete. Returns its size in bytes. */
export const writeLines = (file: string, lines: ReadonlyArray<string>): number => {
  const size = appendLines(partialFile(file), lines, "w")
  renameSync(partialFile(file), file)
  return size
}

/** Yields the lines of a file of NDJSON, compressed or not, that are not blank. Memory holds one line and one chunk. */
export async function* readLinesOf(file: string): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true })
  const source = createReadStream(file)
  const stream: AsyncIterable<Buffer> & { destroy(error?: Error): void } = /\.gz(?:\.part)?$/u.test(file)
    ? source.pipe(createGunzip())
    : source
  if (stream !== source) source.on("error", (error) => stream.destroy(error))
  for await (const block of lineBlocks(stream, Number.POSITIVE_INFINITY)) {
    if (block._tag === "TooLong") throw new Error("without a limit, no line is too long")
    for (const line of decoder.decode(block.bytes).split("\n")) if (line.trim() !== "") yield line
  }
}
