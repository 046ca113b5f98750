import type { CheckedMapping } from "../../mapping/check/check.ts"
import type { LineFile } from "../../source/read/LineFile.ts"
import { defaultReadLimits } from "../../source/read/ReadLimits.ts"
import type { FoundVersions, VersionWatch } from "../../source/versions/VersionWatch.ts"
import { FileLabels } from "../accounts/fileLabels.ts"
import type { Linking } from "../partition/Links.ts"
import type { Chunk, ChunkTask } from "../partition/readChunk.ts"
import { readChunk } from "../partition/readChunk.ts"
import type { WorkerPool } from "./WorkerPool.ts"

/** The result of a chunk, and the words of the file's name that are names of its patients. */
export interface ChunkResult extends Chunk {
  readonly hidden: ReadonlyArray<string>
  /** What was found of other FHIR versions. */
  readonly versions: FoundVersions
}

/** The links by which records are found; `undefined` if the mapping follows links that are known only at run time. */
export const linkingOf = ({ constants, fhirPath, followed, grouping }: CheckedMapping["plan"]): Linking | undefined =>
  followed.backwards === undefined || followed.texts
    ? undefined
    : {
      fhirPath,
      constants,
      grouping,
      backwards: followed.backwards,
      backwardsToVisit: followed.backwardsToVisit,
      followed: followed.elements,
      read: followed.types,
      types: followed.assigned
    }

export const chunkReader = (linking: Linking, watch: () => VersionWatch) => (task: ChunkTask): ChunkResult => {
  const labels = new FileLabels()
  const versions = watch()
  const read = readChunk(
    task,
    linking,
    defaultReadLimits,
    (record) => {
      labels.learn(record)
    },
    undefined,
    versions
  )
  return { ...read, hidden: labels.hidden(task.file.name), versions: versions.data() }
}

/** The result of reading one file. */
interface FileRead {
  readonly file: LineFile
  readonly chunks: ReadonlyArray<ChunkResult>
}

/** Reads files in chunks of about the given size in parallel; yields one file after the other. */
export async function* readFiles(
  team: WorkerPool,
  files: ReadonlyArray<LineFile>,
  chunkBytes: number,
  readChunk: (task: ChunkTask) => ChunkResult
): AsyncGenerator<FileRead> {
  const irregular = new Set<LineFile>()
  /** Files whose chunks are dispatched, one entry for each chunk. */
  const handed: Array<LineFile> = []
  function* tasks(): Generator<ChunkTask> {
    for (const [index, file] of files.entries()) {
      for (const { from, to } of cuts(file.facts, chunkBytes)) {
        // The file is read as a whole later.
        if (irregular.has(file)) break
        handed.push(file)
        yield { file: file.facts, source: index + 1, from, to }
      }
    }
  }
  let current: { readonly file: LineFile; readonly chunks: Array<ChunkResult> } | undefined
  for await (const result of team.read(tasks(), readChunk)) {
    const file = handed.shift()!
    if (result.irregular) irregular.add(file)
    if (current?.file === file) current.chunks.push(result)
    else {
      if (current !== undefined) yield current
      current = { file, chunks: [result] }
    }
  }
  if (current !== undefined) yield current
}

const cuts = (
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
