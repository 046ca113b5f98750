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

/** The times of day that stand for a day without a time: the beginning, the middle and the end that `time:` of a mapping sets. */
const wholeDay = /^T(?:00:00:00\.000|12:00:00\.000|23:59:59\.999)/u

/** Returns the first and the last instant that a timestamp can mean. */
const rangeAt = (value: UnvalidatedVisit, name: string): readonly [first: number, last: number] => {
  const text = value[name]
  if (typeof text !== "string" || !wholeDay.test(text.slice(10))) {
    const at = instantAt(value, name)
    return [at, at]
  }
  const first = toEpochMillis(`${text.slice(0, 10)}T00:00:00.000${text.slice(23)}`)
  return [first, first + dayMillis - 1]
}

/**
 * Checks that events during a visit lie between `admitted_at` and `discharged_at`, both inclusive. A day without a time is outside only if no
 * part of it is inside.
 */
export const insideVisit: Rule = (visit, _settings, report) => {
  const [admitted] = rangeAt(visit, "admitted_at")
  const [, discharged] = rangeAt(visit, "discharged_at")
  if (Number.isNaN(admitted) && Number.isNaN(discharged)) return
  for (const [list, names] of during) {
    entriesOf(visit, list).forEach((entry, index) => {
      for (const name of names) {
        const [first, last] = rangeAt(entry, name)
        if (last < admitted || first > discharged) {
          report({
            code: "outside-visit",
            severity: "warning",
            path: [list, index, name],
            title: last < admitted
              ? `\`${name}\` is before the visit's \`admitted_at\``
              : `\`${name}\` is after the visit's \`discharged_at\``
          })
        }
      }
    })
  }
}
