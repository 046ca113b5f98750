import { Effect, FileSystem, type Path } from "effect"
import { readFileSync } from "node:fs"
import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import type { PathEngine } from "../../fhirpath/FhirPath.ts"
import type { ReferenceLists } from "../../visit/values/ReferenceList.ts"
import type { CheckedMapping } from "../check/check.ts"
import type { KeptMapping } from "../keptMapping.ts"
import type { Syntax } from "../language/MappingSyntax.ts"
import { readKept, sha256 } from "../planCache.ts"
import type { NamedTable } from "../tables/expandTables.ts"
import type { PlanSize } from "./measurePlan.ts"

/** Inputs of a mapping in addition to its files. */
export interface MappingContext {
  /** Code tables of the facility, merged over the concept maps with the same names. */
  readonly tables?: ReadonlyArray<NamedTable>
  /** The file of the assumptions that the facility has accepted. */
  readonly accepted?: string | undefined
  /** The standard data, if loaded: values of concept maps are checked against it. */
  readonly lists?: ReferenceLists
  /** Texts to use instead of files, by file name. */
  readonly given?: ReadonlyMap<string, string>
  /** The engine that evaluates the expressions (default: closures where possible). */
  readonly by?: PathEngine
}

/**
 * A mapping read from its files and checked, or its problems. Without errors there is a plan, and all problems are warnings.
 * `texts` holds each file, to show source locations.
 */
export interface LoadedMapping {
  readonly checked?: CheckedMapping
  readonly problems: ReadonlyArray<Diagnostic>
  readonly texts: ReadonlyMap<string, string>
  /** The effective mapping: every file merged, each line with its source location. */
  readonly syntax?: Syntax
}

/** The result of a check: the problems of a mapping, and without errors its name and size. */
interface MeasuredMapping {
  readonly problems: ReadonlyArray<Diagnostic>
  /** Number of files that were read. */
  readonly files: number
  readonly size?: PlanSize
}

/**
 * Reads a mapping file, merges it over the files it extends, adds the rows of code tables and checks the result. A file can extend
 * another by a path relative to it, or a shipped mapping by its name under `shippedFolder`. The result of an earlier command is used if
 * no file has changed.
 */
export const loadMapping = Effect.fn("loadMapping")(function*(
  file: string,
  shippedFolder: string,
  context: MappingContext = {}
) {
  const kept = keptOf(file, shippedFolder, context)
  if (kept === undefined) return yield* readAndKeep(file, shippedFolder, context)
  const { thawKept } = yield* Effect.promise(() => import("../keptMapping.ts"))
  return thawKept(kept, context)
})

/** Checks a mapping and returns its size. The parser and the FHIRPath engine are loaded only if a file has changed. */
export const measureMapping = Effect.fn("measureMapping")(function*(
  file: string,
  shippedFolder: string,
  context: MappingContext
): Effect.fn.Return<MeasuredMapping, never, FileSystem.FileSystem | Path.Path> {
  const kept = keptOf(file, shippedFolder, context)
  if (kept !== undefined) return { ...kept, files: kept.texts.size }
  const { checked, problems, texts } = yield* readAndKeep(file, shippedFolder, context)
  const { measurePlan } = yield* Effect.promise(() => import("./measurePlan.ts"))
  return { problems, files: texts.size, ...(checked === undefined ? {} : { size: measurePlan(checked) }) }
})

/**
 * Identifies a mapping in the cache; `undefined` if the result also depends on data that is neither in files nor in lists with a digest. The
 * working folder is no part of it: the inputs of an entry are compared with the files that their names lead to now. The content of the
 * facility's own files is part of it. Otherwise facilities with equal file names, each in its own folder, would replace each other's entry.
 */
const requestOf = (file: string, shippedFolder: string, { accepted, given, lists, tables }: MappingContext) => {
  const digests = Array.from(lists ?? [], ([name, { digest }]) => [name, digest] as const)
  return (given?.size ?? 0) > 0 || digests.some(([, digest]) => digest === undefined)
    ? undefined
    : {
      file,
      shippedFolder,
      accepted,
      tables,
      lists: digests,
      contents: [file, ...(tables ?? []).map(({ file }) => file)].map(digestOf)
    }
}

/** The SHA-256 of a file; `undefined` if it cannot be read, which the check reports. */
const digestOf = (file: string): string | undefined => {
  try {
    return sha256(readFileSync(file))
  } catch {
    return undefined
  }
}

const keptOf = (...of: Parameters<typeof requestOf>): KeptMapping | undefined => {
  const request = requestOf(...of)
  // Only `keepMapping` writes an entry of this kind, for the same request, and the cache checks that this program did.
  return request === undefined ? undefined : readKept(request) as KeptMapping | undefined
}

const readAndKeep = Effect.fnUntraced(function*(
  file: string,
  shippedFolder: string,
  context: MappingContext
) {
  const { readMapping } = yield* Effect.promise(() => import("./readMapping.ts"))
  const request = requestOf(file, shippedFolder, context)
  if (request === undefined) return yield* readMapping(file, shippedFolder, context)
  const { takeEarlierCheck } = yield* Effect.promise(() => import("./earlierCheck.ts"))
  const keepCheck = takeEarlierCheck(file)
  const fs = yield* FileSystem.FileSystem
  const inputs = new Map<string, string | boolean>()
  const loaded = yield* readMapping(file, shippedFolder, context).pipe(
    Effect.provideService(FileSystem.FileSystem, noting(fs, inputs))
  )
  const { keepMapping } = yield* Effect.promise(() => import("../keptMapping.ts"))
  keepMapping(request, [...inputs], loaded, context.lists)
  keepCheck(loaded.texts)
  return loaded
})

/** Returns a file system that records what is read through it: the content of files, and whether they exist. */
const noting = (fs: FileSystem.FileSystem, inputs: Map<string, string | boolean>): FileSystem.FileSystem => ({
  ...fs,
  exists: (path) =>
    Effect.tap(fs.exists(path), (found) => Effect.sync(() => inputs.set(path, inputs.get(path) ?? found))),
  readFile: (path) => Effect.tap(fs.readFile(path), (bytes) => Effect.sync(() => inputs.set(path, sha256(bytes)))),
  readFileString: (path) =>
    Effect.tap(fs.readFileString(path), (text) => Effect.sync(() => inputs.set(path, sha256(text))))
})
