import { Clock, Effect, type Scope } from "effect"
import { jsonObjectOf, jsonObjectsIn } from "../json/JsonObject.ts"
import { type Capabilities, hasType, readCapabilities } from "./Capabilities.ts"
import { awaitManifest, completeExport, downloadFiles, type ExportResult, kickOff, logSearch } from "./exportBulk.ts"
import { type ExportEvent, type ExportLog, lastOf, openExportLog } from "./ExportLog.ts"
import { searchType } from "./exportSearch.ts"
import type { FetchContext, Progress } from "./FetchContext.ts"
import { type LookUpCount, lookUpReferences } from "./lookUpReferences.ts"
import { hasEverything, makeExportFolder, type PastExport, planExport, readMirror, removeExport } from "./Mirror.ts"
import { type MirrorIndex, openMirrorIndex } from "./MirrorIndex.ts"
import { InvalidSetting, type ServerError, serverError } from "./ServerError.ts"
import { fhirJson, notOffered, type ServerSession } from "./ServerSession.ts"
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
  readonly lookedUp: ReadonlyMap<string, LookUpCount>
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
export const fetchExport = Effect.fn("fetchExport")(
  function*(session: ServerSession, request: FetchRequest): Effect.fn.Return<Fetched, ServerError, Scope.Scope> {
    const { mirror, progress, settings } = request
    const index = yield* openMirrorIndex(mirror)
    const capabilities = yield* readCapabilities(session, settings.server)
    const requestedTypes = yield* typesToFetch(settings, request.readTypes, capabilities)
    const started = yield* begin(session, request, requestedTypes, capabilities)
    const { exportNumber, isResumed, log, since, statusUrl, types, why } = started
    const context: FetchContext = { session, settings, log, progress }
    if (statusUrl !== null) yield* bulk(context, statusUrl)
    else yield* search(context, index, started)
    const lookUpTypes = new Set([...request.readTypes, ...sharedTypes].filter((type) => hasType(capabilities, type)))
    const readNew = () => index.update(readMirror(mirror), lookUpTypes)
    yield* readNew()
    if (since === null) index.forgetAbsent()
    // An export of patients can omit records without a patient, so their absence does not mean deletion.
    const ownTypes = types.filter((type) => settings.level === "system" || !sharedTypes.has(type))
    if (since === null) yield* checkTypes(context, index, exportNumber, ownTypes)
    const time = String(lastOf(log.events(), "status_complete")?.transactionTime)
    const vanished = since === null && hasEverything(log.events())
      ? yield* writeVanished(log, index, { exportNumber, types: ownTypes, time })
      : new Map<string, number>()
    const lookedUp = yield* lookUpReferences(context, index, readNew, {
      types: sharedTypes,
      before: since === null ? exportNumber : 0
    })
    const result = yield* completeExport(log)
    // Only now, so that an interruption before leaves the export at the server.
    if (statusUrl !== null) {
      yield* Effect.ignore(session.get(statusUrl, { accept: "application/json", method: "DELETE" }))
    }
    const mode = statusUrl === null ? "search" : "bulk"
    return { ...result, folder: log.folder, mode, since, why, isResumed, vanished, lookedUp }
  },
  Effect.scoped
)

/** An export that was begun, by this run or an earlier one. */
interface StartedExport {
  readonly log: ExportLog
  readonly exportNumber: number
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
  { full, mirror, settings }: FetchRequest,
  types: ReadonlyArray<string>,
  capabilities: Capabilities
): Effect.fn.Return<StartedExport, ServerError> {
  const exports = readMirror(mirror)
  const exportUrl = exportUrlOf(settings)
  const open = exports.findLast(({ hasEnded }) => !hasEnded)
  if (open !== undefined) {
    if (open.exportUrl === exportUrl && (yield* canResume(session, open))) {
      return {
        log: openExportLog(open.folder, open.events.at(-1)?.exportId ?? open.folder),
        exportNumber: open.number,
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
  const exportNumber = (past.at(-1)?.number ?? 0) + 1
  const now = yield* Clock.currentTimeMillis
  const { fullMillis, overlapMillis } = settings
  const plan = planExport(past, { exportUrl, types, overlapMillis, fullMillis, now, full })
  const folder = yield* makeExportFolder(mirror, exportNumber, now)
  const log = openExportLog(folder, folder.slice(mirror.length + 1))
  const request = { exportUrl, types, since: plan.since, capabilities }
  const statusUrl = settings.mode === "search" ? null : yield* kickOff(session, log, request).pipe(
    Effect.catchIf(
      ({ reason }) => settings.mode === "auto" && reason._tag === "NotOffered",
      () => Effect.succeed(null)
    ),
    Effect.tapError(() => removeExport(folder))
  )
  if (statusUrl === null) yield* logSearch(log, request, now)
  return { log, exportNumber, types, ...plan, statusUrl, isResumed: false }
})

/** Resumes a search from the data on disk, and a bulk export if it has all its files or the server still has it. */
const canResume = (
  session: ServerSession,
  { events, mode, statusUrl }: PastExport
): Effect.Effect<boolean, ServerError> => {
  if (mode === "search" || hasAllFiles(events)) return Effect.succeed(true)
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

/** The event after the last file of a manifest. The later steps do not need the server's job. */
const filesComplete = "_files_complete"

const hasAllFiles = (events: ReadonlyArray<ExportEvent>): boolean =>
  events.some(({ eventId }) => eventId === filesComplete)

/** A missing job or file invalidates the whole export, so the next call begins a new one. */
const bulk = Effect.fnUntraced(
  function*(context: FetchContext, statusUrl: string) {
    if (hasAllFiles(context.log.events())) return
    const manifest = yield* awaitManifest(context, statusUrl)
    yield* downloadFiles(context, manifest)
    yield* context.log.write(filesComplete, {})
  },
  (effect, { log }) =>
    Effect.tapError(effect, ({ reason }) => reason._tag === "Expired" ? removeExport(log.folder) : Effect.void)
)

const search = Effect.fnUntraced(function*(
  context: FetchContext,
  index: MirrorIndex,
  { exportNumber, since, types }: StartedExport
) {
  const members = context.settings.level === "group" ? yield* membersOf(context) : null
  for (const type of types) {
    // References find the records without a patient.
    if (members !== null && sharedTypes.has(type)) continue
    const conditions = members === null ? [{}] : conditionsOf(type, members)
    yield* searchType(context, index.walk, exportNumber, { type, since, conditions })
  }
})

/**
 * Checks types that a complete export lacks and the mirror has. The server may not have exported them, so its count must be 0.
 */
const checkTypes = Effect.fnUntraced(function*(
  { log, session, settings }: FetchContext,
  index: MirrorIndex,
  exportNumber: number,
  types: ReadonlyArray<string>
) {
  for (const type of types) {
    if (!index.isTypeMissing(exportNumber, type)) continue
    const fileUrl = `${settings.server}/${type}?_summary=count`
    const counted = yield* Effect.result(session.get(fileUrl, fhirJson))
    const { json = null, status = null } = counted._tag === "Success" ? counted.success : {}
    if (status === 200 && jsonObjectOf(json).total === 0) continue
    yield* log.write("download_request", { fileUrl, itemType: "output", resourceType: type })
    yield* log.writeError(
      fileUrl,
      `the export has no ${type}, the mirror has some, and the server does not count 0`,
      status
    )
  }
})

/** Patients in one search: addresses stay below 4,000 characters. */
const patientsPerSearch = 40

/** Returns one condition for each batch of patients. */
const conditionsOf = (
  type: string,
  patients: ReadonlyArray<string>
): ReadonlyArray<Readonly<Record<string, string>>> => {
  const conditions: Array<Readonly<Record<string, string>>> = []
  for (let start = 0; start < patients.length; start += patientsPerSearch) {
    const ids = patients.slice(start, start + patientsPerSearch).join(",")
    conditions.push({ [type === "Patient" ? "_id" : "patient"]: ids })
  }
  return conditions
}

/** Returns the ids of the patients of a Group resource. */
const membersOf = Effect.fnUntraced(function*({ session, settings: { group, server } }: FetchContext) {
  const url = `${server}/Group/${group}`
  const { json, status } = yield* session.get(url, fhirJson)
  if (status !== 200) return yield* notOffered(`the group \`${group}\``, url, status)
  return jsonObjectsIn(jsonObjectOf(json).member).flatMap(({ entity, inactive }) => {
    const { reference } = jsonObjectOf(entity)
    const id = typeof reference === "string" && inactive !== true
      ? /(?:^|\/)Patient\/([A-Za-z0-9\-.]{1,64})$/u.exec(reference)?.[1]
      : undefined
    return id === undefined ? [] : [id]
  })
})

/** Returns the types of the settings, or those that the mapping reads and the server has. References find the rest. */
const typesToFetch = Effect.fnUntraced(function*(
  settings: SourceSettings,
  readTypes: ReadonlyArray<string>,
  capabilities: Capabilities
) {
  const types = (settings.types ?? readTypes.filter((type) => hasType(capabilities, type))).toSorted()
  if (types.length > 0) return types
  return yield* serverError(
    new InvalidSetting({
      detail: "the server has none of the types that the mapping reads: set `source: {types: […]}`"
    })
  )
})
