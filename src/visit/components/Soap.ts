import { code, component, text, textOrNull, timestamp } from "../FieldSchema.ts"
import type { EncounterCode } from "../values/Code.ts"

export const Soap = component("Soap", "§2.6 Soap", "A note in the parts subjective, objective, assessment and plan.", {
  encounter_code: code<EncounterCode>("Code of the encounter it was written in."),
  code: code("Code of the note."),
  subjective: text("What the patient says."),
  objective: text("What was found."),
  assessment: text("Assessment of the findings."),
  plan: text("What is to be done."),
  evaluation: textOrNull("The result."),
  recorded_at: timestamp("When it was written."),
  recorded_by: text("Who wrote it."),
  title: text("Professional title of who wrote it.")
})
