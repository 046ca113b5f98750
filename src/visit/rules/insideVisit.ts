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

/**
 * Checks that events during a visit lie between `admitted_at` and `discharged_at`, both inclusive. A day without a time is outside only if no
 * part of it is inside.
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
          report({
            code: "outside-visit",
            severity: "warning",
            path: [list, index, name],
            title: isBefore
              ? `\`${name}\` is before the visit's \`admitted_at\``
              : `\`${name}\` is after the visit's \`discharged_at\``
          })
        }
      }
    })
  }
}
