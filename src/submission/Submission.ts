import { createHash } from "node:crypto"
import type { EncounterCode } from "../visit/encounterCodes.ts"

/** A visit that is valid and is to be sent: its exact JSON text, and the facts by which the service tells visits apart (§3). */
export interface Submission {
  /** Visit code, unique for each health facility (§4.5 rule 2). */
  readonly code: string
  /** Health facility code. */
  readonly facility: string
  readonly patientCode: string
  /** As it stands in the payload: `YYYY-MM-DDTHH:mm:ss.sss+HH:MM`. */
  readonly admittedAt: string
  /** The codes of its encounters, unique within the record system (§4.5 rule 3). */
  readonly encounters: ReadonlyArray<EncounterCode>
  /** When it was over, or its newest record changed if that is later: milliseconds since 1970; `NaN` if it has no discharge. */
  readonly lastChangeAt?: number
  /** The JSON text of the visit, byte for byte as it stands in the request's `visits`. */
  readonly payload: string
  /** The record it grew from, for people: `Encounter/5b1e44`. */
  readonly source?: string
}

/** What a plan has to know of a visit; the payload itself is not needed to decide. */
export interface VisitFacts {
  readonly code: string
  readonly facility: string
  readonly patientCode: string
  readonly admittedAt: string
  readonly encounters: ReadonlyArray<EncounterCode>
  readonly lastChangeAt?: number
  readonly fingerprint: string
  readonly source: string | null
}

/** SHA-256 of the payload's UTF-8 bytes, in hex: "is this the same visit as last time?" */
export const fingerprint = (payload: string): string => createHash("sha256").update(payload, "utf8").digest("hex")

/** The facts of a submission. */
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
