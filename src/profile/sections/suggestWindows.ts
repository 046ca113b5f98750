import { number } from "../../diagnostic/count.ts"
import { patientReaders } from "../../mapping/patientReaders.ts"
import type { Findings, Out } from "../Findings.ts"
import { share } from "../Findings.ts"

export const suggestWindows = ({ links, plan }: Findings, out: Out): void => {
  for (const { none, paths, records, type, withPatientAndTime } of links) {
    if (none === 0 || !windows.has(type) || plan.grouping.windows.has(type)) continue
    const why = `${share(none, records, `${type} record`)} reach no encounter`
    const readers = patientReaders(plan, type)
    // Their times may be years before a visit: a window finds none then, and needs none.
    if (readers.length > 0 && paths.length > 0) {
      out.notes.push(
        `${why}, and belong to their patient: ${
          readers.map(({ name, where }) =>
            `\`${name}\` reads those${
              where.length === 0 ? "" : ` where  ${where.map(({ text }) => short(text)).join("  and  ")}`
            }`
          ).join("; ")
        }`
      )
    } else if (withPatientAndTime === 0) out.notes.push(`${why}, and do not name a patient and a time`)
    else if (paths.length > 0) {
      out.notes.push(
        `${why}; ${number(withPatientAndTime)} could be placed by patient and time: grouping: window: ${type}`
      )
    } else {
      out.writer.put(
        ["grouping", "window", type],
        "{enabled: true}",
        `${why}, and none names one: they are placed by patient and time`
      )
    }
  }
}

const short = (text: string): string => (text.length <= 70 ? text : `${text.slice(0, 69)}…`)

/** Types for which the base mapping has a window, closed. */
const windows: ReadonlySet<string> = new Set(
  ("Observation DiagnosticReport ServiceRequest ImagingStudy Condition Procedure MedicationRequest MedicationDispense "
    + "MedicationAdministration DocumentReference Composition Communication CarePlan Invoice Claim").split(" ")
)
