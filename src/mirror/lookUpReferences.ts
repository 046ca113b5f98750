import { Effect } from "effect"
import { closeSync, openSync, renameSync, statSync, writeSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { isJsonObject } from "../json/JsonObject.ts"
import type { Progress } from "./exportBulk.ts"
import { type ExportLog, unwritable } from "./ExportLog.ts"
import type { MirrorIndex, RecordName } from "./MirrorIndex.ts"
import type { ServerError } from "./ServerError.ts"
import type { ServerSession } from "./ServerSession.ts"

/** Records in one request: addresses stay below 4,000 characters. */
const batchSize = 50

/**
 * Looks up reference targets that the mirror lacks, because bulk exports omit what is in no patient's compartment. Targets that the
 * server lacks as well are remembered and not looked up again. Returns the number found, by type.
 */
export const lookUpReferences = Effect.fnUntraced(function*(
  session: ServerSession,
  log: ExportLog,
  index: MirrorIndex,
  server: string,
  progress: Progress
) {
  const counts = new Map<string, { found: number; absent: number }>()
  const byType = Map.groupBy(index.dangling(), ({ type }) => type)
  for (const [type, names] of byType) {
    const lines: Array<string> = []
    let absent = 0
    for (let start = 0; start < names.length; start += batchSize) {
      const batch = names.slice(start, start + batchSize)
      const found = yield* fetchBatch(session, server, type, batch)
      for (const name of batch) {
        const line = found.get(name.id)
        if (line !== undefined) lines.push(line)
        else {
          index.noteAbsent(name)
          absent++
        }
      }
      progress(`looking up ${type}: ${Math.min(start + batchSize, names.length)} of ${names.length}`)
    }
    counts.set(type, { found: lines.length, absent })
    if (lines.length > 0) yield* writeLines(log, server, type, lines)
  }
  return counts
})

/** Sends one search for all, or one read for each if the server does not search by id. */
const fetchBatch = Effect.fnUntraced(function*(
  session: ServerSession,
  server: string,
  type: string,
  batch: ReadonlyArray<RecordName>
) {
  const found = new Map<string, string>()
  const parameters = new URLSearchParams({ _id: batch.map(({ id }) => id).join(","), _count: String(batchSize) })
  const options = { accept: "application/fhir+json", exact: true }
  const { json, status } = yield* session.get(`${server}/${type}?${parameters}`, options)
  if (status === 200 && isJsonObject(json)) {
    for (const entry of Array.isArray(json["entry"]) ? json["entry"] : []) {
      const resource: unknown = isJsonObject(entry) ? entry["resource"] : undefined
      if (isJsonObject(resource) && resource["resourceType"] === type && typeof resource["id"] === "string") {
        found.set(resource["id"], JSON.stringify(resource))
      }
    }
  }
  for (const { id } of batch) {
    if (found.has(id)) continue
    const { json, status } = yield* session.get(`${server}/${type}/${id}`, options)
    if (status === 200 && isJsonObject(json) && json["resourceType"] === type) found.set(id, JSON.stringify(json))
  }
  return found
})

const writeLines = (
  log: ExportLog,
  server: string,
  type: string,
  lines: ReadonlyArray<string>
): Effect.Effect<void, ServerError> =>
  Effect.gen(function*() {
    const name = `${type}.900.ndjson.gz`
    const target = join(log.folder, name)
    const fileUrl = `${server}/${type}?_id=…`
    yield* log.write("download_request", { fileUrl, itemType: "output", resourceType: type })
    const size = yield* Effect.try({
      try: () => {
        const handle = openSync(`${target}.part`, "w", 0o600)
        try {
          writeSync(handle, gzipSync(`${lines.join("\n")}\n`))
        } finally {
          closeSync(handle)
        }
        renameSync(`${target}.part`, target)
        return statSync(target).size
      },
      catch: (cause) => unwritable(target, cause)
    })
    yield* log.write("download_complete", { fileUrl, resourceCount: lines.length, fileSize: size, _file: name })
  })
