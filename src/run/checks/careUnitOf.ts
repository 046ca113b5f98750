import { jsonListOf, jsonObjectOf } from "../../json/JsonObject.ts"
import type { SourceRecord } from "../../source/records/SourceRecord.ts"
import type { RunRecords } from "../convertPartition.ts"

/** Sections of a visit that name the service that saw the patient (§2.6 Encounter). A stay is more specific than the unit it began in. */
const parts = ["inpatients", "emergencies", "outpatients"] as const

/** The service that saw the patient, as given in the visit. */
export const careServiceOf = (visit: Readonly<Record<string, unknown>>): string | undefined => {
  for (const part of parts) {
    for (const one of jsonListOf(visit[part])) {
      const service = jsonObjectOf(one).service_type
      if (isText(service)) return service
    }
  }
  return undefined
}

/** The location in the root record of a visit: its last location, otherwise the service provider. */
export const locationOf = (root: SourceRecord, records: Pick<RunRecords, "resolve">): string | undefined => {
  const last = jsonListOf(root.resource.location).at(-1)
  return nameOf(jsonObjectOf(last).location, root, records) ??
    nameOf(root.resource.serviceProvider, root, records)
}

const nameOf = (
  reference: unknown,
  root: SourceRecord,
  { resolve }: Pick<RunRecords, "resolve">
): string | undefined => {
  const display = jsonObjectOf(reference).display
  if (isText(display)) return display
  if (reference === undefined) return undefined
  // No mapping line asks for it, so a missing target is not reported.
  const name = resolve(reference, root, "quietly")?.resource.name
  return isText(name) ? name : undefined
}

const isText = (value: unknown): value is string => typeof value === "string" && value.trim() !== ""
