import { Effect, Stream } from "effect"
import { at } from "../../at.ts"
import type { CheckedMapping } from "../../mapping/check/check.ts"
import type { LineFile } from "../../source/read/LineFile.ts"
import type { FoundVersions, VersionWatch } from "../../source/versions/VersionWatch.ts"
import { FileLabels } from "../accounts/fileLabels.ts"
import { orSourceError } from "../accounts/sourceErrors.ts"
import { followedElements } from "../links/followedElements.ts"
import type { LinkRules } from "../links/Links.ts"
import type { WorkerPool } from "../workers/WorkerPool.ts"
import { LineScanner } from "./LineScanner.ts"
import type { Chunk, ChunkTask } from "./readChunk.ts"
import { readChunk } from "./readChunk.ts"

/** A chunk that was read, and what the run must know of it besides its records. */
export interface ChunkResult extends Chunk {
  /** The words of the file's name that are names of its patients. */
  readonly hidden: ReadonlyArray<string>
  /** What was found of other FHIR versions. */
  readonly versions: FoundVersions
}

/** The links by which records are found; `undefined` if the mapping follows links that are known only at run time. */
export const linkRulesOf = (
  { constants, fhirPath, followed, grouping }: CheckedMapping["plan"]
): LinkRules | undefined =>
  followed.backwards === undefined || followed.texts
    ? undefined
    : {
      fhirPath,
      constants,
      grouping,
      backwards: followed.backwards,
      backwardsToVisit: followed.backwardsToVisit,
      followed: followedElements(followed),
      read: followed.types,
      assigned: followed.assigned
    }

/** Returns a reader of chunks. `watch` makes the watch for other FHIR versions in one chunk. */
export const chunkReader = (linkRules: LinkRules, watch: () => VersionWatch): (task: ChunkTask) => ChunkResult => {
  const scanner = new LineScanner(linkRules, watch())
  return (task) => {
    const labels = new FileLabels()
    const versions = watch()
    const chunk = readChunk(task, linkRules, { versions, scanner, onPatient: (record) => labels.learn(record) })
    return { ...chunk, hidden: labels.hidden(task.file.name), versions: versions.data() }
  }
}

/**
 * Reads files in chunks of about the given size, in parallel; passes one file with its chunks after the other. Returns the files that must be
 * read as a whole.
 */
export const readFiles = Effect.fnUntraced(function*(
  pool: WorkerPool,
  files: ReadonlyArray<LineFile>,
  chunkBytes: number,
  readChunk: (task: ChunkTask) => ChunkResult,
  onFile: (file: LineFile, chunks: ReadonlyArray<ChunkResult>) => void
) {
  const irregular = new Set<LineFile>()
  function* tasks(): Generator<ChunkTask> {
    for (const [index, file] of files.entries()) {
      for (const range of rangesOf(file.facts, chunkBytes)) {
        // The file is read as a whole later.
        if (irregular.has(file)) break
        yield { file: file.facts, source: index + 1, ...range }
      }
    }
  }
  let chunks: Array<ChunkResult> = []
  const pass = (): void => {
    const [first] = chunks
    if (first === undefined) return
    const file = at(files, first.source - 1)
    if (!irregular.has(file)) onFile(file, chunks)
    chunks = []
  }
  yield* Stream.runForEach(pool.read(tasks(), readChunk), (chunk) =>
    orSourceError(() => {
      if (chunks[0]?.source !== chunk.source) pass()
      chunks.push(chunk)
      if (chunk.irregular) irregular.add(at(files, chunk.source - 1))
    }))
  yield* orSourceError(pass)
  return irregular
})

/** Divides a file into ranges of about equal size, in bytes. */
const rangesOf = (
  { size, start }: LineFile["facts"],
  chunkBytes: number
): ReadonlyArray<{ readonly from: number; readonly to: number }> => {
  const count = Math.max(1, Math.round((size - start) / chunkBytes))
  const each = Math.ceil((size - start) / count)
  return Array.from({ length: count }, (_, index) => ({
    from: Math.min(size, start + index * each),
    to: Math.min(size, start + (index + 1) * each)
  }))
}
