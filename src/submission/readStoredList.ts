import type { ProcessedVisit } from "../service/Operator.ts"
import { documentedRules, plainStatus, type ResponseRules } from "../service/responses/ResponseRules.ts"
import type { VisitCode } from "../visit/values/Code.ts"
import { mayBeAdmission } from "./AdmissionTime.ts"
import type { JournalVisit } from "./journal/JournalVisit.ts"
import type { SentVersion } from "./journal/PendingVisit.ts"
import type { ListedStatus, ListEvidence } from "./journal/VisitState.ts"

/** The meaning of the list's status texts. §3 defines 1 and 3; the values of `processing_status` are not shown (§4.6). */
export type ListedStatuses = Pick<ResponseRules, "stored" | "partial">

/** The evidence of a list about one visit, and its row. */
interface Listing {
  readonly evidence: ListEvidence
  readonly row: ProcessedVisit | null
}

/**
 * Looks a visit up among the rows with its code. A row is ours if nothing in it contradicts one of the versions that we sent. It must
 * also show at least one of patient and admission time. It is another sender's if it contradicts all versions.
 */
export const readStoredList = (
  versions: ReadonlyArray<SentVersion>,
  rows: ReadonlyArray<ProcessedVisit>,
  statuses: ListedStatuses = documentedRules
): Listing => {
  if (rows.length === 0) return { evidence: { _tag: "NotListed" }, row: null }
  let best: Listing = { evidence: { _tag: "Anothers" }, row: rows[0] ?? null }
  for (const row of rows) {
    const listing = readRow(versions, row, statuses)
    if (weight(listing.evidence) > weight(best.evidence)) best = listing
  }
  return best
}

/**
 * Does the same for a visit whose code is not in a whole list. The service may have refused it because of another visit of the patient
 * at the same admission time. Then it checks whether the list shows that other visit.
 */
export const readAbsence = (
  problem: JournalVisit["problem"],
  versions: ReadonlyArray<SentVersion>,
  rows: ReadonlyArray<ProcessedVisit>
): Listing => {
  const row = problem !== "admission-time-taken" ?
    undefined :
    rows.find((row) =>
      versions.some((version) =>
        row.patientCode === version.patientCode && row.admittedAt !== null
        && mayBeAdmission(row.admittedAt, version.admittedAt) === true
      )
    )
  return { evidence: { _tag: row === undefined ? "NotListed" : "Taken" }, row: null }
}

/** Returns the rows of a list by visit code. */
export const byCode = (rows: ReadonlyArray<ProcessedVisit>): ReadonlyMap<VisitCode, ReadonlyArray<ProcessedVisit>> =>
  Map.groupBy(rows, ({ visitCode }) => visitCode)

const readRow = (
  versions: ReadonlyArray<SentVersion>,
  row: ProcessedVisit,
  statuses: ListedStatuses
): Listing => {
  const comparisons = new Set(versions.map((version) => isOf(version, row)))
  if (comparisons.has(true)) return { evidence: { _tag: "Ours", status: statusOf(row.status, statuses) }, row }
  return { evidence: { _tag: comparisons.has(null) ? "Untold" : "Anothers" }, row }
}

/** Whether the row is of this version; `null` if it shows nothing to compare. */
const isOf = (version: SentVersion, row: ProcessedVisit): boolean | null => {
  const patient = row.patientCode === null ? null : row.patientCode === version.patientCode
  const time = row.admittedAt === null ? null : mayBeAdmission(row.admittedAt, version.admittedAt)
  if (patient === false || time === false) return false
  return patient === null && time === null ? null : true
}

const statusOf = (status: string | null, { partial, stored }: ListedStatuses): ListedStatus => {
  if (status === null) return "none"
  if (stored.includes(plainStatus(status))) return "stored"
  return partial.includes(plainStatus(status)) ? "partial" : "other"
}

const weights: Readonly<Record<ListedStatus, number>> = { stored: 5, partial: 4, none: 3, other: 2 }

const weight = (evidence: ListEvidence): number => {
  switch (evidence._tag) {
    case "Ours":
      return weights[evidence.status]
    case "Untold":
      return 1
    default:
      return 0
  }
}
