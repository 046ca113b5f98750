import type { Dosage, Extension, Medication, Reference, Timing } from "fhir/r4.d.ts"
import type { Visit } from "../../visit/Visit.ts"
import type { BundleWriter } from "./BundleWriter.ts"
import {
  dateTime,
  decimalElement,
  exactly,
  extension,
  missing,
  noElement,
  partOfRow,
  row,
  some,
  stated,
  words
} from "./Elements.ts"
import { coded, dataAbsent, isFhirCode, naming, system, ucum } from "./Names.ts"

type Prescription = Visit["prescriptions"][number]
type Medicine = Prescription["medications"][number]

/**
 * Prescriptions (§2.6): a MedicationRequest for each medicine of a prescription, a MedicationDispense for each of a dispense
 * (`encounter_code` given).
 */
export const writePrescriptions = (to: BundleWriter, visit: Visit): void => {
  visit.prescriptions.forEach((prescription, index) => {
    if (prescription.medications.length === 0) {
      writeMedicine(to, prescription, index, null, 0)
    }
    prescription.medications.forEach((medicine, at) => {
      writeMedicine(to, prescription, index, medicine, at)
    })
  })
}

const writeMedicine = (
  to: BundleWriter,
  prescription: Prescription,
  index: number,
  medicine: Medicine | null,
  at: number
): void => {
  const extensions: Array<Extension> = [row("prescriptions", index), partOfRow("prescriptions", at)]
  if (medicine === null) extensions.push(noElement("prescriptions.medications"))
  const by = to.person(prescription.prescribed_by, prescription.title)
  const id = to.id("prescription", index + 1, at + 1)
  const what = medicine === null ? { medicationCodeableConcept: dataAbsent } : medication(to, medicine, extensions)
  const dosageInstruction = medicine === null ? [] : dosages(medicine)
  const common = {
    ...what,
    subject: to.patient,
    ...(dosageInstruction.length === 0 ? {} : { dosageInstruction }),
    ...some("note", medicine?.note, (text) => [{ text }])
  }
  // The dose unit is also written with the quantity, for a medicine that has no dose.
  const quantity = medicine?.unit == null ? {} : { quantity: { unit: medicine.unit } }
  const days = medicine?.days == null
    ? undefined
    : { value: decimalElement(medicine.days), unit: "d", system: ucum, code: "d" }
  if (prescription.encounter_code === null) {
    const supply = { ...quantity, ...some("expectedSupplyDuration", days, (one) => one) }
    to.add({
      resourceType: "MedicationRequest",
      id,
      extension: extensions,
      status: "active",
      intent: "order",
      encounter: to.root,
      authoredOn: dateTime(prescription.prescribed_at),
      ...some("requester", by, (one) => one),
      groupIdentifier: { system: naming("record-code"), value: prescription.code },
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
      ...some("performer", by, (actor) => [{ actor }]),
      ...common,
      ...quantity,
      ...some("daysSupply", days, (one) => one)
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
  const [, digits, unit] = /^(\S+) (\S+)$/u.exec(strength ?? "") ?? []
  const amount = digits === undefined ? undefined : exactly(digits)
  if (strength !== null && (amount === undefined || medicine_name === null)) {
    extensions.push(extension("strength", { valueString: strength }))
  }
  const ingredient = amount === undefined || medicine_name === null ? undefined : [{
    itemCodeableConcept: words(medicine_name),
    strength: { numerator: { value: decimalElement(amount), unit: unit! }, denominator: { value: 1 } }
  }]
  if (form === null && ingredient === undefined) return { medicationCodeableConcept: concept }
  return {
    medicationReference: to.shared(
      (id): Medication & { id: string } => ({
        resourceType: "Medication",
        id,
        code: concept,
        ...some("form", form, words),
        ...some("ingredient", ingredient, (one) => one)
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

/** A Dosage for each time of day; where none is given, one for the route and the interval. */
const dosages = (medicine: Medicine): Array<Dosage> => {
  const { interval, method, unit } = medicine
  const code = interval === null ? {} : { code: words(interval) }
  const route = some("route", method, words)
  const taken = times.flatMap(([time, when]): ReadonlyArray<Dosage> => {
    const dose = medicine[time]
    if (dose === null) return []
    return [{
      timing: { repeat: { when: [when] }, ...code } satisfies Timing,
      ...route,
      doseAndRate: [{ doseQuantity: { value: decimalElement(dose), ...some("unit", unit, (text) => text) } }]
    }]
  })
  if (taken.length > 0) return taken
  return interval === null && method === null ? [] : [{ ...(interval === null ? {} : { timing: code }), ...route }]
}
