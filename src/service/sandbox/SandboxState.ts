import { DateTime, Effect } from "effect"
import type { JsonObject } from "../../json/JsonObject.ts"
import { encounterCodesOf } from "../../visit/encounterCodes.ts"
import { FacilityCode, PatientCode, SystemCode, VisitCode } from "../../visit/values/Code.ts"
import { beneficiaries } from "./data/beneficiaries.ts"
import type { FaultPlace } from "./Faults.ts"
import { type FixedWindow, makeFixedWindow } from "./FixedWindow.ts"
import type { SandboxOptions, SandboxUser } from "./SandboxOptions.ts"
import { type Counters, makeCounters, type SandboxStats } from "./Stats.ts"
import type { SandboxStore, StoredVisit } from "./store/SandboxStore.ts"

/** The state of one running service. */
export interface SandboxState {
  readonly options: SandboxOptions
  readonly store: SandboxStore
  readonly users: ReadonlyArray<SandboxUser>
  readonly beneficiaries: ReadonlyArray<JsonObject>
  /** Patient codes that exist (§4.5 rule 1); `null` if every code counts as existing. */
  readonly patients: ReadonlySet<string> | null
  readonly counters: Counters
  readonly tokenWindow: FixedWindow
  readonly dataWindow: FixedWindow
  /** Number of requests with the same content, for the faults. */
  readonly times: Map<string, number>
  /** Number of requests left in a burst of failures, at each place. */
  readonly bursts: Map<FaultPlace, number>
  /** Closes the service with every connection, and restarts it after this many milliseconds. */
  restart: (millis: number) => Effect.Effect<void>
}

export const makeState = (options: SandboxOptions, store: SandboxStore, now: number): SandboxState => {
  const given = options.data.beneficiaries
  const known = [...given, ...beneficiaries]
  const state: SandboxState = {
    options,
    store,
    users: options.data.users.length > 0 ? options.data.users : options.users,
    beneficiaries: known,
    patients: given.length === 0 ? null : new Set(known.map((person) => String(person["patient_code"]))),
    counters: makeCounters(),
    tokenWindow: makeFixedWindow(options.limits.token),
    dataWindow: makeFixedWindow(options.limits.data),
    times: new Map(),
    bursts: new Map(),
    restart: () => Effect.void
  }
  for (const visit of options.data.visits) {
    const facilityCode = FacilityCode(String(visit["health_facility_code"]))
    const fresh = store.visit(facilityCode, VisitCode(String(visit["code"]))) === null
    if (fresh) {
      store.put([[
        storedFrom(visit, { state, systemCode: SystemCode("data"), facilityCode, uuid: "data", now }),
        JSON.stringify(visit)
      ]])
    }
  }
  return state
}

/** Returns what the store keeps of an accepted visit in addition to its text. */
export const storedFrom = (
  visit: JsonObject,
  taken: {
    readonly state: SandboxState
    readonly systemCode: SystemCode
    readonly facilityCode: FacilityCode
    readonly uuid: string
    readonly now: number
    readonly partial?: boolean
    readonly before?: StoredVisit | null
  }
): StoredVisit => {
  const stamp = timestampOf(taken.now)
  return {
    systemCode: taken.systemCode,
    facilityCode: taken.facilityCode,
    code: VisitCode(String(visit["code"])),
    patientCode: PatientCode(String(visit["patient_code"])),
    admittedAt: String(visit["admitted_at"]),
    dischargedAt: typeof visit["discharged_at"] === "string" ? visit["discharged_at"] : null,
    status: taken.partial === true || taken.state.options.isPartial(visit) ? 3 : 1,
    uuid: taken.uuid,
    createdAt: taken.before?.createdAt ?? stamp,
    updatedAt: stamp,
    submissions: (taken.before?.submissions ?? 0) + 1,
    encounters: encounterCodesOf(visit).map(({ code }) => code)
  }
}

/** `YYYY-MM-DDTHH:mm:ss.sss+00:00` (§2). */
const timestampOf = (now: number): string => DateTime.formatIso(DateTime.makeUnsafe(now)).replace("Z", "+00:00")

export const readStats = (state: SandboxState): SandboxStats => {
  const visits = { stored: 0, partlyStored: 0 }
  for (const visit of state.store.visits()) visits[visit.status === 3 ? "partlyStored" : "stored"]++
  return {
    ...state.counters.read(),
    visits,
    peaks: { token: state.tokenWindow.peaks(), data: state.dataWindow.peaks() }
  }
}
