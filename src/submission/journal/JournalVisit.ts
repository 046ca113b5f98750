import { Redacted } from "effect"
import type { SqlRow, SqlValue } from "../../service/Database.ts"
import type { RefusalReason } from "../../service/responses/Outcome.ts"
import { PatientCode, VisitCode } from "../../visit/values/Code.ts"
import { type UniquenessConflict, verdictStates, type VisitState, type VisitStatus } from "./VisitState.ts"

/** One visit in the journal, without its payload. Times are ISO 8601 in UTC. */
export interface JournalVisit extends VisitStatus {
  readonly code: VisitCode
  /** Hash of the frozen bytes, or of the bytes at the service once the visit is STORED. */
  readonly fingerprint: string
  readonly patientCode: PatientCode
  readonly admittedAt: string
  readonly source: string | null
  readonly mapping: string | null
  /** Requests that the service may have processed: one that a limit blocked, or that found no connection, is not counted. */
  readonly attempts: number
  readonly sentFingerprint: string | null
  readonly heldFingerprint: string | null
  readonly heldAdmittedAt: string | null
  /** The source has other bytes now, and they are not sent. */
  readonly changedSince: boolean
  /** The source no longer has it as a visit, for example because it was cancelled. It is not sent. */
  readonly withdrawn: boolean
  /** The service held the visit before an attempt of this journal can have stored it: its content there may differ from the source's. */
  readonly unseen: boolean
  readonly uuid: string | null
  /**
   * Why it was refused, or is held because of another visit. `released`: it may be sent again unchanged. `accepted`: a person decided
   * that the service holds it as ours.
   */
  readonly problem: RefusalReason | UniquenessConflict | "released" | "accepted" | null
  readonly field: string | null
  /** Number of errors that the service found beyond those it named. */
  readonly moreFields: number
  /** The service's message for the refusal. It may name the patient, so only a user who requests values sees it. */
  readonly said: Redacted.Redacted<string> | null
  readonly status: number | null
  /**
   * The status that the list shows for our record. It is set if it is neither 1 nor 3, or differs from the acknowledged status of a
   * stored visit.
   */
  readonly listedStatus: string | null
  /**
   * Why the list could not be read at the last lookup: its rows were incomplete, or the status of the response, 0 without a response.
   * `null` if it was read.
   */
  readonly listError: number | "incomplete" | null
  readonly attemptedAt: string | null
  readonly listedAt: string | null
  /** Since when it has its state or, before it is sent, its bytes. */
  readonly updatedAt: string
}

/** An incomplete list in the column of statuses. */
const incompleteList = -1

export const listErrorIn = (status: number | "incomplete" = 0): number =>
  status === "incomplete" ? incompleteList : status

/** The columns of a `JournalVisit`; the payload is not read. */
export const visitColumns =
  "visit_code, state, open, held, looked, fingerprint, patient_code, admitted_at, source, mapping, attempts, "
  + "sent_fingerprint, held_fingerprint, held_admitted_at, changed_since, withdrawn, unseen, unlisted, uuid, problem, field, more_fields, said, "
  + "http_status, listed_status, list_error, attempted_at, listed_at, updated_at"

export const stateIn = (word: SqlValue | undefined): VisitState =>
  // Only the journal writes these columns, and only with states.
  word as VisitState

export const visitOf = (row: SqlRow): JournalVisit => ({
  code: VisitCode(String(row.visit_code)),
  state: stateIn(row.state),
  open: row.open === 1,
  held: row.held === 1,
  looked: row.looked === 1,
  fingerprint: String(row.fingerprint),
  patientCode: PatientCode(String(row.patient_code)),
  admittedAt: String(row.admitted_at),
  source: textIn(row.source),
  mapping: textIn(row.mapping),
  attempts: Number(row.attempts),
  sentFingerprint: textIn(row.sent_fingerprint),
  heldFingerprint: textIn(row.held_fingerprint),
  heldAdmittedAt: textIn(row.held_admitted_at),
  changedSince: row.changed_since === 1,
  withdrawn: row.withdrawn === 1,
  unseen: row.unseen === 1,
  unlisted: row.unlisted === 1,
  uuid: textIn(row.uuid),
  // Only JournalWriter writes these words.
  problem: textIn(row.problem) as JournalVisit["problem"],
  field: textIn(row.field),
  moreFields: Number(row.more_fields),
  said: row.said === null ? null : Redacted.make(String(row.said), { label: "refusal" }),
  status: row.http_status === null ? null : Number(row.http_status),
  listedStatus: textIn(row.listed_status),
  listError: row.list_error === null ? null : row.list_error === incompleteList ? "incomplete" : Number(row.list_error),
  attemptedAt: textIn(row.attempted_at),
  listedAt: textIn(row.listed_at),
  updatedAt: String(row.updated_at)
})

/** Whether a later lookup in the list contradicts the response that acknowledged the visit. */
export const isContradicted = (visit: JournalVisit): boolean =>
  visit.state === "STORED" && (visit.unlisted || visit.listedStatus !== null)

/** Whether a request of ours ended in a verdict against the visit that a person has not released. */
export const isVerdict = ({ attempts, problem, state }: JournalVisit): boolean =>
  verdictStates.includes(state) && attempts > 0 && problem !== "released"

/** Returns why a visit is in doubt, or `null` when it is not. */
export const doubtOf = (
  visit: JournalVisit
): "probably ours" | "probably another's" | "unknown status" | "unclear responses" | null => {
  if (visit.state !== "DOUBT") return null
  if (visit.listedStatus !== null) return "unknown status"
  if (visit.problem === null) return "unclear responses"
  return visit.open || visit.held ? "probably ours" : "probably another's"
}

export const textIn = (value: SqlValue | undefined): string | null =>
  value === null || value === undefined ? null : String(value)
