import { Effect } from "effect"
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  renameSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync
} from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { isJsonObject } from "../json/JsonObject.ts"
import type { Progress } from "./exportBulk.ts"
import { type ExportLog, unwritable } from "./ExportLog.ts"
import type { WalkState } from "./MirrorIndex.ts"
import { InvalidAnswer, type ServerError, serverError } from "./ServerError.ts"
import { notOffered, type ServerSession } from "./ServerSession.ts"

/** The request of a search. */
interface SearchRequest {
  readonly server: string
  readonly type: string
  /** ISO time; `null`: all records of the type. */
  readonly since: string | null
  /** Further conditions as search parameters, with one search for each: for example a subset of a group's patients. */
  readonly conditions: ReadonlyArray<Readonly<Record<string, string>>>
  readonly pageSize: number
}

/** One of the searches that find the records of a type. */
interface OneSearch extends Omit<SearchRequest, "conditions"> {
  readonly condition: Readonly<Record<string, string>>
}

/** One page of a search. */
interface SearchPage {
  readonly records: ReadonlyArray<FoundRecord>
  readonly next: string | null
}

interface FoundRecord {
  readonly id: string
  readonly version: string
  readonly lastUpdated: string | null
  readonly line: string
}

/** The server ignores or rejects `_lastUpdated` or `_sort`, so the type must be walked as a whole. */
class NoOrder {
  readonly _tag = "NoOrder"
}

/** Statuses with which a server rejects a search parameter. */
const refusesParameter = (error: ServerError | NoOrder): boolean =>
  error._tag === "NoOrder" ||
  (error.reason._tag === "NotOffered" && [400, 405, 422, 501].includes(error.reason.status))

/** Maximum restarts of a walk when the server's count shows missing records. */
const maxRounds = 20

/**
 * Writes every record of a type that a search finds to one file. Pages are not followed by number. Each next page is a new search from
 * the last change seen, in the order of changes. A record that changes or disappears meanwhile therefore hides no other record. A server
 * without that order is walked repeatedly until no record is new. At the end the result is compared with the server's own count.
 * What is still missing by that count is an error in the log.
 */
export const searchType = Effect.fnUntraced(function*(
  session: ServerSession,
  log: ExportLog,
  walk: WalkState,
  exportNumber: number,
  request: SearchRequest,
  progress: Progress
) {
  const { type } = request
  const target = join(log.folder, `${type}.001.ndjson.gz`)
  const part = `${target}.part`
  const state = walk.begin(exportNumber, type)
  if (state.isDone && existsSync(target)) return
  const url = searchUrl({ ...request, condition: {} }, request.since, byChange)
  yield* log.write("download_request", { fileUrl: url, itemType: "output", resourceType: type })
  yield* disk(part, () => {
    // Named, and interrupted before the log said so.
    if (existsSync(target)) renameSync(target, part)
    if (existsSync(part)) truncateSync(part, Math.min(state.bytes, statSync(part).size))
  })
  const searches = request.conditions.map((condition): OneSearch => ({ ...request, condition }))
  // The end of one search does not apply to the others.
  const writer: PageWriter = { type, part, walk, progress, last: searches.length === 1 ? state.last : null }
  const walkAll = Effect.forEach(searches, (one) => walkWhole(session, one, writer)).pipe(Effect.map(sum))
  let found = 0
  for (const one of searches) {
    if (searches.length > 1) writer.last = null
    found += yield* walkByChange(session, one, writer).pipe(
      Effect.as(Number.NaN),
      Effect.catchIf(refusesParameter, () => walkWhole(session, one, writer)),
      Effect.catchIf(refusesParameter, () => walkWhole(session, { ...one, since: null }, writer))
    )
  }
  // In the order of changes no record is hidden, so all that were found count, also those that are deleted by now.
  if (Number.isNaN(found)) found = walk.count(type)
  let expected = yield* countAll(session, searches)
  for (let round = 0; expected !== null && found < expected && round < 3; round++) {
    found = yield* walkAll
    expected = yield* countAll(session, searches)
  }
  const bytes = yield* disk(target, () => {
    if (!existsSync(part)) return 0
    // Not even the header was written, and a reader would take the file for a damaged one.
    if (statSync(part).size === 0) writeFileSync(part, gzipSync(""))
    renameSync(part, target)
    return statSync(target).size
  })
  yield* log.write("download_complete", {
    fileUrl: url,
    resourceCount: walk.count(type),
    fileSize: bytes,
    _file: `${type}.001.ndjson.gz`
  })
  if (expected !== null && found < expected) {
    const message = `the server counts ${expected} ${type} records, the search found ${found}`
    yield* log.write("download_error", { fileUrl: url, body: null, code: null, message, responseHeaders: null })
  }
  walk.commit(type, { bytes, last: writer.last, isDone: true }, [])
})

interface PageWriter {
  readonly type: string
  readonly part: string
  readonly walk: WalkState
  readonly progress: Progress
  last: string | null
}

const searchUrl = (
  { condition, pageSize, server, type }: OneSearch,
  from: string | null,
  order: Readonly<Record<string, string>> = {}
): string =>
  `${server}/${type}?${new URLSearchParams({
    ...condition,
    ...(from === null ? {} : { _lastUpdated: `ge${from}` }),
    ...order,
    _count: String(pageSize)
  })}`

const byChange = { _sort: "_lastUpdated" }

/** Reads page by page in the order of changes, each page a new search from the last change. */
const walkByChange = Effect.fnUntraced(function*(session: ServerSession, request: OneSearch, writer: PageWriter) {
  let from = writer.last ?? request.since
  for (;;) {
    const requested = searchUrl(request, from, byChange)
    const page = yield* readPage(session, request, requested)
    if (!isInOrder(page, from)) return yield* Effect.fail(new NoOrder())
    let fresh = yield* keep(writer, page.records)
    let { next } = page
    const seen = new Set([requested])
    let last = lastChange(page.records) ?? from
    const isOneInstant = next !== null && last === from
    // More records of one instant than a page holds: their further pages must be followed.
    while (next !== null && last === from) {
      yield* leadsOn(request, next, seen)
      const more = yield* readPage(session, request, next)
      fresh += yield* keep(writer, more.records)
      last = lastChange(more.records) ?? last
      next = more.next
    }
    // A deletion may have moved a record from one of these pages to one that was read before.
    if (isOneInstant && fresh > 0) continue
    if (next === null && (fresh === 0 || last === from)) return
    from = last
    writer.last = last
  }
})

/**
 * Reads the whole list by its `next` links, repeatedly until a walk finds nothing new and as many records as the server counts. A deletion
 * moves another record out of sight, and can do so in each of two walks. Returns the number of records of the last walk.
 */
const walkWhole = Effect.fnUntraced(function*(session: ServerSession, request: OneSearch, writer: PageWriter) {
  const ids = new Set<string>()
  for (let round = 0; round < maxRounds; round++) {
    let fresh = 0
    let url: string | null = searchUrl(request, request.since)
    const seen = new Set<string>()
    ids.clear()
    while (url !== null) {
      yield* leadsOn(request, url, seen)
      const page: SearchPage = yield* readPage(session, request, url)
      fresh += yield* keep(writer, page.records)
      for (const { id } of page.records) ids.add(id)
      url = page.next
    }
    if (fresh === 0 && ids.size >= ((yield* countOf(session, request)) ?? 0)) break
  }
  return ids.size
})

/** Follows a link only on the server's own origin, below its base address, and once. */
const leadsOn = (request: OneSearch, url: string, seen: Set<string>): Effect.Effect<void, ServerError> => {
  const base = new URL(request.server)
  const link = URL.canParse(url) ? new URL(url) : undefined
  const isOurs = link !== undefined && link.origin === base.origin
  if (isOurs && !seen.has(url)) return Effect.sync(() => void seen.add(url))
  return Effect.fail(serverError(
    new InvalidAnswer({
      detail: isOurs
        ? `the pages of the search for ${request.type} lead in a circle`
        : `the next page of the search for ${request.type} is on another server`
    })
  ))
}

/** Appends the new records of a page to the file, flushes it to disk, and remembers them. Returns their number. */
const keep = (writer: PageWriter, records: ReadonlyArray<FoundRecord>): Effect.Effect<number, ServerError> =>
  Effect.gen(function*() {
    const { part, type, walk } = writer
    const fresh = records.filter(({ id, version }) => walk.isNew(type, id, version))
    const bytes = yield* disk(part, () => {
      const handle = openSync(part, "a", 0o600)
      try {
        if (fresh.length > 0) writeSync(handle, gzipSync(fresh.map(({ line }) => `${line}\n`).join("")))
        fsyncSync(handle)
      } finally {
        closeSync(handle)
      }
      return statSync(part).size
    })
    walk.commit(type, { bytes, last: writer.last, isDone: false }, fresh)
    writer.progress(`searching ${type}: ${walk.count(type)} records`)
    return fresh.length
  })

const lastChange = (records: ReadonlyArray<FoundRecord>): string | null => records.at(-1)?.lastUpdated ?? null

/** Whether a page begins no earlier than requested, and never goes back in time. */
const isInOrder = ({ records }: SearchPage, from: string | null): boolean => {
  let before = from === null ? Number.NEGATIVE_INFINITY : Date.parse(from)
  for (const { lastUpdated } of records) {
    const time = lastUpdated === null ? Number.NaN : Date.parse(lastUpdated)
    // `ge` compares the written value, which can be less precise than milliseconds.
    if (Number.isNaN(time) || time < before - 1000) return false
    before = Math.max(before, time)
  }
  return true
}

const readPage = Effect.fnUntraced(function*(session: ServerSession, { type }: OneSearch, url: string) {
  const { json, status } = yield* session.get(url, { accept: "application/fhir+json", exact: true })
  if (status !== 200) return yield* notOffered(`the search for ${type}`, url, status)
  if (!isJsonObject(json) || json["resourceType"] !== "Bundle") {
    return yield* serverError(new InvalidAnswer({ detail: `the search for ${type} gave no Bundle` }))
  }
  const records: Array<FoundRecord> = []
  for (const entry of Array.isArray(json["entry"]) ? json["entry"] : []) {
    const resource: unknown = isJsonObject(entry) ? entry["resource"] : undefined
    if (!isJsonObject(resource) || resource["resourceType"] !== type) continue
    const id = resource["id"]
    if (typeof id !== "string") {
      return yield* serverError(new InvalidAnswer({ detail: `a record in the search for ${type} has no id` }))
    }
    const meta = isJsonObject(resource["meta"]) ? resource["meta"] : {}
    const lastUpdated = typeof meta["lastUpdated"] === "string" ? meta["lastUpdated"] : null
    const line = JSON.stringify(resource)
    records.push({ id, lastUpdated, version: `${text(meta["versionId"])}|${lastUpdated ?? line.length}`, line })
  }
  return {
    records,
    next: linkOf(json["link"], "next", url)
  } satisfies SearchPage as SearchPage
})

const text = (value: unknown): string => typeof value === "string" ? value : ""

const linkOf = (links: unknown, relation: string, base: string): string | null => {
  for (const link of Array.isArray(links) ? links : []) {
    if (isJsonObject(link) && link["relation"] === relation && typeof link["url"] === "string") {
      return URL.canParse(link["url"], base) ? new URL(link["url"], base).href : link["url"]
    }
  }
  return null
}

const sum = (counts: ReadonlyArray<number>): number => counts.reduce((all, count) => all + count, 0)

/** Returns the server's total of records; `null` if it gives none. */
const countAll = Effect.fnUntraced(function*(session: ServerSession, searches: ReadonlyArray<OneSearch>) {
  let all = 0
  for (const one of searches) {
    const count = yield* countOf(session, one)
    if (count === null) return null
    all += count
  }
  return all
})

const countOf = Effect.fnUntraced(function*(session: ServerSession, request: OneSearch) {
  const { condition, server, since, type } = request
  const url = `${server}/${type}?${new URLSearchParams({
    ...condition,
    ...(since === null ? {} : { _lastUpdated: `ge${since}` }),
    _summary: "count"
  })}`
  const { json, status } = yield* session.get(url, { accept: "application/fhir+json" })
  const total = status === 200 && isJsonObject(json) ? json["total"] : undefined
  return typeof total === "number" ? total : null
})

const disk = <A>(file: string, work: () => A): Effect.Effect<A, ServerError> =>
  Effect.try({ try: work, catch: (cause) => unwritable(file, cause) })
