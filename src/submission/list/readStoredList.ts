import type { ProcessedVisit } from "../../service/Operator.ts"
import { documentedRules, plainStatus, type ResponseRules } from "../../service/responses/ResponseRules.ts"
import type { VisitCode } from "../../visit/values/Code.ts"
import type { JournalVisit } from "../journal/JournalVisit.ts"
import type { SentVersion } from "../journal/PendingVisit.ts"
import type { ListedStatus, ListEvidence } from "../journal/VisitState.ts"
import { mayBeAdmission } from "./AdmissionTime.ts"

/** The meaning of the list's status texts. §3 defines 1 and 3; the values of `processing_status` are not shown (§4.6). */
export type ListedStatuses = Pick<ResponseRules, "stored" | "partial">

/** The evidence of a list about one visit, and its row. */
interface Listing {
  readonly evidence: ListEvidence
  readonly row: ProcessedVisit | null
}

const notListed: Listing = { evidence: { _tag: "NotListed" }, row: null }

/**
 * Looks a visit up among the rows of `rowsFor`. A row with its code is ours if nothing in it contradicts one of the versions that we sent.
 * It must also show at least one of patient and admission time. It is another sender's if it contradicts all versions. A row without a code
 * proves nothing but that the visit may be in the list.
 */
export const readStoredList = (
  versions: ReadonlyArray<SentVersion>,
  rows: ReadonlyArray<ProcessedVisit>,
  statuses: ListedStatuses = documentedRules
): Listing => {
  let best = notListed
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
  const isTaken = problem === "admission-time-taken" &&
    rows.some((row) =>
      versions.some((version) =>
        row.visitCode !== null && row.patientCode === version.patientCode && row.admittedAt !== null
        && mayBeAdmission(row.admittedAt, version.admittedAt) === true
      )
    )
  return isTaken
    ? { evidence: { _tag: "Taken" }, row: null }
    : readStoredList(versions, rows.filter(({ visitCode }) => visitCode === null))
}

/** The rows of a list by visit code, those without a code under `null`. */
type RowsByCode = ReadonlyMap<VisitCode | null, ReadonlyArray<ProcessedVisit>>

export const byCode = (rows: ReadonlyArray<ProcessedVisit>): RowsByCode =>
  Map.groupBy(rows, ({ visitCode }) => visitCode)

/** Returns the codes that a list shows. */
export const codesIn = (found: RowsByCode): ReadonlyArray<VisitCode> =>
  [...found.keys()].filter((code) => code !== null)

/** Returns the rows with a code. If there are none, those without a code can be of the visit. */
export const rowsFor = (found: RowsByCode, code: VisitCode): ReadonlyArray<ProcessedVisit> =>
  found.get(code) ?? found.get(null) ?? []

const readRow = (
  versions: ReadonlyArray<SentVersion>,
  row: ProcessedVisit,
  statuses: ListedStatuses
): Listing => {
  const comparisons = new Set(versions.map((version) => isOf(version, row)))
  if (row.visitCode === null) {
    return comparisons.has(true) || comparisons.has(null) ? { evidence: { _tag: "Untold" }, row: null } : notListed
  }
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

const weights: Readonly<Record<ListedStatus, number>> = { stored: 6, partial: 5, none: 4, other: 3 }

const weight = (evidence: ListEvidence): number => {
  switch (evidence._tag) {
    case "Ours":
      return weights[evidence.status]
    case "Untold":
      return 2
    case "Anothers":
      return 1
    default:
      return 0
  }
}
