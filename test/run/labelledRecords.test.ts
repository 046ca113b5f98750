import { assert, describe, it } from "@effect/vitest"
import { labelledRecords } from "../../src/run/checks/labelledRecords.ts"
import { labelsOf, labelsOfBundle } from "../../src/source/records/recordLabels.ts"
import type { BundleContext, SourceRecord } from "../../src/source/records/SourceRecord.ts"

const record = (resourceType: string, id: string, meta: object, bundle?: BundleContext): SourceRecord => ({
  origin: { file: "records.ndjson", line: 1, reference: `${resourceType}/${id}` },
  resource: { resourceType, id, meta },
  ...(bundle === undefined ? {} : { bundle })
})

const shortened = (resourceType: string, id: string): SourceRecord =>
  record(resourceType, id, { tag: [{ code: "SUBSETTED" }] })

/** The visit of some records. */
const visitOf = (records: ReadonlyArray<SourceRecord>, patient?: SourceRecord) => ({
  patient,
  records: Map.groupBy(records, ({ resource }) => resource.resourceType)
})

const plainly = (one: SourceRecord): SourceRecord => one

describe("Problems of labelled records", () => {
  it("do not depend on the order in which the records of a visit are found", () => {
    const records = [shortened("Observation", "b"), shortened("Practitioner", "p"), shortened("Observation", "a")]
    const patient = shortened("Patient", "1")
    const problemsOf = (found: ReadonlyArray<SourceRecord>) =>
      labelledRecords(new Set(found), visitOf(found, patient), plainly)
    const expected = ["Observation/a", "Patient/1", "Practitioner/p"]
    assert.deepStrictEqual(problemsOf(records).map(({ source }) => source), expected)
    assert.deepStrictEqual(problemsOf(records.toReversed()), problemsOf(records))
  })

  it("are made once for each label of the records and of their Bundles, with the number of records", () => {
    const security = (code: string) => ({
      security: [{ system: "http://terminology.hl7.org/CodeSystem/v3-Confidentiality", code }]
    })
    const bundle: BundleContext = { key: "1", type: "document", labels: [{ kind: "restricted", code: "V" }] }
    const records = [
      record("Observation", "a", security("R"), bundle),
      record("Condition", "c", security("R")),
      record("Procedure", "p", security("N"), bundle)
    ]
    const problems = labelledRecords(new Set(records), visitOf(records), plainly)
    assert.deepStrictEqual(problems.map(({ source, times, title }) => `${source} ${times} ${title}`), [
      "Condition/c 2 a record of the visit is labelled as restricted (R)",
      "Observation/a 2 the Bundle of a record of the visit is labelled as restricted (V)"
    ])
  })

  it("are not made for the Bundle of a record that the visit only refers to, of which there can be several copies", () => {
    const bundle: BundleContext = { key: "1", type: "document", labels: [{ kind: "test", code: "HTEST" }] }
    const own = record("Encounter", "e", {})
    const shared = record("Practitioner", "p", {}, bundle)
    assert.deepStrictEqual(labelledRecords(new Set([own, shared]), visitOf([own]), plainly), [])
  })
})

describe("Labels of a record", () => {
  const v3 = "http://terminology.hl7.org/CodeSystem/v3-"

  it.each([
    ["HTEST", `${v3}ActReason`, "test"],
    ["HTEST", "http://hl7.org/fhir/v3/ActReason", "test"],
    ["HTEST", undefined, "test"],
    ["T", "http://terminology.hl7.org/CodeSystem/v2-0103", "test"],
    ["P", "http://terminology.hl7.org/CodeSystem/v2-0103", undefined],
    ["R", `${v3}Confidentiality`, "restricted"],
    ["N", `${v3}Confidentiality`, undefined],
    ["R", undefined, undefined],
    ["T", undefined, undefined],
    ["V", "http://hospital.example/labels", undefined],
    ["NODSCLCD", `${v3}ActCode`, "undisclosed"],
    ["AMB", `${v3}ActCode`, undefined],
    ["SUBSETTED", `${v3}ObservationValue`, "shortened"]
  ])("%s of %s: %s", (code, system, kind) => {
    const label = system === undefined ? { code } : { system, code }
    const expected: ReadonlyArray<unknown> = kind === undefined ? [] : [{ kind, code }]
    for (const meta of [{ security: [label] }, { tag: [label] }, { tag: label }]) {
      assert.deepStrictEqual<ReadonlyArray<unknown>>(labelsOf({ meta }), expected)
    }
  })

  it("are also those of a Bundle and of a message", () => {
    const meta = { tag: [{ code: "HTEST" }] }
    const test = { kind: "test", code: "HTEST" } as const
    assert.deepStrictEqual(labelsOfBundle({ meta }, undefined), [test])
    assert.deepStrictEqual(labelsOfBundle({}, { resource: { resourceType: "MessageHeader", meta } }), [test])
    assert.deepStrictEqual(labelsOfBundle({}, { resource: { resourceType: "Patient", meta } }), [])
    for (const odd of [null, 1, "HTEST", [], { security: null, tag: [null, { code: 1 }] }]) {
      assert.deepStrictEqual(labelsOf({ meta: odd, confidentiality: odd, securityLabel: odd }), [])
    }
  })

  it("are also those that a document has in its own elements", () => {
    const restricted = { kind: "restricted", code: "R" } as const
    const coding = [{ system: `${v3}Confidentiality`, code: "R" }]
    const composition = { resourceType: "Composition", confidentiality: "R" }
    assert.deepStrictEqual(labelsOf(composition), [restricted])
    assert.deepStrictEqual(labelsOf({ resourceType: "Composition", confidentiality: "N" }), [])
    assert.deepStrictEqual(labelsOf({ resourceType: "DocumentReference", securityLabel: [{ coding }] }), [restricted])
    assert.deepStrictEqual(labelsOfBundle({ meta: { security: coding } }, { resource: composition }), [restricted])
  })
})
