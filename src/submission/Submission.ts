import { createHash } from "node:crypto"
import type { LocatedEncounterCode } from "../visit/encounterCodes.ts"
import type { FacilityCode, PatientCode, VisitCode } from "../visit/values/Code.ts"

/** The facts by which the service and a plan distinguish visits (§3), without the payload. */
export interface VisitFacts {
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
  /** Hash of the payload. */
  readonly fingerprint: string
  /** The record that it was produced from, for people: `Encounter/5b1e44`. */
  readonly source: string | null
}

/** A valid visit to be sent: its exact JSON text, and its facts. */
export interface Submission extends Omit<VisitFacts, "fingerprint" | "source"> {
  /** The JSON text of the visit, byte for byte as in the request's `visits`. */
  readonly payload: string
  readonly source?: string
}

/** Returns the SHA-256 of the payload's UTF-8 bytes, in hex, to recognise an unchanged visit. */
export const fingerprint = (payload: string): string => createHash("sha256").update(payload, "utf8").digest("hex")

export const factsOf = ({ payload, source, ...facts }: Submission): VisitFacts => ({
  ...facts,
  fingerprint: fingerprint(payload),
  source: source ?? null
})
