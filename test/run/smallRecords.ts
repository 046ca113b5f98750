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

export const lines = (...records: ReadonlyArray<Json>): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join("")

export const bundle = (type: string, ...records: ReadonlyArray<Json>): string =>
  JSON.stringify({ resourceType: "Bundle", type, entry: records.map((resource) => ({ resource })) })
