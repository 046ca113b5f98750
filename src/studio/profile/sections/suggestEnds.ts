import { number } from "../../../diagnostic/count.ts"
import type { Findings, Out } from "../Findings.ts"
import { addQuestion, isNeverEmpty, nodeAt, percentage, substitute } from "../Findings.ts"
import { assumedPath } from "../substitutes.ts"

export const suggestEnds = (findings: Findings, out: Out): void => {
  const { finished, finishedWithoutEnd, noStart, notVisits, records } = findings.profiler.facts.encounters
  const end = nodeAt(findings, "Encounter", "period", "end")
  const days = end === undefined ? 0 : findings.profiler.dates.get(end)?.forms.get("day") ?? 0
  if (days > 0) {
    addQuestion(
      out,
      ["time", "partialEnd"],
      "end-of-day",
      `${percentage(days, records, "encounter")} end on a day without a time: is the end of that day right?`
    )
  }
  if (finishedWithoutEnd > 0) {
    const why = `${
      percentage(finishedWithoutEnd, finished, "finished encounter")
    } do not say when they ended: their beginning is sent`
    const beginning = assumedPath(
      out.writer,
      "iif(record().status = 'finished' and record().period.end.empty(), period.start, {})",
      "beginning-is-end"
    )
    const path = `[period.end, ${beginning}]`
    if (!isNeverEmpty(findings.plan, ["discharged_at"])) substitute(out, ["visit", "discharged_at"], path, why)
    if (!isNeverEmpty(findings.plan, ["outpatients", "ended_at"])) {
      substitute(
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
        percentage(noStart, records - notVisits, "encounter")
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
  const unfinished = records - notVisits - finished
  if (unfinished > 0) {
    out.notes.push(
      `${
        percentage(unfinished, records - notVisits, "encounter")
      } are not finished: they are ready when they have ended`
    )
  }
}
