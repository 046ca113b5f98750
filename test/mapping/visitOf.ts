import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect } from "effect"
import { at } from "../../src/at.ts"
import type { ConversionRequest } from "../../src/run/ConversionRequest.ts"
import { converted, temporaryFolder, written } from "../run/converted.ts"
import type { Json } from "../run/smallRecords.ts"

export const patient: Json = {
  resourceType: "Patient",
  id: "p1",
  gender: "female",
  birthDate: "1990-04-12",
  identifier: [{ system: "https://fhir2visit.example/fhir/NamingSystem/patient-code", value: "P-1" }],
  name: [{ family: "Example", given: ["Ann"] }]
}

export const encounter: Json = {
  resourceType: "Encounter",
  id: "e1",
  status: "finished",
  class: { code: "AMB" },
  subject: { reference: "Patient/p1" },
  period: { start: "2026-03-02T08:00:00+07:00", end: "2026-03-02T09:00:00+07:00" }
}

/** The first visit of some records by the base mapping with an overlay, with its problems and unmapped codes. */
export const visitOf = (
  records: ReadonlyArray<Json>,
  overlay = "",
  settings: Partial<ConversionRequest> = {}
) =>
  Effect.gen(function*() {
    const folder = yield* temporaryFolder
    const [mapping, ...inputs] = written(folder, {
      "mapping.yaml": `mapping: example\nextends: fhir-r4\n${overlay}`,
      "a.ndjson": records.map((record) => JSON.stringify(record)).join("\n")
    })
    const { assumptions, mappingHash, totals, visits } = yield* converted(inputs, { mapping, ...settings })
    const { assumed = [], json, problems } = at(visits, 0)
    return {
      visit: JSON.parse(json),
      visits: visits.map((visit) => JSON.parse(visit.json)),
      assumed,
      assumedByVisit: visits.map(({ assumed = [] }) => assumed),
      hashes: new Map([...assumptions].map(([name, { hash }]) => [name, hash])),
      mappingHash,
      reported: problems.map(({ code, field, severity }) => `${severity} ${code} ${field}`),
      unmapped: totals.unmapped.map(({ code, count, table }) => `${table} ${code} ${count}`)
    }
  }).pipe(Effect.provide(NodeServices.layer))
