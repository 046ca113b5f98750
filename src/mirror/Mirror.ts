import { Effect } from "effect"
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { type ExportEvent, lastOf, readExportLog, unwritable } from "./ExportLog.ts"
import type { ServerError } from "./ServerError.ts"

/** An export that stands in the mirror, as its log tells it. */
export interface PastExport {
  readonly folder: string
  readonly number: number
  /** It ended, and every file of it was read; only then the next one may begin where it ended. */
  readonly isComplete: boolean
  /** It ended, whole or not. */
  readonly hasEnded: boolean
  /** The kick-off's address, without what a program other than this one may have asked for besides. */
  readonly exportUrl: string
  readonly mode: "bulk" | "search"
  /** ISO time after which records were asked for; `null`: all. */
  readonly since: string | null
  /** Types that were asked for; `null`: all that the server has. */
  readonly types: ReadonlyArray<string> | null
  /** Where the server tells how far it is; `null` where it never told. */
  readonly statusUrl: string | null
  /** Up to when this export is sure to hold everything: ISO time, `null` while that is not known. */
  readonly until: string | null
  readonly events: ReadonlyArray<ExportEvent>
}

const folderName = /^(\d{3,})[.-]/u

/** The exports of a mirror in the order in which they were begun: those of this program and of other SMART downloaders alike. */
export const readMirror = (mirror: string): ReadonlyArray<PastExport> => {
  if (!existsSync(mirror)) return []
  return readdirSync(mirror, { withFileTypes: true }).flatMap((entry) => {
    const number = entry.isDirectory() ? Number(folderName.exec(entry.name)?.[1]) : Number.NaN
    if (Number.isNaN(number)) return []
    const folder = join(mirror, entry.name)
    const events = readExportLog(folder)
    return events === null ? [] : [pastExport(folder, number, events)]
  }).toSorted((one, other) => one.number - other.number)
}

const pastExport = (folder: string, number: number, events: ReadonlyArray<ExportEvent>): PastExport => {
  const kickoff = lastOf(events, "kickoff") ?? {}
  const parameters = record(kickoff["requestParameters"])
  const headers = record(kickoff["responseHeaders"])
  const hasEnded = events.some(({ eventId }) => eventId === "export_complete")
  const errorFiles = Number(lastOf(events, "manifest_complete")?.["totalErrorFileCount"] ?? 0)
  const types = text(parameters["_type"])
  return {
    folder,
    number,
    hasEnded,
    isComplete: hasEnded && errorFiles === 0 && !hasLostFiles(events),
    exportUrl: (text(kickoff["exportUrl"]) ?? "").split("?")[0]!,
    mode: kickoff["_mode"] === "search" ? "search" : "bulk",
    since: text(parameters["_since"]),
    types: types === null ? null : types.split(","),
    statusUrl: text(headers["content-location"]),
    until: earlier(text(lastOf(events, "status_complete")?.["transactionTime"]), text(headers["date"])),
    events
  }
}

/** Files whose download failed and was not made up for by a later try. */
const hasLostFiles = (events: ReadonlyArray<ExportEvent>): boolean => {
  const lost = new Set<unknown>()
  for (const { eventDetail, eventId } of events) {
    if (eventId === "download_error") lost.add(eventDetail["fileUrl"])
    if (eventId === "download_complete") lost.delete(eventDetail["fileUrl"])
  }
  return lost.size > 0
}

const record = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? value as Readonly<Record<string, unknown>> : {}

const text = (value: unknown): string | null => typeof value === "string" && value !== "" ? value : null

/** The earlier of two times as an ISO time; one alone, where the other is not given or is no time. */
const earlier = (one: string | null, other: string | null): string | null => {
  const times = [one, other].flatMap((time) => {
    const millis = time === null ? Number.NaN : Date.parse(time)
    return Number.isNaN(millis) ? [] : [millis]
  })
  return one === null || times.length === 0 ? null : new Date(Math.min(...times)).toISOString()
}

/** What the next export asks for. */
export interface ExportPlan {
  /** ISO time, or `null` for a complete export. */
  readonly since: string | null
  /** Why it is complete, for people. */
  readonly why: string
}

/**
 * Where the next export begins: the earlier of the server's two times of the last complete export, less the overlap. It is a complete one
 * when there is none before it, when the last complete one is too old, or when that one asked for less than is asked for now.
 */
export const planExport = (
  exports: ReadonlyArray<PastExport>,
  request: {
    readonly exportUrl: string
    readonly types: ReadonlyArray<string>
    readonly overlapMillis: number
    readonly fullMillis: number | null
    readonly now: number
    readonly full: boolean
  }
): ExportPlan => {
  const complete = exports.filter((one) => one.isComplete && one.until !== null)
  const base = complete.findLast(({ since }) => since === null)
  const last = complete.at(-1)
  if (request.full) return { since: null, why: "asked for" }
  if (base === undefined || last === undefined) return { since: null, why: "the mirror has no complete export yet" }
  if (base.exportUrl !== request.exportUrl) {
    return { since: null, why: "the last complete export is of another server or group" }
  }
  if (!request.types.every((type) => base.types === null || base.types.includes(type))) {
    return { since: null, why: "the last complete export has fewer types" }
  }
  if (request.fullMillis !== null && request.now - Date.parse(base.until!) > request.fullMillis) {
    return { since: null, why: "the last complete export is old" }
  }
  return { since: new Date(Date.parse(last.until!) - request.overlapMillis).toISOString(), why: "" }
}

/** Makes the folder of the next export: `004-20261122T140809Z`. */
export const makeExportFolder = (
  mirror: string,
  exports: ReadonlyArray<PastExport>,
  now: number
): Effect.Effect<string, ServerError> => {
  const number = (exports.at(-1)?.number ?? 0) + 1
  const time = new Date(now).toISOString().replaceAll(/[-:]|\.\d+/gu, "")
  const folder = join(mirror, `${String(number).padStart(3, "0")}-${time}`)
  return Effect.try({
    try: () => {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      return folder
    },
    catch: (cause) => unwritable(folder, cause)
  })
}

/** Takes away an export that can not be completed any more: nothing of it may be taken for data. */
export const removeExport = (folder: string): Effect.Effect<void, ServerError> =>
  Effect.try({
    try: () => rmSync(folder, { recursive: true, force: true }),
    catch: (cause) => unwritable(folder, cause)
  })
