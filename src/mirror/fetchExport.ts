import { Clock, Effect } from "effect"
import { isJsonObject } from "../json/JsonObject.ts"
import {
  awaitManifest,
  completeExport,
  downloadFiles,
  type ExportResult,
  kickOff,
  type Progress
} from "./exportBulk.ts"
import { type ExportEvent, type ExportLog, lastOf, openExportLog } from "./ExportLog.ts"
import { searchType } from "./exportSearch.ts"
import { lookUpReferences } from "./lookUpReferences.ts"
import { hasEverything, makeExportFolder, type PastExport, planExport, readMirror, removeExport } from "./Mirror.ts"
import { openMirrorIndex } from "./MirrorIndex.ts"
import type { MirrorIndex } from "./MirrorIndex.ts"
import { InvalidAnswer, InvalidSetting, type ServerError, serverError } from "./ServerError.ts"
import { notOffered, type ServerSession } from "./ServerSession.ts"
import type { SourceSettings } from "./SourceSettings.ts"
import { writeVanished } from "./writeVanished.ts"

interface FetchRequest {
  readonly settings: SourceSettings
  /** The mirror's folder, relative to the working directory. */
  readonly mirror: string
  /** Types that the mapping reads. */
  readonly readTypes: ReadonlyArray<string>
  /** Forces a complete export, overriding the settings. */
  readonly full: boolean
  readonly progress: Progress
}

/** The result of a fetch. */
export interface Fetched extends ExportResult {
  readonly folder: string
  readonly mode: "bulk" | "search"
  readonly since: string | null
  /** Why the export is a complete one; empty if it is not. */
  readonly why: string
  /** Whether this run finished an export that an earlier run began. */
  readonly isResumed: boolean
  readonly vanished: ReadonlyMap<string, number>
  readonly lookedUp: ReadonlyMap<string, { readonly found: number; readonly absent: number }>
}

/** The server's description of itself (`/metadata`, CapabilityStatement). */
interface Capabilities {
  readonly types: ReadonlySet<string>
  readonly software: Readonly<Record<string, unknown>>
  readonly fhirVersion: string | null
  readonly date: string | null
}

/** Types outside every patient's compartment: bulk exports of patients and groups omit them, references find them. */
const sharedTypes: ReadonlySet<string> = new Set([
  "Medication",
  "Practitioner",
  "PractitionerRole",
  "Organization",
  "Location",
  "Substance",
  "HealthcareService",
  "InsurancePlan",
  "ChargeItemDefinition"
])

/**
 * Runs one export from a FHIR server into its mirror: resumes an interrupted one, or begins the next. After any interruption, the same
 * call resumes it. An export is begun once, and a complete file is not downloaded again.
 */
export const fetchExport = Effect.fn("fetchExport")(function*(session: ServerSession, request: FetchRequest) {
  const { mirror, progress, settings } = request
  const index = yield* openMirrorIndex(mirror)
  const capabilities = yield* readCapabilities(session, settings.server)
  const types = yield* typesToFetch(settings, request.readTypes, capabilities)
  const started = yield* begin(session, request, types, capabilities)
  const { log, since, statusUrl, why } = started
  if (statusUrl !== null) yield* bulk(session, log, statusUrl, settings, progress)
  else yield* search(session, log, index, started.number, { settings, types: started.types, since }, progress)
  const lookUpTypes = new Set([...request.readTypes, ...sharedTypes].filter((type) => isKnownType(capabilities, type)))
  const readNew = () => index.update(readMirror(mirror), lookUpTypes)
  yield* readNew()
  if (since === null) index.forgetAbsent()
  // An export of patients can omit records without a patient, so their absence does not mean deletion.
  const ownTypes = started.types.filter((type) => settings.level === "system" || !sharedTypes.has(type))
  if (since === null) yield* checkTypes(session, log, index, started.number, settings.server, ownTypes)
  const until = lastOf(log.events(), "status_complete")?.["transactionTime"]
  const vanished = since === null && hasEverything(log.events())
    ? yield* writeVanished(log, index, started.number, ownTypes, String(until))
    : new Map<string, number>()
  const lookedUp = yield* lookUpReferences(session, log, index, settings.server, progress, readNew, {
    types: sharedTypes,
    before: since === null ? started.number : 0
  })
  const result = yield* completeExport(log)
  // Only now, so that an interruption before leaves the export at the server.
  if (statusUrl !== null) {
    yield* Effect.ignore(session.get(statusUrl, { accept: "application/json", method: "DELETE" }))
  }
  return {
    ...result,
    folder: log.folder,
    mode: statusUrl === null ? "search" : "bulk",
    since,
    why,
    isResumed: started.isResumed,
    vanished,
    lookedUp
  } satisfies Fetched as Fetched
}, Effect.scoped)

interface Started {
  readonly log: ExportLog
  readonly number: number
  /** `null` for a search. */
  readonly statusUrl: string | null
  readonly types: ReadonlyArray<string>
  readonly since: string | null
  readonly why: string
  readonly isResumed: boolean
}

/** Returns the interrupted export, or a new one. */
const begin = Effect.fnUntraced(function*(
  session: ServerSession,
  request: FetchRequest,
  types: ReadonlyArray<string>,
  capabilities: Capabilities
): Effect.fn.Return<Started, ServerError> {
  const { mirror, settings } = request
  const exports = readMirror(mirror)
  const exportUrl = exportUrlOf(settings)
  const open = exports.findLast(({ hasEnded }) => !hasEnded)
  if (open !== undefined) {
    if (open.exportUrl === exportUrl && (yield* canGoOn(session, open))) {
      return {
        log: openExportLog(open.folder, open.events.at(-1)?.exportId ?? open.folder),
        number: open.number,
        types: open.types ?? types,
        statusUrl: open.mode === "bulk" ? open.statusUrl : null,
        since: open.since,
        why: open.since === null ? "as it was begun" : "",
        isResumed: true
      }
    }
    yield* removeExport(open.folder)
  }
  const past = exports.filter((one) => one !== open)
  const now = yield* Clock.currentTimeMillis
  const plan = planExport(past, {
    exportUrl,
    types,
    overlapMillis: settings.overlapMillis,
    fullMillis: settings.fullMillis,
    now,
    full: request.full
  })
  const folder = yield* makeExportFolder(mirror, past, now)
  const log = openExportLog(folder, folder.slice(mirror.length + 1))
  const number = (past.at(-1)?.number ?? 0) + 1
  const started = { log, number, types, ...plan, isResumed: false }
  const kickedOff = settings.mode === "search" ? null : yield* kickOff(session, log, {
    exportUrl,
    types,
    since: plan.since,
    capabilities
  }).pipe(
    Effect.catchIf(
      ({ reason }) => settings.mode === "auto" && reason._tag === "NotOffered",
      () => Effect.succeed(null)
    ),
    Effect.tapError(() => removeExport(folder))
  )
  if (kickedOff !== null) return { ...started, statusUrl: kickedOff }
  yield* log.write("kickoff", {
    exportUrl: `${exportUrl}`,
    softwareName: capabilities.software["name"] ?? null,
    softwareVersion: capabilities.software["version"] ?? null,
    softwareReleaseDate: capabilities.software["releaseDate"] ?? null,
    fhirVersion: capabilities.fhirVersion,
    requestParameters: { _type: types.join(","), ...(plan.since === null ? {} : { _since: plan.since }) },
    errorCode: null,
    errorBody: null,
    responseHeaders: capabilities.date === null ? {} : { date: capabilities.date },
    _mode: "search"
  })
  // A search returns at least what exists when it begins, so the server's clock at that time is the time of the export.
  const time = capabilities.date === null ? now : Date.parse(capabilities.date)
  yield* log.write("status_complete", { transactionTime: new Date(time).toISOString() })
  return { ...started, statusUrl: null }
})

/** Resumes a search from the data on disk, and a bulk export if all its files are there or the server still has it. */
const canGoOn = (
  session: ServerSession,
  { events, mode, statusUrl }: PastExport
): Effect.Effect<boolean, ServerError> => {
  if (mode === "search" || areFilesThere(events)) return Effect.succeed(true)
  if (statusUrl === null) return Effect.succeed(false)
  return Effect.map(
    session.get(statusUrl, { accept: "application/json" }),
    ({ status }) => status === 200 || status === 202
  )
}

const exportUrlOf = ({ group, level, server }: SourceSettings): string => {
  switch (level) {
    case "system":
      return `${server}/$export`
    case "patient":
      return `${server}/Patient/$export`
    case "group":
      return `${server}/Group/${group}/$export`
  }
}

/** The event after the last file of a manifest. What follows needs the server's job no more. */
const filesThere = "_files_complete"

const areFilesThere = (events: ReadonlyArray<ExportEvent>): boolean =>
  events.some(({ eventId }) => eventId === filesThere)

/** A missing job or file invalidates the whole export, so the next call begins a new one. */
const bulk = Effect.fnUntraced(
  function*(session: ServerSession, log: ExportLog, statusUrl: string, settings: SourceSettings, progress: Progress) {
    if (areFilesThere(log.events())) return
    const manifest = yield* awaitManifest(session, log, statusUrl, settings, progress)
    yield* downloadFiles(session, log, manifest, settings, progress)
    yield* log.write(filesThere, {})
  },
  (effect, _session, log) =>
    Effect.tapError(effect, ({ reason }) => reason._tag === "Expired" ? removeExport(log.folder) : Effect.void)
)

const search = Effect.fnUntraced(function*(
  session: ServerSession,
  log: ExportLog,
  index: MirrorIndex,
  exportNumber: number,
  { settings, since, types }: {
    readonly settings: SourceSettings
    readonly types: ReadonlyArray<string>
    readonly since: string | null
  },
  progress: Progress
) {
  const members = settings.level === "group" ? yield* membersOf(session, settings) : null
  for (const type of types) {
    // References find the records without a patient.
    if (members !== null && sharedTypes.has(type)) continue
    yield* searchType(session, log, index.walk, exportNumber, {
      server: settings.server,
      type,
      since,
      conditions: members === null ? [{}] : conditionsOf(type, members),
      pageSize: settings.pageSize
    }, progress)
  }
})

/**
 * Checks types of which a complete export has no record and the mirror has some. The server may not have exported them, so its count
 * must say that there are none.
 */
const checkTypes = Effect.fnUntraced(function*(
  session: ServerSession,
  log: ExportLog,
  index: MirrorIndex,
  exportNumber: number,
  server: string,
  types: ReadonlyArray<string>
) {
  for (const type of types) {
    if (!index.isMissingFrom(exportNumber, type)) continue
    const fileUrl = `${server}/${type}?_summary=count`
    const counted = yield* Effect.result(session.get(fileUrl, { accept: "application/fhir+json" }))
    const { json = null, status = null } = counted._tag === "Success" ? counted.success : {}
    if (status === 200 && isJsonObject(json) && json["total"] === 0) continue
    yield* log.write("download_request", { fileUrl, itemType: "output", resourceType: type })
    yield* log.write("download_error", {
      fileUrl,
      body: null,
      code: status,
      message: `the export has no ${type}, the mirror has some, and the server does not count 0`,
      responseHeaders: null
    })
  }
})

/** Patients in one search: addresses stay below 4,000 characters. */
const patientsAtOnce = 40

/** Returns one condition for each batch of patients. */
const conditionsOf = (
  type: string,
  patients: ReadonlyArray<string>
): ReadonlyArray<Readonly<Record<string, string>>> => {
  const lots: Array<Readonly<Record<string, string>>> = []
  for (let start = 0; start < patients.length; start += patientsAtOnce) {
    lots.push({ [type === "Patient" ? "_id" : "patient"]: patients.slice(start, start + patientsAtOnce).join(",") })
  }
  return lots
}

/** Returns the patients of a Group resource. */
const membersOf = Effect.fnUntraced(function*(session: ServerSession, { group, server }: SourceSettings) {
  const url = `${server}/Group/${group}`
  const { json, status } = yield* session.get(url, { accept: "application/fhir+json" })
  if (status !== 200) return yield* notOffered(`the group \`${group}\``, url, status)
  const members = isJsonObject(json) && Array.isArray(json["member"]) ? json["member"] : []
  return members.flatMap((member: unknown) => {
    const entity = isJsonObject(member) && member["inactive"] !== true ? member["entity"] : undefined
    const reference = isJsonObject(entity) ? entity["reference"] : undefined
    const id = typeof reference === "string"
      ? /(?:^|\/)Patient\/([A-Za-z0-9\-.]{1,64})$/u.exec(reference)?.[1]
      : undefined
    return id === undefined ? [] : [id]
  })
})

const readCapabilities = Effect.fnUntraced(function*(session: ServerSession, server: string) {
  const { headers, json, status } = yield* session.get(`${server}/metadata`, { accept: "application/fhir+json" })
  if (status !== 200 || !isJsonObject(json) || json["resourceType"] !== "CapabilityStatement") {
    return yield* serverError(
      new InvalidAnswer({
        detail:
          `no CapabilityStatement at ${server}/metadata (status ${status}): is \`source: {server}\` the base address?`
      })
    )
  }
  const rest = Array.isArray(json["rest"]) ? json["rest"] : []
  const types = new Set<string>()
  for (const { resource } of rest.filter(isJsonObject)) {
    for (const one of Array.isArray(resource) ? resource : []) {
      if (isJsonObject(one) && typeof one["type"] === "string") types.add(one["type"])
    }
  }
  return {
    types,
    software: isJsonObject(json["software"]) ? json["software"] : {},
    fhirVersion: typeof json["fhirVersion"] === "string" ? json["fhirVersion"] : null,
    date: headers["date"] ?? null
  } satisfies Capabilities as Capabilities
})

/** Whether the server has a type. A server that lists no types is assumed to have every type. */
const isKnownType = ({ types }: Capabilities, type: string): boolean => types.size === 0 || types.has(type)

/** Returns the types of the settings, or those that the mapping reads and the server has. References find the rest. */
const typesToFetch = Effect.fnUntraced(function*(
  settings: SourceSettings,
  readTypes: ReadonlyArray<string>,
  capabilities: Capabilities
) {
  const types = (settings.types ?? readTypes.filter((type) => isKnownType(capabilities, type))).toSorted()
  if (types.length > 0) return types
  return yield* serverError(
    new InvalidSetting({
      detail: "the server has none of the types that the mapping reads: set `source: {types: […]}`"
    })
  )
})
