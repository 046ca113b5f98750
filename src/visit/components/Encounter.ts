import { code, component, optionalStrings, text, timestamp } from "../FieldSchema.ts"
import type { EncounterCode, VisitCode } from "../values/Code.ts"

/** An entry of `outpatients`, `inpatients` or `emergencies` (§2.6). */
export const Encounter = component(
  "Encounter",
  "§2.6 Encounter",
  "An outpatient, inpatient or emergency encounter of the visit.",
  {
    visit_code: code<VisitCode>("Code of the visit it belongs to."),
    code: code<EncounterCode>("Code of the encounter; unique among all encounters."),
    name: text("Name of the encounter."),
    service_type: text("Service that saw the patient."),
    encountered_by: text("Who saw the patient."),
    title: text("Professional title of who saw the patient."),
    symptoms: optionalStrings("Symptoms; may be omitted."),
    started_at: timestamp("When it began."),
    ended_at: timestamp("When it ended."),
    created_at: timestamp("When its record was created."),
    updated_at: timestamp("When its record was last changed.")
  }
)
