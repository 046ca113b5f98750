import { toEpochMillis } from "../values/Timestamp.ts"
import type { LeafRule } from "./Rule.ts"

/** Tolerance for clock differences. */
const tolerance = 5 * 60_000

/** Checks that only the next appointment lies in the future. A birth after the visit is found by `ageIsPossible`. */
export const notInTheFuture: LeafRule = {
  isAbout: (field) => field.kind === "timestamp" && field.name !== "followup_at",
  sees: "values",
  start: (_visit, { now }, report) => (value, field, path) => {
    if (typeof value !== "string" || !(toEpochMillis(value) > now + tolerance)) return
    report({ code: "in-the-future", severity: "warning", path: path(), title: `\`${field.name}\` lies in the future` })
  }
}
