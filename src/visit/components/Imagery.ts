import { code, component, many, strings, text, textOrNull, timestamp } from "../FieldSchema.ts"
import type { EncounterCode, PatientCode, VisitCode } from "../values/Code.ts"

/** One reported image or series (§2.6). */
const ImageryResult = component("ImageryResult", "§2.6 ImageryResult", "One result of an imaging request.", {
  name: text("Name of the examination."),
  category: text("Group the examination belongs to, such as its modality."),
  images: strings("Locations of the images, one text for each."),
  result: text("What the images show."),
  conclusion: textOrNull("Conclusion from the images."),
  verified_at: timestamp("When the result was verified."),
  recorded_at: timestamp("When the result was recorded."),
  verified_by: text("Who verified it."),
  recorded_by: text("Who recorded it.")
})

/** An imaging request and its results (§2.6). All its fields are sent, `title` under its documented spelling. */
export const Imagery = component("Imagery", "§2.6 Imagery", "An imaging request and its results.", {
  patient_code: code<PatientCode>("Code of the patient: the visit's own."),
  visit_code: code<VisitCode>("Code of the visit it belongs to."),
  encounter_code: code<EncounterCode>("Code of the encounter it was requested in."),
  request_code: code("Code of the request."),
  requested_at: timestamp("When it was requested."),
  collected_at: timestamp("When the images were made."),
  requested_by: text("Who requested it."),
  collected_by: text("Who made the images."),
  title: text("Professional title of who requested it."),
  results: many(ImageryResult, "The results, one entry for each examination.")
})
