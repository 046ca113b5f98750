import { isRecord, textOf } from "./Answer.ts"
import type { ProcessedVisit } from "./Operator.ts"
import { uuidKey } from "./wire.ts"

/** One row of the processed list, whose keys the specification does not show (§4.6); `null` when it names no visit. */
export const readProcessed = (row: unknown): ProcessedVisit | null => {
  if (!isRecord(row)) return null
  const visit = isRecord(row["visit"]) ? row["visit"] : {}
  const patient = isRecord(row["patient"]) ? row["patient"] : {}
  const visitCode = textOf(row["visit_code"]) ?? textOf(row["code"]) ?? textOf(visit["code"])
  if (visitCode === null) return null
  return {
    visitCode,
    patientCode: textOf(row["patient_code"]) ?? textOf(visit["patient_code"]) ?? textOf(patient["code"]),
    admittedAt: textOf(row["admitted_at"]) ?? textOf(visit["admitted_at"]),
    status: textOf(row["status"]) ?? textOf(row["processing_status"]),
    uuid: textOf(row[uuidKey]) ?? textOf(row["uuid"]) ?? textOf(row["id"]),
    createdAt: textOf(row["created_at"])
  }
}

/** The facility of a row, when it shows one: the list may hold those of other facilities of the same user. */
export const facilityOf = (row: unknown): string | null => {
  if (!isRecord(row)) return null
  const facility = isRecord(row["health_facility"]) ? row["health_facility"] : {}
  return textOf(row["health_facility_code"]) ?? textOf(row["facility_code"]) ?? textOf(facility["code"])
}
