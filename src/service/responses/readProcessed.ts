import { isJsonObject, jsonObjectOf } from "../../json/JsonObject.ts"
import { PatientCode, VisitCode } from "../../visit/values/Code.ts"
import type { ProcessedVisit } from "../Operator.ts"
import type { ProcessedFact, ProcessedFields } from "../settings/ListSettings.ts"
import { uuidKey } from "../wire.ts"
import { nonEmptyText } from "./ServiceResponse.ts"

/**
 * Reads one row of the processed list, whose keys the specification does not show (§4.6). A fact with a configured path is read only
 * there.
 */
export const readProcessed = (given: unknown, fields: ProcessedFields = {}): ProcessedVisit => {
  const row = jsonObjectOf(given)
  const fact = (name: ProcessedFact, usual: string | null): string | null =>
    fields[name] === undefined ? usual : textAt(row, fields[name])
  const visit = isJsonObject(row["visit"]) ? row["visit"] : {}
  const patient = isJsonObject(row["patient"]) ? row["patient"] : {}
  const visitCode = fact(
    "visitCode",
    nonEmptyText(row["visit_code"]) ?? nonEmptyText(row["code"]) ?? nonEmptyText(visit["code"])
  )
  const patientCode = fact(
    "patientCode",
    nonEmptyText(row["patient_code"]) ?? nonEmptyText(visit["patient_code"]) ?? nonEmptyText(patient["code"])
  )
  return {
    visitCode: visitCode === null ? null : VisitCode(visitCode),
    patientCode: patientCode === null ? null : PatientCode(patientCode),
    admittedAt: fact("admittedAt", nonEmptyText(row["admitted_at"]) ?? nonEmptyText(visit["admitted_at"])),
    status: fact("status", nonEmptyText(row["status"]) ?? nonEmptyText(row["processing_status"])),
    ...(row["status"] === undefined ? {} : { processing: nonEmptyText(row["processing_status"]) }),
    uuid: fact("id", nonEmptyText(row[uuidKey]) ?? nonEmptyText(row["uuid"]) ?? nonEmptyText(row["id"]))
  }
}

const textAt = (row: unknown, path: ReadonlyArray<string>): string | null => {
  let value = row
  for (const key of path) value = isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
  return nonEmptyText(value)
}

/** Returns the facility of a row, if it shows one: the list may hold those of other facilities of the same user. */
export const facilityOf = (row: unknown, { facility: path }: ProcessedFields = {}): string | null => {
  if (!isJsonObject(row)) return null
  if (path !== undefined) return textAt(row, path)
  const facility = isJsonObject(row["health_facility"]) ? row["health_facility"] : {}
  return nonEmptyText(row["health_facility_code"]) ?? nonEmptyText(row["facility_code"]) ??
    nonEmptyText(facility["code"])
}
