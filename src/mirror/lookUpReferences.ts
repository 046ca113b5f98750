import { Effect } from "effect"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { isJsonObject, type JsonObject, jsonObjectOf } from "../json/JsonObject.ts"
import type { FetchContext } from "./FetchContext.ts"
import { onDisk, writeLines } from "./mirrorFiles.ts"
import type { MirrorIndex, RecordName } from "./MirrorIndex.ts"
import { resourcesIn } from "./pages.ts"
import type { ServerError } from "./ServerError.ts"
import { fhirJson } from "./ServerSession.ts"

/** Records in one request: addresses stay below 4,000 characters. */
const batchSize = 50

/** The reference targets of a type that were looked up. */
export interface LookUpCount {
  readonly found: number
  /** The server has no such record, or the client may not read it. */
  readonly absent: number
}

/**
 * Looks up reference targets that the mirror lacks, because bulk exports omit what is in no patient's compartment. Targets that the
 * server lacks as well are remembered and not looked up again. Returns the number of targets, by type.
 */
export const lookUpReferences = Effect.fnUntraced(function*(
  context: FetchContext,
  index: MirrorIndex,
  /** Reads new files into the index. */
  readNew: () => Effect.Effect<void, ServerError>,
  /** Records of these types that were read before an export are looked up again. */
  again: { readonly types: ReadonlySet<string>; readonly before: number }
) {
  const { progress } = context
  const counts = new Map<string, LookUpCount>()
  const denied = new Set<string>()
  const dangling = () =>
    Map.groupBy(
      [
        ...index.dangling(0).filter(({ type }) => !again.types.has(type)),
        ...index.dangling(again.before).filter(({ type }) => again.types.has(type))
      ].filter(({ type }) => !denied.has(type)),
      ({ type }) => type
    )
  // A record that was found can refer to others: a role to its practitioner, a location to its organization.
  for (let byType = dangling(); byType.size > 0; byType = dangling()) {
    for (const [type, names] of byType) {
      const lines: Array<string> = []
      let { absent, found } = counts.get(type) ?? { found: 0, absent: 0 }
      for (let start = 0; start < names.length; start += batchSize) {
        const batch = names.slice(start, start + batchSize)
        const records = yield* fetchBatch(context, type, batch).pipe(
          Effect.catchIf(isForbidden, () => Effect.succeed(null))
        )
        if (records === null) {
          denied.add(type)
          absent += names.length - start
          break
        }
        lines.push(...records.values())
        for (const name of batch) if (!records.has(name.id)) index.noteAbsent(name)
        found += records.size
        absent += batch.length - records.size
        progress(`looking up ${type}: ${Math.min(start + batchSize, names.length)} of ${names.length}`)
      }
      counts.set(type, { found, absent })
      if (lines.length > 0) yield* writeRecords(context, type, lines)
    }
    yield* readNew()
  }
  return counts
})

/** Whether the server still has some of the records that count. That is not known if the client may not read the type. */
export const hasSomeOf = Effect.fnUntraced(function*(
  context: FetchContext,
  type: string,
  names: ReadonlyArray<RecordName>,
  counts: (resource: JsonObject) => boolean
) {
  for (let start = 0; start < names.length; start += batchSize) {
    context.progress(`checking ${type}: ${start} of ${names.length}`)
    const found = yield* fetchBatch(context, type, names.slice(start, start + batchSize)).pipe(
      Effect.catchIf(isForbidden, () => Effect.succeed(null))
    )
    if (found === null) return false
    if (found.values().some((line) => counts(jsonObjectOf(JSON.parse(line))))) return true
  }
  return false
})

/** A client can be allowed to export and not to read each type. */
const isForbidden = ({ reason }: ServerError): boolean =>
  reason._tag === "Denied" && reason.detail.startsWith("status 403")

/** Sends one search for all, or one read for each if the server does not search by id. Returns the JSON of each record, by id. */
const fetchBatch = Effect.fnUntraced(function*(
  { session, settings: { server } }: FetchContext,
  type: string,
  batch: ReadonlyArray<RecordName>
) {
  const found = new Map<string, string>()
  const ids = new Set(batch.map(({ id }) => id))
  const parameters = new URLSearchParams({ _id: [...ids].join(","), _count: String(batchSize) })
  const options = { ...fhirJson, exact: true }
  const { json, status } = yield* session.get(`${server}/${type}?${parameters}`, options)
  for (const resource of status === 200 ? resourcesIn(json, type) : []) {
    if (typeof resource.id === "string" && ids.has(resource.id)) found.set(resource.id, JSON.stringify(resource))
  }
  for (const id of ids) {
    if (found.has(id)) continue
    const { json, status } = yield* session.get(`${server}/${type}/${id}`, options)
    if (status === 200 && isJsonObject(json) && json.resourceType === type && json.id === id) {
      found.set(id, JSON.stringify(json))
    }
  }
  return found
})

/** Writes records to a file of their own. Its number is above those of the files of an export. */
const writeRecords = Effect.fnUntraced(function*(
  { log, settings: { server } }: FetchContext,
  type: string,
  lines: ReadonlyArray<string>
) {
  let number = 900
  while (existsSync(join(log.folder, `${type}.${number}.ndjson.gz`))) number++
  const name = `${type}.${number}.ndjson.gz`
  const file = join(log.folder, name)
  const fileUrl = `${server}/${type}#${name}`
  yield* log.write("download_request", { fileUrl, itemType: "output", resourceType: type })
  const fileSize = yield* onDisk(file, () => writeLines(file, lines))
  yield* log.write("download_complete", { fileUrl, resourceCount: lines.length, fileSize, _file: name })
})
