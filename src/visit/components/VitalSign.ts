import { code, component, decimal, many, text, timestamp } from "../FieldSchema.ts"
import type { EncounterCode } from "../values/Code.ts"

/** A vital sign that §2.6 lists by name. */
interface ListedSign {
  readonly name: string
  /** The LOINC code that identifies it in canonical FHIR, and its display. */
  readonly loinc: readonly [code: string, display: string]
  /** The unit it is sent in, as a UCUM code, as the text of a FHIR quantity, and as a message has it. */
  readonly ucum: string
  readonly unit: string
  readonly unitInMessages: string
  /** The widest range of a living body. A value outside it is most often in another unit. */
  readonly minimum: number
  readonly maximum: number
}

/** The vital signs that §2.6 lists by name. The specification states no unit: each has the one in general use. */
export const listedSigns = [
  {
    name: "Systolic Blood Pressure",
    loinc: ["8480-6", "Systolic blood pressure"],
    ucum: "mm[Hg]",
    unit: "mmHg",
    unitInMessages: "mmHg",
    minimum: 20,
    maximum: 350
  },
  {
    name: "Diastolic Blood Pressure",
    loinc: ["8462-4", "Diastolic blood pressure"],
    ucum: "mm[Hg]",
    unit: "mmHg",
    unitInMessages: "mmHg",
    minimum: 10,
    maximum: 250
  },
  {
    name: "Heart Rate",
    loinc: ["8867-4", "Heart rate"],
    ucum: "/min",
    unit: "beats/minute",
    unitInMessages: "per minute",
    minimum: 10,
    maximum: 400
  },
  {
    name: "Respiratory Rate",
    loinc: ["9279-1", "Respiratory rate"],
    ucum: "/min",
    unit: "breaths/minute",
    unitInMessages: "per minute",
    minimum: 2,
    maximum: 150
  },
  {
    name: "Temperature",
    loinc: ["8310-5", "Body temperature"],
    ucum: "Cel",
    unit: "Cel",
    unitInMessages: "°C",
    minimum: 20,
    maximum: 46
  },
  {
    name: "Blood Oxygen",
    loinc: ["59408-5", "Oxygen saturation in Arterial blood by Pulse oximetry"],
    ucum: "%",
    unit: "%",
    unitInMessages: "%",
    minimum: 10,
    maximum: 100
  },
  {
    name: "Random Blood Glucose",
    loinc: ["2339-0", "Glucose [Mass/volume] in Blood"],
    ucum: "mg/dL",
    unit: "mg/dL",
    unitInMessages: "mg/dL",
    minimum: 10,
    maximum: 2500
  }
] as const satisfies ReadonlyArray<ListedSign>

export type SignName = (typeof listedSigns)[number]["name"]

export const signNames: ReadonlyArray<SignName> = listedSigns.map(({ name }) => name)

/** One measured sign (§2.6). */
const VitalSignObservation = component("VitalSignObservation", "§2.6 VitalSign", "One measured sign.", {
  name: text("Name of the sign, such as `Heart Rate`."),
  value: decimal("What was measured; the specification names no unit.")
})

/** Vital signs measured together (§2.6). */
export const VitalSign = component("VitalSign", "§2.6 VitalSign", "Vital signs taken together.", {
  encounter_code: code<EncounterCode>("Code of the encounter they were taken in."),
  recorded_at: timestamp("When they were taken."),
  recorded_by: text("Who took them."),
  title: text("Professional title of who took them."),
  observations: many(VitalSignObservation, "What was measured, one entry for each sign.")
})
