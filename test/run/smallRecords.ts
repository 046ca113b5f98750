import type { Resource } from "../../src/source/records/SourceRecord.ts"

/** A FHIR record. */
export type Json = Readonly<Record<string, unknown>>

/** The systems in which the base mapping finds the codes of small records. */
export const system = "https://fhir2visit.example/fhir/NamingSystem/"

/** A patient with all mandatory fields. */
export const patient = (id: string, more: Json = {}): Resource => ({
  resourceType: "Patient",
  id,
  gender: "female",
  birthDate: "1990-04-12",
  maritalStatus: { coding: [{ code: "M" }] },
  identifier: [
    { system: `${system}patient-code`, value: `P-${id}` },
    { system: `${system}spid`, value: `S-${id}` }
  ],
  name: [{ family: "Example", given: ["Ann"] }],
  ...more
})

/** `e3`: an encounter of one hour on 3 March. */
export const encounter = (id: string, of: string, more: Json = {}): Resource => ({
  resourceType: "Encounter",
  id,
  status: "finished",
  class: { code: "AMB" },
  subject: { reference: `Patient/${of}` },
  period: { start: `2026-03-0${id.slice(1)}T08:00:00+07:00`, end: `2026-03-0${id.slice(1)}T09:00:00+07:00` },
  ...more
})

/** A heart rate of 88 in the visit `e3` of the patient `1`. */
export const pulse = (id: string, more: Json = {}) => ({
  resourceType: "Observation",
  id,
  status: "final",
  category: [{ coding: [{ code: "vital-signs" }] }],
  code: { coding: [{ system: "http://loinc.org", code: "8867-4" }] },
  subject: { reference: "Patient/1" },
  encounter: { reference: "Encounter/e3" },
  effectiveDateTime: "2026-03-03T08:10:00+07:00",
  valueQuantity: { value: 88, unit: "beats/min", system: "http://unitsofmeasure.org", code: "/min" },
  ...more
})

export const lines = (...records: ReadonlyArray<Json>): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join("")

export const bundle = (type: string, ...records: ReadonlyArray<Json>): string =>
  JSON.stringify({ resourceType: "Bundle", type, entry: records.map((resource) => ({ resource })) })
