import type { Extension, Observation, Reference } from "fhir/r4.d.ts"
import { toEpochMillis } from "../../../visit/values/Timestamp.ts"
import type { Visit } from "../../../visit/Visit.ts"
import {
  decimalElement,
  exactly,
  extension,
  noElement,
  optionalMember,
  partOfRow,
  row,
  stated,
  words
} from "../Elements.ts"
import {
  coded,
  dataAbsent,
  examinations,
  loinc,
  observationCategory,
  partOfExamination,
  snomed,
  terminology
} from "../Names.ts"
import type { BundleWriter } from "./BundleWriter.ts"

type History = Visit["medical_histories"][number]

/** The encounter to which the base mapping assigns histories: the earliest, if only one begins then. */
const mainEncounter = (visit: Visit): string | undefined => {
  const all = [...visit.outpatients, ...visit.inpatients, ...visit.emergencies]
    .map(({ code, started_at }) => ({ code, at: toEpochMillis(started_at) }))
    .toSorted((one, other) => one.at - other.at)
  return all[0] !== undefined && all[0].at !== all[1]?.at ? all[0].code : undefined
}

/** Medical histories (§2.6): each fact is a resource of the kind that its history is about. */
export const writeHistories = (to: BundleWriter, visit: Visit): void => {
  const main = mainEncounter(visit)
  visit.medical_histories.forEach((history, index) => {
    const extensions: Array<Extension> = [row("medical_histories", index)]
    const encounter = to.within("medical_histories", history.encounter_code, extensions)
    const illness = history.name === "Current Illness History"
    const write = history.name === null || history.value.length === 0 ? undefined : facts.get(history.name)
    if (write !== undefined) {
      // Histories belong to the main encounter unless they state another.
      if (encounter !== to.root && history.encounter_code !== main && !illness) {
        extensions.push(stated("medical_histories.encounter_code", history.encounter_code))
      }
      history.value.forEach((text, at) => {
        write({
          to,
          visit,
          encounter,
          id: to.id("history", index + 1, at + 1),
          extension: [...extensions, partOfRow("medical_histories", at)],
          text
        })
      })
    } else writeOther(history, index, { to, encounter, extension: extensions })
  })
}

interface Fact {
  readonly to: BundleWriter
  readonly visit: Visit
  readonly encounter: Reference
  readonly id: string
  readonly extension: Array<Extension>
  readonly text: string
}

/** Splits at the first separator; both sides must have text. */
const split = (text: string, separator: string): readonly [string, string] | undefined => {
  const at = text.indexOf(separator)
  const [before, after] = [text.slice(0, at), text.slice(at + separator.length)]
  return at > 0 && /\S/u.test(before) && /\S/u.test(after) ? [before, after] : undefined
}

/** Splits `head: item, item`; without items the head is the whole text. */
const splitList = (text: string): { readonly head: string; readonly items?: ReadonlyArray<string> } => {
  const [head, list] = split(text, ": ") ?? []
  const items = list?.split(", ")
  return head === undefined || items === undefined || !items.every((item) => /\S/u.test(item))
    ? { head: text }
    : { head, items }
}

const facts: ReadonlyMap<string, (fact: Fact) => void> = new Map<string, (fact: Fact) => void>([
  ["Immunization History", ({ encounter, extension, id, text, to, visit }) => {
    const [, name, date] = /^(.*\S.*) \((\d{4}-\d{2}-\d{2})\)$/su.exec(text) ?? []
    // The mapping would read a date after the visit as a later immunization.
    const isDated = name !== undefined && date !== undefined &&
      toEpochMillis(`${date}T00:00:00.000+00:00`) + 2 * 86_400_000 <
        toEpochMillis(visit.discharged_at)
    to.add({
      resourceType: "Immunization",
      id,
      extension,
      status: "completed",
      vaccineCode: words(isDated ? name : text),
      patient: to.patient,
      encounter,
      ...(isDated ? { occurrenceDateTime: date } : { occurrenceString: "unknown" })
    })
  }],
  ["Allergies", ({ encounter, extension, id, text, to }) => {
    const { head, items } = splitList(text)
    to.add({
      resourceType: "AllergyIntolerance",
      id,
      extension,
      clinicalStatus: coded({ system: `${terminology}/allergyintolerance-clinical`, code: "active" }),
      verificationStatus: coded({ system: `${terminology}/allergyintolerance-verification`, code: "confirmed" }),
      code: words(head),
      patient: to.patient,
      encounter,
      ...optionalMember("reaction", items, (manifestations) => [{ manifestation: manifestations.map(words) }])
    })
  }],
  ["Past Surgical History", ({ encounter, extension, id, text, to }) => {
    to.add({
      resourceType: "Procedure",
      id,
      extension,
      status: "completed",
      category: coded({ system: snomed, code: "387713003", display: "Surgical procedure" }),
      code: words(text),
      subject: to.patient,
      encounter
    })
  }],
  ["Past Medical History", ({ encounter, extension, id, text, to }) => {
    to.add({
      resourceType: "Condition",
      id,
      extension,
      clinicalStatus: coded({ system: `${terminology}/condition-clinical`, code: "active" }),
      verificationStatus: coded({ system: `${terminology}/condition-ver-status`, code: "confirmed" }),
      category: [coded({ system: `${terminology}/condition-category`, code: "problem-list-item" })],
      code: words(text),
      subject: to.patient,
      encounter
    })
  }],
  ["Family History", ({ encounter, extension: extensions, id, text, to }) => {
    const { head, items } = splitList(text)
    to.add({
      resourceType: "FamilyMemberHistory",
      id,
      extension: [...extensions, extension("encounter", { valueReference: encounter })],
      status: "completed",
      patient: to.patient,
      relationship: words(head),
      ...optionalMember("condition", items, (conditions) => conditions.map((item) => ({ code: words(item) })))
    })
  }],
  ["Current Illness History", ({ encounter, extension, id, text, to }) => {
    to.add({
      resourceType: "Observation",
      id,
      extension,
      status: "final",
      category: [observationCategory("survey")],
      code: coded({ system: loinc, code: "10164-2", display: "History of Present illness Narrative" }),
      subject: to.patient,
      encounter,
      valueString: text
    })
  }],
  ["Current Medication", ({ encounter, extension, id, text, to }) => {
    const parts = split(text, " - ")
    to.add({
      resourceType: "MedicationStatement",
      id,
      extension,
      status: "active",
      medicationCodeableConcept: words(parts === undefined ? text : parts[0]),
      subject: to.patient,
      context: encounter,
      ...optionalMember("dosage", parts, ([, dosage]) => [{ text: dosage }])
    })
  }]
])

/** A history with a name that the specification does not list, or an empty one: Observations that state the name. */
const writeOther = (
  history: History,
  index: number,
  { encounter, extension, to }: Pick<Fact, "to" | "encounter" | "extension">
): void => {
  const texts = history.value.length === 0 ? [null] : history.value
  texts.forEach((text, at) => {
    to.add({
      resourceType: "Observation",
      id: to.id("history", index + 1, at + 1),
      extension: [...extension, partOfRow("medical_histories", at), stated("medical_histories.name", history.name)],
      status: "final",
      category: [observationCategory("social-history")],
      code: history.name === null ? dataAbsent : words(history.name),
      subject: to.patient,
      encounter,
      ...(text === null ? { dataAbsentReason: dataAbsent } : { valueString: text })
    })
  })
}

/** Physical examinations (§2.6): an Observation each; the findings of a complex one are its components. */
export const writeExaminations = (to: BundleWriter, visit: Visit): void => {
  visit.physical_examinations.forEach((entry, index) => {
    const extensions: Array<Extension> = [row("physical_examinations", index)]
    const encounter = to.within("physical_examinations", entry.encounter_code, extensions)
    const known = entry.name === null ? undefined : examinations.get(entry.name)
    // The mapping would read a name that looks like a code as a code.
    const plainName = entry.name !== null && !/^[\d-]+$/u.test(entry.name) ? entry.name : undefined
    if (known === undefined && plainName === undefined) {
      extensions.push(stated("physical_examinations.name", entry.name))
    }
    to.add({
      resourceType: "Observation",
      id: to.id("examination", index + 1),
      ...found(entry, extensions),
      status: "final",
      category: [observationCategory("exam")],
      code: known !== undefined ? coded(known) : plainName !== undefined ? words(plainName) : dataAbsent,
      subject: to.patient,
      encounter
    })
  })
}

const found = (
  { value, value_type, value_unit }: Visit["physical_examinations"][number],
  extensions: Array<Extension>
): Pick<Observation, "extension" | "component" | "valueString" | "valueQuantity" | "dataAbsentReason"> => {
  if (Array.isArray(value)) {
    if (value_unit !== null) extensions.push(stated("physical_examinations.value_unit", value_unit))
    const findings = value.flatMap((finding: Readonly<Record<string, string>>) => Object.entries(finding).slice(0, 1))
    return {
      extension: extensions,
      component: findings.length === 0
        ? [{ code: partOfExamination("inspection"), dataAbsentReason: dataAbsent }]
        : findings.map(([key, text]) => ({ code: partOfExamination(key), valueString: text }))
    }
  }
  if (value_type === null) extensions.push(noElement("physical_examinations.value_type"))
  const number = typeof value === "string" ? exactly(value) : undefined
  if (number !== undefined && value_unit !== null) {
    return { extension: extensions, valueQuantity: { value: decimalElement(number), unit: value_unit } }
  }
  if (value_unit !== null) extensions.push(stated("physical_examinations.value_unit", value_unit))
  return {
    extension: extensions,
    ...(typeof value === "string" ? { valueString: value } : { dataAbsentReason: dataAbsent })
  }
}
