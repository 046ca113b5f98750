import type { Extension, Observation, Quantity, Reference } from "fhir/r4.d.ts"
import type { Visit } from "../../../visit/Visit.ts"
import {
  dateTime,
  decimalElement,
  extension,
  missing,
  noElement,
  optionalMember,
  partOfRow,
  row,
  stated,
  words
} from "../Elements.ts"
import { canonicalSigns, coded, dataAbsent, loinc, observationCategory, ucum } from "../Names.ts"
import { type BundleWriter, recordCode } from "./BundleWriter.ts"

const quantity = (value: Parameters<typeof decimalElement>[0], unit: string, code: string): Quantity => ({
  value: decimalElement(value),
  unit,
  system: ucum,
  code
})

/** Triages (§2.6): the chief complaint, height and weight of one triage are Observations with its code and its row number. */
export const writeTriages = (to: BundleWriter, visit: Visit): void => {
  visit.triages.forEach((triage, index) => {
    const { chief_complaint, recorded_by, title } = triage
    const common = {
      resourceType: "Observation" as const,
      identifier: [recordCode(triage.code)],
      status: "final" as const,
      subject: to.patient,
      encounter: to.root,
      effectiveDateTime: dateTime(triage.recorded_at),
      ...optionalMember("performer", to.person(recorded_by, title), (one) => [one])
    }
    const id = (name: string): string => to.id("triage", index + 1, name)
    to.add({
      ...common,
      id: id("complaint"),
      extension: [row("triages", index), ...missing("triages", { chief_complaint })],
      category: [observationCategory("survey")],
      code: coded({ system: loinc, code: "8661-1", display: "Chief complaint - Reported" }),
      ...(chief_complaint === null ? { dataAbsentReason: dataAbsent } : { valueString: chief_complaint })
    })
    for (const { code, name, unit } of sizes) {
      const value = triage[name]
      if (value === null) continue
      to.add({
        ...common,
        id: id(name),
        extension: [row("triages", index)],
        category: [observationCategory("vital-signs")],
        code: coded(code),
        valueQuantity: quantity(value, unit, unit)
      })
    }
  })
}

const sizes = [
  { name: "height", code: { system: loinc, code: "8302-2", display: "Body height" }, unit: "cm" },
  { name: "weight", code: { system: loinc, code: "29463-7", display: "Body weight" }, unit: "kg" }
] as const

/** Vital signs (§2.6): one Observation for each sign; those of one entry have its row number. */
export const writeVitalSigns = (to: BundleWriter, visit: Visit): void => {
  visit.vital_signs.forEach((entry, index) => {
    const extensions: Array<Extension> = [row("vital_signs", index)]
    const common = {
      resourceType: "Observation" as const,
      status: "final" as const,
      subject: to.patient,
      encounter: to.within("vital_signs", entry.encounter_code, extensions),
      effectiveDateTime: dateTime(entry.recorded_at),
      ...optionalMember("performer", to.person(entry.recorded_by, entry.title), (one: Reference) => [one]),
      category: [observationCategory("vital-signs")]
    }
    if (entry.observations.length === 0) {
      to.add({
        ...common,
        id: to.id("vital-signs", index + 1),
        extension: [...extensions, noElement("vital_signs.observations")],
        code: coded({ system: loinc, code: "85353-1", display: "Vital signs panel" }),
        dataAbsentReason: dataAbsent
      })
    }
    entry.observations.forEach((observation, at) => {
      to.add({
        ...common,
        id: to.id("vital-signs", index + 1, at + 1),
        ...sign(observation, [...extensions, partOfRow("vital_signs", at)])
      })
    })
  })
}

const sign = (
  { name, value }: Visit["vital_signs"][number]["observations"][number],
  extensions: Array<Extension>
): Pick<Observation, "extension" | "code" | "valueQuantity" | "dataAbsentReason"> => {
  const known = name === null ? undefined : canonicalSigns.get(name)
  if (known !== undefined) {
    return {
      extension: extensions,
      code: coded(known.code),
      ...(value === null
        ? { dataAbsentReason: dataAbsent }
        : { valueQuantity: quantity(value, known.unit, known.ucum) })
    }
  }
  // Other signs have neither a code nor a unit that the specification names.
  return {
    extension: [
      ...extensions,
      stated("observations.name", name),
      ...(value === null
        ? [noElement("observations.value")]
        : [extension("stated-observations.value", { valueDecimal: decimalElement(value) })])
    ],
    code: name === null ? dataAbsent : words(name),
    ...(value === null ? { dataAbsentReason: dataAbsent } : { valueQuantity: { value: decimalElement(value) } })
  }
}
