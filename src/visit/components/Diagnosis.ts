import { code, codeOrNull, component, text, timestamp } from "../FieldSchema.ts"
import type { PatientCode, VisitCode } from "../values/Code.ts"

export const Diagnosis = component("Diagnosis", "§2.6 Diagnosis", "One diagnosis.", {
  patient_code: code<PatientCode>("Code of the patient: the visit's own."),
  visit_code: code<VisitCode>("Code of the visit it belongs to."),
  encounter_code: codeOrNull("Code of the encounter; null for a diagnosis of the whole visit."),
  diagnosis_type_name: text("Kind of diagnosis, such as `Primary`.", { list: "diagnosis_types" }),
  diagnosis_code: code("Code of the diagnosis.", { list: "diagnoses" }),
  diagnosis_name: text("Name of the diagnosis."),
  diagnosis_description: text("Longer description of the diagnosis."),
  diagnosed_at: timestamp("When it was diagnosed."),
  diagnosed_by: text("Who diagnosed it."),
  title: text("Professional title of who diagnosed it.")
})
