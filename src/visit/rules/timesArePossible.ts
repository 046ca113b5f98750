import type { Field } from "../Field.ts"
import { thisYear } from "../values/thisYear.ts"
import { toEpochMillis } from "../values/Timestamp.ts"
import type { ValuePath } from "../VisitProblem.ts"
import { LeafCheck, type LeafRule } from "./Rule.ts"

/** Tolerance for clock differences. */
const tolerance = 5 * 60_000

/** No patient was born earlier, but Persian and Islamic years, such as 1404 and 1447, are less. */
const firstYear = 1850

class PossibleTimes extends LeafCheck {
  see(value: unknown, { kind, name }: Field, path: () => ValuePath): void {
    if (typeof value !== "string") return
    const { now } = this.settings
    const year = Number(value.slice(0, 4))
    // Nepali and Buddhist years are far ahead. An appointment can be some years ahead.
    const lastYear = thisYear(now) + (name === "followup_at" ? 20 : 1)
    if (year < firstYear || (kind === "timestamp" && year > lastYear)) {
      this.report({
        code: "odd-value",
        severity: "error",
        path: path(),
        title: `the year of \`${name}\` is impossible`,
        help:
          "correct the year in the source system; if it is of another calendar, export dates of the Gregorian calendar, or set  calendar: buddhist  in the column of a table"
      })
    } else if (kind === "timestamp" && name !== "followup_at" && toEpochMillis(value) > now + tolerance) {
      this.report({ code: "in-the-future", severity: "warning", path: path(), title: `\`${name}\` lies in the future` })
    }
  }
}

/** Checks that years are possible, and that only the next appointment lies in the future. `ageIsPossible` finds a birth after the visit. */
export const timesArePossible: LeafRule = {
  isAbout: ({ kind }) => kind === "timestamp" || kind === "date",
  sees: "values",
  Check: PossibleTimes
}
