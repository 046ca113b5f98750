import { toEpochMillis } from "../values/Timestamp.ts"
import { entriesOf, instantAt, type Rule, type UnvalidatedVisit } from "./Rule.ts"

/** Events during a visit. Results may be verified and invoices written after it, so they are not here. */
const during: ReadonlyArray<readonly [list: string, names: ReadonlyArray<string>]> = [
  ["triages", ["recorded_at"]],
  ["vital_signs", ["recorded_at"]],
  ["outpatients", ["started_at", "ended_at"]],
  ["inpatients", ["started_at", "ended_at"]],
  ["emergencies", ["started_at", "ended_at"]],
  ["surgeries", ["started_at", "ended_at"]],
  ["progress_notes", ["started_at", "ended_at"]],
  ["soaps", ["recorded_at"]],
  ["laboratories", ["requested_at", "collected_at"]],
  ["imageries", ["requested_at", "collected_at"]],
  ["diagnosis", ["diagnosed_at"]],
  ["prescriptions", ["prescribed_at"]]
]

const dayMillis = 86_400_000

/** The times of day that represent a day without a time: the beginning, the middle and the end that `time:` of a mapping sets. */
const standsForDay = (text: string): boolean =>
  text.startsWith("T00:00:00.000", 10) || text.startsWith("T12:00:00.000", 10) || text.startsWith("T23:59:59.999", 10)

/** Returns the first instant that a timestamp can mean. */
const firstAt = (value: UnvalidatedVisit, name: string): number => {
  const text = value[name]
  return typeof text === "string" && standsForDay(text)
    ? toEpochMillis(`${text.slice(0, 10)}T00:00:00.000${text.slice(23)}`)
    : instantAt(value, name)
}

/** Returns the last instant that a timestamp can mean. */
const lastAt = (value: UnvalidatedVisit, name: string): number => {
  const text = value[name]
  const first = firstAt(value, name)
  return typeof text === "string" && standsForDay(text) ? first + dayMillis - 1 : first
}

/** Returns a timestamp with its day and month exchanged; `undefined` if the day cannot be a month. */
const exchanged = (text: unknown): string | undefined =>
  typeof text !== "string" || text.slice(8, 10) > "12"
    ? undefined
    : `${text.slice(0, 5)}${text.slice(8, 10)}-${text.slice(5, 7)}${text.slice(10)}`

/** A longer stay contains many days, so an exchanged date can be inside by chance. */
const longestStay = 28 * dayMillis

/** Whether an event is inside a visit. Unknown edges and long stays show nothing. */
const isInside = (event: UnvalidatedVisit, name: string, visit: UnvalidatedVisit): boolean => {
  const admitted = firstAt(visit, "admitted_at")
  const discharged = lastAt(visit, "discharged_at")
  return discharged - admitted <= longestStay && lastAt(event, name) >= admitted && firstAt(event, name) <= discharged
}

/** Whether an event outside the visit is inside it as soon as day and month are exchanged, in its own date or in those of the visit. */
const isExchanged = (event: UnvalidatedVisit, name: string, visit: UnvalidatedVisit): boolean =>
  isInside({ [name]: exchanged(event[name]) }, name, visit) ||
  isInside(event, name, {
    admitted_at: exchanged(visit.admitted_at),
    discharged_at: exchanged(visit.discharged_at)
  })

/**
 * Checks that events during a visit lie between `admitted_at` and `discharged_at`, both inclusive. A day without a time is outside only if no
 * part of it is inside. If the event is inside when day and month are exchanged, one of the dates is wrong, and the visit is not sent.
 */
export const insideVisit: Rule = (visit, _settings, report) => {
  const admitted = firstAt(visit, "admitted_at")
  const discharged = lastAt(visit, "discharged_at")
  if (Number.isNaN(admitted) && Number.isNaN(discharged)) return
  for (const [list, names] of during) {
    entriesOf(visit, list).forEach((entry, index) => {
      for (const name of names) {
        const first = firstAt(entry, name)
        const isBefore = first < admitted && lastAt(entry, name) < admitted
        if (isBefore || first > discharged) {
          const title = isBefore
            ? `\`${name}\` is before the visit's \`admitted_at\``
            : `\`${name}\` is after the visit's \`discharged_at\``
          const problem = { code: "outside-visit", path: [list, index, name] } as const
          report(
            isExchanged(entry, name, visit)
              ? {
                ...problem,
                severity: "error",
                title: `${title}, and inside the visit if day and month are exchanged`,
                help:
                  "correct the order of day and month where the dates are read. If the dates are right, set in facility.yaml:  validation: {levels: {outside-visit: warning}}"
              }
              : { ...problem, severity: "warning", title }
          )
        }
      }
    })
  }
}
