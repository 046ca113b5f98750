import type { Dosage, Extension, Medication, Reference, Timing } from "fhir/r4.d.ts"
import type { Visit } from "../../../visit/Visit.ts"
import {
  dateTime,
  decimalElement,
  exactly,
  missing,
  noElement,
  nonEmptyList,
  optionalMember,
  partOfRow,
  row,
  stated,
  textExtension,
  words
} from "../Elements.ts"
import { coded, dataAbsent, isFhirCode, naming, system, ucum } from "../Names.ts"
import { type BundleWriter, recordCode } from "./BundleWriter.ts"

type Prescription = Visit["prescriptions"][number]
type Medicine = Prescription["medications"][number]

/**
 * Prescriptions (§2.6): a MedicationRequest for each medicine of a prescription, a MedicationDispense for each of a dispense
 * (`encounter_code` given).
 */
export const writePrescriptions = (to: BundleWriter, visit: Visit): void => {
  visit.prescriptions.forEach((prescription, index) => {
    const { medications } = prescription
    const medicines = medications.length === 0 ? [null] : medications
    medicines.forEach((medicine, at) => writeMedicine(to, { prescription, index, medicine, at }))
  })
}

const writeMedicine = (
  to: BundleWriter,
  { at, index, medicine, prescription }: {
    readonly prescription: Prescription
    readonly index: number
    /** `null` for a prescription without medicines. */
    readonly medicine: Medicine | null
    readonly at: number
  }
): void => {
  const extensions: Array<Extension> = [row("prescriptions", index), partOfRow("prescriptions", at)]
  if (medicine === null) extensions.push(noElement("prescriptions.medications"))
  const by = to.person(prescription.prescribed_by, prescription.title)
  const id = to.id("prescription", index + 1, at + 1)
  const common = {
    ...(medicine === null ? { medicationCodeableConcept: dataAbsent } : medication(to, medicine, extensions)),
    subject: to.patient,
    ...nonEmptyList("dosageInstruction", medicine === null ? [] : dosages(medicine)),
    ...optionalMember("note", medicine?.note, (text) => [{ text }])
  }
  // The dose unit is also written with the quantity, for a medicine that has no dose.
  const quantity = medicine?.unit == null ? {} : { quantity: { unit: medicine.unit } }
  const days = medicine?.days == null
    ? undefined
    : { value: decimalElement(medicine.days), unit: "d", system: ucum, code: "d" }
  if (prescription.encounter_code === null) {
    const supply = { ...quantity, ...optionalMember("expectedSupplyDuration", days) }
    to.add({
      resourceType: "MedicationRequest",
      id,
      extension: extensions,
      status: "active",
      intent: "order",
      encounter: to.root,
      authoredOn: dateTime(prescription.prescribed_at),
      ...optionalMember("requester", by),
      groupIdentifier: recordCode(prescription.code),
      ...common,
      ...(Object.keys(supply).length === 0 ? {} : { dispenseRequest: supply })
    })
  } else {
    to.add({
      resourceType: "MedicationDispense",
      id,
      context: to.within("prescriptions", prescription.encounter_code, extensions),
      extension: extensions,
      identifier: [{ system: naming("record-code/dispense"), value: prescription.code }],
      status: "completed",
      whenHandedOver: dateTime(prescription.prescribed_at),
      ...optionalMember("performer", by, (actor) => [{ actor }]),
      ...common,
      ...quantity,
      ...optionalMember("daysSupply", days)
    })
  }
}

/** Returns what is given: a Medication if FHIR can express its form or strength, otherwise only the concept. */
const medication = (
  to: BundleWriter,
  medicine: Medicine,
  extensions: Array<Extension>
): { medicationReference: Reference } | { medicationCodeableConcept: ReturnType<typeof words> } => {
  const { code, form, medicine_name, strength } = medicine
  extensions.push(...missing("medications", { medicine_name }))
  const fits = isFhirCode(code)
  if (!fits) extensions.push(stated("medications.code", code))
  const coding = { system: system("medications"), ...(fits ? { code } : {}) }
  const concept = coded(coding, medicine_name ?? undefined)
  const [, digits = "", unit] = /^(\S+) (\S+)$/u.exec(strength ?? "") ?? []
  const amount = exactly(digits)
  const ingredient = amount === undefined || unit === undefined || medicine_name === null ? undefined : [{
    itemCodeableConcept: words(medicine_name),
    strength: { numerator: { value: decimalElement(amount), unit }, denominator: { value: 1 } }
  }]
  if (ingredient === undefined) extensions.push(...textExtension("strength", strength))
  if (form === null && ingredient === undefined) return { medicationCodeableConcept: concept }
  return {
    medicationReference: to.shared(
      (id): Medication & { id: string } => ({
        resourceType: "Medication",
        id,
        code: concept,
        ...optionalMember("form", form, words),
        ...optionalMember("ingredient", ingredient)
      }),
      "Medication",
      code,
      medicine_name,
      form,
      ingredient === undefined ? null : strength
    )
  }
}

const times = [["morning", "MORN"], ["afternoon", "AFT"], ["evening", "EVE"], ["night", "NIGHT"]] as const

/** A Dosage for each time of day; without a time of day, one for the route and the interval. */
const dosages = (medicine: Medicine): Array<Dosage> => {
  const { interval, method, unit } = medicine
  const code = interval === null ? {} : { code: words(interval) }
  const route = optionalMember("route", method, words)
  const taken = times.flatMap(([time, when]): ReadonlyArray<Dosage> => {
    const dose = medicine[time]
    if (dose === null) return []
    return [{
      timing: { repeat: { when: [when] }, ...code } satisfies Timing,
      ...route,
      doseAndRate: [{ doseQuantity: { value: decimalElement(dose), ...optionalMember("unit", unit) } }]
    }]
  })
  if (taken.length > 0) return taken
  return interval === null && method === null ? [] : [{ ...(interval === null ? {} : { timing: code }), ...route }]
}
