import type { ProcedurePerformer, Reference } from "fhir/r4.d.ts"
import type { Visit } from "../../../visit/Visit.ts"
import {
  conceptExtension,
  decimalElement,
  exactly,
  keptAt,
  missing,
  nonEmptyList,
  optionalMember,
  periodOf,
  row,
  words
} from "../Elements.ts"
import { coded, loinc, snomed, system, terminology } from "../Names.ts"
import { type BundleWriter, recordCode } from "./BundleWriter.ts"

type Surgery = Visit["surgeries"][number]

const performers = {
  surgeon: { system: snomed, code: "304292004", display: "Surgeon" },
  anesthetist: { system: snomed, code: "158970007", display: "Anesthetist" },
  assistant: { system: snomed, code: "405277009", display: "Resident surgeon" }
} as const

/** Operations (§2.6): a Procedure each; its symptoms are Conditions, its blood loss is an Observation. */
export const writeSurgeries = (to: BundleWriter, visit: Visit): void => {
  visit.surgeries.forEach((surgery, index) => {
    const { service_type, surgeon_name } = surgery
    const lasted = periodOf(surgery.started_at, surgery.ended_at, "surgeries.ended_at")
    const extensions = [
      row("surgeries", index),
      ...keptAt(surgery),
      ...missing("surgeries", { service_type, surgeon_name })
    ]
    const encounter = to.within("surgeries", surgery.encounter_code, extensions)
    extensions.push(
      ...lasted.extensions,
      ...conceptExtension("anesthesia-type", surgery.anesthesia_type),
      ...surgery.specimens.flatMap((specimen) => conceptExtension("specimen", specimen))
    )
    const procedure = to.add({
      resourceType: "Procedure",
      id: to.id("surgery", index + 1),
      extension: extensions,
      identifier: [recordCode(surgery.code)],
      status: "completed",
      category: coded({ system: snomed, code: "387713003", display: "Surgical procedure" }),
      ...optionalMember("code", service_type, words),
      subject: to.patient,
      encounter,
      performedPeriod: lasted.period,
      ...nonEmptyList("performer", performersOf(to, surgery)),
      ...optionalMember(
        "location",
        surgery.theater_name,
        (name) => to.shared((id) => ({ resourceType: "Location", id, name }), "Location", name)
      ),
      ...optionalMember("reasonCode", surgery.reason, (text) => [words(text)]),
      ...nonEmptyList("reasonReference", writeSymptoms(to, surgery, encounter, index)),
      ...nonEmptyList("complication", surgery.complications.map(words)),
      ...optionalMember("note", surgery.procedure_notes === "" ? null : surgery.procedure_notes, (text) => [{ text }])
    })
    if (surgery.blood_loss !== null) {
      const [, digits = "", unit] = /^(\S+) (\S.*)$/su.exec(surgery.blood_loss) ?? []
      const number = exactly(digits)
      to.add({
        resourceType: "Observation",
        id: to.id("surgery", index + 1, "blood-loss"),
        extension: [row("surgeries", index)],
        status: "final",
        code: coded({ system: loinc, code: "8717-9", display: "Operative blood loss" }),
        subject: to.patient,
        encounter,
        partOf: [procedure],
        ...(number === undefined || unit === undefined
          ? { valueString: surgery.blood_loss }
          : { valueQuantity: { value: decimalElement(number), unit } })
      })
    }
  })
}

const performersOf = (to: BundleWriter, surgery: Surgery): ReadonlyArray<ProcedurePerformer> => {
  const of = (kind: keyof typeof performers, name: string | null): ReadonlyArray<ProcedurePerformer> => {
    const actor = to.person(name, null)
    return actor === undefined ? [] : [{ function: coded(performers[kind]), actor }]
  }
  return [
    ...of("surgeon", surgery.surgeon_name),
    ...of("anesthetist", surgery.anesthetist_name),
    ...surgery.assistant_names.flatMap((name) => of("assistant", name))
  ]
}

const writeSymptoms = (
  to: BundleWriter,
  surgery: Surgery,
  encounter: Reference,
  index: number
): ReadonlyArray<Reference> =>
  (surgery.symptoms ?? []).map((symptom, at) =>
    to.add({
      resourceType: "Condition",
      id: to.id("surgery", index + 1, "symptom", at + 1),
      extension: [row("surgeries", index)],
      clinicalStatus: coded({ system: `${terminology}/condition-clinical`, code: "active" }),
      category: [coded({ system: system("condition-categories"), code: "symptom", display: "Symptom" })],
      code: words(symptom),
      subject: to.patient,
      encounter
    })
  )
