import { Effect } from "effect"
import { closeSync, existsSync, openSync, renameSync, statSync, writeSync } from "node:fs"
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
  progress: Progress,
  /** Reads new files into the index. */
  readNew: () => Effect.Effect<void, ServerError>,
  /** Records of these types that were read before an export are looked up again. */
  again: { readonly types: ReadonlySet<string>; readonly before: number }
) {
  const counts = new Map<string, { found: number; absent: number }>()
  const denied = new Set<string>()
  const dangling = () =>
    Map.groupBy(
      [
        ...index.dangling(0).filter(({ type }) => !again.types.has(type)),
        ...index.dangling(again.before).filter(({ type }) => again.types.has(type))
      ].filter(({ type }) => !denied.has(type)),
      ({ type }) => type
    )
  // What is found can name further records: a role its practitioner, a place its organization.
  for (let byType = dangling(); byType.size > 0; byType = dangling()) {
    for (const [type, names] of byType) {
      const lines: Array<string> = []
      const count = counts.get(type) ?? { found: 0, absent: 0 }
      counts.set(type, count)
      for (let start = 0; start < names.length; start += batchSize) {
        const batch = names.slice(start, start + batchSize)
        const found = yield* fetchBatch(session, server, type, batch).pipe(
          Effect.catchIf(isForbidden, () => Effect.succeed(null))
        )
        if (found === null) {
          denied.add(type)
          count.absent += names.length - start
          break
        }
        lines.push(...found.values())
        for (const name of batch) if (!found.has(name.id)) index.noteAbsent(name)
        count.found += found.size
        count.absent += batch.length - found.size
        progress(`looking up ${type}: ${Math.min(start + batchSize, names.length)} of ${names.length}`)
      }
      if (lines.length > 0) yield* writeLines(log, server, type, lines)
    }
    yield* readNew()
  }
  return counts
})

/** A client can be allowed to export and not to read each type. */
const isForbidden = ({ reason }: ServerError): boolean =>
  reason._tag === "Denied" && reason.detail.startsWith("status 403")

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
      if (!isJsonObject(resource) || resource["resourceType"] !== type) continue
      const name = batch.find(({ id }) => id === resource["id"])
      if (name !== undefined) found.set(name.id, JSON.stringify(resource))
    }
  }
  for (const { id } of batch) {
    if (found.has(id)) continue
    const { json, status } = yield* session.get(`${server}/${type}/${id}`, options)
    if (status === 200 && isJsonObject(json) && json["resourceType"] === type && json["id"] === id) {
      found.set(id, JSON.stringify(json))
    }
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
    let number = 900
    while (existsSync(join(log.folder, `${type}.${number}.ndjson.gz`))) number++
    const name = `${type}.${number}.ndjson.gz`
    const target = join(log.folder, name)
    const fileUrl = `${server}/${type}#${name}`
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
