import { Effect } from "effect"
import { mkdirSync } from "node:fs"
import { dirname, join } from "node:path"
import { increment } from "../maps.ts"
import type { ExportLog } from "./ExportLog.ts"
import { onDisk, writeLines } from "./mirrorFiles.ts"
import type { MirrorIndex, RecordName } from "./MirrorIndex.ts"

const fileName = "deleted/Bundle.900.ndjson.gz"

/**
 * Writes a deletion for each record of these types that a complete export no longer has. Such a record was deleted at the server, whether
 * or not the server reports it. The deletion has the form that bulk exports use, with the time of the export (ISO 8601). Returns the
 * number of deletions, by type.
 */
export const writeVanished = Effect.fnUntraced(function*(
  log: ExportLog,
  index: MirrorIndex,
  complete: { readonly exportNumber: number; readonly types: ReadonlyArray<string>; readonly time: string }
) {
  const counts = new Map<string, number>()
  const gone = complete.types.flatMap((type) => index.missingFrom(complete.exportNumber, type))
  if (gone.length === 0) return counts
  for (const { type } of gone) increment(counts, type)
  const file = join(log.folder, fileName)
  yield* onDisk(file, () => {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeLines(file, gone.map((name) => JSON.stringify(deletion(name, complete.time))))
  })
  for (const name of gone) index.forget(name)
  yield* log.write("download_complete", {
    fileUrl: "",
    resourceCount: gone.length,
    fileSize: 0,
    _file: fileName,
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
