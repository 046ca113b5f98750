import { Effect, Layer, Redacted } from "effect"
import { hash } from "node:crypto"
import { type Facility, noJournal } from "../../facility/Facility.ts"
import { standardDataFolder } from "../../facility/lists/StandardData.ts"
import { type NamedFacility, operatorLimits, readOperatorConfig } from "../../facility/settings/readOperatorConfig.ts"
import { Windows } from "../../service/countRequests.ts"
import { Operator } from "../../service/Operator.ts"
import { Sandbox } from "../../service/sandbox/Sandbox.ts"
import { randomUser } from "../../service/sandbox/SandboxOptions.ts"
import { defaultOperatorSettings, type OperatorConfig } from "../../service/settings/OperatorConfig.ts"
import { Journal } from "../../submission/journal/Journal.ts"
import { JournalError } from "../../submission/journal/JournalError.ts"
import { type JournalOptions, sharedCounts } from "../../submission/journal/JournalFile.ts"
import { JournalReader } from "../../submission/journal/JournalReader.ts"
import { openWindowStore } from "../../submission/journal/WindowStore.ts"
import { FacilityCode, SystemCode } from "../../visit/values/Code.ts"

/** A limit that a rehearsal never reaches. */
const rehearsalLimit = { count: 1_000_000_000, windowMillis: 3_600_000 } as const

/** A facility, and the configuration of its client for the service. */
export interface Access {
  readonly facility: NamedFacility
  readonly config: OperatorConfig
}

/** The real service, with the secrets of the environment. The token is kept for the next run. */
export const realAccess = Effect.fn("realAccess")(function*(facility: Facility) {
  const config = yield* readOperatorConfig(facility)
  return {
    facility: { ...facility, code: config.facilityCode },
    config: { ...config, tokenFile: tokenFileOf(facility, config) }
  } satisfies Access
})

/**
 * The file of the token: next to the journal. If facilities share the request counts, it is next to these, one for each user, because a
 * new token can revoke the earlier one.
 */
const tokenFileOf = ({ journal, sharedLimits }: Facility, { username }: OperatorConfig): string =>
  sharedLimits === null
    ? `${journal}.token`
    : `${sharedLimits}.${hash("sha256", username).slice(0, 8)}.token`

/** Placeholder for a facility code that is not known yet. */
export const rehearsalFacility = FacilityCode("HF-REHEARSAL")

/**
 * A rehearsal: the embedded service on this machine, and a temporary journal. A rehearsal leaves no trace, however it ends, and never
 * writes to the facility's journal.
 */
export const rehearsal = Effect.fn("rehearsal")(function*(facility: Facility) {
  const { url, user } = yield* Sandbox
  const code = facility.code ?? rehearsalFacility
  const config: OperatorConfig = {
    ...defaultOperatorSettings,
    baseUrl: url,
    authUrl: url,
    facilityCode: code,
    systemCode: facility.system ?? SystemCode("SYS-REHEARSAL"),
    username: user.username,
    password: Redacted.make(user.password),
    clientId: user.clientId,
    clientSecret: Redacted.make(user.clientSecret),
    limits: { ...operatorLimits(facility), data: rehearsalLimit },
    sending: facility.sending
  }
  const service = { ...facility.service, baseUrl: url }
  return {
    facility: { ...facility, code, service, sharedLimits: null, journal: noJournal },
    config
  } satisfies Access
})

/**
 * The embedded service without the limits of the real one, so that a rehearsal does not take hours. It holds patient data, and every user
 * of this machine can reach its port. Therefore its credentials are random, and it serves no pages.
 */
export const layerRehearsal = Layer.unwrap(Effect.sync(() =>
  Sandbox.layer({
    limits: { token: { count: 60, windowMillis: 60_000 }, data: rehearsalLimit },
    users: [randomUser()],
    pages: "none"
  })
))

const journalOptions = ({ config, facility }: Access): JournalOptions => journalOf(facility, config.baseUrl)

/** The journal of a facility and a service. Names of production journals do not contain the environment, because they were introduced first. */
export const journalOf = (
  { code, environment, journal, sharedLimits }: Pick<
    NamedFacility,
    "code" | "environment" | "journal" | "sharedLimits"
  >,
  service: string
): JournalOptions => ({
  file: journal,
  facility: code,
  service,
  ...(environment === "production" ? {} : { environment }),
  ...(sharedLimits === null ? {} : { counts: sharedLimits }),
  ...(journal === noJournal ? { isTemporary: true } : {})
})

/** The longest wait of queries for a limit. A long one would hold the journal, and with it the next run. */
const maxAskingMillis = 120_000

/** The service and the journal, for queries only. They end when a limit requires a long wait. */
export const layerAsking = (access: Access) => {
  const { config } = access
  const limits = { ...config.limits, maxWaitMillis: Math.min(config.limits.maxWaitMillis, maxAskingMillis) }
  return layerOn({ ...access, config: { ...config, limits } }, { ...journalOptions(access), isLookup: true })
}

/** The service and the journal for a run. The requests are counted in the journal's file, so that runs share the limits (§8). */
export const layerRun = (access: Access) => layerOn(access, journalOptions(access))

const layerOn = (access: Access, options: JournalOptions) => {
  // Requests are counted in the journal, so it is opened and migrated first.
  return Operator.layer(access.config).pipe(
    Layer.provide(layerWindows(access)),
    Layer.provideMerge(Journal.layer(options))
  )
}

/** The service without a journal, for use during a run; its requests count with those of the run (§8). */
export const layerOperator = (access: Access) =>
  Operator.layer(access.config).pipe(
    Layer.provide(layerWindows(access))
  )

/**
 * Where `codes pull` stores the service's retry-after times: next to the lists. Downloads need no user (§4.3) and no journal.
 */
export const pullWaits = (facility: Facility): JournalOptions | null => {
  const folder = standardDataFolder(facility)
  return folder === null ? null : sharedCounts(`${folder}.waits.sqlite`)
}

/** Only the public lists. A retry-after time is stored for the next download. */
export const layerPublic = (facility: Facility, config: OperatorConfig) => {
  const waits = pullWaits(facility)
  return Operator.layer(config).pipe(
    // if it cannot be stored, the lists are downloaded anyway
    Layer.provide(
      waits === null ? Layer.empty : Layer.effect(Windows, Effect.orElseSucceed(openWindowStore(waits), () => null))
    )
  )
}

/** The file that stores the service's retry-after times for submissions. */
export const sendingWaits = (facility: NamedFacility, service: string): JournalOptions =>
  facility.sharedLimits === null ? journalOf(facility, service) : sharedCounts(facility.sharedLimits)

/** Where the requests are counted: in the journal, or in the file that several facilities share; those of a rehearsal in memory. */
const layerWindows = (access: Access): Layer.Layer<never, JournalError> => {
  const { journal, sharedLimits } = access.facility
  if (journal === noJournal) return Layer.empty
  const options = sharedLimits === null ? journalOptions(access) : sharedCounts(sharedLimits)
  return Layer.effect(Windows, openWindowStore(options))
}

/**
 * Read access to the journal, also during a run. The journal provides what the settings do not state, for example the facility.
 */
export const layerReader = (facility: Facility): Layer.Layer<JournalReader, JournalError> => {
  const read = (options: JournalOptions, unknown: ReadonlyArray<string>): Layer.Layer<JournalReader, JournalError> =>
    JournalReader.layer(options).pipe(Layer.catch((error) => {
      const { reason } = error
      return reason._tag === "OtherFacility" && unknown.includes(reason.what)
        ? read({ ...options, [reason.what]: reason.found }, unknown.filter((what) => what !== reason.what))
        : Layer.effect(JournalReader, Effect.fail(error))
    }))
  return read(journalOf({ ...facility, code: facility.code ?? FacilityCode("") }, facility.service.baseUrl ?? ""), [
    ...(facility.code === null ? ["facility"] : []),
    ...(facility.service.baseUrl === null ? ["service"] : []),
    ...(facility.file === null ? ["environment"] : [])
  ])
}
