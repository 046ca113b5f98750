import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { ConversionRequest } from "../../src/run/ConversionRequest.ts"
import { bothWays } from "./converted.ts"
import { encounter, type Json, lines, patient } from "./smallRecords.ts"

const ofVisit = (resourceType: string, id: string, more: Json): Json => ({
  resourceType,
  id,
  status: "final",
  subject: { reference: "Patient/a" },
  encounter: { reference: "Encounter/e1" },
  ...more
})

const found = (records: ReadonlyArray<Json>, validation: ConversionRequest["validation"] = {}) =>
  Effect.map(
    bothWays({ "a.ndjson": lines(patient("a"), encounter("e1", "a"), encounter("e2", "a"), ...records) }, validation),
    ({ visits }) =>
      visits.map(({ problems, ready }) => [
        ready,
        ...problems.filter(({ code }) => code === "incomplete-visit").map(({ facts: [fact] = [], title }) =>
          `${title.replace(" refers to records that are not in the input", "")} ${fact?.[1]}`
        )
      ])
  )

const complete = [[true], [true]]
const to = (reference: string): Json => ({ reference })

describe("A visit whose records refer to missing parts", () => {
  it.effect("is held, for each kind of part", () =>
    Effect.gen(function*() {
      for (
        const [record, stated] of [
          [
            ofVisit("DiagnosticReport", "d", { result: [to("Observation/x"), to("Observation/y")] }),
            "DiagnosticReport.result` 2 records"
          ],
          [ofVisit("Observation", "o", { hasMember: [to("Observation/x")] }), "Observation.hasMember` 1 record"],
          [ofVisit("Observation", "o", { specimen: to("Specimen/x") }), "Observation.specimen` 1 record"],
          [ofVisit("Observation", "o", { subject: to("Patient/x") }), "Observation.subject` 1 record"],
          [
            ofVisit("MedicationRequest", "m", { medicationReference: to("Medication/x") }),
            "MedicationRequest.medicationReference` 1 record"
          ],
          [
            ofVisit("Observation", "o", { specimen: to("urn:uuid:0b6c8a1e-9b5e-4c7e-9d9b-3a1f5d2c7e10") }),
            "Observation.specimen` 1 record"
          ]
        ] as const
      ) assert.deepStrictEqual(yield* found([record]), [[false, `\`${stated}`], [true]], stated)
    }))

  it.effect("is held if a part of a part is missing, or a diagnosis of its encounter", () =>
    Effect.gen(function*() {
      const panel = { resourceType: "Observation", id: "p", status: "final", hasMember: [to("Observation/x")] }
      const report = ofVisit("DiagnosticReport", "d", { result: [to("Observation/p")] })
      assert.deepStrictEqual(yield* found([panel, report]), [[false, "`Observation.hasMember` 1 record"], [true]])
      const stay = encounter("e3", "a", { diagnosis: [{ condition: to("Condition/x") }] })
      assert.deepStrictEqual((yield* found([stay])).at(-1), [false, "`Encounter.condition` 1 record"])
    }))

  it.effect("is not held for context, for unused types, or for existing records", () =>
    Effect.gen(function*() {
      for (
        const more of [
          { basedOn: [to("ServiceRequest/x")] },
          { performer: [to("Practitioner/x")] },
          { device: to("Device/x") },
          { specimen: { display: "blood" } },
          { specimen: to("#s"), contained: [{ resourceType: "Specimen", id: "s" }] },
          { subject: to("Location/x") }
        ]
      ) assert.deepStrictEqual(yield* found([ofVisit("Observation", "o", more)]), complete, JSON.stringify(more))
    }))

  it.effect("is sent with or without a warning if the facility sets the level", () =>
    Effect.gen(function*() {
      const record = ofVisit("Observation", "o", { hasMember: [to("Observation/x")] })
      const at = (level: "warning" | "off") => found([record], { levels: new Map([["incomplete-visit", level]]) })
      assert.deepStrictEqual(yield* at("warning"), [[true, "`Observation.hasMember` 1 record"], [true]])
      assert.deepStrictEqual(yield* at("off"), complete)
    }))
})
