import type { Database } from "./Database.ts"
import { type JournalVisit, visitColumns, visitOf } from "./JournalVisit.ts"

/** How a visit may appear in the processed list: whatever was ever sent under its code. */
export interface SentVersion {
  readonly patientCode: string
  readonly admittedAt: string
}

/** A visit about which the service has to be asked. */
export interface PendingVisit {
  readonly visit: JournalVisit
  readonly versions: ReadonlyArray<SentVersion>
}

/**
 * The visits about which the service is to be asked, without a `WHERE` of their own for those that have no answer yet: `unanswered` is
 * it. The states stand before the rest so that their index is used.
 */
export const selectAsked = (unanswered: string): string =>
  `SELECT ${visitColumns} FROM visit WHERE facility_code = ?
     AND state IN ('SENDING', 'UNKNOWN', 'VERIFY', 'DOUBT', 'CONFLICT', 'REFUSED', 'PARTIAL')
     AND (state IN ('VERIFY', 'DOUBT')
       OR (state = 'CONFLICT' AND looked = 0)
       OR (state = 'REFUSED' AND open = 1 AND looked = 0)
       OR (state = 'PARTIAL' AND max(coalesce(listed_at, ''), coalesce(attempted_at, '')) <= ?)
       OR ${unanswered})
   ORDER BY admitted_at, visit_code`

/** The visits a run that goes on asks about: of those without an answer the ones that were not asked about since. */
export const openVisits = (database: Database, facility: string, partialBefore: string): ReadonlyArray<PendingVisit> =>
  withVersions(
    database,
    facility,
    database.all(selectAsked("(state = 'UNKNOWN' AND looked = 0)"), facility, partialBefore).map(visitOf)
  )

/** Visits with whatever was ever sent under their codes. */
export const withVersions = (
  database: Database,
  facility: string,
  visits: ReadonlyArray<JournalVisit>
): ReadonlyArray<PendingVisit> => {
  const sent = new Map<string, Array<SentVersion>>()
  const rows = database.all(
    `SELECT DISTINCT visit_code, patient_code, admitted_at FROM attempt
     WHERE facility_code = ? AND event = 'Intended' AND visit_code IN (SELECT value FROM json_each(?))`,
    facility,
    JSON.stringify(visits.map((visit) => visit.code))
  )
  for (const row of rows) {
    const version = { patientCode: String(row.patient_code), admittedAt: String(row.admitted_at) }
    const versions = sent.get(String(row.visit_code))
    if (versions === undefined) sent.set(String(row.visit_code), [version])
    else versions.push(version)
  }
  return visits.map((visit) => ({
    visit,
    versions: [{ patientCode: visit.patientCode, admittedAt: visit.admittedAt }, ...(sent.get(visit.code) ?? [])]
  }))
}
