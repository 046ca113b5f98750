import { code, component, decimal, text, timestamp } from "../FieldSchema.ts"
import type { EncounterCode, PatientCode, VisitCode } from "../values/Code.ts"

/** The first assessment of a patient who arrives; an encounter in nature (§2.6). */
export const Triage = component("Triage", "§2.6 Triage", "The first assessment of a patient who arrives.", {
  patient_code: code<PatientCode>("Code of the patient: the visit's own."),
  visit_code: code<VisitCode>("Code of the visit it belongs to."),
  code: code<EncounterCode>("Code of the triage; unique among all encounters."),
  chief_complaint: text("Why the patient came, in the patient's words."),
  height: decimal("Body height; the specification names no unit."),
  weight: decimal("Body weight; the specification names no unit."),
  recorded_at: timestamp("When it was recorded."),
  recorded_by: text("Who recorded it."),
  title: text("Professional title of who recorded it.")
})
