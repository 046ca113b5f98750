import { createHash } from "node:crypto"
import * as fs from "node:fs"
import { homedir } from "node:os"
import { isAbsolute, join } from "node:path"
import { deserialize, serialize } from "node:v8"
import packageJson from "../../package.json" with { type: "json" }

/** A file that a mapping was made of: the SHA-256 of its bytes, or only whether it is there. */
export type Input = readonly [file: string, content: string | boolean]

/** So many entries are kept: a facility has few mappings. */
const max = 10

const ownerOnly = 0o077

/**
 * Where the program keeps what it can make again: `FHIR2VISIT_CACHE`, else the user's folder for caches. `undefined` where the variable is
 * empty, where the folder is another user's or open to others, and while the program runs from its sources, unless the variable is set.
 */
export const cacheFolder = (): string | undefined => {
  const named = process.env.FHIR2VISIT_CACHE
  if (named === "" || (named === undefined && !isBuilt)) return undefined
  try {
    // A user may have no home: then it throws, or the path is none from the root.
    const folder = named ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "fhir2visit")
    if (named === undefined && !isAbsolute(folder)) return undefined
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
    return isPrivate(fs.statSync(folder)) ? folder : undefined
  } catch {
    return undefined
  }
}

const isBuilt = import.meta.url.endsWith(".mjs")

const isPrivate = ({ mode, uid }: fs.Stats): boolean =>
  process.getuid === undefined || (uid === process.getuid() && (mode & ownerOnly) === 0)

export const sha256 = (bytes: string | Uint8Array): string => createHash("sha256").update(bytes).digest("hex")

/** The program that is running: its own entries are read, and no other's. */
const program = (): string => {
  const { mtimeMs, size } = fs.statSync(new URL(import.meta.url))
  return `${packageJson.version} ${process.version} ${import.meta.url} ${mtimeMs} ${size}`
}

/** Where the mapping is kept that `request` asks for. */
const entryOf = (folder: string, request: unknown): string =>
  join(folder, `${sha256(JSON.stringify([program(), request]))}.plan`)

/**
 * The value that was kept for a request, where every file that it was made of is as it was. An entry that is missing, damaged, or another
 * user's is none.
 */
export const readKept = (request: unknown): unknown => {
  const folder = cacheFolder()
  if (folder === undefined) return undefined
  try {
    const file = entryOf(folder, request)
    const descriptor = fs.openSync(file, "r")
    try {
      if (!isPrivate(fs.fstatSync(descriptor))) return undefined
      const bytes = fs.readFileSync(descriptor)
      const body = bytes.subarray(64)
      if (bytes.toString("latin1", 0, 64) !== sha256(body)) return undefined
      const { inputs, value } = deserialize(body) as { readonly inputs: ReadonlyArray<Input>; readonly value: unknown }
      return inputs.every(isAsItWas) ? value : undefined
    } finally {
      fs.closeSync(descriptor)
    }
  } catch {
    return undefined
  }
}

const isAsItWas = ([file, content]: Input): boolean =>
  typeof content === "boolean"
    ? fs.existsSync(file) === content
    : fs.statSync(file).isFile() && sha256(fs.readFileSync(file)) === content

/** Keeps what `make` gives for a request; where that cannot be done, nothing happens. The oldest of too many entries are removed. */
export const keep = (request: unknown, inputs: ReadonlyArray<Input>, make: () => unknown): void => {
  const folder = cacheFolder()
  if (folder === undefined) return
  try {
    const body = serialize({ inputs, value: make() })
    const file = entryOf(folder, request)
    const draft = `${file}.${process.pid}`
    fs.writeFileSync(draft, Buffer.concat([Buffer.from(sha256(body), "latin1"), body]), { mode: 0o600, flag: "wx" })
    fs.renameSync(draft, file)
    const entries = fs.readdirSync(folder).filter((name) => name.includes(".plan")).map((name) => {
      const path = join(folder, name)
      return { path, at: fs.statSync(path).mtimeMs }
    })
    for (const { path } of entries.toSorted((one, other) => other.at - one.at).slice(max)) fs.rmSync(path)
  } catch {
    // The next run makes it again.
  }
}
