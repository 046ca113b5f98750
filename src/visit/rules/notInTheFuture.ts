import { daysFromCivil, digitsAt, isCalendarDate } from "../values/CalendarDate.ts"
import { toEpochMillis } from "../values/Timestamp.ts"
import { leavesWhere } from "./leaves.ts"
import { partOf, type Rule, textAt } from "./Rule.ts"

const timestamps = leavesWhere((field) => field.kind === "timestamp" && field.name !== "followup_at")

/**
 * Tolerance for clock differences. Below it, the offset of the earliest zone: a date begins there fourteen hours before it begins in UTC.
 */
const tolerance = 5 * 60_000
const earliestZone = 14 * 3_600_000

/** Checks that only the next appointment lies in the future. */
export const notInTheFuture: Rule = (visit, { now }, report) => {
  timestamps(visit, (value, field, path) => {
    if (typeof value !== "string" || !(toEpochMillis(value) > now + tolerance)) return
    report({ code: "in-the-future", severity: "warning", path: path(), title: `\`${field.name}\` lies in the future` })
  })
  const birthdate = textAt(partOf(visit, "patient"), "birthdate")
  if (birthdate === undefined || !isCalendarDate(birthdate)) return
  const days = daysFromCivil(digitsAt(birthdate, 0, 4), digitsAt(birthdate, 5, 7), digitsAt(birthdate, 8, 10))
  if (days * 86_400_000 > now + earliestZone) {
    report({
      code: "in-the-future",
      severity: "warning",
      path: ["patient", "birthdate"],
      title: "`birthdate` lies in the future"
    })
  }
}
