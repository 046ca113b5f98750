import {
  code,
  codeOrNull,
  component,
  decimal,
  decimalOrNull,
  many,
  text,
  textOrNull,
  timestamp
} from "../FieldSchema.ts"
import type { PatientCode, VisitCode } from "../values/Code.ts"

/** One medicine of a prescription and how it is taken (§2.6). */
const PrescribedMedication = component(
  "PrescribedMedication",
  "§2.6 PrescribedMedication",
  "One medicine and how it is taken.",
  {
    code: code("Code of the medicine.", { list: "medications" }),
    medicine_name: text("Name of the medicine."),
    strength: text("Strength, such as `500 mg`."),
    form: text("Form, such as `tablet`."),
    method: text("How it is taken or given."),
    unit: text("Unit of the doses below."),
    note: text("Any other instruction."),
    morning: decimalOrNull("Dose in the morning; null when none is taken."),
    afternoon: decimalOrNull("Dose in the afternoon; null when none is taken."),
    evening: decimalOrNull("Dose in the evening; null when none is taken."),
    night: decimalOrNull("Dose at night; null when none is taken."),
    days: decimal("For how many days."),
    interval: textOrNull("Interval between doses, if they are not at these times of day.")
  }
)

/** A prescription (`encounter_code` null) or a dispense (`encounter_code` given) (§2.6). */
export const Prescription = component(
  "Prescription",
  "§2.6 Prescription",
  "A prescription or, where `encounter_code` is given, a dispense.",
  {
    patient_code: code<PatientCode>("Code of the patient: the visit's own."),
    visit_code: code<VisitCode>("Code of the visit it belongs to."),
    code: code("Code of the prescription."),
    prescribed_by: text("Who prescribed."),
    title: text("Professional title of who prescribed."),
    encounter_code: codeOrNull("Code of the encounter for a dispense; null for a prescription."),
    prescribed_at: timestamp("When it was prescribed."),
    medications: many(PrescribedMedication, "The medicines, one entry for each.")
  }
)
