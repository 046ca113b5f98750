import type { Database } from "../../service/Database.ts"
import { type FacilityCode, PatientCode } from "../../visit/values/Code.ts"
import { type JournalVisit, visitColumns, visitOf } from "./JournalVisit.ts"

/** How a visit may appear in the processed list: one version that was sent under its code. */
export interface SentVersion {
  readonly patientCode: PatientCode
  readonly admittedAt: string
}

/** A visit that must be looked up. */
export interface PendingVisit {
  readonly visit: JournalVisit
  readonly versions: ReadonlyArray<SentVersion>
}

/**
 * Selects the visits to be looked up. `unanswered` is the condition for those without a response. The states come first, so that their
 * index is used.
 */
export const selectPending = (unanswered: string): string =>
  `SELECT ${visitColumns} FROM visit WHERE facility_code = ?
     AND state IN ('SENDING', 'UNKNOWN', 'VERIFY', 'DOUBT', 'CONFLICT', 'REFUSED', 'PARTIAL')
     AND (state IN ('VERIFY', 'DOUBT')
       OR (state = 'CONFLICT' AND looked = 0)
       OR (state = 'REFUSED' AND open = 1 AND looked = 0)
       OR (state = 'PARTIAL' AND max(coalesce(listed_at, ''), coalesce(attempted_at, '')) <= ?)
       OR ${unanswered})
   ORDER BY admitted_at, visit_code`

/** Returns the visits that a run in progress looks up. Visits without a response are included only if not looked up since. */
export const pendingVisits = (
  database: Database,
  facility: FacilityCode,
  partialBefore: string
): ReadonlyArray<PendingVisit> =>
  withVersions(
    database,
    facility,
    database.all(selectPending("(state = 'UNKNOWN' AND looked = 0)"), facility, partialBefore).map(visitOf)
  )

/** Returns the visits with every version that was sent under their codes. */
export const withVersions = (
  database: Database,
  facility: FacilityCode,
  visits: ReadonlyArray<JournalVisit>
): ReadonlyArray<PendingVisit> => {
  const rows = database.all(
    `SELECT DISTINCT visit_code, patient_code, admitted_at FROM attempt
     WHERE facility_code = ? AND event = 'Intended' AND visit_code IN (SELECT value FROM json_each(?))`,
    facility,
    JSON.stringify(visits.map((visit) => visit.code))
  )
  const sent = Map.groupBy(rows, (row) => String(row.visit_code))
  return visits.map((visit) => ({
    visit,
    versions: [
      { patientCode: visit.patientCode, admittedAt: visit.admittedAt },
      ...(sent.get(visit.code) ?? []).map((row) => ({
        patientCode: PatientCode(String(row.patient_code)),
        admittedAt: String(row.admitted_at)
      }))
    ]
  }))
}
