import { number } from "../../diagnostic/count.ts"
import type { Findings, Out } from "../Findings.ts"
import { isNeverEmpty, share, standIn } from "../Findings.ts"
import { noEnd, toldPath } from "../standIns.ts"

export const suggestEnds = (findings: Findings, out: Out): void => {
  const { finished, finishedWithoutEnd, noStart, notVisits, records } = findings.profiler.facts.encounters
  if (finishedWithoutEnd > 0) {
    const why = `${
      share(finishedWithoutEnd, finished, "finished encounter")
    } do not say when they ended: their beginning is sent`
    const path = `[period.end, ${toldPath("iif(status = 'finished', period.start, {})", noEnd)}]`
    if (!isNeverEmpty(findings.plan, ["discharged_at"])) standIn(out, ["visit", "discharged_at"], path, why)
    if (!isNeverEmpty(findings.plan, ["outpatients", "ended_at"])) {
      standIn(
        out,
        ["visit", "outpatients", "ended_at"],
        path,
        "as above; inpatients and emergencies do as outpatients do"
      )
    }
  }
  if (noStart > 0) {
    out.notes.push(
      `${
        share(noStart, records - notVisits, "encounter")
      } have no beginning: only the source system knows when they were`
    )
  }
  const { sameStart } = findings.profiler.facts
  if (sameStart > 0) {
    out.notes.push(
      `visits that begin when another of the same patient does: ${
        number(sameStart)
      }; the service takes one (same-admission-time)`
    )
  }
  const open = records - notVisits - finished
  if (open > 0) {
    out.notes.push(
      `${share(open, records - notVisits, "encounter")} are not finished: they are ready when they have ended`
    )
  }
}
