import type { EncounterCode, FacilityCode, PatientCode, SystemCode, VisitCode } from "../../visit/values/Code.ts"

/** The facts of a stored visit, without the visit itself. */
export interface StoredVisit {
  readonly systemCode: SystemCode
  readonly facilityCode: FacilityCode
  readonly code: VisitCode
  readonly patientCode: PatientCode
  readonly admittedAt: string
  readonly dischargedAt: string | null
  /** 1 or 3 (§3). */
  readonly status: number
  /** Id of the submission that stored it last. */
  readonly uuid: string
  readonly createdAt: string
  readonly updatedAt: string
  /** Number of times it was accepted: above one only for a visit that was partly stored. */
  readonly submissions: number
  /** Codes of its encounters, which are unique within a system (§4.5 rule 3). */
  readonly encounters: ReadonlyArray<EncounterCode>
}

/** A pair of tokens. Only hashes are stored. */
interface StoredToken {
  readonly access: string
  readonly refresh: string
  readonly user: string
  /** Epoch milliseconds. */
  readonly accessUntil: number
  readonly refreshUntil: number
}

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
  readonly tokenByAccess: (hash: string) => StoredToken | null
  readonly tokenByRefresh: (hash: string) => StoredToken | null
  readonly addToken: (token: StoredToken) => void
  readonly removeToken: (token: StoredToken) => void
}

const keyOf = (owner: string, code: string | number): string => `${owner}\n${code}`

/** Creates a store in memory, which ends with the process. */
export const makeMemoryStore = (): SandboxStore => {
  const visits = new Map<string, StoredVisit>()
  const bodies = new Map<string, string>()
  const admissions = new Map<string, StoredVisit>()
  const encounters = new Map<string, StoredVisit>()
  const accesses = new Map<string, StoredToken>()
  const refreshes = new Map<string, StoredToken>()
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
