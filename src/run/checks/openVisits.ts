import { jsonObjectOf } from "../../json/JsonObject.ts"
import type { VisitGroup } from "../../mapping/grouping/VisitGroup.ts"
import type { SourceRecord } from "../../source/records/SourceRecord.ts"

/** Statuses of an Encounter whose patient has arrived and not left. Its visit is held until it ends. */
export const presentStatuses: ReadonlySet<unknown> = new Set(["arrived", "triaged", "in-progress", "onleave"])

/** Returns true while the visit is still open: one of its encounters is in progress without an end, and no other record gives a discharge. */
export const isNotOver = (encounters: ReadonlyArray<SourceRecord>, visit: Readonly<Record<string, unknown>>): boolean =>
  visit.discharged_at == null &&
  encounters.some(({ resource, row }) =>
    row === undefined && resource.resourceType === "Encounter" && presentStatuses.has(resource.status) &&
    jsonObjectOf(resource.period).end == null
  )

/**
 * When the newest record of a visit changed (`meta.lastUpdated`), in milliseconds since 1970. The patient's record does not count: it
 * changes with each visit, so a patient with daily visits would never be sent.
 */
export const newestAt = (
  { records }: Pick<VisitGroup, "records">,
  unwatched: (record: SourceRecord) => SourceRecord
): number | undefined => {
  let newest = Number.NEGATIVE_INFINITY
  for (const list of records.values()) {
    for (const record of list) {
      const { lastUpdated } = jsonObjectOf(unwatched(record).resource.meta)
      const at = typeof lastUpdated === "string" ? Date.parse(lastUpdated) : Number.NaN
      if (at > newest) newest = at
    }
  }
  return Number.isFinite(newest) ? newest : undefined
}
