import { code, component, decimal, many, text, timestamp } from "../FieldSchema.ts"
import type { EncounterCode } from "../values/Code.ts"

/** The names of observations that §2.6 lists. */
export const observationNames = [
  "Systolic Blood Pressure",
  "Diastolic Blood Pressure",
  "Heart Rate",
  "Respiratory Rate",
  "Temperature",
  "Blood Oxygen",
  "Random Blood Glucose"
] as const

/** One measured sign (§2.6). */
const VitalSignObservation = component("VitalSignObservation", "§2.6 VitalSign", "One measured sign.", {
  name: text("Name of the sign, such as `Heart Rate`."),
  value: decimal("What was measured; the specification names no unit.")
})

/** Vital signs measured together (§2.6). */
export const VitalSign = component("VitalSign", "§2.6 VitalSign", "Vital signs taken together.", {
  encounter_code: code<EncounterCode>("Code of the encounter they were taken in."),
  recorded_at: timestamp("When they were taken."),
  recorded_by: text("Who took them."),
  title: text("Professional title of who took them."),
  observations: many(VitalSignObservation, "What was measured, one entry for each sign.")
})
