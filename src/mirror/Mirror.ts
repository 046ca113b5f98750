import type { Effect } from "effect"
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { jsonObjectOf, jsonTextOf } from "../json/JsonObject.ts"
import { serverOfExport, Servers } from "../source/records/Servers.ts"
import { type ExportEvent, isOurs, lastOf, readExportLog } from "./ExportLog.ts"
import { onDisk } from "./mirrorFiles.ts"
import type { ServerError } from "./ServerError.ts"

/** An export in the mirror, as its log describes it. */
export interface PastExport {
  readonly folder: string
  readonly number: number
  /** The export ended and every file of it was read. Only then can the next export begin where it ended. */
  readonly isComplete: boolean
  /** The export ended, complete or not. */
  readonly hasEnded: boolean
  /** This program began it. Only another program knows whether its own export still runs. */
  readonly isOurs: boolean
  /** The address of its request, without parameters that another program may have added. */
  readonly exportUrl: string
  readonly mode: "bulk" | "search"
  /** ISO time; only later records were requested. `null`: all records. */
  readonly since: string | null
  /** The requested types; `null`: all types of the server. */
  readonly types: ReadonlyArray<string> | null
  /** The digest of the members of its group; `null` if they were not read. */
  readonly members: string | null
  /** The address where the server reports progress; `null` if it never gave one. */
  readonly statusUrl: string | null
  /** ISO time up to which this export is certainly complete; `null` while unknown. */
  readonly until: string | null
  readonly events: ReadonlyArray<ExportEvent>
}

const folderName = /^(\d{3,})[.-]/u

/** The exports of a mirror in the order in which they began, from this program and other SMART downloaders. */
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
  const parameters = jsonObjectOf(kickoff["requestParameters"])
  const headers = jsonObjectOf(kickoff["responseHeaders"])
  const hasEnded = events.some(({ eventId }) => eventId === "export_complete")
  const types = text(parameters["_type"])
  return {
    folder,
    number,
    hasEnded,
    isComplete: hasEnded && hasEverything(events),
    isOurs: isOurs(events),
    exportUrl: withoutQuery(text(kickoff["exportUrl"]) ?? ""),
    mode: kickoff["_mode"] === "search" ? "search" : "bulk",
    since: text(parameters["_since"]),
    types: types === null ? null : types.split(","),
    members: text(kickoff["_members"]),
    statusUrl: text(headers["content-location"]),
    until: earliest(text(lastOf(events, "status_complete")?.["transactionTime"]), [
      text(headers["date"]),
      events.find(({ eventId }) => eventId === "kickoff")?.timestamp ?? null
    ]),
    events
  }
}

/** Whether an export is one of another server. A record of that server can have the id of one of this server. */
export const isOfOtherServer = ({ exportUrl }: PastExport, server: string): boolean => {
  const base = serverOfExport(exportUrl)
  const servers = new Servers([])
  return base !== undefined && servers.nameOf(base) !== servers.nameOf(server)
}

/** Whether the server could export everything, and no download failed without a later success. */
export const hasEverything = (events: ReadonlyArray<ExportEvent>): boolean => {
  if (errorFilesIn(events) > 0) return false
  const lost = new Set<unknown>()
  for (const { eventDetail, eventId } of events) {
    if (eventId === "download_error") lost.add(eventDetail["fileUrl"])
    if (eventId === "download_complete") lost.delete(eventDetail["fileUrl"])
  }
  return lost.size === 0
}

/** Returns how many files list what the server could not export. A file can also hold only warnings and information. */
export const errorFilesIn = (events: ReadonlyArray<ExportEvent>): number => {
  const all = Number(lastOf(events, "manifest_complete")?.["totalErrorFileCount"] ?? 0)
  const withoutErrors = new Set(
    events.flatMap(({ eventDetail: { _file, _withoutErrors }, eventId }) =>
      eventId === "download_complete" && _withoutErrors === true ? [_file] : []
    )
  )
  return all - withoutErrors.size
}

const text = (value: unknown): string | null => jsonTextOf(value) ?? null

/** Returns the earliest of some times as an ISO time, ignoring invalid ones. `null` if `one` is missing or none is valid. */
const earliest = (one: string | null, others: ReadonlyArray<string | null>): string | null => {
  const times = [one, ...others].flatMap((time) => {
    const millis = time === null ? Number.NaN : Date.parse(time)
    return Number.isNaN(millis) ? [] : [millis]
  })
  return one === null || times.length === 0 ? null : new Date(Math.min(...times)).toISOString()
}

/** The request of the next export. */
interface ExportPlan {
  /** ISO time, or `null` for a complete export. */
  readonly since: string | null
  /** Why it is complete, for messages. */
  readonly why: string
}

/**
 * Plans the next export. It begins at the earliest of the times of the last complete export, minus the overlap: the server's two, and
 * that of this machine. It is complete if no complete one exists, if the last one is too old, or if that one requested less than this one.
 * That includes a group that had other members: an export of changes lacks what a new member had before. An export of changes that
 * requested fewer types is passed over.
 */
export const planExport = (
  exports: ReadonlyArray<PastExport>,
  request: {
    readonly exportUrl: string
    readonly types: ReadonlyArray<string>
    readonly members: string | null
    readonly overlapMillis: number
    readonly fullMillis: number | null
    readonly now: number
    readonly full: boolean
  }
): ExportPlan => {
  const complete = exports.flatMap((one) =>
    one.isComplete && one.until !== null ? [{ ...one, until: Date.parse(one.until) }] : []
  )
  const hasTypes = ({ types }: Pick<PastExport, "types">): boolean =>
    types === null || request.types.every((type) => types.includes(type))
  const base = complete.findLast(({ since }) => since === null)
  const last = complete.findLast((one) => one === base || hasTypes(one))
  if (request.full) return { since: null, why: "asked for" }
  if (base === undefined || last === undefined) return { since: null, why: "the mirror has no complete export yet" }
  if (base.exportUrl !== request.exportUrl) {
    return { since: null, why: "the last complete export is of another group, or of other patients" }
  }
  if (!hasTypes(base)) {
    return { since: null, why: "the last complete export has fewer types" }
  }
  if (request.members !== null && last.members !== request.members) {
    return { since: null, why: "the group has other members than before" }
  }
  if (request.fullMillis !== null && request.now - base.until > request.fullMillis) {
    return { since: null, why: "the last complete export is old" }
  }
  return { since: new Date(last.until - request.overlapMillis).toISOString(), why: "" }
}

/** Creates the folder of the next export: `004-20261122T140809Z`. */
export const makeExportFolder = (
  mirror: string,
  number: number,
  now: number
): Effect.Effect<string, ServerError> => {
  const time = new Date(now).toISOString().replaceAll(/[-:]|\.\d+/gu, "")
  const folder = join(mirror, `${String(number).padStart(3, "0")}-${time}`)
  return onDisk(folder, () => {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    return folder
  })
}

/** The beginning of the name of an export that is being deleted. Hidden folders are no input. */
const removedName = ".removed-"

/**
 * Deletes an export that can no longer be completed, so that nothing of it is treated as data. It gets a hidden name first: after an
 * interruption, files without their log would look like complete ones.
 */
export const removeExport = (folder: string): Effect.Effect<void, ServerError> =>
  onDisk(folder, () => {
    if (!existsSync(folder)) return
    const removed = join(dirname(folder), `${removedName}${basename(folder)}`)
    rmSync(removed, { recursive: true, force: true })
    renameSync(folder, removed)
    rmSync(removed, { recursive: true, force: true })
  })

/** Deletes what an interruption left of the deletion of an export. */
export const finishRemovals = (mirror: string): Effect.Effect<void, ServerError> =>
  onDisk(mirror, () => {
    for (const name of readdirSync(mirror)) {
      if (name.startsWith(removedName)) rmSync(join(mirror, name), { recursive: true, force: true })
    }
  })

export const withoutQuery = (url: string): string => url.replace(/\?.*$/su, "")
