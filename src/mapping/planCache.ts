import { hash, randomUUID } from "node:crypto"
import * as fs from "node:fs"
import { homedir } from "node:os"
import { isAbsolute, join } from "node:path"
import { deserialize, serialize } from "node:v8"
import packageJson from "../../package.json" with { type: "json" }

/** An input of a mapping: a file with the SHA-256 of its bytes, or only whether it exists. */
export type MappingInput = readonly [file: string, content: string | boolean]

/** Maximum of cache entries of a kind: a facility has few mappings. Those that were used last are kept. */
const max = 10

/** How the names of unfinished entries end. */
const draftEnd = ".draft"

const oneHour = 3_600_000

const ownerOnly = 0o077

/**
 * Returns the folder for data that can be recomputed: `FHIR2VISIT_CACHE` (default: in the user's cache folder). `undefined` if the
 * variable is empty, or if another user owns the folder or can open it. When run from source, also `undefined` without the variable.
 */
export const cacheFolder = (): string | undefined => {
  const setting = process.env.FHIR2VISIT_CACHE
  if (setting === "" || (setting === undefined && !isBuilt)) return undefined
  try {
    // A user may have no home folder: the call throws, or the path is not absolute.
    const folder = setting ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "fhir2visit")
    if (setting === undefined && !isAbsolute(folder)) return undefined
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
    return isPrivate(fs.statSync(folder)) ? folder : undefined
  } catch {
    return undefined
  }
}

const isBuilt = import.meta.url.endsWith(".mjs")

const isPrivate = ({ mode, uid }: fs.Stats): boolean =>
  process.getuid === undefined || (uid === process.getuid() && (mode & ownerOnly) === 0)

export const sha256 = (bytes: string | Uint8Array): string => hash("sha256", bytes)

/**
 * Identifies the running program, so that it reads only its own entries. The first file of a built program names the others, whose names
 * change with their content. Two packages of one version can be installed one after the other, and npm gives all files the same time.
 */
const program = (): string => {
  const { mtimeMs, size } = fs.statSync(new URL(import.meta.url))
  const first = isBuilt ? fs.readFileSync(new URL("fhir2visit.mjs", import.meta.url), "utf8") : ""
  return `${packageJson.version} ${process.version} ${import.meta.url} ${mtimeMs} ${size} ${first}`
}

/** What an entry holds: a checked mapping, what a check can use again, generated code, or the offsets of a zone. */
type EntryKind = "plan" | "check" | "functions" | "zone"

/** Returns how the names of this program's entries begin. */
const ownPrefix = (): string => `${sha256(program()).slice(0, 32)}-`

/** Returns the file of the cache entry for `request`. */
const entryOf = (folder: string, kind: EntryKind, request: unknown): string =>
  join(folder, `${ownPrefix()}${sha256(JSON.stringify(request)).slice(0, 32)}.${kind}`)

/**
 * Returns the value cached for a request, if every input file is unchanged. An entry that is missing, damaged, or owned by another
 * user counts as absent.
 */
export const readKept = (request: unknown, kind: EntryKind = "plan"): unknown => {
  const folder = cacheFolder()
  return folder === undefined ? undefined : valueIn(entryOf(folder, kind, request))
}

/** Returns the value that this program cached last, for whatever request. */
export const readLast = (kind: EntryKind): unknown => {
  const folder = cacheFolder()
  if (folder === undefined) return undefined
  try {
    const prefix = ownPrefix()
    const own = entriesIn(folder).filter(({ name }) => name.startsWith(prefix) && name.endsWith(`.${kind}`))
    const [last] = own.toSorted((one, other) => other.at - one.at)
    return last === undefined ? undefined : valueIn(last.path)
  } catch {
    return undefined
  }
}

const valueIn = (file: string): unknown => {
  try {
    const descriptor = fs.openSync(file, "r")
    try {
      if (!isPrivate(fs.fstatSync(descriptor))) return undefined
      const bytes = fs.readFileSync(descriptor)
      const body = bytes.subarray(64)
      if (bytes.toString("latin1", 0, 64) !== sha256(body)) return undefined
      // `keep` wrote it, as the hash shows.
      const { inputs, value } = deserialize(body) as {
        readonly inputs: ReadonlyArray<MappingInput>
        readonly value: unknown
      }
      if (!inputs.every(isAsItWas)) return undefined
      noteUse(file)
      return value
    } finally {
      fs.closeSync(descriptor)
    }
  } catch {
    return undefined
  }
}

/** Notes that an entry was used, if possible, so that it is kept longer than those that were not. */
const noteUse = (file: string): void => {
  try {
    fs.utimesSync(file, new Date(), fs.statSync(file).mtime)
  } catch {
    // Another user's folder, or one that cannot be written to.
  }
}

const isAsItWas = ([file, content]: MappingInput): boolean =>
  typeof content === "boolean"
    ? fs.existsSync(file) === content
    : fs.statSync(file).isFile() && sha256(fs.readFileSync(file)) === content

/**
 * Caches the result of `make` for a request, if possible; a failure is ignored, and `undefined` is not cached. Removes the entries above
 * the maximum that were not used for the longest time.
 */
export const keep = (
  request: unknown,
  inputs: ReadonlyArray<MappingInput>,
  make: () => unknown,
  kind: EntryKind = "plan"
): void => {
  const folder = cacheFolder()
  if (folder === undefined) return
  try {
    const value = make()
    if (value === undefined) return
    const body = serialize({ inputs, value })
    const file = entryOf(folder, kind, request)
    const draft = `${file}.${randomUUID()}${draftEnd}`
    try {
      fs.writeFileSync(draft, Buffer.concat([Buffer.from(sha256(body), "latin1"), body]), { mode: 0o600, flag: "wx" })
      fs.renameSync(draft, file)
    } finally {
      fs.rmSync(draft, { force: true })
    }
    const found = entriesIn(folder)
    const entries = found.filter(({ path }) => path.endsWith(`.${kind}`))
    for (const { path } of entries.toSorted((one, other) => other.usedAt - one.usedAt).slice(max)) fs.rmSync(path)
    // Those of a process that was killed.
    const drafts = found.filter(({ at, path }) => path.endsWith(draftEnd) && at < Date.now() - oneHour)
    for (const { path } of drafts) fs.rmSync(path)
  } catch {
    // Ignore the failure: the next run computes the value again.
  }
}

/** Returns the files of a folder, when each was written, and when it was last used. */
const entriesIn = (folder: string) =>
  fs.readdirSync(folder).map((name) => {
    const path = join(folder, name)
    const { atimeMs, mtimeMs } = fs.statSync(path)
    return { name, path, at: mtimeMs, usedAt: Math.max(atimeMs, mtimeMs) }
  })

/** Removes the entry for a request, if possible. */
export const forget = (request: unknown, kind: EntryKind): void => {
  const folder = cacheFolder()
  if (folder === undefined) return
  try {
    fs.rmSync(entryOf(folder, kind, request), { force: true })
  } catch {
    // It is then used again, and compared with the definition again.
  }
}
