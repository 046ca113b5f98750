import { Clock, DateTime, Effect } from "effect"
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from "node:fs"
import { join } from "node:path"
import packageJson from "../../package.json" with { type: "json" }
import { isJsonObject, jsonIn, type JsonObject } from "../json/JsonObject.ts"
import { onDisk } from "./mirrorFiles.ts"
import type { ServerError } from "./ServerError.ts"

/** A line of `log.ndjson`, in the form that SMART downloaders write ("Bulk Data Export: Client Logging"). */
export interface ExportEvent {
  readonly exportId: string
  readonly timestamp: string
  readonly eventId: string
  readonly eventDetail: JsonObject
  /** The program that wrote it. A kickoff of this program states it. */
  readonly _client?: unknown
}

const client = "fhir2visit"

/** Whether this program began the export. */
export const isOurs = (events: ReadonlyArray<ExportEvent>): boolean =>
  events.some(({ _client, eventId }) => eventId === "kickoff" && _client === client)

/** The log of one export. An event is on disk when `write` succeeds. */
export interface ExportLog {
  readonly folder: string
  /** The events written before, by this run or another. */
  readonly events: () => ReadonlyArray<ExportEvent>
  readonly write: (eventId: string, eventDetail: JsonObject) => Effect.Effect<void, ServerError>
  /** Writes why a file is missing or incomplete, with the status of the response if there was one. */
  readonly writeError: (fileUrl: string, message: string, code?: number | null) => Effect.Effect<void, ServerError>
  /** Fails if this run may no longer write into the mirror. Each event is written only if it may. */
  readonly isHeld: Effect.Effect<void, ServerError>
  /** Sets the id of all later events: the status address of the export, as in other downloaders. */
  readonly identify: (exportId: string) => void
}

const fileName = "log.ndjson"

/** Reads the events of an export folder; `null` if it has no log. A last line that a crash cut off is not an event. */
export const readExportLog = (folder: string): ReadonlyArray<ExportEvent> | null => {
  const file = join(folder, fileName)
  if (!existsSync(file)) return null
  return readFileSync(file, "utf8").split("\n").flatMap((line) => {
    const event = jsonIn(line)
    return isExportEvent(event) ? [event] : []
  })
}

/** The other members are as the downloader wrote them. */
const isExportEvent = (value: unknown): value is ExportEvent =>
  isJsonObject(value) && typeof value.eventId === "string" && isJsonObject(value.eventDetail)

/** Opens the log of an export, and continues an existing one. */
export const openExportLog = (folder: string, exportId: string, isHeld: ExportLog["isHeld"]): ExportLog => {
  let id = exportId
  const events = [...(readExportLog(folder) ?? [])]
  const file = join(folder, fileName)
  const write: ExportLog["write"] = (eventId, eventDetail) =>
    Effect.gen(function*() {
      yield* isHeld
      const timestamp = DateTime.formatIso(DateTime.makeUnsafe(yield* Clock.currentTimeMillis))
      const event: ExportEvent = {
        exportId: id,
        timestamp,
        eventId,
        eventDetail,
        ...(eventId === "kickoff" ? { _client: client, _clientVersion: packageJson.version } : {})
      }
      yield* onDisk(file, () => appendLine(file, JSON.stringify(event)))
      events.push(event)
    })
  return {
    folder,
    isHeld,
    events: () => events,
    identify: (next) => {
      id = next
    },
    write,
    writeError: (fileUrl, message, code = null) =>
      write("download_error", { fileUrl, body: null, code, message, responseHeaders: null })
  }
}

/** Begins with a line feed if a crash cut the last line, so that the new event has its own line. */
const appendLine = (file: string, line: string): void => {
  const isCut = existsSync(file) && !/(?:^|\n)$/u.test(readFileSync(file, "utf8").slice(-1))
  const handle = openSync(file, "a", 0o600)
  try {
    writeSync(handle, `${isCut ? "\n" : ""}${line}\n`)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/** Returns the details of the last event of a kind. */
export const lastOf = (events: ReadonlyArray<ExportEvent>, eventId: string): JsonObject | undefined =>
  events.findLast((event) => event.eventId === eventId)?.eventDetail

/** Returns when the export was requested, in milliseconds since 1970; `NaN` if the log does not state it. */
export const requestedAt = (log: ExportLog): number =>
  Date.parse(log.events().find(({ eventId }) => eventId === "kickoff")?.timestamp ?? "")
