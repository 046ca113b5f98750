import { Effect } from "effect"
import { closeSync, createReadStream, fstatSync, fsyncSync, openSync, renameSync, writeFileSync } from "node:fs"
import { open } from "node:fs/promises"
import { createGunzip, gzipSync } from "node:zlib"
import { lineBlocks } from "../json/lines.ts"
import { errorCodeOf } from "../service/connectionErrors.ts"
import { type ServerError, serverError } from "./ServerError.ts"

/** Works on a file of the mirror; fails with the system's error code. */
export const onDisk = <A>(file: string, work: () => A): Effect.Effect<A, ServerError> =>
  Effect.try({ try: work, catch: (cause) => unwritable(file, cause) })

/** A mirror file that the system did not read or write, with the system's error code. */
export const unwritable = (file: string, cause: unknown): ServerError => {
  const code = systemCodeOf(cause)
  const { why, words } = causes[code] ?? { why: "failed", words: "the disk or the path failed" }
  return serverError({ _tag: "MirrorUnusable", detail: `cannot read or write \`${file}\`: ${words} (${code})`, why })
}

/** The system's error code. For an error of SQLite, the code that its file would have had. */
const systemCodeOf = (cause: unknown): string =>
  typeof cause === "object" && cause !== null && "errcode" in cause
    ? sqliteCodes[Number(cause.errcode) % 256] ?? `SQLite code ${String(cause.errcode)}`
    : errorCodeOf(cause)

const sqliteCodes: Readonly<Record<number, string>> = {
  3: "EACCES",
  8: "EACCES",
  10: "EIO",
  13: "ENOSPC",
  14: "EACCES"
}

/** Whether an error is one of the disk, and no mistake of the program. */
export const isDiskFailure = (cause: unknown): boolean =>
  cause instanceof Error &&
  ("errcode" in cause ? Number(cause.errcode) % 256 in sqliteCodes : "syscall" in cause && "errno" in cause)

const denied = { why: "denied", words: "you have no permission" } as const

const causes: Readonly<Record<string, { readonly why: "full" | "denied"; readonly words: string }>> = {
  ENOSPC: { why: "full", words: "no space left on the disk" },
  EDQUOT: { why: "full", words: "the disk quota is used up" },
  EACCES: denied,
  EPERM: denied,
  EROFS: { why: "denied", words: "the file system is read-only" }
}

/** As `onDisk`, for the steps of a stream. Rejects with a `ServerError`, so that an error of the disk does not count as one of the network. */
const step = <A>(file: string, work: Promise<A>): Promise<A> =>
  work.catch((cause: unknown) => Promise.reject(unwritable(file, cause)))

/** Writes a stream to a file that only its owner can read, and flushes it to disk. Returns the file's size in bytes. */
export const writeStream = async (file: string, chunks: AsyncIterable<Buffer>): Promise<number> => {
  const handle = await step(file, open(file, "w", 0o600))
  try {
    for await (const chunk of chunks) await step(file, handle.writeFile(chunk))
    await step(file, handle.sync())
    return (await step(file, handle.stat())).size
  } finally {
    await step(file, handle.close())
  }
}

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
