import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { only } from "../present.ts"
import { addressed, bothWays } from "./converted.ts"
import { encounter, type Json, lines, patient, pulse } from "./smallRecords.ts"

const url = "https://hospital.example/fhir/refuted"
const modifier = { modifierExtension: [{ url, valueBoolean: true }] }
const understood = addressed.replace("extends: fhir-r4\n", `extends: fhir-r4\ngrouping: {understood: ["${url}"]}\n`)

const about = (
  problems: ReadonlyArray<{ readonly code: string; readonly severity: string; readonly source?: string }>
) => problems.filter(({ code }) => code === "unknown-modifier").map(({ severity, source }) => `${severity} ${source}`)

const visitOf = (records: ReadonlyArray<Json>, mapping = addressed) =>
  bothWays({ "a.ndjson": lines(...records) }, {}, mapping)

describe("A record with a modifier that the mapping does not understand", () => {
  it.effect("is not used, wherever the modifier is, and its visit reports it", () =>
    Effect.gen(function*() {
      const plain = yield* visitOf([patient("1"), encounter("e3", "1"), pulse("o1")])
      assert.include(only(plain.visits).json, "88")
      const marks: ReadonlyArray<Json> = [
        modifier,
        { implicitRules: url },
        { implicitRules: ["x"] },
        { modifierExtension: [{}] },
        { modifierExtension: { url } },
        { modifierExtension: ["x"] },
        { component: [{ code: { text: "a" }, ...modifier }] },
        { valueQuantity: { ...pulse("o1").valueQuantity, ...modifier } },
        { component: [{ code: { text: "a", coding: [modifier] } }] }
      ]
      for (const mark of marks) {
        const { totals, visits } = yield* visitOf([patient("1"), encounter("e3", "1"), pulse("o1", mark)])
        const visit = only(visits)
        assert.notInclude(visit.json, "88", JSON.stringify(mark))
        assert.deepStrictEqual(about(visit.problems), ["warning Observation/o1"])
        assert.strictEqual(totals.unused.get("Observation"), 1)
        assert.notInclude(JSON.stringify(visit.problems.map(({ title }) => title)), url)
      }
      const records = [patient("1"), encounter("e3", "1"), pulse("o1", modifier)]
      const visit = only((yield* visitOf(records, understood)).visits)
      assert.include(visit.json, "88")
      assert.deepStrictEqual(about(visit.problems), [])
    }))

  it.effect("does not count if no line reads the element, or the list is empty", () =>
    Effect.gen(function*() {
      for (const mark of [{ modifierExtension: [] }, { implicitRules: null }, { unheardOf: [modifier] }]) {
        const { visits } = yield* visitOf([patient("1"), encounter("e3", "1"), pulse("o1", mark)])
        const visit = only(visits)
        assert.include(visit.json, "88")
        assert.deepStrictEqual(about(visit.problems), [])
      }
    }))

  it.effect("rejects the visit when it is the encounter or the patient", () =>
    Effect.gen(function*() {
      for (
        const records of [
          [patient("1", modifier), encounter("e3", "1")],
          [patient("1", { implicitRules: url }), encounter("e3", "1")],
          [patient("1"), encounter("e3", "1", modifier)],
          [
            patient("1"),
            encounter("e3", "1"),
            encounter("e4", "1", { ...modifier, partOf: { reference: "Encounter/e3" } })
          ]
        ]
      ) {
        const visit = only((yield* visitOf(records)).visits)
        assert.isFalse(visit.ready)
        assert.lengthOf(about(visit.problems).filter((one) => one.startsWith("error ")), 1)
        const lowered = yield* bothWays({ "a.ndjson": lines(...records) }, {
          levels: new Map([["unknown-modifier", "off"]])
        })
        assert.isFalse(lowered.visits[0]?.ready)
      }
    }))

  it.effect("is not used through a reference, by any visit of the patient", () =>
    Effect.gen(function*() {
      const doctor = (more: Json): Json => ({
        resourceType: "Practitioner",
        id: "d1",
        name: [{ family: "Sampledoctor", given: ["Dee"] }],
        ...more
      })
      const seen = (id: string) =>
        encounter(id, "1", { participant: [{ individual: { reference: "Practitioner/d1" } }] })
      const measured = (id: string, of: string) =>
        pulse(id, { encounter: { reference: `Encounter/${of}` }, performer: [{ reference: "Practitioner/d1" }] })
      const records = (more: Json) => [
        patient("1", { generalPractitioner: [{ reference: "Practitioner/d1" }] }),
        seen("e3"),
        seen("e4"),
        measured("o1", "e3"),
        measured("o2", "e4"),
        doctor(more)
      ]
      const plain = yield* visitOf(records({}))
      for (const { json } of plain.visits) assert.include(json, "Sampledoctor")
      const { visits } = yield* visitOf(records(modifier))
      assert.lengthOf(visits, 2)
      for (const { json, problems } of visits) {
        assert.notInclude(json, "Sampledoctor")
        assert.deepStrictEqual(about(problems), ["warning Practitioner/d1"])
      }
    }))

  it.effect("is not used if it is contained, or belongs to the patient", () =>
    Effect.gen(function*() {
      const contained = pulse("o1", {
        contained: [{ resourceType: "Practitioner", id: "d1", name: [{ family: "Sampledoctor" }], ...modifier }],
        performer: [{ reference: "#d1" }]
      })
      const visit = only((yield* visitOf([patient("1"), encounter("e3", "1"), contained])).visits)
      assert.include(visit.json, "88")
      assert.notInclude(visit.json, "Sampledoctor")
      assert.lengthOf(about(visit.problems), 1)
      const allergy = (more: Json): Json => ({
        resourceType: "AllergyIntolerance",
        id: "a1",
        patient: { reference: "Patient/1" },
        clinicalStatus: { coding: [{ code: "active" }] },
        code: { text: "Sampleallergen" },
        ...more
      })
      const plain = yield* visitOf([patient("1"), encounter("e3", "1"), encounter("e4", "1"), allergy({})])
      for (const { json } of plain.visits) assert.include(json, "Sampleallergen")
      const { visits } = yield* visitOf([patient("1"), encounter("e3", "1"), encounter("e4", "1"), allergy(modifier)])
      for (const { json, problems } of visits) {
        assert.notInclude(json, "Sampleallergen")
        assert.deepStrictEqual(about(problems), ["warning AllergyIntolerance/a1"])
      }
    }))
})
