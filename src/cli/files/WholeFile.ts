import { Data, Effect, FileSystem, Option, type PlatformError, type Scope } from "effect"
import { basename, dirname, join, resolve } from "node:path"
import { isAlive } from "../../isAlive.ts"

/** An output cannot be written. */
export class OutputError extends Data.TaggedError("OutputError")<{
  readonly file: string
  readonly reason:
    | "no such folder"
    | "not permitted"
    | "no room"
    | "read-only file system"
    | "a folder"
    /** A file is where a folder of its path is needed. */
    | "no folder"
    | "cannot be written"
    | "the reader is gone"
}> {}

/** A file that is being written. */
export interface WholeFile {
  readonly write: (text: string) => Effect.Effect<void, OutputError>
  /** Makes the file appear under its name. Everything written is on disk before that. */
  readonly commit: Effect.Effect<void, OutputError>
}

/** Gathers text, and writes it in chunks of at least this many characters. */
export const buffered = <E>(
  chunkLength: number,
  writeChunk: (text: string) => Effect.Effect<void, E>
): { readonly write: (text: string) => Effect.Effect<void, E>; readonly flush: Effect.Effect<void, E> } => {
  let waiting: Array<string> = []
  let length = 0
  const flush = Effect.suspend(() => {
    const text = waiting.join("")
    waiting = []
    length = 0
    return text === "" ? Effect.void : writeChunk(text)
  })
  return {
    write: (text) => {
      waiting.push(text)
      length += text.length
      return length < chunkLength ? Effect.void : flush
    },
    flush
  }
}

/**
 * Opens a file that appears completely or not at all: a temporary file with mode 0600 is written next to it and renamed on commit.
 * Without a commit the temporary file is removed. A device or a pipe is written to directly.
 */
export const openWhole = (file: string): Effect.Effect<WholeFile, OutputError, FileSystem.FileSystem | Scope.Scope> =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const known = yield* Effect.option(fs.stat(file))
    if (Option.isSome(known) && known.value.type === "Directory") {
      return yield* new OutputError({ file, reason: "a folder" })
    }
    const direct = Option.isSome(known) && known.value.type !== "File"
    const target = direct ? file : yield* realName(file)
    const path = direct ? file : yield* temporaryName(target)
    let renamed = direct
    if (!direct) {
      yield* Effect.addFinalizer(() => Effect.suspend(() => (renamed ? Effect.void : Effect.ignore(fs.remove(path)))))
    }
    const handle = yield* fs.open(path, { flag: direct ? "w" : "wx", mode: 0o600 })
    const encoder = new TextEncoder()
    const { flush, write } = buffered(256 * 1024, (text) => handle.writeAll(encoder.encode(text)))
    const guarded = Effect.mapError(outputError(file))
    return {
      write: (text) => guarded(write(text)),
      commit: guarded(Effect.gen(function*() {
        yield* flush
        if (direct) return
        yield* handle.sync
        yield* fs.rename(path, target)
        renamed = true
        yield* Effect.ignore(syncFolder(fs, dirname(target)))
      }))
    } satisfies WholeFile
  }).pipe(Effect.mapError((error) => (error instanceof OutputError ? error : outputError(file)(error))))

/**
 * Returns one name per file, however the path is spelled and whichever links lead to it. The file need not exist: a link to a missing
 * file stays a link, and the file is created where it points to.
 */
export const realName = Effect.fnUntraced(function*(file: string) {
  const fs = yield* FileSystem.FileSystem
  let path = resolve(file)
  for (let links = 0; links < maxLinks; links++) {
    const real = yield* Effect.option(fs.realPath(path))
    if (Option.isSome(real)) return real.value
    const link = yield* Effect.option(fs.readLink(path))
    if (Option.isNone(link)) break
    path = resolve(dirname(path), link.value)
  }
  const folder = yield* Effect.orElseSucceed(fs.realPath(dirname(path)), () => dirname(path))
  return join(folder, basename(path))
})

/** Links of one path. Linux follows as many. */
const maxLinks = 40

/** Fails if `openWhole` would fail, and creates nothing. Call it before anything that cannot be undone. */
export const expectWritable = (file: string): Effect.Effect<void, OutputError, FileSystem.FileSystem> =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const known = yield* Effect.option(fs.stat(file))
    // A pipe would wait for its reader.
    const isDevice = Option.isSome(known) && known.value.type !== "File" && known.value.type !== "Directory"
    if (!isDevice) yield* Effect.scoped(openWhole(file))
  })

/** Writes a text to a file, completely or not at all. */
export const writeWhole = (file: string, text: string): Effect.Effect<void, OutputError, FileSystem.FileSystem> =>
  Effect.scoped(Effect.flatMap(openWhole(file), (opened) => Effect.andThen(opened.write(text), opened.commit)))

/** Creates a folder for outputs, readable only by its owner, if it does not exist. */
export const makeOutputFolder = Effect.fnUntraced(function*(folder: string) {
  const fs = yield* FileSystem.FileSystem
  yield* fs.makeDirectory(folder, { recursive: true, mode: 0o700 }).pipe(
    // On a read-only file system, Node reports ENOENT for `recursive`.
    Effect.catchReason("PlatformError", "NotFound", () => fs.makeDirectory(folder, { mode: 0o700 })),
    Effect.mapError(outputError(folder))
  )
})

/** Returns a temporary name of this process next to a file. Removes those of killed processes: they may hold patient data. */
export const temporaryName = Effect.fnUntraced(function*(file: string) {
  const fs = yield* FileSystem.FileSystem
  const folder = dirname(file)
  const names = yield* Effect.orElseSucceed(fs.readDirectory(folder), () => [])
  for (const name of names) {
    if (!name.startsWith(`.${basename(file)}.`)) continue
    const owner = /^\.(\d+)\.part$/.exec(name.slice(basename(file).length + 1))?.[1]
    if (owner !== undefined && (Number(owner) === process.pid || !isAlive(Number(owner)))) {
      yield* Effect.ignore(fs.remove(join(folder, name), { recursive: true }))
    }
  }
  return join(folder, `.${basename(file)}.${process.pid}.part`)
})

/** Flushes a new name in a folder to disk. Not every file system supports this. */
const syncFolder = (fs: FileSystem.FileSystem, folder: string) =>
  Effect.scoped(Effect.flatMap(fs.open(folder, { flag: "r" }), (handle) => handle.sync))

const outputError = (file: string) => (error: PlatformError.PlatformError): OutputError =>
  new OutputError({ file, reason: reasonOf(error) })

const reasonOf = ({ reason }: PlatformError.PlatformError): OutputError["reason"] => {
  if (reason._tag === "NotFound") return "no such folder"
  if (reason._tag === "PermissionDenied") return "not permitted"
  const { cause } = reason
  const code = typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined
  if (code === "EROFS") return "read-only file system"
  if (code === "ENOTDIR" || code === "EEXIST") return "no folder"
  return code === "ENOSPC" || code === "EDQUOT" ? "no room" : "cannot be written"
}
