import { number } from "../../diagnostic/count.ts"
import type { Findings, Out } from "../Findings.ts"
import { ask, isNeverEmpty, nodeAt, share, standIn } from "../Findings.ts"
import { quoted } from "../OverlayWriter.ts"
import { assumedPath } from "../substitutes.ts"

/** The last second of a day, where an encounter ended on a day without a time. */
const endOfDay = "iif(period.end.toString().length() = 10, period.end.toString() & 'T23:59:59', period.end)"

export const suggestEnds = (findings: Findings, out: Out): void => {
  const { finished, finishedWithoutEnd, noStart, notVisits, records } = findings.profiler.facts.encounters
  const end = nodeAt(findings, "Encounter", "period", "end")
  const days = end === undefined ? 0 : findings.profiler.dates.get(end)?.forms.get("day") ?? 0
  const fields = [["discharged_at"], ["outpatients", "ended_at"]].filter((field) => !isNeverEmpty(findings.plan, field))
  const open = finishedWithoutEnd === 0
    ? []
    : [assumedPath(out.writer, "iif(status = 'finished', period.start, {})", "beginning-is-end")]
  const path = `[${[days > 0 ? quoted(endOfDay) : "period.end", ...open].join(", ")}]`
  fields.forEach((field, at) => {
    const to = ["visit", ...field]
    const again = "as above; inpatients and emergencies do as outpatients do"
    if (days > 0) {
      const question = `${share(days, records, "encounter")} end on a day without a time: is the end of that day right?`
      if (at === 0) ask(out, to, path, question)
      else out.writer.put(to, path, again)
    } else if (finishedWithoutEnd > 0) {
      standIn(
        out,
        to,
        path,
        at === 0
          ? `${
            share(finishedWithoutEnd, finished, "finished encounter")
          } do not say when they ended: their beginning is sent`
          : again
      )
    }
  })
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
  const unfinished = records - notVisits - finished
  if (unfinished > 0) {
    out.notes.push(
      `${share(unfinished, records - notVisits, "encounter")} are not finished: they are ready when they have ended`
    )
  }
}
