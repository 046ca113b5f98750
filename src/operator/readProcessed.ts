import { isRecord, textOf } from "./Answer.ts"
import type { ProcessedFact, ProcessedFields } from "./ListSettings.ts"
import type { ProcessedVisit } from "./Operator.ts"
import { uuidKey } from "./wire.ts"

/**
 * One row of the processed list, whose keys the specification does not show (§4.6); `null` when it names no visit. A fact whose
 * place is told stands there or nowhere.
 */
export const readProcessed = (row: unknown, fields: ProcessedFields = {}): ProcessedVisit | null => {
  if (!isRecord(row)) return null
  const fact = (name: ProcessedFact, usual: string | null): string | null =>
    fields[name] === undefined ? usual : textAt(row, fields[name])
  const visit = isRecord(row["visit"]) ? row["visit"] : {}
  const patient = isRecord(row["patient"]) ? row["patient"] : {}
  const visitCode = fact("visitCode", textOf(row["visit_code"]) ?? textOf(row["code"]) ?? textOf(visit["code"]))
  if (visitCode === null) return null
  return {
    visitCode,
    patientCode: fact(
      "patientCode",
      textOf(row["patient_code"]) ?? textOf(visit["patient_code"]) ?? textOf(patient["code"])
    ),
    admittedAt: fact("admittedAt", textOf(row["admitted_at"]) ?? textOf(visit["admitted_at"])),
    status: fact("status", textOf(row["status"]) ?? textOf(row["processing_status"])),
    ...(row["status"] === undefined ? {} : { processing: textOf(row["processing_status"]) }),
    uuid: fact("id", textOf(row[uuidKey]) ?? textOf(row["uuid"]) ?? textOf(row["id"])),
    createdAt: fact("createdAt", textOf(row["created_at"]))
  }
}

const textAt = (row: unknown, path: ReadonlyArray<string>): string | null => {
  let value = row
  for (const key of path) value = isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined
  return textOf(value)
}

/** The facility of a row, when it shows one: the list may hold those of other facilities of the same user. */
export const facilityOf = (row: unknown, { facility: path }: ProcessedFields = {}): string | null => {
  if (!isRecord(row)) return null
  if (path !== undefined) return textAt(row, path)
  const facility = isRecord(row["health_facility"]) ? row["health_facility"] : {}
  return textOf(row["health_facility_code"]) ?? textOf(row["facility_code"]) ?? textOf(facility["code"])
}
