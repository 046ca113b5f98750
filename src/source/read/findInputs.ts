import { Effect } from "effect"
import type { Stats } from "node:fs"
import { glob, readdir, realpath, stat } from "node:fs/promises"
import { basename, dirname, isAbsolute, join, relative, sep } from "node:path"
import { compareTexts } from "../../compareTexts.ts"
import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import { suggest } from "../../diagnostic/suggest.ts"
import { lineOrigin } from "../InputProblem.ts"
import { SourceError } from "../SourceError.ts"

export interface FileInput {
  readonly _tag: "File"
  /** The name that the user gave. Inside a folder it is the folder's name and the path below it, with `/`. Messages show it. */
  readonly name: string
  readonly path: string
  /**
   * The user gave this file by name. A file found in a folder or through a glob can be something else (notes, a log, statistics). Such a
   * file is reported without counting as an error.
   */
  readonly named: boolean
}

export type Input = FileInput | { readonly _tag: "StandardInput"; readonly name: "-"; readonly named: true }

/** The files of a run in a fixed order, and folder entries that are not readable files. */
export interface FoundInputs {
  readonly inputs: ReadonlyArray<Input>
  readonly problems: ReadonlyArray<Diagnostic>
}

/**
 * Returns the files that a command's `INPUT` arguments mean: a file, a folder with everything below it, a glob, or `-`. An existing name
 * is used literally, even if it looks like a glob.
 *
 * Order: that of the arguments; within a folder or a glob by name. A file that is reached twice is read once. Hidden files and folders
 * are ignored. Links are followed as long as they stay inside the folder; devices, pipes and sockets are never opened.
 *
 * Fails if an argument matches nothing, is a folder without files, cannot be read, or is not a regular file.
 */
export const findInputs = Effect.fn("findInputs")(function*(
  args: ReadonlyArray<string>
): Effect.fn.Return<FoundInputs, SourceError> {
  const found = new Finder()
  for (const arg of args) {
    yield* Effect.tryPromise({
      try: () => found.argument(arg),
      catch: (error) => error instanceof SourceError ? error : notReadable(arg, error)
    })
  }
  return { inputs: found.inputs, problems: found.problems }
})

/** A path that does not exist, and a similar one in the same folder. */
const notFound = async (input: string): Promise<SourceError> => {
  const folder = dirname(input)
  const near = suggest(basename(input), await readdir(folder).catch(() => []))
  return new SourceError({
    reason: { _tag: "NotFound", input, ...(near === undefined ? {} : { near: slashes(join(folder, near)) }) }
  })
}

class Finder {
  readonly inputs: Array<Input> = []
  readonly problems: Array<Diagnostic> = []
  readonly #seen = new Set<string>()
  /** Files found, including those found before. */
  #files = 0

  async argument(arg: string): Promise<void> {
    if (arg === "-") {
      if (!this.#isNew("-")) return
      this.inputs.push({ _tag: "StandardInput", name: "-", named: true })
      return
    }
    const stats = await statOf(arg)
    if (stats !== undefined) return this.#namedPath(arg, stats)
    if (!/[*?[{]/.test(arg)) throw await notFound(arg)
    const matches = (await Array.fromAsync(glob(arg))).filter((match) => !isHidden(match, arg)).toSorted()
    if (matches.length === 0) throw new SourceError({ reason: { _tag: "NotFound", input: arg } })
    for (const match of matches) {
      const matched = await statOf(match)
      if (matched === undefined) this.#reject(slashes(match), "a link that leads nowhere")
      else if (matched.isDirectory()) await this.#folder(match)
      else if (matched.isFile()) this.#file(slashes(match), { path: match, stats: matched, named: false })
      else this.#reject(slashes(match), inputKindOf(matched))
    }
  }

  async #namedPath(arg: string, stats: Stats): Promise<void> {
    if (stats.isDirectory()) return this.#folder(arg)
    expectFile(arg, stats)
    this.#file(arg, { path: arg, stats, named: true })
  }

  async #folder(root: string): Promise<void> {
    const before = this.inputs.length + this.problems.length
    const files = this.#files
    const inside = await realpath(root)
    const walked = new Set<string>()
    const walk = async (path: string): Promise<void> => {
      const real = await realpath(path)
      // Links can lead to a folder again, and to a folder that holds the link itself.
      if (walked.has(real)) return
      walked.add(real)
      const entries = await readdir(path, { withFileTypes: true }).catch((error: unknown) => {
        throw notReadable(slashes(path), error)
      })
      for (
        const entry of entries.toSorted((one, other) => compareTexts(one.name, other.name))
      ) {
        if (entry.name.startsWith(".")) continue
        const below = `${path.endsWith("/") || path.endsWith(sep) ? path.slice(0, -1) : path}/${entry.name}`
        const name = slashes(below)
        if (entry.isSymbolicLink()) {
          const target = await realpath(below).catch(() => undefined)
          if (target === undefined) {
            this.#reject(name, "a link that leads nowhere, or to itself")
            continue
          }
          if (!isInside(target, inside)) {
            this.#reject(name, "a link that leads out of the folder")
            continue
          }
        }
        const stats = await statOf(below)
        if (stats === undefined) this.#reject(name, "a link that leads nowhere")
        else if (stats.isDirectory()) await walk(below)
        else if (stats.isFile()) this.#file(name, { path: below, stats, named: false })
        else this.#reject(name, inputKindOf(stats))
      }
    }
    await walk(root)
    // A failed export or a missing disk looks like a day without visits.
    if (this.inputs.length + this.problems.length === before && this.#files === files) {
      throw new SourceError({ reason: { _tag: "NoFiles", input: slashes(root) } })
    }
  }

  #file(
    name: string,
    { named, path, stats }: { readonly path: string; readonly stats: Stats; readonly named: boolean }
  ): void {
    this.#files++
    if (this.#isNew(`${stats.dev}:${stats.ino}`)) this.inputs.push({ _tag: "File", name, path, named })
  }

  #isNew(key: string): boolean {
    if (this.#seen.has(key)) return false
    this.#seen.add(key)
    return true
  }

  #reject(name: string, kind: string): void {
    this.problems.push({
      code: "unreadable-input",
      severity: "error",
      title: `only files are read, and this is ${kind}`,
      origin: lineOrigin(name, 1),
      help: ["copy the data into a regular file in the folder, or move this one away"]
    })
  }
}

/** Returns what is at a path, with links followed; `undefined` if nothing is. */
const statOf = (path: string): Promise<Stats | undefined> =>
  stat(path).catch((error: unknown) => {
    const code = codeOf(error)
    if (code === "ENOENT" || code === "ENOTDIR") return undefined
    throw notReadable(path, error)
  })

/** The system's code of an error: `ENOENT`. */
export const codeOf = (error: unknown): string | undefined =>
  typeof error === "object" && error !== null && "code" in error && typeof error.code === "string"
    ? error.code
    : undefined

const systemWords: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  ENOENT: "it is gone",
  EIO: "input/output error",
  EMFILE: "too many open files",
  EISDIR: "it is a folder"
}

/** A system failure on one input, without its path and stack. */
export const notReadable = (input: string, error: unknown): SourceError => {
  const code = codeOf(error)
  if (code === "ELOOP") {
    return new SourceError({ reason: { _tag: "NotAFile", input, kind: "a link that leads to itself" } })
  }
  if (code === "ENAMETOOLONG") return new SourceError({ reason: { _tag: "NotFound", input: `${input.slice(0, 80)}…` } })
  return new SourceError({
    reason: { _tag: "NotReadable", input, detail: code === undefined ? "unknown error" : (systemWords[code] ?? code) }
  })
}

/** Throws `SourceError` if something is not a regular file. */
export const expectFile = (input: string, stats: Stats): void => {
  if (!stats.isFile()) throw new SourceError({ reason: { _tag: "NotAFile", input, kind: inputKindOf(stats) } })
}

/** Names the kind of something that is not a regular file, with its article. */
const inputKindOf = (stats: Stats): string =>
  stats.isDirectory()
    ? "a folder"
    : stats.isFIFO()
    ? "a pipe"
    : stats.isSocket()
    ? "a socket"
    : stats.isCharacterDevice() || stats.isBlockDevice()
    ? "a device"
    : "something else"

const slashes = (path: string): string => sep === "/" ? path : path.replaceAll(sep, "/")

const isInside = (target: string, folder: string): boolean => {
  const path = relative(folder, target)
  return path !== ".." && !path.startsWith(`..${sep}`) && !isAbsolute(path)
}

/** Whether a match has a hidden segment that the pattern does not spell out. */
const isHidden = (match: string, pattern: string): boolean => {
  const spelled = new Set(pattern.split(/[\\/]/))
  return match.split(/[\\/]/).some((part) =>
    part.startsWith(".") && part !== "." && part !== ".." && !spelled.has(part)
  )
}
