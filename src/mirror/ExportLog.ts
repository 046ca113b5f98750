import { Clock, DateTime, Effect } from "effect"
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from "node:fs"
import { join } from "node:path"
import packageJson from "../../package.json" with { type: "json" }
import { MirrorUnusable, type ServerError, serverError } from "./ServerError.ts"

/** A line of `log.ndjson`, in the form that SMART downloaders write ("Bulk Data Export: Client Logging"). */
export interface ExportEvent {
  readonly exportId: string
  readonly timestamp: string
  readonly eventId: string
  readonly eventDetail: Readonly<Record<string, unknown>>
}

/** The log of one export. An event is on disk when `write` succeeds. */
export interface ExportLog {
  readonly folder: string
  /** The events written before, by this run or another. */
  readonly events: () => ReadonlyArray<ExportEvent>
  readonly write: (eventId: string, eventDetail: Readonly<Record<string, unknown>>) => Effect.Effect<void, ServerError>
  /** Sets the id of all later events: the status address of the export, as in other downloaders. */
  readonly identify: (exportId: string) => void
}

const fileName = "log.ndjson"

/** Reads the events of an export folder; `null` if it has no log. A last line that a crash cut off is not an event. */
export const readExportLog = (folder: string): ReadonlyArray<ExportEvent> | null => {
  const file = join(folder, fileName)
  if (!existsSync(file)) return null
  return readFileSync(file, "utf8").split("\n").flatMap((line) => {
    try {
      const event = JSON.parse(line) as ExportEvent
      return typeof event.eventId === "string" && typeof event.eventDetail === "object" ? [event] : []
    } catch {
      return []
    }
  })
}

/** Opens the log of an export, and continues an existing one. */
export const openExportLog = (folder: string, exportId: string): ExportLog => {
  let id = exportId
  const events = [...(readExportLog(folder) ?? [])]
  const file = join(folder, fileName)
  return {
    folder,
    events: () => events,
    identify: (next) => {
      id = next
    },
    write: (eventId, eventDetail) =>
      Effect.gen(function*() {
        const timestamp = DateTime.formatIso(DateTime.makeUnsafe(yield* Clock.currentTimeMillis))
        const event: ExportEvent = { exportId: id, timestamp, eventId, eventDetail }
        const client = eventId === "kickoff" ? { _client: "fhir2visit", _clientVersion: packageJson.version } : {}
        yield* Effect.try({
          try: () => appendLine(file, JSON.stringify({ ...event, ...client })),
          catch: (cause) => unwritable(file, cause)
        })
        events.push(event)
      })
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

/** A mirror file that the system did not write, with the system's error code. */
export const unwritable = (file: string, cause: unknown): ServerError =>
  serverError(new MirrorUnusable({ detail: `cannot write \`${file}\` (${codeOf(cause)})`, busy: false }))

const codeOf = (cause: unknown): string =>
  typeof cause === "object" && cause !== null && "code" in cause && typeof cause.code === "string"
    ? cause.code
    : "failed"

/** Returns the last event of a kind. */
export const lastOf = (events: ReadonlyArray<ExportEvent>, eventId: string): ExportEvent["eventDetail"] | undefined =>
  events.findLast((event) => event.eventId === eventId)?.eventDetail
