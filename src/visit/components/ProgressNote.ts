import { code, component, text, timestamp } from "../FieldSchema.ts"
import type { EncounterCode, VisitCode } from "../values/Code.ts"

/** A round or later assessment of the patient; an encounter that belongs to another encounter (§2.6). */
export const ProgressNote = component("ProgressNote", "§2.6 ProgressNote", "A later assessment of the patient.", {
  visit_code: code<VisitCode>("Code of the visit it belongs to."),
  encounter_code: code<EncounterCode>("Code of the parent encounter."),
  code: code<EncounterCode>("Code of the progress note; unique among all encounters."),
  encountered_by: text("Who saw the patient."),
  title: text("Professional title of who saw the patient."),
  started_at: timestamp("When it began."),
  ended_at: timestamp("When it ended."),
  created_at: timestamp("When its record was created."),
  updated_at: timestamp("When its record was last changed.")
})
