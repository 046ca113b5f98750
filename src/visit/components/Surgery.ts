import { blankText, code, component, optionalStrings, strings, text, timestamp } from "../FieldSchema.ts"
import type { EncounterCode, VisitCode } from "../values/Code.ts"

/** A surgical operation; an encounter that belongs to another encounter (§2.6). */
export const Surgery = component("Surgery", "§2.6 Surgery", "An operation.", {
  visit_code: code<VisitCode>("Code of the visit it belongs to."),
  encounter_code: code<EncounterCode>("Code of the parent encounter."),
  code: code<EncounterCode>("Code of the surgery; unique among all encounters."),
  symptoms: optionalStrings("Symptoms; may be omitted."),
  theater_name: text("Operating theatre."),
  service_type: text("Service that operated."),
  reason: text("Why it was done."),
  anesthesia_type: text("Kind of anaesthesia."),
  procedure_notes: blankText("Notes on the procedure; may be empty."),
  complications: strings("Complications, one text for each."),
  specimens: strings("Specimens taken, one text for each."),
  blood_loss: text("Blood lost, as text; the specification names no unit."),
  surgeon_name: text("Who operated."),
  anesthetist_name: text("Who gave the anaesthesia."),
  assistant_names: strings("Who assisted, one name for each."),
  started_at: timestamp("When it began."),
  ended_at: timestamp("When it ended."),
  created_at: timestamp("When its record was created."),
  updated_at: timestamp("When its record was last changed.")
})
