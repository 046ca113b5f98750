import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { at } from "../../src/at.ts"
import type { Diagnostic } from "../../src/diagnostic/Diagnostic.ts"
import { explainInputs } from "../../src/run/explainInputs.ts"
import { encodeVisit } from "../../src/visit/encode.ts"
import type { Visit } from "../../src/visit/Visit.ts"
import { only } from "../present.ts"
import { converted, loadedOnce, neutral, temporaryFolder, written } from "./converted.ts"

/** Explains each visit of the inputs, and checks the result against the conversion of all of them. */
const asConverted = Effect.fnUntraced(function*(
  inputs: ReadonlyArray<string>,
  mapping = "mappings/fhir-r4/mapping.yaml"
) {
  const { totals: _, visits } = yield* converted(inputs, { mapping })
  const request = { ...neutral, inputs, mapping }
  for (const { json, problems, source } of visits) {
    const explained = yield* explainInputs({ ...request, ...yield* loadedOnce(request) }, source)
    assert.isDefined(explained, source)
    // A conversion encodes a draft like this, too, complete or not.
    assert.strictEqual(encodeVisit(explained.draft.visit as unknown as Visit), json)
    assert.deepStrictEqual(
      explained.problems.map(({ code, field }) => [code, field]),
      // Only a run, which reads all records, reports records that are in no section.
      problems.filter(({ code }) => code !== "unused-record").map(({ code, field }) => [code, field])
    )
  }
  return visits
})

const patient = (id: string, more: object = {}) => ({ resourceType: "Patient", id, gender: "female", ...more })
const encounter = (id: string, who: string, more: object = {}) => ({
  resourceType: "Encounter",
  id,
  status: "finished",
  class: { code: "AMB" },
  subject: { reference: `Patient/${who}` },
  period: { start: "2026-03-02T08:00:00Z", end: "2026-03-02T09:00:00Z" },
  ...more
})
const pulse = (id: string, more: object) => ({
  resourceType: "Observation",
  id,
  status: "final",
  code: { coding: [{ system: "http://loinc.org", code: "8867-4" }] },
  effectiveDateTime: "2026-03-02T08:30:00Z",
  valueQuantity: { value: 70, unit: "/min", system: "http://unitsofmeasure.org", code: "/min" },
  ...more
})
const toEncounter = { reference: "Encounter/e1" }
const twoVisits = [patient("p1"), patient("p2"), encounter("e1", "p1"), encounter("e2", "p2")]
const report = (result: object) => ({
  resourceType: "DiagnosticReport",
  id: "r1",
  status: "final",
  encounter: toEncounter,
  result: [result]
})
const lines = (...records: ReadonlyArray<object | string>) =>
  records.map((record) => (typeof record === "string" ? record : JSON.stringify(record))).join("\n")

describe("Explaining a visit without reading all records", () => {
  it.effect.each(["clinic-day", "inpatient-surgery-referral"])(
    "is the visit that is converted: %s",
    (sample) => asConverted([`samples/${sample}/input`]).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("finds records that refer to its encounter by identifier, escape, search or other records", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const [input] = written(folder, {
        "records.ndjson": lines(
          patient("p1"),
          patient("p2"),
          encounter("e1", "p1", { identifier: [{ system: "http://ours.example/visit", value: "V/77001" }] }),
          encounter("e2", "p2"),
          {
            resourceType: "Condition",
            id: "c1",
            subject: { reference: "Patient/p1" },
            code: { text: "one" },
            encounter: { identifier: { system: "http://ours.example/visit", value: "V/77001" } }
          },
          JSON.stringify({
            resourceType: "Condition",
            id: "c2",
            code: { text: "two" },
            encounter: { reference: "Encounter/e1" }
          })
            .replace("Encounter/e1", "Encounter\\/\\u0065\\u0031"),
          {
            resourceType: "Condition",
            id: "c3",
            code: { text: "three" },
            encounter: { reference: "Encounter?identifier=http://ours.example/visit%7CV%2F77001" }
          },
          {
            resourceType: "DiagnosticReport",
            id: "r1",
            status: "final",
            encounter: { reference: "Encounter/e1" },
            result: [{ reference: "Observation/o1" }]
          },
          pulse("o1", {}),
          pulse("o2", { encounter: { reference: "Encounter/e2" } })
        )
      })
      const visits = yield* asConverted([input])
      assert.strictEqual(visits.length, 2)
      const { json } = at(visits, 0)
      for (const word of ["one", "two", "three", "Heart Rate"]) assert.include(json, `"${word}"`)
    }).pipe(Effect.provide(NodeServices.layer)))

  it.effect.each<readonly [string, ReadonlyArray<object>]>([
    ["its report", [report({ reference: "Observation/o1" })]],
    ["a version of its report", [report({ reference: "Observation/o1/_history/2" })]],
    ["an identifier of its report", [report({ identifier: { system: "http://ours.example/lab", value: "L-1" } })]],
    ["the group it is in", [pulse("o0", { encounter: toEncounter, hasMember: [{ reference: "Observation/o1" }] })]],
    ["the report of its group", [
      report({ reference: "Observation/o0" }),
      pulse("o0", { hasMember: [{ reference: "Observation/o1" }] })
    ]],
    ["the group of its group", [
      pulse("a0", { encounter: toEncounter, hasMember: [{ reference: "Observation/o0" }] }),
      pulse("o0", { hasMember: [{ reference: "Observation/o1" }] })
    ]],
    ["an identifier of the group of its group", [
      pulse("a0", {
        encounter: toEncounter,
        hasMember: [{ identifier: { system: "http://ours.example/lab", value: "L-0" } }]
      }),
      pulse("o0", {
        identifier: [{ system: "http://ours.example/lab", value: "L-0" }],
        hasMember: [{ reference: "Observation/o1" }]
      })
    ]],
    ["the report of the group of its group", [
      report({ reference: "Observation/a0" }),
      pulse("a0", { hasMember: [{ reference: "Observation/o0" }] }),
      pulse("o0", { hasMember: [{ reference: "Observation/o1" }] })
    ]],
    ["the procedure it is part of", [{
      resourceType: "Procedure",
      id: "x1",
      status: "completed",
      encounter: toEncounter
    }]]
  ])("has an observation that reaches its encounter through %s", ([, others]) =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const [input] = written(folder, {
        "records.ndjson": lines(
          ...twoVisits,
          pulse("o1", {
            identifier: [{ system: "http://ours.example/lab", value: "L-1" }],
            ...(others[0] !== undefined && "status" in others[0] && others[0].status === "completed"
              ? { partOf: [{ reference: "Procedure/x1" }] }
              : {})
          }),
          pulse("o2", { encounter: { reference: "Encounter/e2" }, valueQuantity: { value: 81, code: "/min" } }),
          ...others
        )
      })
      const visits = yield* asConverted([input])
      assert.strictEqual(visits.length, 2)
      assert.include(at(visits, 0).json, "Heart Rate")
    }).pipe(Effect.provide(NodeServices.layer)))

  it.effect("finds a report that reaches its encounter through its order", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const order = {
        resourceType: "ServiceRequest",
        id: "s1",
        status: "active",
        intent: "order",
        encounter: toEncounter
      }
      const reportOf = (id: string, more: object) => ({
        resourceType: "DiagnosticReport",
        id,
        status: "final",
        code: { text: `study ${id}` },
        category: [{ coding: [{ system: "http://terminology.hl7.org/CodeSystem/v2-0074", code: "RAD" }] }],
        effectiveDateTime: "2026-03-02T08:40:00Z",
        ...more
      })
      const [input] = written(folder, {
        "records.ndjson": lines(
          ...twoVisits,
          order,
          reportOf("r1", { basedOn: [{ reference: "ServiceRequest/s1" }] }),
          reportOf("r2", { encounter: { reference: "Encounter/e2" } })
        )
      })
      const visits = yield* asConverted([input])
      assert.deepStrictEqual(visits.map(({ json }) => /study r\d/u.exec(json)?.[0]), ["study r1", "study r2"])
    }).pipe(Effect.provide(NodeServices.layer)))

  it.effect.each(["Condition", "DiagnosticReport", "MedicationRequest", "Observation", "Procedure", "ServiceRequest"])(
    "does not read a record of another visit: %s",
    (type) =>
      Effect.gen(function*() {
        const folder = yield* temporaryFolder
        const damaged =
          `{"resourceType":"${type}","id":"r2","encounter":{"reference":"Encounter/e2"},"subject":{"reference":"Patient/p2"},"code":}`
        const [input] = written(folder, { "records.ndjson": lines(...twoVisits, damaged) })
        const request = { ...neutral, inputs: [input], mapping: "mappings/fhir-r4/mapping.yaml" }
        const loaded = yield* loadedOnce(request)
        const found = yield* Effect.forEach(["e1", "e2"], (id) => {
          const unread: Array<Diagnostic> = []
          return explainInputs({ ...request, ...loaded }, `Encounter/${id}`, unread).pipe(Effect.as(unread))
        })
        // If a line that was not parsed turns out to be damaged, all lines are read, and it is reported.
        assert.deepStrictEqual(found.map((unread) => unread.map(({ code }) => code)), [[], ["unreadable-record"]])
      }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("finds the records of its time and its patient", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const [mapping, ...inputs] = written(folder, {
        "mapping.yaml":
          "mapping: x\nextends: fhir-r4\ngrouping:\n  window:\n    Observation: {enabled: true}\n    Condition: {enabled: true}\n",
        "records.ndjson": lines(
          ...twoVisits,
          pulse("o1", { subject: { reference: "Patient/p1" } }),
          pulse("o2", { subject: { reference: "Patient/p2" } }),
          {
            resourceType: "Condition",
            id: "c1",
            subject: { reference: "Patient/p1" },
            recordedDate: "2026-03-02T08:40:00Z",
            code: { text: "one" }
          },
          { resourceType: "AllergyIntolerance", id: "a1", patient: { reference: "Patient/p2" }, code: { text: "nuts" } }
        )
      })
      assert.strictEqual((yield* asConverted(inputs, mapping)).length, 2)
    }).pipe(Effect.provide(NodeServices.layer)))

  it.effect("finds the patient of a record through another that names only the patient", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const [mapping, ...inputs] = written(folder, {
        "mapping.yaml":
          "mapping: x\nextends: fhir-r4\ngrouping:\n  window:\n    Observation: {enabled: true, patient: \"reverseResolve('DiagnosticReport.result').subject\"}\n",
        "records.ndjson": lines(
          ...twoVisits,
          {
            resourceType: "DiagnosticReport",
            id: "r1",
            status: "final",
            subject: { reference: "Patient/p1" },
            result: [{ reference: "Observation/o1" }]
          },
          pulse("o1", {}),
          pulse("o2", { encounter: { reference: "Encounter/e2" } })
        )
      })
      const visits = yield* asConverted(inputs, mapping)
      assert.include(at(visits, 0).json, "Heart Rate")
    }).pipe(Effect.provide(NodeServices.layer)))

  it.effect("drops damaged records, and uses the right one of two versions", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const [input] = written(folder, {
        "records.ndjson": lines(
          patient("p1", { meta: { lastUpdated: "2026-03-01T00:00:00Z" }, name: [{ family: "Old" }] }),
          patient("p1", { meta: { lastUpdated: "2026-03-02T00:00:00Z" }, name: [{ family: "New" }] }),
          encounter("e1", "p1"),
          "{\"resourceType\":\"Encounter\",\"id\":\"e9\",\"status\":\"finished\",",
          "{\"resourceType\":\"Condition\",\"id\":\"c1\",\"encounter\":{\"reference\":\"Encounter/e1\"},\"code\":{\"text\":",
          "{\"resourceType\":\"Condition\",\"id\":\"c2\",\"encounter\":{\"reference\":\"Encounter/e1\"},\"id\":\"c3\",\"code\":{\"text\":\"x\"}}",
          {
            resourceType: "Condition",
            id: "c4",
            meta: { lastUpdated: "2026-03-01T00:00:00Z" },
            code: { text: "y" },
            encounter: { reference: "Encounter/e1" }
          },
          {
            resourceType: "Condition",
            id: "c4",
            meta: { lastUpdated: "2026-03-02T00:00:00Z" },
            code: { text: "y" },
            encounter: { reference: "Encounter/e2" }
          }
        )
      })
      const visit = only(yield* asConverted([input]))
      assert.include(visit.json, "\"surname\":\"New\"")
    }).pipe(Effect.provide(NodeServices.layer)))

  it.effect("notices a line that is cut off, whatever it is about", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const inputs = written(folder, {
        "records.ndjson": lines(...twoVisits),
        "Observation.ndjson": [
          lines(pulse("o1", { encounter: toEncounter })).trim(),
          "{\"resourceType\":\"Observation\",\"id\":\"o9\",\"sta"
        ].join("\n")
      })
      const visits = yield* asConverted(inputs)
      assert.isTrue(visits.every(({ problems }) => problems.some(({ code }) => code === "incomplete-visit")))
    }).pipe(Effect.provide(NodeServices.layer)))

  it.effect("finds records that name an encounter without an id, or an older copy of it, by the end of its full URL", () =>
    Effect.gen(function*() {
      const uuid = "0a1b2c3d-0000-4000-8000-000000000001"
      const { id: _, ...nameless } = encounter("", "p1")
      const folder = yield* temporaryFolder
      for (
        const [entry, reference] of [
          [{ fullUrl: `urn:uuid:${uuid}`, resource: nameless }, `Encounter/${uuid}`],
          [{ fullUrl: "https://a-long-host.example.org/fhir/Encounter/abc77", resource: nameless }, "Encounter/abc77"],
          [
            {
              fullUrl: `urn:uuid:${uuid}`,
              resource: encounter("e1", "p1", { meta: { lastUpdated: "2026-03-01T00:00:00Z" } })
            },
            `urn:uuid:${uuid}`
          ]
        ] as const
      ) {
        const isCopy = "id" in entry.resource
        const inputs = written(folder, {
          "bundle.json": JSON.stringify({ resourceType: "Bundle", type: "collection", entry: [entry] }),
          "records.ndjson": lines(
            patient("p1"),
            patient("p2"),
            encounter("e2", "p2"),
            ...(isCopy ? [encounter("e1", "p1", { meta: { lastUpdated: "2026-03-05T00:00:00Z" } })] : []),
            pulse("o1", { encounter: { reference } })
          )
        })
        const visits = yield* asConverted(inputs)
        assert.strictEqual(visits.filter(({ json }) => json.includes("Heart Rate")).length, 1, reference)
      }
    }).pipe(Effect.provide(NodeServices.layer)))

  it.effect("finds records by a search with other parameters, or with an escape", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const visit = "http://ours/visit"
      for (const search of ["_id=e%31", `status=finished&identifier=${visit}|V%2077`]) {
        const inputs = written(folder, {
          "records.ndjson": lines(
            patient("p1"),
            patient("p2"),
            encounter("e2", "p2"),
            encounter("e1", "p1", { identifier: [{ system: visit, value: "V 77" }] }),
            pulse("o1", { encounter: { reference: `Encounter?${search}` } })
          )
        })
        assert.include(JSON.stringify(yield* asConverted(inputs)), "Heart Rate", search)
      }
    }).pipe(Effect.provide(NodeServices.layer)))

  it.effect("follows an element of several types by its key", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const [mapping, ...inputs] = written(folder, {
        "mapping.yaml": [
          "mapping: x",
          "extends: fhir-r4",
          "grouping:",
          "  link:",
          "    Observation: [encounter, \"reverseResolve('MedicationRequest.reported').encounter\"]",
          "    MedicationAdministration: [context, \"medication.resolve().extension.where(url = 'http://x/e').value\"]",
          ""
        ].join("\n"),
        "records.ndjson": lines(
          ...twoVisits,
          pulse("o1", {}),
          {
            resourceType: "MedicationRequest",
            id: "m1",
            status: "active",
            intent: "order",
            medicationCodeableConcept: { text: "Paracetamol" },
            reportedReference: { reference: "Observation/o1" },
            subject: { reference: "Patient/p1" },
            encounter: toEncounter
          },
          {
            resourceType: "Medication",
            id: "d1",
            code: { text: "Amoxicillin" },
            extension: [{ url: "http://x/e", valueReference: toEncounter }]
          },
          {
            resourceType: "MedicationAdministration",
            id: "a1",
            status: "completed",
            medicationReference: { reference: "Medication/d1" },
            subject: { reference: "Patient/p1" },
            effectiveDateTime: "2026-03-02T08:40:00Z"
          }
        )
      })
      const [visit] = yield* asConverted(inputs, mapping)
      assert.include(visit?.json, "Heart Rate")
      assert.include(visit?.json, "Amoxicillin")
    }).pipe(Effect.provide(NodeServices.layer)))
})
