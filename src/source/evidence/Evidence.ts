import type { Origin } from "../../diagnostic/Origin.ts"
import { type JsonObject, jsonObjectOf, jsonTextOf } from "../../json/JsonObject.ts"

/**
 * What a downloader writes in addition to the records of a Bulk Data export. It shows whether the export is complete, and is never a
 * record. The manifest is described in HL7 Bulk Data Access IG, "Response - Complete Status". The events of `log.ndjson` are described in
 * SMART on FHIR, "Bulk Data Export Log Items". Errors are OperationOutcomes of FHIR R4.
 */
export type Evidence =
  | {
    readonly _tag: "Event"
    /** Shared by all events of an export. */
    readonly exportId: string
    /** `kickoff`, `download_complete`, `export_complete` … */
    readonly name: string
    readonly detail: JsonObject
    /** ISO 8601 */
    readonly at: string | undefined
  }
  | { readonly _tag: "Manifest"; readonly manifest: JsonObject }
  | { readonly _tag: "Outcome"; readonly outcome: JsonObject }

/** Evidence, with its source location. */
export interface PlacedEvidence {
  readonly evidence: Evidence
  readonly origin: Origin
}

/** Returns the evidence in a JSON object without `resourceType`, if it is any. */
export const evidenceIn = (value: JsonObject): Evidence | undefined => {
  const { eventDetail, eventId, exportId, timestamp } = value
  if (typeof eventId === "string" && (typeof exportId === "string" || typeof exportId === "number")) {
    return {
      _tag: "Event",
      exportId: String(exportId),
      name: eventId,
      detail: jsonObjectOf(eventDetail),
      at: jsonTextOf(timestamp)
    }
  }
  const isManifest = typeof value.transactionTime === "string" && fileLists.some((name) => Array.isArray(value[name]))
  return isManifest ? { _tag: "Manifest", manifest: value } : undefined
}

/** The lists of files in a manifest. */
export const fileLists = ["output", "deleted", "error"] as const

/** Reads a count as exporters write it: a number, or its digits. */
export const countOf = (value: unknown): number | undefined => {
  const count = typeof value === "string" && /^\d+$/u.test(value) ? Number(value) : value
  return typeof count === "number" && Number.isSafeInteger(count) && count >= 0 ? count : undefined
}
