import { Schema } from "effect"
import { choice, code, component, examination, text, textOrNull } from "../FieldSchema.ts"
import type { EncounterCode, PatientCode, VisitCode } from "../values/Code.ts"

/** The names of examinations that §2.6 lists. */
export const examinationNames = ["General Appearance", "Skin", "Digestive System"] as const

/** The keys of a complex value (§2.6). */
const examinationKeys = ["inspection", "palpation", "percussion", "auscultation"] as const

/** One finding of a complex value: an object with a single key, which is the method of examination (§2.6). */
const ExaminationFinding = Schema.Union([
  Schema.Struct({ inspection: Schema.String }),
  Schema.Struct({ palpation: Schema.String }),
  Schema.Struct({ percussion: Schema.String }),
  Schema.Struct({ auscultation: Schema.String })
])

const forms = [
  { properties: { value_type: { const: "text" }, value: { type: ["string", "null"] } } },
  { properties: { value_type: { const: "complex" }, value: { type: "array" } } },
  { properties: { value_type: { type: "null" }, value: { type: "null" } } }
]

/** The findings of an examination: a text, or findings by method (§2.6). */
export const PhysicalExamination = component(
  "PhysicalExamination",
  "§2.6 PhysicalExamination",
  "What was found when a part of the body was examined.",
  {
    patient_code: code<PatientCode>("Code of the patient: the visit's own."),
    visit_code: code<VisitCode>("Code of the visit it belongs to."),
    encounter_code: code<EncounterCode>("Code of the encounter it was made in."),
    name: text("What was examined, such as `Skin`."),
    value_type: choice(["text", "complex"], "Form of `value`: `text` or `complex`."),
    value: examination(
      Schema.NullOr(Schema.Union([Schema.String, Schema.Array(ExaminationFinding)])),
      examinationKeys,
      "What was found: a string, or an array of objects with the single key inspection, palpation, percussion or auscultation."
    ),
    value_unit: textOrNull("Unit of the value.")
  }
).check(
  Schema.makeFilter(
    ({ value, value_type }) =>
      (value_type === "complex"
        ? Array.isArray(value)
        : value_type === "text"
        ? typeof value === "string" || value === null
        : value === null) || { path: ["value"], issue: "the form that `value_type` states" },
    {
      identifier: "PhysicalExamination",
      expected: "a value of the form that `value_type` states",
      toJsonSchema: () => ({ anyOf: forms })
    }
  )
)
