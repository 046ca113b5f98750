import { choice, code, component, many, text, textOrDecimal, textOrNull, timestamp } from "../FieldSchema.ts"
import type { EncounterCode, PatientCode, VisitCode } from "../values/Code.ts"

/** One measured or observed result (§2.6). */
const LabResult = component("LabResult", "§2.6 LabResult", "One result of a laboratory request.", {
  name: text("Name of the test."),
  category: text("Group the test belongs to."),
  value: textOrDecimal("The result: a string or a number."),
  value_type: choice(["string", "float"], "Type of `value`: `string` or `float`."),
  value_unit: textOrNull("Unit of the result."),
  reference_range: text("Reference range, as text."),
  interpretation: text("Interpretation of the result, such as high or low."),
  verified_at: timestamp("When the result was verified."),
  recorded_at: timestamp("When the result was recorded."),
  verified_by: text("Who verified it."),
  recorded_by: text("Who recorded it.")
})

export const Laboratory = component("Laboratory", "§2.6 Laboratory", "A laboratory request and its results.", {
  patient_code: code<PatientCode>("Code of the patient: the visit's own."),
  visit_code: code<VisitCode>("Code of the visit it belongs to."),
  encounter_code: code<EncounterCode>("Code of the encounter it was requested in."),
  request_code: code("Code of the request."),
  requested_at: timestamp("When it was requested."),
  collected_at: timestamp("When the specimen was collected."),
  requested_by: text("Who requested it."),
  collected_by: text("Who collected the specimen."),
  title: text("Professional title of who requested it."),
  results: many(LabResult, "The results, one entry for each test.")
})
