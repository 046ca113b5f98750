import { Clock, Effect } from "effect"
import { existsSync, mkdirSync, renameSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { isJsonObject, jsonListOf, type JsonObject, jsonObjectOf } from "../json/JsonObject.ts"
import { increment } from "../maps.ts"
import { readWait } from "../service/responses/readWait.ts"
import { type Capabilities, readCapabilities } from "./Capabilities.ts"
import { type ExportLog, requestedAt } from "./ExportLog.ts"
import type { FetchContext } from "./FetchContext.ts"
import { errorFilesIn, withoutQuery } from "./Mirror.ts"
import { onDisk, partialFile, readLinesOf } from "./mirrorFiles.ts"
import { nextPageOf } from "./pages.ts"
import { type ServerError, serverError, shownUrl } from "./ServerError.ts"
import { fhirJson, notOffered, type ServerSession } from "./ServerSession.ts"

interface ExportRequest {
  /** Address of the operation, without parameters. */
  readonly exportUrl: string
  readonly types: ReadonlyArray<string>
  /** ISO time; only later changes. `null`: all records. */
  readonly since: string | null
  /** The digest of the members of the group; `null` if there is none, or if they cannot be read. */
  readonly members: string | null
  readonly capabilities: Capabilities
}

export interface ExportResult {
  readonly files: number
  readonly resources: number
  /** Size of the compressed files. */
  readonly bytes: number
  /** Files that list what the server could not export, and files that could not be downloaded completely. */
  readonly problems: ReadonlyArray<string>
}

/** Requests a bulk export (Bulk Data Access, "Bulk Data Kick-off Request"). Returns its status address, which is then in the log. */
export const kickOff = Effect.fnUntraced(function*(session: ServerSession, log: ExportLog, request: ExportRequest) {
  const { exportUrl } = request
  const parameters = { _outputFormat: "application/fhir+ndjson", ...parametersOf(request) }
  const url = `${exportUrl}?${new URLSearchParams(parameters)}`
  const { headers, status } = yield* session.get(url, {
    ...fhirJson,
    headers: { prefer: "respond-async" },
    beginsExport: true
  })
  const location = headers["content-location"]
  const statusUrl = status === 202 && location !== undefined ? URL.parse(location, url)?.href : undefined
  if (statusUrl !== undefined) log.identify(withoutQuery(statusUrl))
  yield* log.write("kickoff", {
    exportUrl: url,
    ...serverFacts(request.capabilities),
    requestParameters: parameters,
    errorCode: statusUrl === undefined ? status : null,
    errorBody: null,
    responseHeaders: {
      ...(statusUrl === undefined ? {} : { "content-location": statusUrl }),
      ...(headers["date"] === undefined ? {} : { date: headers["date"] })
    },
    _mode: "bulk",
    ...membersIn(request)
  }).pipe(
    // The address in the log is the only way to find the export again.
    Effect.tapError(() => statusUrl === undefined ? Effect.void : Effect.ignore(endExport(session, statusUrl)))
  )
  if (statusUrl !== undefined) return statusUrl
  if (status === 202) {
    return yield* serverError(
      { _tag: "InvalidResponse", detail: "the server accepted the export and named no address for its status" }
    )
  }
  return yield* notOffered("a bulk export", exportUrl, status)
})

/** Reports to the server that its export is no longer needed (Bulk Data Access, "Bulk Data Delete Request"). */
export const endExport = (session: ServerSession, statusUrl: string) =>
  session.get(statusUrl, { accept: "application/json", method: "DELETE" })

/** Logs an export that consists of searches, with the events of a bulk export. `now` is used if the server does not state its time. */
export const logSearch = Effect.fnUntraced(function*(log: ExportLog, request: ExportRequest, now: number) {
  const { date } = request.capabilities
  yield* log.write("kickoff", {
    exportUrl: request.exportUrl,
    ...serverFacts(request.capabilities),
    requestParameters: parametersOf(request),
    errorCode: null,
    errorBody: null,
    responseHeaders: date === null ? {} : { date },
    _mode: "search",
    ...membersIn(request)
  })
  // A search returns at least what exists when it begins, so the server's clock at that time is the time of the export.
  const time = date === null ? Number.NaN : Date.parse(date)
  yield* log.write("status_complete", { transactionTime: new Date(Number.isNaN(time) ? now : time).toISOString() })
})

const membersIn = ({ members }: ExportRequest) => (members === null ? {} : { _members: members })

const parametersOf = ({ since, types }: ExportRequest) => ({
  _type: types.join(","),
  ...(since === null ? {} : { _since: since })
})

const serverFacts = ({ fhirVersion, software }: Capabilities) => ({
  softwareName: software.name ?? null,
  softwareVersion: software.version ?? null,
  softwareReleaseDate: software.releaseDate ?? null,
  fhirVersion
})

/** Pauses between two status requests, in milliseconds, if the server states none. */
const pauses = { first: 1000, max: 60_000, maxStated: 30 * 60_000 }

/** Waits until the export is ready (Bulk Data Access, "Bulk Data Status Request") and returns every page of its manifest. */
export const awaitManifest = Effect.fnUntraced(function*(context: FetchContext, statusUrl: string) {
  const { log, progress, session, settings } = context
  let pause = pauses.first
  for (;;) {
    const { headers, json, status } = yield* session.get(statusUrl, { accept: "application/json" }).pipe(
      Effect.catchIf(
        isFailure,
        () =>
          Effect.andThen(
            readCapabilities(session, settings.server),
            serverError({ _tag: "Expired", what: "the export", why: "has failed at the server (status 500)" })
          )
      )
    )
    if (status === 200) {
      const manifest = yield* readManifest(session, statusUrl, json)
      yield* logManifest(log, manifest)
      return manifest
    }
    if (isGone(status)) return yield* serverError({ _tag: "Expired", what: "the export on the server" })
    if (status !== 202) {
      yield* log.write("status_error", {
        body: null,
        code: status,
        message: "unexpected status",
        responseHeaders: null
      })
      return yield* notOffered("the status of the export", statusUrl, status)
    }
    const now = yield* Clock.currentTimeMillis
    const since = requestedAt(log)
    // A log that does not state the time of the request would never be old.
    if (Number.isNaN(since) || now - since > settings.patienceMillis) {
      const iso = Number.isNaN(since) ? null : new Date(since).toISOString()
      return yield* serverError({ _tag: "StillRunning", since: iso, folder: log.folder })
    }
    const stated = readWait(headers, now)
    const wait = stated === null ? pause : Math.min(Math.max(stated, 100), pauses.maxStated)
    pause = Math.min(pause * 2, pauses.max)
    progress(
      `waiting for the server's export${shownProgress(headers["x-progress"])}; next check in ${
        Math.ceil(wait / 1000)
      } s`
    )
    yield* Effect.sleep(wait)
  }
})

/**
 * Whether the status of an export is that of a failed one, which does not change any more (Bulk Data Access, "Response - Error"). If the
 * server responds to nothing else, it is the server that fails. Other statuses can be of a gateway.
 */
export const isFailure = ({ reason }: ServerError): boolean => reason._tag === "ServerFailed" && reason.status === 500

/** Statuses of what no longer exists at the server. */
const isGone = (status: number): boolean => status === 404 || status === 410

const shownProgress = (text: string | undefined): string =>
  text === undefined || !/^[\w %.,:()-]{1,60}$/u.test(text) ? "" : ` (${text})`

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

export const isManifest = (page: unknown): page is JsonObject => isJsonObject(page) && Array.isArray(page.output)

/** Maximum pages of a manifest. Real ones have few, so a server that never ends is stopped. */
const maxPages = 10_000

const readManifest = Effect.fnUntraced(function*(
  session: ServerSession,
  statusUrl: string,
  first: unknown
): Effect.fn.Return<Manifest, ServerError> {
  const files: Array<ManifestFile> = []
  const seen = new Set([statusUrl])
  let page = first
  let transactionTime: string | null = null
  for (let pages = 1;; pages++) {
    if (!isManifest(page)) {
      return yield* serverError({ _tag: "InvalidResponse", detail: "the server's manifest has no list `output`" })
    }
    transactionTime ??= typeof page.transactionTime === "string" ? page.transactionTime : null
    const needsToken = page.requiresAccessToken !== false
    for (const kind of ["output", "deleted", "error"] as const) {
      for (const file of jsonListOf(page[kind])) {
        const { count, type, url } = jsonObjectOf(file)
        const address = typeof url === "string" ? URL.parse(url, statusUrl) : null
        if (address === null || typeof type !== "string" || !/^[A-Za-z]{1,64}$/u.test(type)) {
          return yield* serverError(
            { _tag: "InvalidResponse", detail: `a file of \`${kind}\` in the server's manifest has no type or address` }
          )
        }
        files.push({ kind, type, url: address.href, count: typeof count === "number" ? count : null, needsToken })
      }
    }
    const next = nextPageOf(page, statusUrl)
    if (next === null) return { transactionTime, files, pages }
    if (seen.has(next) || pages >= maxPages) {
      return yield* serverError({
        _tag: "InvalidResponse",
        detail: "the pages of the server's manifest lead in a circle"
      })
    }
    seen.add(next)
    const { json, status } = yield* session.get(next, { accept: "application/json" })
    if (isGone(status)) return yield* serverError({ _tag: "Expired", what: "a page of the manifest" })
    if (status !== 200) return yield* notOffered("a page of the manifest", next, status)
    page = json
  }
})

const logManifest = Effect.fnUntraced(function*(log: ExportLog, { files, pages, transactionTime }: Manifest) {
  if (log.events().some(({ eventId }) => eventId === "manifest_complete")) return
  const count = (kind: ManifestFile["kind"]) => files.filter((file) => file.kind === kind).length
  yield* log.write("status_complete", { transactionTime })
  if (transactionTime === null) {
    yield* log.writeError("", "the manifest has no `transactionTime`")
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
 * are counted, and the log has it. Every file with its final name is therefore complete after any interruption, and none is downloaded again.
 */
export const downloadFiles = Effect.fnUntraced(function*(context: FetchContext, { files }: Manifest) {
  const { log, progress, settings } = context
  const numbers = new Map<string, number>()
  const targets = files.map((file) => {
    const path = join(log.folder, folders[file.kind], file.type)
    return targetOf(log, file, `${path}.${String(increment(numbers, path)).padStart(3, "0")}.ndjson.gz`)
  })
  let ready = 0
  yield* Effect.forEach(targets, (target) =>
    Effect.gen(function*() {
      const isComplete = yield* onDisk(target.path, () => isDownloaded(log, target))
      if (!isComplete) yield* downloadFile(context, target)
      yield* logShortage(log, target)
      progress(`downloaded ${++ready} of ${targets.length} files`)
    }), { concurrency: settings.downloads, discard: true })
})

/** A file of a manifest, and where it goes. */
interface Target {
  readonly file: ManifestFile
  readonly path: string
  /** Its name in the folder of the export. */
  readonly name: string
  readonly fileUrl: string
}

/**
 * The log holds the address of the file without a query. A query can hold a signature, which is a secret and differs on each read of the
 * manifest. The file's name in the mirror replaces it.
 */
const targetOf = (log: ExportLog, file: ManifestFile, path: string): Target => {
  const name = relative(log.folder, path)
  const { url } = file
  return { file, path, name, fileUrl: url.includes("?") ? `${withoutQuery(url)}#${name}` : url }
}

/** Whether the log says that a file is complete. If an interruption came before the file got its name, it gets it now. */
const isDownloaded = (log: ExportLog, { fileUrl, name, path }: Target): boolean => {
  const isLogged = log.events().some(({ eventDetail, eventId }) =>
    eventId === "download_complete" && eventDetail._file === name && eventDetail.fileUrl === fileUrl
  )
  if (!isLogged || existsSync(path)) return isLogged
  if (!existsSync(partialFile(path))) return false
  renameSync(partialFile(path), path)
  return true
}

const downloadFile = Effect.fnUntraced(function*({ log, session }: FetchContext, target: Target) {
  const { file: { kind, needsToken, type, url }, fileUrl, name, path } = target
  yield* log.write("download_request", { fileUrl, itemType: kind, resourceType: kind === "output" ? type : null })
  const part = partialFile(path)
  yield* onDisk(path, () => mkdirSync(dirname(path), { recursive: true, mode: 0o700 }))
  const { bytes, lines, status } = yield* session.download(url, part, needsToken).pipe(
    Effect.tapError((error) => log.writeError(fileUrl, error.reason._tag))
  )
  if (isGone(status)) return yield* serverError({ _tag: "Expired", what: `the file ${shownUrl(url)}` })
  if (status !== 200) {
    yield* log.writeError(fileUrl, "unexpected status", status)
    return yield* notOffered("a file of the export", url, status)
  }
  yield* log.write("download_complete", {
    fileUrl,
    resourceCount: lines,
    fileSize: bytes,
    _file: name,
    ...(kind === "error"
      ? { _itemType: kind, _withoutErrors: yield* Effect.promise(() => isWithoutErrors(part)) }
      : {})
  })
  yield* onDisk(path, () => renameSync(part, path))
})

/** Whether a file of OperationOutcomes holds only warnings and information (FHIR R4, issue-severity), as the reader of exports judges it. */
const isWithoutErrors = async (file: string): Promise<boolean> => {
  try {
    for await (const line of readLinesOf(file)) {
      const { issue, resourceType } = jsonObjectOf(JSON.parse(line))
      const issues = jsonListOf(issue)
      const isWithout = resourceType === "OperationOutcome" && issues.length > 0 &&
        issues.every((one) => ["warning", "information"].some((severity) => severity === jsonObjectOf(one).severity))
      if (!isWithout) return false
    }
    return true
  } catch {
    // A file that cannot be read is reported when the mirror is read.
    return false
  }
}

/** Logs that a complete file has fewer lines than the manifest states. */
const logShortage = Effect.fnUntraced(function*(log: ExportLog, { file: { count }, fileUrl }: Target) {
  const last = log.events().findLast(({ eventDetail }) => eventDetail.fileUrl === fileUrl)
  const lines = Number(last?.eventDetail.resourceCount)
  if (last?.eventId !== "download_complete" || count === null || lines >= count) return
  yield* log.writeError(fileUrl, `the manifest states ${count} resources, the file has ${lines}`)
})

/** Closes the log: every requested file is on disk. */
export const completeExport = Effect.fnUntraced(function*(log: ExportLog): Effect.fn.Return<ExportResult, ServerError> {
  const complete = log.events().filter(({ eventId }) => eventId === "download_complete")
  // After an interruption, a file can be in the log twice.
  const downloaded = [...new Map(complete.map(({ eventDetail }) => [eventDetail._file, eventDetail])).values()]
  const sum = (key: string) => downloaded.reduce((all, detail) => all + Number(detail[key] ?? 0), 0)
  const result = { files: downloaded.length, resources: sum("resourceCount"), bytes: sum("fileSize") }
  yield* log.write("export_complete", {
    ...result,
    attachments: null,
    duration: (yield* Clock.currentTimeMillis) - requestedAt(log)
  })
  const errorFiles = errorFilesIn(log.events())
  return {
    ...result,
    problems: [
      ...(errorFiles === 0 ? [] : [`the server could not export everything: ${errorFiles} files in error/`]),
      ...log.events().flatMap(({ eventDetail: { message }, eventId }) =>
        eventId === "download_error" && typeof message === "string" && message.startsWith("the ") ? [message] : []
      )
    ]
  }
})
