import { code, component, decimal, many, text, timestamp } from "../FieldSchema.ts"
import type { EncounterCode } from "../values/Code.ts"

/** A vital sign that §2.6 lists by name. */
interface ListedSign<Name extends string> {
  readonly name: Name
  /** The LOINC code that identifies it in canonical FHIR, and its display. */
  readonly loinc: readonly [code: string, display: string]
  /** The unit it is sent in, as a UCUM code, as the text of a FHIR quantity, and as a message has it. */
  readonly ucum: string
  readonly unit: string
  readonly unitInMessages: string
  /** The widest range of a living body. A value outside it is most often in another unit. */
  readonly range: readonly [minimum: number, maximum: number]
}

const sign = <const Name extends string>(
  name: Name,
  loinc: ListedSign<Name>["loinc"],
  range: ListedSign<Name>["range"],
  ucum: string,
  unit = ucum,
  unitInMessages = unit
): ListedSign<Name> => ({ name, loinc, ucum, unit, unitInMessages, range })

/** The vital signs that §2.6 lists by name. The specification states no unit: each has the one in general use. */
export const listedSigns = [
  sign("Systolic Blood Pressure", ["8480-6", "Systolic blood pressure"], [20, 350], "mm[Hg]", "mmHg"),
  sign("Diastolic Blood Pressure", ["8462-4", "Diastolic blood pressure"], [10, 250], "mm[Hg]", "mmHg"),
  sign("Heart Rate", ["8867-4", "Heart rate"], [10, 400], "/min", "beats/minute", "per minute"),
  sign("Respiratory Rate", ["9279-1", "Respiratory rate"], [2, 150], "/min", "breaths/minute", "per minute"),
  sign("Temperature", ["8310-5", "Body temperature"], [20, 46], "Cel", "Cel", "°C"),
  sign("Blood Oxygen", ["59408-5", "Oxygen saturation in Arterial blood by Pulse oximetry"], [10, 100], "%"),
  sign("Random Blood Glucose", ["2339-0", "Glucose [Mass/volume] in Blood"], [10, 2500], "mg/dL")
]

export type SignName = (typeof listedSigns)[number]["name"]

export const signNames: ReadonlyArray<SignName> = listedSigns.map(({ name }) => name)

const VitalSignObservation = component("VitalSignObservation", "§2.6 VitalSign", "One measured sign.", {
  name: text("Name of the sign, such as `Heart Rate`."),
  value: decimal("What was measured; the specification names no unit.")
})

export const VitalSign = component("VitalSign", "§2.6 VitalSign", "Vital signs taken together.", {
  encounter_code: code<EncounterCode>("Code of the encounter they were taken in."),
  recorded_at: timestamp("When they were taken."),
  recorded_by: text("Who took them."),
  title: text("Professional title of who took them."),
  observations: many(VitalSignObservation, "What was measured, one entry for each sign.")
})
