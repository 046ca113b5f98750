import type { Field } from "../Field.ts"
import { toEpochMillis } from "../values/Timestamp.ts"
import type { ValuePath } from "../VisitProblem.ts"
import { LeafCheck, type LeafRule } from "./Rule.ts"

/** Tolerance for clock differences. */
const tolerance = 5 * 60_000

class TimesOfThePast extends LeafCheck {
  see(value: unknown, { name }: Field, path: () => ValuePath): void {
    if (typeof value !== "string" || !(toEpochMillis(value) > this.settings.now + tolerance)) return
    this.report({ code: "in-the-future", severity: "warning", path: path(), title: `\`${name}\` lies in the future` })
  }
}

/** Checks that only the next appointment lies in the future. A birth after the visit is found by `ageIsPossible`. */
export const notInTheFuture: LeafRule = {
  isAbout: (field) => field.kind === "timestamp" && field.name !== "followup_at",
  sees: "values",
  Check: TimesOfThePast
}
