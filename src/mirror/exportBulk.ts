import { Clock, Effect } from "effect"
import { existsSync, mkdirSync, renameSync } from "node:fs"
import { dirname, join } from "node:path"
import { isJsonObject } from "../json/JsonObject.ts"
import { readWait } from "../service/responses/readWait.ts"
import { type ExportLog, lastOf, unwritable } from "./ExportLog.ts"
import { AskedToWait, Expired, InvalidAnswer, type ServerError, serverError, shownUrl } from "./ServerError.ts"
import { notOffered, type ServerSession } from "./ServerSession.ts"
import type { SourceSettings } from "./SourceSettings.ts"

/** Progress messages during waits and downloads. */
export type Progress = (line: string) => void

/** The request of a bulk export. */
interface BulkRequest {
  /** Address of the operation, without parameters. */
  readonly exportUrl: string
  readonly types: ReadonlyArray<string>
  readonly since: string | null
  /** The server's description of itself, for the log. */
  readonly capabilities: { readonly software: Readonly<Record<string, unknown>>; readonly fhirVersion: string | null }
}

/** The result of an export. */
export interface ExportResult {
  readonly files: number
  readonly resources: number
  /** Size of the compressed files. */
  readonly bytes: number
  /** Files that list what the server could not export, and files that could not be downloaded completely. */
  readonly problems: ReadonlyArray<string>
}

/** Requests an export (Bulk Data Access, "Bulk Data Kick-off Request"). The status address is in the log when this succeeds. */
export const kickOff = Effect.fnUntraced(function*(session: ServerSession, log: ExportLog, request: BulkRequest) {
  const parameters = {
    _outputFormat: "application/fhir+ndjson",
    _type: request.types.join(","),
    ...(request.since === null ? {} : { _since: request.since })
  }
  const url = `${request.exportUrl}?${new URLSearchParams(parameters)}`
  const answer = yield* session.get(url, {
    accept: "application/fhir+json",
    headers: { prefer: "respond-async" }
  })
  const statusUrl = answer.headers["content-location"]
  const isAccepted = answer.status === 202 && statusUrl !== undefined && URL.canParse(statusUrl, url)
  if (isAccepted) log.identify(withoutQuery(new URL(statusUrl, url).href))
  yield* log.write("kickoff", {
    exportUrl: url,
    softwareName: request.capabilities.software["name"] ?? null,
    softwareVersion: request.capabilities.software["version"] ?? null,
    softwareReleaseDate: request.capabilities.software["releaseDate"] ?? null,
    fhirVersion: request.capabilities.fhirVersion,
    requestParameters: parameters,
    errorCode: isAccepted ? null : answer.status,
    errorBody: null,
    responseHeaders: {
      ...(isAccepted ? { "content-location": new URL(statusUrl, url).href } : {}),
      ...(answer.headers["date"] === undefined ? {} : { date: answer.headers["date"] })
    },
    _mode: "bulk"
  })
  if (isAccepted) return new URL(statusUrl, url).href
  if (answer.status === 202) {
    return yield* serverError(
      new InvalidAnswer({ detail: "the server accepted the export and named no address for its status" })
    )
  }
  return yield* notOffered("a bulk export", request.exportUrl, answer.status)
})

/** Pauses between two status requests, in milliseconds, if the server states none. */
const polls = { first: 1000, longest: 60_000, longestStated: 30 * 60_000 }

/** Waits until the export is ready (Bulk Data Access, "Bulk Data Status Request") and returns every page of its manifest. */
export const awaitManifest = Effect.fnUntraced(function*(
  session: ServerSession,
  log: ExportLog,
  statusUrl: string,
  settings: Pick<SourceSettings, "patienceMillis">,
  progress: Progress
) {
  const begun = Date.parse(log.events().find(({ eventId }) => eventId === "kickoff")?.timestamp ?? "")
  let pause = polls.first
  for (;;) {
    const answer = yield* session.get(statusUrl, { accept: "application/json" })
    if (answer.status === 200) {
      const pages = yield* manifestPages(session, statusUrl, answer.json)
      yield* logManifest(log, pages)
      return pages
    }
    if (answer.status === 404 || answer.status === 410) {
      return yield* serverError(new Expired({ what: "the export on the server" }))
    }
    if (answer.status !== 202) {
      yield* log.write("status_error", {
        body: null,
        code: answer.status,
        message: "unexpected status",
        responseHeaders: null
      })
      return yield* notOffered("the status of the export", statusUrl, answer.status)
    }
    const now = yield* Clock.currentTimeMillis
    if (now - begun > settings.patienceMillis) {
      return yield* serverError(new AskedToWait({ millis: polls.longestStated }))
    }
    const stated = readWait(
      { "retry-after": answer.headers["retry-after"], date: answer.headers["date"] } as never,
      now
    )
    const wait = stated === null ? pause : Math.min(Math.max(stated, 100), polls.longestStated)
    pause = Math.min(pause * 2, polls.longest)
    progress(
      `waiting for the server's export${shownProgress(answer.headers["x-progress"])}; next look in ${
        Math.ceil(wait / 1000)
      } s`
    )
    yield* Effect.sleep(wait)
  }
})

const shownProgress = (text: string | undefined): string =>
  text === undefined || !/^[\w %.,:()-]{1,60}$/u.test(text) ? "" : ` (${text})`

/** A file in a manifest. */
interface ManifestFile {
  readonly kind: "output" | "deleted" | "error"
  readonly type: string
  readonly url: string
  readonly count: number | null
  readonly needsToken: boolean
}

interface Manifest {
  readonly transactionTime: string | null
  readonly files: ReadonlyArray<ManifestFile>
  readonly pages: number
}

/** Maximum pages of a manifest. Real ones have few, so a server that never ends is stopped. */
const maxPages = 10_000

const manifestPages = Effect.fnUntraced(function*(session: ServerSession, statusUrl: string, first: unknown) {
  const files: Array<ManifestFile> = []
  const seen = new Set([statusUrl])
  let page = first
  let transactionTime: string | null = null
  for (let pages = 1;; pages++) {
    if (!isJsonObject(page) || !Array.isArray(page["output"])) {
      return yield* serverError(new InvalidAnswer({ detail: "the server's manifest has no list `output`" }))
    }
    transactionTime ??= typeof page["transactionTime"] === "string" ? page["transactionTime"] : null
    const needsToken = page["requiresAccessToken"] !== false
    for (const kind of ["output", "deleted", "error"] as const) {
      for (const file of Array.isArray(page[kind]) ? page[kind] : []) {
        const { count, type, url } = isJsonObject(file) ? file : {}
        if (
          typeof url !== "string" || !URL.canParse(url, statusUrl) || typeof type !== "string" ||
          !/^[A-Za-z]{1,64}$/u.test(type)
        ) {
          return yield* serverError(
            new InvalidAnswer({ detail: `a file of \`${kind}\` in the server's manifest has no type or address` })
          )
        }
        files.push({
          kind,
          type,
          url: new URL(url, statusUrl).href,
          count: typeof count === "number" ? count : null,
          needsToken
        })
      }
    }
    const next = nextLink(page["link"])
    if (next === undefined) return { transactionTime, files, pages } satisfies Manifest as Manifest
    const url = URL.canParse(next, statusUrl) ? new URL(next, statusUrl).href : next
    if (seen.has(url) || pages >= maxPages) {
      return yield* serverError(new InvalidAnswer({ detail: "the pages of the server's manifest lead in a circle" }))
    }
    seen.add(url)
    const answer = yield* session.get(url, { accept: "application/json" })
    if (answer.status === 404 || answer.status === 410) {
      return yield* serverError(new Expired({ what: "a page of the manifest" }))
    }
    if (answer.status !== 200) return yield* notOffered("a page of the manifest", url, answer.status)
    page = answer.json
  }
})

const nextLink = (links: unknown): string | undefined => {
  for (const link of Array.isArray(links) ? links : []) {
    if (isJsonObject(link) && link["relation"] === "next" && typeof link["url"] === "string") return link["url"]
  }
  return undefined
}

const logManifest = Effect.fnUntraced(function*(log: ExportLog, { files, pages, transactionTime }: Manifest) {
  if (log.events().some(({ eventId }) => eventId === "manifest_complete")) return
  const count = (kind: ManifestFile["kind"]) => files.filter((file) => file.kind === kind).length
  yield* log.write("status_complete", { transactionTime })
  if (transactionTime === null) {
    yield* log.write("download_error", {
      fileUrl: "",
      body: null,
      code: null,
      message: "the manifest has no `transactionTime`",
      responseHeaders: null
    })
  }
  yield* log.write("manifest_complete", {
    transactionTime,
    totalOutputFileCount: count("output"),
    totalDeletedFileCount: count("deleted"),
    totalErrorFileCount: count("error"),
    totalManifests: pages
  })
})

const folders = { output: "", deleted: "deleted", error: "error" } as const

/**
 * Downloads every file of a manifest that does not exist yet, a few concurrently. A file gets its name when it is complete, its lines
 * are counted, and the log says so. Every named file is therefore complete after any interruption, and none is downloaded again.
 */
export const downloadFiles = Effect.fnUntraced(function*(
  session: ServerSession,
  log: ExportLog,
  { files }: Manifest,
  settings: Pick<SourceSettings, "downloads">,
  progress: Progress
) {
  const numbers = new Map<string, number>()
  const targets = files.map((file) => {
    const folder = join(log.folder, folders[file.kind])
    const number = (numbers.get(join(folder, file.type)) ?? 0) + 1
    numbers.set(join(folder, file.type), number)
    return { file, target: join(folder, `${file.type}.${String(number).padStart(3, "0")}.ndjson.gz`) }
  })
  let ready = 0
  yield* Effect.forEach(targets, ({ file, target }) =>
    Effect.gen(function*() {
      const isThere = yield* Effect.try({
        try: () => isDownloaded(log, file, target),
        catch: (cause) => unwritable(target, cause)
      })
      if (!isThere) yield* downloadFile(session, log, file, target)
      yield* reportShortage(log, file, target)
      progress(`downloaded ${++ready} of ${targets.length} files`)
    }), { concurrency: settings.downloads, discard: true })
})

const withoutQuery = (url: string): string => url.split("?")[0]!

/**
 * Returns the address of a file for the log. A query can hold a signature, which is a secret and differs on each read of the manifest.
 * The file's name in the mirror replaces it.
 */
const loggedUrl = (log: ExportLog, { url }: ManifestFile, target: string): string =>
  url.includes("?") ? `${withoutQuery(url)}#${fileNameOf(log, target)}` : url

/** Whether the log says that a file is complete; it is then named, if an interruption came before that. */
const isDownloaded = (log: ExportLog, file: ManifestFile, target: string): boolean => {
  const fileUrl = loggedUrl(log, file, target)
  const isLogged = log.events().some(({ eventDetail, eventId }) =>
    eventId === "download_complete" && eventDetail["_file"] === fileNameOf(log, target) &&
    eventDetail["fileUrl"] === fileUrl
  )
  if (!isLogged || existsSync(target)) return isLogged
  if (!existsSync(partOf(target))) return false
  renameSync(partOf(target), target)
  return true
}

const partOf = (target: string): string => `${target}.part`

const fileNameOf = (log: ExportLog, target: string): string => target.slice(log.folder.length + 1)

const downloadFile = Effect.fnUntraced(function*(
  session: ServerSession,
  log: ExportLog,
  file: ManifestFile,
  target: string
) {
  const { kind, needsToken, type, url } = file
  const fileUrl = loggedUrl(log, file, target)
  yield* log.write("download_request", { fileUrl, itemType: kind, resourceType: kind === "output" ? type : null })
  const part = partOf(target)
  yield* Effect.try({
    try: () => mkdirSync(dirname(target), { recursive: true, mode: 0o700 }),
    catch: (cause) => unwritable(target, cause)
  })
  const { bytes, lines, status } = yield* session.download(url, part, needsToken).pipe(
    Effect.tapError((error) =>
      log.write("download_error", {
        fileUrl,
        body: null,
        code: null,
        message: error.reason._tag,
        responseHeaders: null
      })
    )
  )
  if (status === 404 || status === 410) return yield* serverError(new Expired({ what: `the file ${shownUrl(url)}` }))
  if (status !== 200) {
    yield* log.write("download_error", {
      fileUrl,
      body: null,
      code: status,
      message: "unexpected status",
      responseHeaders: null
    })
    return yield* notOffered("a file of the export", url, status)
  }
  yield* log.write("download_complete", {
    fileUrl,
    resourceCount: lines,
    fileSize: bytes,
    _file: fileNameOf(log, target),
    ...(kind === "error" ? { _itemType: kind } : {})
  })
  yield* Effect.try({ try: () => renameSync(part, target), catch: (cause) => unwritable(target, cause) })
})

/** Logs that a complete file has fewer lines than the manifest says. */
const reportShortage = Effect.fnUntraced(function*(log: ExportLog, file: ManifestFile, target: string) {
  const fileUrl = loggedUrl(log, file, target)
  const last = log.events().findLast(({ eventDetail }) => eventDetail["fileUrl"] === fileUrl)
  const lines = Number(last?.eventDetail["resourceCount"])
  if (last?.eventId !== "download_complete" || file.count === null || lines >= file.count) return
  yield* log.write("download_error", {
    fileUrl,
    body: null,
    code: null,
    message: `the manifest says ${file.count} resources, the file has ${lines}`,
    responseHeaders: null
  })
})

/** Closes the log: every requested file is on disk. */
export const completeExport = Effect.fnUntraced(function*(log: ExportLog): Effect.fn.Return<ExportResult, ServerError> {
  const complete = log.events().filter(({ eventId }) => eventId === "download_complete")
  // After an interruption, a file can be in the log twice.
  const downloaded = [...new Map(complete.map(({ eventDetail }) => [eventDetail["_file"], eventDetail])).values()]
  const sum = (key: string) => downloaded.reduce((all, detail) => all + Number(detail[key] ?? 0), 0)
  const begun = Date.parse(log.events().find(({ eventId }) => eventId === "kickoff")?.timestamp ?? "")
  const result = { files: downloaded.length, resources: sum("resourceCount"), bytes: sum("fileSize") }
  yield* log.write("export_complete", {
    ...result,
    attachments: null,
    duration: (yield* Clock.currentTimeMillis) - begun
  })
  const errorFiles = Number(lastOf(log.events(), "manifest_complete")?.["totalErrorFileCount"] ?? 0)
  return {
    ...result,
    problems: [
      ...(errorFiles === 0 ? [] : [`the server could not export everything: ${errorFiles} files in error/`]),
      ...log.events().flatMap(({ eventDetail, eventId }) =>
        eventId === "download_error" && typeof eventDetail["message"] === "string" &&
          eventDetail["message"].startsWith("the ")
          ? [eventDetail["message"]]
          : []
      )
    ]
  }
})
