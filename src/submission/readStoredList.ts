import type { ProcessedVisit } from "../service/Operator.ts"
import { type AnswerRules, documentedRules, plainStatus } from "../service/responses/AnswerRules.ts"
import { canBe } from "./AdmissionTime.ts"
import type { JournalVisit } from "./journal/JournalVisit.ts"
import type { SentVersion } from "./journal/PendingVisit.ts"
import type { ListedStatus, ListEvidence } from "./journal/VisitState.ts"

/** What the status texts of the list mean. §3 knows 1 and 3; the values of `processing_status` are not shown (§4.6). */
export type ListedStatuses = Pick<AnswerRules, "stored" | "partial">

/** What a list says about one visit, and the row that says it. */
export interface Listing {
  readonly evidence: ListEvidence
  readonly row: ProcessedVisit | null
}

/**
 * Looks a visit up among the rows that have its code. A row is ours when nothing it shows contradicts one of the versions we
 * ever sent, and it shows at least one of patient and admission time; it is another's when it contradicts all of them.
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
 * The same for a visit whose code a whole list does not have, when the service refused it because of another visit of the patient
 * at the same admission time: whether the list shows that other one.
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
        && canBe(row.admittedAt, version.admittedAt) === true
      )
    )
  return { evidence: { _tag: row === undefined ? "NotListed" : "Taken" }, row: null }
}

/** The rows of a list by visit code. */
export const byCode = (rows: ReadonlyArray<ProcessedVisit>): ReadonlyMap<string, ReadonlyArray<ProcessedVisit>> => {
  const found = new Map<string, Array<ProcessedVisit>>()
  for (const row of rows) {
    const known = found.get(row.visitCode)
    if (known === undefined) found.set(row.visitCode, [row])
    else known.push(row)
  }
  return found
}

const readRow = (
  versions: ReadonlyArray<SentVersion>,
  row: ProcessedVisit,
  statuses: ListedStatuses
): Listing => {
  const answers = new Set(versions.map((version) => isOf(version, row)))
  if (answers.has(true)) return { evidence: { _tag: "Ours", status: statusOf(row.status, statuses) }, row }
  return { evidence: { _tag: answers.has(null) ? "Untold" : "Anothers" }, row }
}

/** `null` when the row shows nothing to compare. */
const isOf = (version: SentVersion, row: ProcessedVisit): boolean | null => {
  const patient = row.patientCode === null ? null : row.patientCode === version.patientCode
  const time = row.admittedAt === null ? null : canBe(row.admittedAt, version.admittedAt)
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
