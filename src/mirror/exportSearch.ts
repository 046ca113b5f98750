import { Effect } from "effect"
import { existsSync, renameSync, statSync, truncateSync } from "node:fs"
import { basename, join } from "node:path"
import { isJsonObject, jsonObjectOf, jsonTextOf } from "../json/JsonObject.ts"
import type { FetchContext } from "./FetchContext.ts"
import { isOfOthers } from "./members.ts"
import { appendLines, onDisk, partialFile } from "./mirrorFiles.ts"
import type { WalkState } from "./MirrorIndex.ts"
import { hasError, nextPageOf, resourcesIn } from "./pages.ts"
import { type ServerError, serverError } from "./ServerError.ts"
import { fhirJson, notOffered } from "./ServerSession.ts"

/** The records of a type that are searched for. */
interface SearchRequest {
  readonly type: string
  /** ISO time; `null`: all records of the type. */
  readonly since: string | null
  /** Further conditions as search parameters, with one search for each: for example a subset of a group's patients. */
  readonly conditions: ReadonlyArray<Readonly<Record<string, string>>>
}

/** One of the searches that find the records of a type. */
interface Search extends Omit<SearchRequest, "conditions"> {
  readonly context: FetchContext
  readonly condition: Readonly<Record<string, string>>
}

interface SearchPage {
  readonly records: ReadonlyArray<FoundRecord>
  readonly next: string | null
  /** The server says that something went wrong. */
  readonly hasError: boolean
}

interface FoundRecord {
  readonly id: string
  readonly version: string
  readonly lastUpdated: string | null
  readonly line: string
}

/** Whether the server rejected a search parameter. */
const isUnsupportedParameter = ({ reason }: ServerError): boolean =>
  reason._tag === "NotOffered" && [400, 405, 422, 501].includes(reason.status)

/** Some servers fail with 500 if they cannot sort. One that fails anyway does so without an order, too. */
const failsToSort = ({ reason }: ServerError): boolean => reason._tag === "ServerFailed" && reason.status === 500

/** Maximum restarts of a walk when the server's count shows missing records. */
const maxRounds = 20

/**
 * Writes every record of a type that a search finds to one file. Pages are not followed by number. Each next page is a new search from
 * the last change seen, in the order of changes. A record that changes or disappears meanwhile therefore hides no other record. A server
 * without that order is walked repeatedly until no record is new. At the end the result is compared with the server's own count.
 * What is still missing by that count is an error in the log.
 */
export const searchType = Effect.fnUntraced(function*(
  context: FetchContext,
  walk: WalkState,
  { conditions, since, type }: SearchRequest
) {
  const { log } = context
  const fileName = `${type}.001.ndjson.gz`
  const file = join(log.folder, fileName)
  const part = partialFile(file)
  const state = walk.begin(basename(log.folder), type)
  if (state.isDone && existsSync(file)) return
  const fileUrl = pageUrl({ context, type, since, condition: {} }, since, byChange)
  yield* log.write("download_request", { fileUrl, itemType: "output", resourceType: type })
  yield* onDisk(part, () => {
    // The file got its name, and the export was interrupted before the log had it.
    if (existsSync(file)) renameSync(file, part)
    if (existsSync(part)) truncateSync(part, Math.min(state.bytes, statSync(part).size))
  })
  const searches = conditions.map((condition): Search => ({ context, type, since, condition }))
  // The end of one search does not apply to the others.
  const writer: PageWriter = { part, walk, last: searches.length === 1 ? state.last : null }
  let found = 0
  /** Some search is in the order of changes. */
  let isOrdered = false
  for (const search of searches) {
    if (searches.length > 1) writer.last = null
    const hasOrder = yield* walkByChange(search, writer).pipe(
      Effect.catchIf((error) => isUnsupportedParameter(error) || failsToSort(error), () => Effect.succeed(false))
    )
    if (hasOrder) isOrdered = true
    else {
      found += yield* walkWhole(search, writer).pipe(
        Effect.catchIf(isUnsupportedParameter, () => walkWhole({ ...search, since: null }, writer))
      )
    }
  }
  // In the order of changes no record is hidden, so all that were found count, also those that are deleted by now.
  if (isOrdered) found = walk.count(type)
  let expected = yield* countAll(searches)
  for (let round = 0; expected !== null && found < expected && round < 3; round++) {
    found = 0
    for (const search of searches) found += yield* walkWhole(search, writer)
    expected = yield* countAll(searches)
  }
  yield* log.isHeld
  const bytes = yield* onDisk(file, () => {
    if (!existsSync(part)) return 0
    renameSync(part, file)
    return statSync(file).size
  })
  yield* log.write("download_complete", {
    fileUrl,
    resourceCount: walk.count(type),
    fileSize: bytes,
    _file: fileName
  })
  if (expected !== null && found < expected) {
    yield* log.writeError(fileUrl, `the server counts ${expected} ${type} records, the search found ${found}`)
  }
  walk.commit(type, { bytes, last: writer.last, isDone: true }, [])
})

interface PageWriter {
  readonly part: string
  readonly walk: WalkState
  /** ISO time of the last change that was read. */
  last: string | null
}

const byChange = { _sort: "_lastUpdated" }

/** Returns the address of the records that changed since an ISO time. */
const searchUrl = (
  { condition, context, type }: Search,
  from: string | null,
  parameters: Readonly<Record<string, string>>
): string =>
  `${context.settings.server}/${type}?${new URLSearchParams({
    ...condition,
    ...(from === null ? {} : { _lastUpdated: `ge${from}` }),
    ...parameters
  })}`

const pageUrl = (search: Search, from: string | null, order: Readonly<Record<string, string>> = {}): string =>
  searchUrl(search, from, { ...order, _count: String(search.context.settings.pageSize) })

/**
 * Reads page by page in the order of changes, each page a new search from the last change. Returns `false` if the server ignores
 * `_lastUpdated` or `_sort`: the type must then be walked as a whole.
 */
const walkByChange = Effect.fnUntraced(function*(search: Search, writer: PageWriter) {
  let from = writer.last ?? search.since
  for (;;) {
    const requested = pageUrl(search, from, byChange)
    const page = yield* readPage(search, requested)
    if (!isInOrder(page, from)) return false
    let added = yield* keepNew(search, writer, page)
    let { next } = page
    const seen = new Set([requested])
    let last = lastChange(page.records) ?? from
    const isOneInstant = next !== null && last === from
    // More records of one instant than a page holds: their further pages must be followed.
    while (next !== null && last === from) {
      yield* expectNewPage(search, next, seen)
      const more = yield* readPage(search, next)
      added += yield* keepNew(search, writer, more)
      last = lastChange(more.records) ?? last
      next = more.next
    }
    // A deletion may have moved a record from one of these pages to one that was read before.
    if (isOneInstant && added > 0) continue
    if (next === null && (added === 0 || last === from)) return true
    from = last
    writer.last = last
  }
})

/**
 * Reads the whole list by its `next` links, repeatedly until a walk finds nothing new and as many records as the server counts. A deletion
 * moves another record out of sight, and can do so in each of two walks. Returns the number of records of the last walk.
 */
const walkWhole = Effect.fnUntraced(function*(search: Search, writer: PageWriter) {
  const ids = new Set<string>()
  for (let round = 0; round < maxRounds; round++) {
    let added = 0
    let url: string | null = pageUrl(search, search.since)
    const seen = new Set<string>()
    ids.clear()
    while (url !== null) {
      yield* expectNewPage(search, url, seen)
      const page: SearchPage = yield* readPage(search, url)
      added += yield* keepNew(search, writer, page)
      for (const { id } of page.records) ids.add(id)
      url = page.next
    }
    if (added === 0 && ids.size >= ((yield* countOf(search)) ?? 0)) break
  }
  return ids.size
})

/** Fails if a link leads to another server, or to a page that was read before. */
const expectNewPage = ({ context, type }: Search, url: string, seen: Set<string>): Effect.Effect<void, ServerError> => {
  const isOnServer = URL.parse(url)?.origin === new URL(context.settings.server).origin
  if (isOnServer && !seen.has(url)) return Effect.sync(() => void seen.add(url))
  return Effect.fail(serverError(
    {
      _tag: "InvalidResponse",
      detail: isOnServer
        ? `the pages of the search for ${type} lead in a circle`
        : `the next page of the search for ${type} is on another server`
    }
  ))
}

/** Appends the new records of a page to the file, flushes it to disk, and remembers them. Returns their number. */
const keepNew = Effect.fnUntraced(function*({ context, type }: Search, writer: PageWriter, page: SearchPage) {
  const { last, part, walk } = writer
  const { records } = page
  if (page.hasError) yield* logPageError(context, type)
  const added = records.filter(({ id, version }) => walk.isNew(type, id, version))
  yield* context.log.isHeld
  const bytes = yield* onDisk(part, () => appendLines(part, added.map(({ line }) => line)))
  walk.commit(type, { bytes, last, isDone: false }, added)
  context.progress(`searching ${type}: ${walk.count(type)} records`)
  return added.length
})

/** Logs an error of the server before its page is kept: after an interruption, the page is not read again. One for a type is enough. */
const logPageError = Effect.fnUntraced(function*({ log, settings: { server } }: FetchContext, type: string) {
  const fileUrl = `${server}/${type}#errors`
  if (log.events().some(({ eventDetail }) => eventDetail.fileUrl === fileUrl)) return
  yield* log.write("download_request", { fileUrl, itemType: "output", resourceType: type })
  yield* log.writeError(fileUrl, `the server reported an error in the search for ${type}`)
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

const readPage = Effect.fnUntraced(function*(
  { condition, context: { session }, type }: Search,
  url: string
): Effect.fn.Return<SearchPage, ServerError> {
  const { json, status } = yield* session.get(url, { ...fhirJson, exact: true })
  if (status !== 200) return yield* notOffered(`the search for ${type}`, url, status)
  if (!isJsonObject(json) || json.resourceType !== "Bundle") {
    return yield* serverError({ _tag: "InvalidResponse", detail: `the search for ${type} gave no Bundle` })
  }
  const records: Array<FoundRecord> = []
  for (const resource of resourcesIn(json, type)) {
    const { id } = resource
    if (typeof id !== "string") {
      return yield* serverError({ _tag: "InvalidResponse", detail: `a record in the search for ${type} has no id` })
    }
    if (isOfOthers(resource, condition)) {
      return yield* serverError(
        {
          _tag: "InvalidResponse",
          detail: `the search for ${type} of some patients gave records of others: does the server ignore \`patient\`?`
        }
      )
    }
    const meta = jsonObjectOf(resource.meta)
    const lastUpdated = typeof meta.lastUpdated === "string" ? meta.lastUpdated : null
    const line = JSON.stringify(resource)
    records.push({
      id,
      lastUpdated,
      version: `${jsonTextOf(meta.versionId) ?? ""}|${lastUpdated ?? line.length}`,
      line
    })
  }
  return { records, next: nextPageOf(json, url), hasError: hasError(json) }
})

/** Returns the server's total of records; `null` if it gives none. */
const countAll = Effect.fnUntraced(function*(searches: ReadonlyArray<Search>) {
  let all = 0
  for (const search of searches) {
    const count = yield* countOf(search)
    if (count === null) return null
    all += count
  }
  return all
})

const countOf = Effect.fnUntraced(function*(search: Search) {
  const url = searchUrl(search, search.since, { _summary: "count" })
  const { json, status } = yield* search.context.session.get(url, fhirJson)
  const { total } = jsonObjectOf(status === 200 ? json : undefined)
  return typeof total === "number" ? total : null
})
