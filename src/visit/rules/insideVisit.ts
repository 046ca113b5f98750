import { entriesOf, instantAt, type Rule } from "./Rule.ts"

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

/** Checks that events during a visit lie between `admitted_at` and `discharged_at`, both inclusive. */
export const insideVisit: Rule = (visit, _settings, report) => {
  const admitted = instantAt(visit, "admitted_at")
  const discharged = instantAt(visit, "discharged_at")
  if (Number.isNaN(admitted) && Number.isNaN(discharged)) return
  for (const [list, names] of during) {
    entriesOf(visit, list).forEach((entry, index) => {
      for (const name of names) {
        const at = instantAt(entry, name)
        if (at < admitted || at > discharged) {
          report({
            code: "outside-visit",
            severity: "warning",
            path: [list, index, name],
            title: at < admitted
              ? `\`${name}\` is before the visit's \`admitted_at\``
              : `\`${name}\` is after the visit's \`discharged_at\``
          })
        }
      }
    })
  }
}
