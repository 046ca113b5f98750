import type { ProcedurePerformer, Reference } from "fhir/r4.d.ts"
import type { Visit } from "../../visit/Visit.ts"
import type { BundleWriter } from "./BundleWriter.ts"
import { decimalElement, exactly, extension, keptAt, missing, period, row, some, stated, words } from "./Elements.ts"
import { coded, loinc, naming, snomed, system, terminology } from "./Names.ts"

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
    const extensions = [
      row("surgeries", index),
      ...keptAt(surgery),
      ...missing("surgeries", { service_type, surgeon_name })
    ]
    const encounter = to.within("surgeries", surgery.encounter_code, extensions)
    const lasted = period(surgery.started_at, surgery.ended_at)
    if (!lasted.ended) extensions.push(stated("surgeries.ended_at", surgery.ended_at))
    if (surgery.anesthesia_type !== null) {
      extensions.push(extension("anesthesia-type", { valueCodeableConcept: words(surgery.anesthesia_type) }))
    }
    for (const specimen of surgery.specimens) {
      extensions.push(extension("specimen", { valueCodeableConcept: words(specimen) }))
    }
    const people = performersOf(to, surgery)
    const procedure = to.add({
      resourceType: "Procedure",
      id: to.id("surgery", index + 1),
      extension: extensions,
      identifier: [{ system: naming("record-code"), value: surgery.code }],
      status: "completed",
      category: coded({ system: snomed, code: "387713003", display: "Surgical procedure" }),
      ...some("code", service_type, words),
      subject: to.patient,
      encounter,
      performedPeriod: lasted.period,
      ...(people.length === 0 ? {} : { performer: [...people] }),
      ...some(
        "location",
        surgery.theater_name,
        (name) => to.shared((id) => ({ resourceType: "Location", id, name }), "Location", name)
      ),
      ...some("reasonCode", surgery.reason, (text) => [words(text)]),
      ...symptoms(to, surgery, encounter, index),
      ...(surgery.complications.length === 0 ? {} : { complication: surgery.complications.map(words) }),
      ...some("note", surgery.procedure_notes === "" ? null : surgery.procedure_notes, (text) => [{ text }])
    })
    if (surgery.blood_loss !== null) {
      const [, digits, unit] = /^(\S+) (\S.*)$/su.exec(surgery.blood_loss) ?? []
      const number = digits === undefined ? undefined : exactly(digits)
      to.add({
        resourceType: "Observation",
        id: to.id("surgery", index + 1, "blood-loss"),
        extension: [row("surgeries", index)],
        status: "final",
        code: coded({ system: loinc, code: "8717-9", display: "Operative blood loss" }),
        subject: to.patient,
        encounter,
        partOf: [procedure],
        ...(number === undefined
          ? { valueString: surgery.blood_loss }
          : { valueQuantity: { value: decimalElement(number), unit: unit! } })
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

const symptoms = (
  to: BundleWriter,
  surgery: Surgery,
  encounter: Reference,
  index: number
): { reasonReference?: Array<Reference> } => {
  const references = (surgery.symptoms ?? []).map((symptom, at) =>
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
  return references.length === 0 ? {} : { reasonReference: references }
}
