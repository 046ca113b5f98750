import { Schema } from "effect"
import type { EncounterCode, FacilityCode, PatientCode, SystemCode, VisitCode } from "../../../visit/values/Code.ts"

/** The facts of a stored visit, without the visit itself. */
export const StoredVisit = Schema.Struct({
  systemCode: Schema.String.pipe(Schema.brand("SystemCode")),
  facilityCode: Schema.String.pipe(Schema.brand("FacilityCode")),
  code: Schema.String.pipe(Schema.brand("VisitCode")),
  patientCode: Schema.String.pipe(Schema.brand("PatientCode")),
  admittedAt: Schema.String,
  dischargedAt: Schema.NullOr(Schema.String),
  /** 1 or 3 (§3). */
  status: Schema.Int,
  /** Id of the submission that stored it last. */
  uuid: Schema.String,
  createdAt: Schema.String,
  updatedAt: Schema.String,
  /** Number of times it was accepted: above one only for a visit that was partly stored. */
  submissions: Schema.Int,
  /** Codes of its encounters, which are unique within a system (§4.5 rule 3). */
  encounters: Schema.Array(Schema.String.pipe(Schema.brand("EncounterCode")))
})
export type StoredVisit = typeof StoredVisit.Type

/** A pair of tokens. Only hashes are stored. */
export const StoredTokens = Schema.Struct({
  access: Schema.String,
  refresh: Schema.String,
  user: Schema.String,
  /** Epoch milliseconds. */
  accessUntil: Schema.Finite,
  refreshUntil: Schema.Finite
})
type StoredTokens = typeof StoredTokens.Type

/** The store of the embedded service. Every method is complete when it returns, so a check and the write after it are one step. */
export interface SandboxStore {
  readonly visit: (facilityCode: FacilityCode, code: VisitCode) => StoredVisit | null
  /** Returns the exact JSON text that was received. */
  readonly body: (facilityCode: FacilityCode, code: VisitCode) => string | null
  /** Returns the visit of a patient that was admitted at an instant, in epoch milliseconds. */
  readonly admitted: (patientCode: PatientCode, instant: number) => StoredVisit | null
  /** Returns the visit that has an encounter of this code. */
  readonly encounter: (systemCode: SystemCode, code: EncounterCode) => StoredVisit | null
  /** Returns the visits in the order of their first submission. */
  readonly visits: () => Iterable<StoredVisit>
  /** Stores all visits or none. */
  readonly put: (visits: ReadonlyArray<readonly [visit: StoredVisit, body: string]>) => void
  readonly tokenByAccess: (hash: string) => StoredTokens | null
  readonly tokenByRefresh: (hash: string) => StoredTokens | null
  readonly addToken: (token: StoredTokens) => void
  readonly removeToken: (token: StoredTokens) => void
}

const keyOf = (owner: string, code: string | number): string => `${owner}\n${code}`

/** Creates a store in memory, which ends with the process. */
export const makeMemoryStore = (): SandboxStore => {
  const visits = new Map<string, StoredVisit>()
  const bodies = new Map<string, string>()
  const admissions = new Map<string, StoredVisit>()
  const encounters = new Map<string, StoredVisit>()
  const accesses = new Map<string, StoredTokens>()
  const refreshes = new Map<string, StoredTokens>()
  return {
    visit: (facilityCode, code) => visits.get(keyOf(facilityCode, code)) ?? null,
    body: (facilityCode, code) => bodies.get(keyOf(facilityCode, code)) ?? null,
    admitted: (patientCode, instant) => admissions.get(keyOf(patientCode, instant)) ?? null,
    encounter: (systemCode, code) => encounters.get(keyOf(systemCode, code)) ?? null,
    visits: () => visits.values(),
    put: (stored) => {
      for (const [visit, body] of stored) {
        const key = keyOf(visit.facilityCode, visit.code)
        const before = visits.get(key)
        if (before !== undefined) {
          for (const code of before.encounters) encounters.delete(keyOf(before.systemCode, code))
        }
        visits.set(key, visit)
        bodies.set(key, body)
        admissions.set(keyOf(visit.patientCode, Date.parse(visit.admittedAt)), visit)
        for (const code of visit.encounters) encounters.set(keyOf(visit.systemCode, code), visit)
      }
    },
    tokenByAccess: (hash) => accesses.get(hash) ?? null,
    tokenByRefresh: (hash) => refreshes.get(hash) ?? null,
    addToken: (token) => {
      accesses.set(token.access, token)
      refreshes.set(token.refresh, token)
    },
    removeToken: (token) => {
      accesses.delete(token.access)
      refreshes.delete(token.refresh)
    }
  }
}
