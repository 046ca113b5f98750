import { join } from "node:path"
import type { JournalOptions } from "../../src/submission/journal/JournalFile.ts"
import type { Submission } from "../../src/submission/Submission.ts"
import { encounterCodesOf } from "../../src/visit/encounterCodes.ts"
import { FacilityCode, PatientCode, VisitCode } from "../../src/visit/values/Code.ts"

export { temporaryFolder } from "../source/tempFolder.ts"

export const journalIn = (folder: string): JournalOptions => ({
  file: join(folder, "journal", "HF0001.sqlite"),
  facility: FacilityCode("HF0001"),
  service: "https://service.example/api"
})

export interface SampleVisit {
  readonly code: string
  readonly patient?: string
  readonly admittedAt?: string
  /** `null` while the patient is in the house: the service stores it in part. */
  readonly dischargedAt?: string | null
  readonly visitType?: string
  readonly note?: string
  /** The codes of its outpatient encounters. */
  readonly encounters?: ReadonlyArray<string>
}

/** A small visit with the fields that the service's rules look at. Distinct codes have distinct patients. */
export const visit = (sample: SampleVisit): Submission => {
  const patientCode = PatientCode(sample.patient ?? `P-${sample.code}`)
  const admittedAt = sample.admittedAt ?? "2026-03-03T08:00:00.000+07:00"
  const outpatients = (sample.encounters ?? []).map((code) => ({ code }))
  return {
    code: VisitCode(sample.code),
    facility: FacilityCode("HF0001"),
    patientCode,
    admittedAt,
    encounters: encounterCodesOf({ outpatients }),
    payload: JSON.stringify({
      health_facility_code: "HF0001",
      patient_code: patientCode,
      code: sample.code,
      visit_type: sample.visitType ?? "OPD",
      admitted_at: admittedAt,
      discharged_at: sample.dischargedAt === undefined ? "2026-03-03T09:30:00.000+07:00" : sample.dischargedAt,
      outpatients,
      consultations: sample.note === undefined ? [] : [sample.note],
      referrals: null
    }),
    source: `Encounter/${sample.code}`
  }
}
