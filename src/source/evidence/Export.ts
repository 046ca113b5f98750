import type { Origin } from "../../diagnostic/Origin.ts"
import { isJsonObject, type JsonObject, jsonObjectOf, jsonObjectsIn, jsonTextOf } from "../../json/JsonObject.ts"
import { decodedUri } from "../records/Reference.ts"
import { countOf, fileLists, type PlacedEvidence } from "./Evidence.ts"

/** One export as its log or its manifest describes it. */
export interface Export {
  readonly origin: Origin
  /** The folder of the file that describes the export: `export/`, or `""`. */
  readonly folder: string
  /** The address of its request. */
  readonly url: string | undefined
  /** The `_since` of its request: only changes since this instant (ISO 8601, or as the client wrote it). */
  readonly since: string | undefined
  /** The requested types; `undefined` means all. */
  readonly types: ReadonlySet<string> | undefined
  /** The instant at which the server read its data. */
  readonly transactionTime: string | undefined
  /** The time of its request; orders the attempts of a log. */
  readonly startedAt: string | undefined
  /** Why the export as a whole is incomplete. */
  readonly unfinished: "no-end" | "next-page" | "files-not-requested" | "unreadable-list" | undefined
  readonly files: ReadonlyArray<ExportedFile>
  /** A log counts the lines of files that were stored; a manifest can list files that were not. */
  readonly isLog: boolean
}

export interface ExportedFile {
  readonly list: typeof fileLists[number]
  readonly url: string
  readonly type: string | undefined
  readonly count: number | undefined
  readonly isStored: boolean
  readonly origin: Origin
}

/** Returns the exports that pieces of evidence describe. */
export const exportsOf = (evidence: ReadonlyArray<PlacedEvidence>): ReadonlyArray<Export> => {
  const logs = new Map<string, [PlacedEvidence, ...Array<PlacedEvidence>]>()
  const pages = new Map<string, [ManifestPage, ...Array<ManifestPage>]>()
  for (const { evidence: one, origin } of evidence) {
    const folder = folderOf(origin.file)
    if (one._tag === "Event") put(logs, JSON.stringify([folder, one.exportId]), { evidence: one, origin })
    else if (one._tag === "Manifest") {
      const { request, transactionTime } = one.manifest
      put(pages, JSON.stringify([folder, request, transactionTime]), { manifest: one.manifest, origin })
    }
  }
  return [...[...logs.values()].map(ofLog), ...[...pages.values()].map(ofManifest)]
}

/** Returns the folder of a file, with its slash. */
const folderOf = (file: string): string => file.slice(0, file.lastIndexOf("/") + 1)

const put = <A>(lists: Map<string, [A, ...Array<A>]>, key: string, value: A): void => {
  const known = lists.get(key)
  if (known === undefined) lists.set(key, [value])
  else known.push(value)
}

const ofLog = (events: readonly [PlacedEvidence, ...ReadonlyArray<PlacedEvidence>]): Export => {
  const [{ origin }] = events
  const eventsOf = (name: string) =>
    events.flatMap(({ evidence, origin }) =>
      evidence._tag === "Event" && evidence.name === name
        ? [{ at: evidence.at, detail: evidence.detail, origin }]
        : []
    )
  const [kickoff] = eventsOf("kickoff")
  const parameters = kickoff?.detail.requestParameters
  const url = jsonTextOf(kickoff?.detail.exportUrl)
  const complete = new Map<string | undefined, number | undefined>()
  for (const { evidence } of events) {
    if (evidence._tag !== "Event") continue
    const fileUrl = jsonTextOf(evidence.detail.fileUrl)
    if (evidence.name === "download_complete") complete.set(fileUrl, countOf(evidence.detail.resourceCount))
    // A file can be whole and have fewer records than the server counts.
    if (evidence.name === "download_error") complete.delete(fileUrl)
  }
  const files = new Map<string, ExportedFile>()
  for (const { detail, origin } of eventsOf("download_request")) {
    const fileUrl = jsonTextOf(detail.fileUrl)
    const list = fileLists.find((name) => name === (detail.itemType ?? "output"))
    // Attachments are files, too, but hold no records.
    if (fileUrl === undefined || list === undefined) continue
    const count = complete.get(fileUrl)
    const type = jsonTextOf(detail.resourceType)
    files.set(fileUrl, { list, url: fileUrl, type, count, isStored: complete.has(fileUrl), origin })
  }
  const requests = new Set(eventsOf("download_request").map(({ detail }) => detail.fileUrl))
  for (const { detail, origin } of eventsOf("download_error")) {
    const fileUrl = jsonTextOf(detail.fileUrl) ?? ""
    // A log can lack the request of a file that failed.
    if (requests.has(detail.fileUrl) || complete.has(fileUrl)) continue
    files.set(fileUrl, { list: "output", url: fileUrl, type: undefined, count: undefined, isStored: false, origin })
  }
  const promised = Math.max(
    0,
    ...eventsOf("manifest_complete").map(({ detail }) => countOf(detail.totalOutputFileCount) ?? 0),
    eventsOf("status_page_complete").reduce((sum, { detail }) => sum + (countOf(detail.outputFileCount) ?? 0), 0)
  )
  const requested = [...files.values()].filter(({ list }) => list === "output").length
  return {
    origin,
    folder: folderOf(origin.file),
    ...requestOf(url, jsonObjectOf(parameters)),
    transactionTime: eventsOf("status_complete").concat(eventsOf("manifest_complete"))
      .flatMap(({ detail }) => jsonTextOf(detail.transactionTime) ?? [])[0],
    startedAt: kickoff?.at,
    unfinished: eventsOf("export_complete").length === 0
      ? "no-end"
      : requested < promised
      ? "files-not-requested"
      : undefined,
    files: [...files.values()],
    isLog: true
  }
}

interface ManifestPage {
  readonly manifest: JsonObject
  readonly origin: Origin
}

const ofManifest = (pages: readonly [ManifestPage, ...ReadonlyArray<ManifestPage>]): Export => {
  const [{ manifest, origin }] = pages
  // Each page but the last links to the next.
  const hasLast = pages.some(({ manifest }) => !hasNext(manifest))
  return {
    origin,
    folder: folderOf(origin.file),
    ...requestOf(jsonTextOf(manifest.request), {}),
    transactionTime: jsonTextOf(manifest.transactionTime),
    startedAt: undefined,
    unfinished: pages.some(({ manifest }) => fileLists.some((list) => !isFileList(manifest[list])))
      ? "unreadable-list"
      : hasLast
      ? undefined
      : "next-page",
    files: pages.flatMap(({ manifest, origin }) =>
      fileLists.flatMap((list) =>
        jsonObjectsIn(manifest[list]).flatMap((file): ReadonlyArray<ExportedFile> => {
          const url = jsonTextOf(file.url)
          return url === undefined
            ? []
            : [{ list, url, type: jsonTextOf(file.type), count: countOf(file.count), isStored: true, origin }]
        })
      )
    ),
    isLog: false
  }
}

const isFileList = (list: unknown): boolean =>
  list === undefined || list === null ||
  (Array.isArray(list) && list.every((file) => isJsonObject(file) && jsonTextOf(file.url) !== undefined))

const hasNext = ({ link }: JsonObject): boolean =>
  jsonObjectsIn(link).some(({ relation, url }) => relation === "next" && jsonTextOf(url) !== undefined)

/** Returns what an export requested, from its parameters. A log lists them, and an address can contain them. */
const requestOf = (
  url: string | undefined,
  parameters: JsonObject
): Pick<Export, "url" | "since" | "types"> => {
  const query = new URLSearchParams(url?.includes("?") === true ? url.slice(url.indexOf("?") + 1) : "")
  const values = (name: string): ReadonlyArray<string> => {
    const listed = [parameters[name]].flat().flatMap((value) => jsonTextOf(value) ?? [])
    return listed.length > 0 ? listed : query.getAll(name)
  }
  const types = values("_type").flatMap((list) => list.split(",")).map((type) => type.trim()).filter((type) =>
    type !== ""
  )
  // A client that cannot use `_since` requests changes with a filter.
  const changed = values("_typeFilter").flatMap((filter) =>
    /[?&]_lastUpdated=(?:g[te]|sa)([^&,]+)/u.exec(decodedUri(filter))?.[1] ?? []
  )
  return {
    url,
    since: values("_since").find((since) => since !== "") ?? changed[0],
    types: types.length === 0 ? undefined : new Set(types)
  }
}
