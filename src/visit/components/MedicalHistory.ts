import { code, component, strings, text } from "../FieldSchema.ts"
import type { EncounterCode, PatientCode, VisitCode } from "../values/Code.ts"

/** The names of histories that §2.6 lists. */
export const historyNames = [
  "Immunization History",
  "Allergies",
  "Past Surgical History",
  "Past Medical History",
  "Family History",
  "Current Illness History",
  "Current Medication"
] as const

/** One kind of history and its values (§2.6). */
export const MedicalHistory = component(
  "MedicalHistory",
  "§2.6 MedicalHistory",
  "One kind of history and its facts.",
  {
    patient_code: code<PatientCode>("Code of the patient: the visit's own."),
    visit_code: code<VisitCode>("Code of the visit it belongs to."),
    encounter_code: code<EncounterCode>("Code of the encounter it was taken in."),
    name: text("Kind of history, such as `Allergies`."),
    value: strings("Facts of the history, one text each.")
  }
)
