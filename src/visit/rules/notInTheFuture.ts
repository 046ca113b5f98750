import { toEpochMillis } from "../values/Timestamp.ts"
import { leavesWhere } from "./leaves.ts"
import type { Rule } from "./Rule.ts"

const timestamps = leavesWhere((field) => field.kind === "timestamp" && field.name !== "followup_at")

/** Tolerance for clock differences. */
const tolerance = 5 * 60_000

/** Checks that only the next appointment lies in the future. A birth after the visit is found by `valuesArePossible`. */
export const notInTheFuture: Rule = (visit, { now }, report) => {
  timestamps(visit, (value, field, path) => {
    if (typeof value !== "string" || !(toEpochMillis(value) > now + tolerance)) return
    report({ code: "in-the-future", severity: "warning", path: path(), title: `\`${field.name}\` lies in the future` })
  })
}
