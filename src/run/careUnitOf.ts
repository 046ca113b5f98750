import type { SourceRecord } from "../source/records/SourceRecord.ts"
import type { RunRecords } from "./convertRecords.ts"

/** Parts of a visit that say which service saw the patient (§2.6 Encounter); a stay says more than the door it began at. */
const parts = ["inpatients", "emergencies", "outpatients"] as const

/** The service that saw the patient, as a visit says it. */
export const careServiceOf = (visit: Readonly<Record<string, unknown>>): string | undefined => {
  for (const part of parts) {
    for (const one of listOf(visit[part])) {
      const service = memberOf(one, "service_type")
      if (isText(service)) return service
    }
  }
  return undefined
}

/** Where the record that a visit grew from says it was: its last location, else who provided the service. */
export const locationOf = (root: SourceRecord, records: Pick<RunRecords, "all" | "resolve">): string | undefined => {
  const last = listOf(root.resource.location).at(-1)
  return nameOf(memberOf(last, "location"), "Location", root, records) ??
    nameOf(root.resource.serviceProvider, "Organization", root, records)
}

const nameOf = (
  reference: unknown,
  type: string,
  root: SourceRecord,
  { all, resolve }: Pick<RunRecords, "all" | "resolve">
): string | undefined => {
  const display = memberOf(reference, "display")
  if (isText(display)) return display
  // Without any record of the type nothing is looked up: what is not there would be told of as missing.
  if (reference === undefined || all(type).length === 0) return undefined
  const name = resolve(reference, root)?.resource.name
  return isText(name) ? name : undefined
}

const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

const isText = (value: unknown): value is string => typeof value === "string" && value.trim() !== ""

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined
