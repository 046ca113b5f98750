import { createHash } from "node:crypto"
import type { LocatedEncounterCode } from "../visit/encounterCodes.ts"
import type { FacilityCode, PatientCode, VisitCode } from "../visit/values/Code.ts"

/** A valid visit to be sent: its exact JSON text, and the facts by which the service distinguishes visits (§3). */
export interface Submission {
  /** Visit code, unique for each health facility (§4.5 rule 2). */
  readonly code: VisitCode
  /** Health facility code. */
  readonly facility: FacilityCode
  readonly patientCode: PatientCode
  /** As in the payload: `YYYY-MM-DDTHH:mm:ss.sss+HH:MM`. */
  readonly admittedAt: string
  /** The codes of its encounters, unique within the record system (§4.5 rule 3). */
  readonly encounters: ReadonlyArray<LocatedEncounterCode>
  /** The later of its end and the last change of its records: milliseconds since 1970; `NaN` if it has no discharge. */
  readonly lastChangeAt?: number
  /** The JSON text of the visit, byte for byte as in the request's `visits`. */
  readonly payload: string
  /** The record that it was produced from, for people: `Encounter/5b1e44`. */
  readonly source?: string
}

/** The facts of a visit that a plan needs; decisions do not need the payload itself. */
export interface VisitFacts {
  readonly code: VisitCode
  readonly facility: FacilityCode
  readonly patientCode: PatientCode
  readonly admittedAt: string
  readonly encounters: ReadonlyArray<LocatedEncounterCode>
  readonly lastChangeAt?: number
  readonly fingerprint: string
  readonly source: string | null
}

/** Returns the SHA-256 of the payload's UTF-8 bytes, in hex, to recognise an unchanged visit. */
export const fingerprint = (payload: string): string => createHash("sha256").update(payload, "utf8").digest("hex")

/** Returns the facts of a submission. */
export const factsOf = (submission: Submission): VisitFacts => ({
  code: submission.code,
  facility: submission.facility,
  patientCode: submission.patientCode,
  admittedAt: submission.admittedAt,
  encounters: submission.encounters,
  ...(submission.lastChangeAt === undefined ? {} : { lastChangeAt: submission.lastChangeAt }),
  fingerprint: fingerprint(submission.payload),
  source: submission.source ?? null
})
