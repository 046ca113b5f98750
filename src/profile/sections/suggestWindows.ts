import { number } from "../../diagnostic/count.ts"
import type { Findings, Out } from "../Findings.ts"
import { share } from "../Findings.ts"

export const suggestWindows = ({ links, plan }: Findings, out: Out): void => {
  for (const { none, paths, records, type, withPatientAndTime } of links) {
    if (none === 0 || !windows.has(type) || plan.grouping.windows.has(type)) continue
    const why = `${share(none, records, `${type} record`)} reach no encounter`
    if (withPatientAndTime === 0) out.notes.push(`${why}, and do not name a patient and a time`)
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

/** Types for which the base mapping has a window, closed. */
const windows: ReadonlySet<string> = new Set(
  ("Observation DiagnosticReport ServiceRequest ImagingStudy Condition Procedure MedicationRequest MedicationDispense "
    + "MedicationAdministration DocumentReference Composition Communication CarePlan Invoice Claim").split(" ")
)
