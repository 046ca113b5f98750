import { Effect } from "effect"
import { closeSync, mkdirSync, openSync, renameSync, writeSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { type ExportLog, unwritable } from "./ExportLog.ts"
import type { MirrorIndex, RecordName } from "./MirrorIndex.ts"
import type { ServerError } from "./ServerError.ts"

/**
 * Writes a deletion for each record that a complete export no longer has. Such a record was deleted at the server, whether or not the
 * server reports it. The deletion has the form that bulk exports use, with the time of the export. Returns the number of deletions, by
 * type.
 */
export const writeVanished = (
  log: ExportLog,
  index: MirrorIndex,
  exportNumber: number,
  types: ReadonlyArray<string>,
  time: string
): Effect.Effect<ReadonlyMap<string, number>, ServerError> =>
  Effect.gen(function*() {
    const counts = new Map<string, number>()
    const folder = join(log.folder, "deleted")
    const target = join(folder, "Bundle.900.ndjson.gz")
    const gone = types.flatMap((type) => [...index.missingFrom(exportNumber, type)])
    if (gone.length === 0) return counts
    for (const { type } of gone) counts.set(type, (counts.get(type) ?? 0) + 1)
    yield* Effect.try({
      try: () => {
        mkdirSync(folder, { recursive: true, mode: 0o700 })
        const handle = openSync(`${target}.part`, "w", 0o600)
        try {
          writeSync(handle, gzipSync(gone.map((name) => `${JSON.stringify(deletion(name, time))}\n`).join("")))
        } finally {
          closeSync(handle)
        }
        renameSync(`${target}.part`, target)
      },
      catch: (cause) => unwritable(target, cause)
    })
    for (const name of gone) index.forget(name)
    yield* log.write("download_complete", {
      fileUrl: "",
      resourceCount: gone.length,
      fileSize: 0,
      _file: "deleted/Bundle.900.ndjson.gz",
      _vanished: Object.fromEntries(counts)
    })
    return counts
  })

const deletion = ({ id, type }: RecordName, time: string) => ({
  resourceType: "Bundle",
  type: "transaction",
  meta: { lastUpdated: time },
  entry: [{ request: { method: "DELETE", url: `${type}/${id}` } }]
})
