import { Clock, Effect, type Scope } from "effect"
import { basename } from "node:path"
import { type JsonObject, jsonObjectOf } from "../json/JsonObject.ts"
import { type Capabilities, hasType, readCapabilities } from "./Capabilities.ts"
import {
  awaitManifest,
  completeExport,
  downloadFiles,
  endExport,
  type ExportResult,
  isFailure,
  isManifest,
  kickOff,
  logSearch
} from "./exportBulk.ts"
import { type ExportEvent, type ExportLog, lastOf, openExportLog } from "./ExportLog.ts"
import { searchType } from "./exportSearch.ts"
import type { FetchContext, Progress } from "./FetchContext.ts"
import { hasSomeOf, type LookUpCount, lookUpReferences } from "./lookUpReferences.ts"
import { type GroupMembers, patientIdsOf, readMembers } from "./members.ts"
import {
  finishRemovals,
  hasEverything,
  isOfOtherServer,
  makeExportFolder,
  type PastExport,
  planExport,
  readMirror,
  removeExport
} from "./Mirror.ts"
import { isDiskFailure, unwritable } from "./mirrorFiles.ts"
import { type MirrorIndex, openMirrorIndex } from "./MirrorIndex.ts"
import { type ServerError, serverError } from "./ServerError.ts"
import { fhirJson, type ServerSession } from "./ServerSession.ts"
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
  /** Types that the mapping reads and the server does not list. */
  readonly notListed: ReadonlyArray<string>
  /** Types of which a complete export has no record, with the number that the server counts. */
  readonly notExported: ReadonlyMap<string, number>
  /** Members of the group that name no patient, so their records are not searched for. */
  readonly unreadMembers: number
  /** The group could not be read, so it is not known whether an export of changes lacks what new members had before. */
  readonly isGroupUnread: boolean
}

/** Types outside every patient's compartment: bulk exports of patients and groups omit them, references find them. */
const sharedTypes: ReadonlySet<string> = new Set(
  ("Medication Practitioner PractitionerRole Organization Location Substance HealthcareService InsurancePlan "
    + "ChargeItemDefinition").split(" ")
)

/**
 * Runs one export from a FHIR server into its mirror: resumes an interrupted one, or begins the next. After any interruption, the same
 * call resumes it. An export is begun once, and a complete file is not downloaded again.
 */
export const fetchExport = Effect.fn("fetchExport")(
  function*(session: ServerSession, request: FetchRequest): Effect.fn.Return<Fetched, ServerError, Scope.Scope> {
    const { mirror, progress, settings } = request
    const index = yield* openMirrorIndex(mirror)
    yield* finishRemovals(mirror)
    const capabilities = yield* readCapabilities(session, settings.server)
    const requestedTypes = yield* typesToFetch(settings, request.readTypes, capabilities)
    const members = settings.level === "group" ? yield* readGroup(session, settings) : null
    const started = yield* begin(session, request, { types: requestedTypes, members, capabilities }, index.isHeld)
    const { exportNumber, isResumed, log, since, statusUrl, types, why } = started
    const context: FetchContext = { session, settings, log, progress }
    if (statusUrl !== null) yield* bulk(context, statusUrl)
    else yield* search(context, index, started, members)
    const lookUpTypes = new Set([...request.readTypes, ...sharedTypes].filter((type) => hasType(capabilities, type)))
    const readNew = () =>
      index.update(readMirror(mirror), { types: lookUpTypes, server: settings.server }).pipe(
        Effect.catchIf(
          ({ reason }) => reason._tag === "MirrorDamaged" && reason.file.startsWith(log.folder),
          ({ reason }) => abandon(log, reason)
        )
      )
    yield* readNew()
    if (since === null) index.forgetAbsent()
    // An export of patients can omit records without a patient, so their absence does not mean deletion.
    const ownTypes = types.filter((type) => settings.level === "system" || !sharedTypes.has(type))
    const notExported = since === null
      ? yield* checkTypes(context, index, started, ownTypes)
      : new Map<string, number>()
    const time = String(lastOf(log.events(), "status_complete")?.transactionTime)
    const vanished = since === null && hasEverything(log.events())
      ? yield* writeVanished(log, index, { exportNumber, types: ownTypes, time })
      : new Map<string, number>()
    const lookedUp = yield* lookUpReferences(context, index, readNew, {
      types: sharedTypes,
      before: since === null ? exportNumber : 0
    })
    const result = yield* completeExport(log)
    // This is the last step: an interruption before it leaves the export at the server, and the next call resumes it.
    if (statusUrl !== null) yield* Effect.ignore(endExport(session, statusUrl))
    return {
      ...result,
      folder: log.folder,
      mode: statusUrl === null ? "search" : "bulk",
      since,
      why,
      isResumed,
      vanished,
      lookedUp,
      notListed: settings.types === null
        ? request.readTypes.filter((type) => !hasType(capabilities, type)).toSorted()
        : [],
      notExported,
      unreadMembers: statusUrl === null ? members?.unread ?? 0 : 0,
      isGroupUnread: settings.level === "group" && since !== null && members === null
    }
  },
  Effect.scoped,
  // The index and the logs of the mirror are read and written synchronously.
  (fetched, _, { mirror }) =>
    Effect.catchDefect(
      fetched,
      (defect) => isDiskFailure(defect) ? Effect.fail(unwritable(mirror, defect)) : Effect.die(defect)
    )
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
  { capabilities, members: read, types }: {
    readonly types: ReadonlyArray<string>
    readonly members: GroupMembers | null
    readonly capabilities: Capabilities
  },
  isHeld: ExportLog["isHeld"]
): Effect.fn.Return<StartedExport, ServerError> {
  const exports = readMirror(mirror)
  if (exports.some((one) => one.hasEnded && isOfOtherServer(one, settings.server))) {
    return yield* serverError({
      _tag: "InvalidSetting",
      detail:
        `\`${mirror}\` has exports of another server, whose records can have the same ids: set another folder under \`source: {mirror: …}\``
    })
  }
  const exportUrl = exportUrlOf(settings)
  const open = exports.findLast(({ hasEnded, isOurs }) => isOurs && !hasEnded)
  if (open !== undefined) {
    const isOfRequestedKind = !full || open.since === null
    if (isOfRequestedKind && open.exportUrl === exportUrl && (yield* canResume(session, settings.server, open))) {
      return {
        log: openExportLog(open.folder, open.events.at(-1)?.exportId ?? open.folder, isHeld),
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
  // Never the number of a removed export: the index knows how far that one came.
  const exportNumber = (exports.at(-1)?.number ?? 0) + 1
  const now = yield* Clock.currentTimeMillis
  const { fullMillis, overlapMillis } = settings
  const members = read?.digest ?? null
  const plan = planExport(past, { exportUrl, types, members, overlapMillis, fullMillis, now, full })
  const folder = yield* makeExportFolder(mirror, exportNumber, now)
  const log = openExportLog(folder, folder.slice(mirror.length + 1), isHeld)
  const request = { exportUrl, types, since: plan.since, members, capabilities }
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

/** Deletes an export with a file that cannot be read, as no later run could complete it. */
const abandon = Effect.fnUntraced(function*(log: ExportLog, reason: ServerError["reason"]) {
  yield* removeExport(log.folder)
  const file = reason._tag === "MirrorDamaged" ? basename(reason.file) : log.folder
  return yield* serverError({
    _tag: "Expired",
    what: `the export's file \`${file}\``,
    why: "is not NDJSON, or is damaged"
  })
})

/** Resumes a search from the data on disk, and a bulk export if it has all its files or the server still has it. */
const canResume = (
  session: ServerSession,
  server: string,
  { events, mode, statusUrl }: PastExport
): Effect.Effect<boolean, ServerError> => {
  if (mode === "search" || hasAllFiles(events)) return Effect.succeed(true)
  if (statusUrl === null) return Effect.succeed(false)
  return session.get(statusUrl, { accept: "application/json" }).pipe(
    Effect.map(({ json, status }) => status === 202 || (status === 200 && isManifest(json))),
    Effect.catchIf(isFailure, () => Effect.as(readCapabilities(session, server), false))
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
  { since, types }: StartedExport,
  read: GroupMembers | null
) {
  const { session, settings } = context
  const members = settings.level === "group" ? read ?? (yield* readMembers(session, settings)) : null
  for (const type of types) {
    // References find the records without a patient.
    if (members !== null && sharedTypes.has(type)) continue
    const conditions = members === null ? [{}] : conditionsOf(type, members.patients)
    yield* searchType(context, index.walk, { type, since, conditions })
  }
})

/**
 * Checks what a complete export lacks and the mirror has: the server may not have exported it. It may lack only what the server no
 * longer has, and what belongs to no patient of the export. Returns the types of which a bulk export has no record, and the mirror has
 * none, with the number that the server counts.
 */
const checkTypes = Effect.fnUntraced(function*(
  context: FetchContext,
  index: MirrorIndex,
  { exportNumber, statusUrl }: Pick<StartedExport, "exportNumber" | "statusUrl">,
  types: ReadonlyArray<string>
) {
  const { log, settings: { level, server } } = context
  const isExported = (resource: JsonObject): boolean =>
    level === "system" ||
    (resource.resourceType === "Patient"
      ? level === "patient" && resource.active !== false
      : patientIdsOf(resource).some((id) => index.isIn(exportNumber, { type: "Patient", id })))
  const notExported = new Map<string, number>()
  for (const type of types) {
    const { isKnown, isMissing } = index.presenceOf(exportNumber, type)
    const fileUrl = `${server}/${type}?_summary=count`
    const report = (problem: string, status?: number | null) =>
      Effect.andThen(
        log.write("download_request", { fileUrl, itemType: "output", resourceType: type }),
        log.writeError(fileUrl, problem, status)
      )
    if (isMissing || (!isKnown && level !== "group" && statusUrl !== null)) {
      const { status, total } = yield* countAtServer(context, fileUrl)
      if (isMissing && total !== 0) {
        yield* report(`the export has no ${type}, the mirror has some, and the server does not count 0`, status)
        continue
      }
      if (!isMissing && total !== null && total > 0) notExported.set(type, total)
    }
    if (yield* hasSomeOf(context, type, index.missingFrom(exportNumber, type), isExported)) {
      yield* report(`the export lacks ${type} records that the mirror and the server have`)
    }
  }
  return notExported
})

const countAtServer = Effect.fnUntraced(function*({ session }: FetchContext, url: string) {
  const counted = yield* Effect.result(session.get(url, fhirJson))
  const { json = null, status = null } = counted._tag === "Success" ? counted.success : {}
  const { total } = jsonObjectOf(status === 200 ? json : null)
  return { status, total: typeof total === "number" ? total : null }
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

/** A search needs the members of the group. For a bulk export they only show whether there are others than before. */
const readGroup = (
  session: ServerSession,
  settings: SourceSettings
): Effect.Effect<GroupMembers | null, ServerError> => {
  const members = readMembers(session, settings)
  return settings.mode === "search"
    ? members
    : Effect.catchIf(members, ({ reason }) => reason._tag !== "Unreachable", () => Effect.succeed(null))
}

/** Returns the types of the settings, or those that the mapping reads and the server has. References find the rest. */
const typesToFetch = Effect.fnUntraced(function*(
  settings: SourceSettings,
  readTypes: ReadonlyArray<string>,
  capabilities: Capabilities
) {
  const types = (settings.types ?? readTypes.filter((type) => hasType(capabilities, type))).toSorted()
  if (types.length > 0) return types
  return yield* serverError(
    {
      _tag: "InvalidSetting",
      detail: "the server has none of the types that the mapping reads: set `source: {types: […]}`"
    }
  )
})
