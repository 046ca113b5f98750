import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { at } from "../../src/at.ts"
import { RecordCollector } from "../../src/source/records/RecordIndex.ts"
import { only } from "../present.ts"
import { addressed, bothWays } from "./converted.ts"
import { encounter, lines, patient, pulse } from "./smallRecords.ts"

const odd: ReadonlyArray<unknown> = [
  "CANCELLED",
  "Finished",
  "cancelled ",
  " finished",
  "void",
  "",
  ["finished"],
  ["final"],
  1,
  true,
  {}
]

describe("A status that FHIR R4 does not know", () => {
  it.effect("of an encounter makes no visit, and rejects the record", () =>
    Effect.gen(function*() {
      for (const status of [...odd, null, undefined]) {
        const { totals, visits } = yield* bothWays({
          "a.ndjson": lines(patient("1"), encounter("e3", "1", { status }))
        })
        assert.lengthOf(visits, 0, JSON.stringify(status))
        const problems = totals.rejectedRecords.flatMap(({ problems }) => problems)
        assert.deepStrictEqual(problems.map(({ code, severity }) => [code, severity]), [["unknown-status", "error"]])
        assert.notInclude(JSON.stringify({ ...problems[0], value: undefined }), "CANCELLED")
      }
    }))

  it.effect("of another record of the visit rejects the visit", () =>
    Effect.gen(function*() {
      const good = lines(patient("1"), encounter("e3", "1"))
      for (const status of odd) {
        const { visits } = yield* bothWays({ "a.ndjson": good + lines(pulse("o1", { status })) })
        const { problems, ready } = only(visits)
        assert.isFalse(ready)
        assert.include(problems.map(({ code }) => code), "unknown-status")
      }
      const { visits } = yield* bothWays({ "a.ndjson": good + lines(pulse("o1")) })
      assert.notInclude(only(visits).problems.map(({ code }) => code), "unknown-status")
    }))
})

describe("A status that FHIR R4 does not know, inside a record", () => {
  it.effect("rejects the visit, in every element with a status", () =>
    Effect.gen(function*() {
      const of = { subject: { reference: "Patient/1" }, encounter: { reference: "Encounter/e3" } }
      const concept = (code: string) => ({ coding: [{ code }] })
      const condition = (more: object) => ({ resourceType: "Condition", id: "c1", ...of, code: { text: "x" }, ...more })
      const plan = (status: unknown) => ({
        resourceType: "CarePlan",
        id: "p1",
        status: "active",
        intent: "plan",
        ...of,
        activity: [{ detail: { status: "completed", description: "rest" } }, {
          detail: { status, description: "walk" }
        }]
      })
      const allergy = (code: string) => ({
        resourceType: "AllergyIntolerance",
        id: "a1",
        patient: of.subject,
        code: { text: "x" },
        verificationStatus: concept(code)
      })
      const cases: ReadonlyArray<readonly [record: Readonly<Record<string, unknown>>, isKnown: boolean]> = [
        [condition({ verificationStatus: concept("confirmed") }), true],
        [condition({ verificationStatus: concept("Refuted") }), false],
        [condition({ verificationStatus: { text: "cancelled" } }), false],
        [condition({ verificationStatus: { text: "refuted" } }), true],
        [condition({ verificationStatus: { coding: [{ display: "Refuted" }] } }), false],
        [condition({ clinicalStatus: concept("gone") }), false],
        [allergy("unconfirmed"), true],
        [allergy("ENTERED-IN-ERROR"), false],
        [plan("scheduled"), true],
        [plan("CANCELLED"), false],
        [plan(["stopped"]), false]
      ]
      for (const [record, isKnown] of cases) {
        const { visits } = yield* bothWays({ "a.ndjson": lines(patient("1"), encounter("e3", "1"), record) })
        const { json, problems } = only(visits)
        assert.strictEqual(problems.every(({ code }) => code !== "unknown-status"), isKnown, JSON.stringify(record))
        if (!isKnown) assert.notInclude(JSON.stringify(json), "walk")
      }
      const ward = encounter("e3", "1", { location: [{ location: { display: "x" }, status: "PLANNED" }] })
      const { totals } = yield* bothWays({ "a.ndjson": lines(patient("1"), ward) })
      assert.strictEqual(totals.rejectedRecords[0]?.problems[0]?.title.includes("Encounter.location"), true)
    }))
})

describe("A facility's own words for a status", () => {
  const words = addressed.replace(
    "extends: fhir-r4\n",
    `extends: fhir-r4
grouping:
  status:
    Encounter: {CLOSED: finished, void: cancelled}
    Encounter.location: {LEFT: completed}
    Condition.verificationStatus: {sure: confirmed, wrong: entered-in-error}
    CarePlan.activity.detail: {DONE: completed}
    Medication: {USED: active}
`
  )
  const of = { subject: { reference: "Patient/1" }, encounter: { reference: "Encounter/e3" } }
  const records = (closed: string, left: string, verification: unknown, done: string, used: string) =>
    lines(
      patient("1"),
      encounter("e3", "1", { status: closed, location: [{ location: { display: "Ward 3" }, status: left }] }),
      { resourceType: "Condition", id: "c1", ...of, code: { text: "x" }, verificationStatus: verification },
      {
        resourceType: "CarePlan",
        id: "p1",
        status: "active",
        intent: "plan",
        ...of,
        activity: [{ detail: { status: done, description: "walk" } }]
      },
      {
        resourceType: "MedicationRequest",
        id: "r1",
        status: "active",
        intent: "order",
        ...of,
        contained: [{ resourceType: "Medication", id: "m", status: used, code: { text: "Sampledrug" } }],
        medicationReference: { reference: "#m" }
      }
    )
  const standard = (code: string) => ({
    coding: [{ system: "http://terminology.hl7.org/CodeSystem/condition-ver-status", code }]
  })
  it.effect("give the bytes of R4's codes, if they are declared", () =>
    Effect.gen(function*() {
      const visitsOf = (text: string, mapping = words) => bothWays({ "a.ndjson": text }, {}, mapping)
      const codes = (at: { readonly problems: ReadonlyArray<{ readonly code: string }> }) =>
        at.problems.map(({ code }) => code)
      for (const concept of [{ coding: [{ code: "sure" }] }, { text: "sure" }]) {
        const own = yield* visitsOf(records("CLOSED", "LEFT", concept, "DONE", "USED"))
        const r4 = yield* visitsOf(records("finished", "completed", standard("confirmed"), "completed", "active"))
        assert.deepStrictEqual(own.visits.map(({ json }) => json), r4.visits.map(({ json }) => json))
        assert.notInclude(codes(at(own.visits, 0)), "unknown-status")
      }
      for (const status of ["void", "closed", "CLOSED "]) {
        const { totals, visits } = yield* visitsOf(records(status, "LEFT", standard("confirmed"), "DONE", "USED"))
        assert.lengthOf(visits, 0, status)
        assert.strictEqual(totals.rejectedRecords.length === 0, status === "void")
      }
      const wrong = yield* visitsOf(records("CLOSED", "LEFT", { text: "wrong" }, "DONE", "USED"))
      const refuted = yield* visitsOf(records("CLOSED", "LEFT", standard("entered-in-error"), "DONE", "USED"))
      assert.deepStrictEqual(wrong.visits.map(({ json }) => json), refuted.visits.map(({ json }) => json))
    }))
})

describe("A status that FHIR R4 does not know, of a record outside the visit", () => {
  it.effect(
    "rejects each visit that reaches the record by its patient or by a reference",
    () =>
      Effect.gen(function*() {
        const performed = (id: string, of: string) =>
          pulse(id, {
            encounter: { reference: `Encounter/${of}` },
            effectiveDateTime: `2026-03-0${of.slice(1)}T08:10:00+07:00`
          })
        const drug = (status: unknown) => ({
          resourceType: "Medication",
          id: "m1",
          status,
          code: { coding: [{ system: "http://www.whocc.no/atc", code: "N02BE01", display: "Sampledrug" }] }
        })
        const prescribed = (id: string, of: string) => ({
          resourceType: "MedicationRequest",
          id,
          status: "active",
          intent: "order",
          subject: { reference: "Patient/1" },
          encounter: { reference: `Encounter/${of}` },
          authoredOn: `2026-03-0${of.slice(1)}T08:20:00+07:00`,
          medicationReference: { reference: "Medication/m1" }
        })
        const records = (status: unknown) =>
          lines(
            patient("1"),
            encounter("e3", "1"),
            encounter("e4", "1"),
            performed("o1", "e3"),
            performed("o2", "e4"),
            prescribed("r1", "e3"),
            prescribed("r2", "e4"),
            drug(status)
          )
        for (const status of ["void", ["active"], "Active"]) {
          const { visits } = yield* bothWays({ "a.ndjson": records(status) })
          assert.lengthOf(visits, 2)
          for (const { problems, ready } of visits) {
            assert.isFalse(ready)
            assert.deepStrictEqual(
              problems.filter(({ code }) => code === "unknown-status").map(({ source }) => source),
              ["Medication/m1"]
            )
          }
        }
        const family = (status: unknown) => ({
          resourceType: "FamilyMemberHistory",
          id: "f1",
          status,
          patient: { reference: "Patient/1" },
          relationship: { coding: [{ system: "http://terminology.hl7.org/CodeSystem/v3-RoleCode", code: "FTH" }] },
          condition: [{ code: { text: "Samplecondition" } }]
        })
        const ofPatient = yield* bothWays({ "a.ndjson": records("active") + lines(family("void")) })
        for (const { problems, ready } of ofPatient.visits) {
          assert.isFalse(ready)
          assert.deepStrictEqual(
            problems.filter(({ code }) => code === "unknown-status").map(({ source }) => source),
            ["FamilyMemberHistory/f1"]
          )
        }
        const { visits } = yield* bothWays({ "a.ndjson": records("active") + lines(family("completed")) })
        for (const { problems } of visits) assert.notInclude(problems.map(({ code }) => code), "unknown-status")
      })
  )
})

describe("A deletion without a time", () => {
  const deletion = JSON.stringify({
    resourceType: "Bundle",
    type: "transaction",
    entry: [{ request: { method: "DELETE", url: "Patient/1" } }]
  })
  it.effect("has the time of its Bundle", () =>
    Effect.gen(function*() {
      const stamped = (timestamp: string) => JSON.stringify({ ...JSON.parse(deletion), timestamp })
      const records = lines(patient("1", { meta: { lastUpdated: "2026-03-04T00:00:00Z" } }), encounter("e3", "1"))
      for (const [timestamp, kept] of [["2026-03-03T00:00:00Z", true], ["2026-03-05T00:00:00Z", false]] as const) {
        const { visits } = yield* bothWays({ "a.ndjson": records, "b.json": stamped(timestamp) })
        assert.strictEqual(only(visits).patientCode !== undefined, kept)
      }
    }))

  it.effect("counts in any letter case", () =>
    Effect.gen(function*() {
      const of = (method: string, url: string) =>
        JSON.stringify({ resourceType: "Bundle", type: "history", entry: [{ request: { method, url } }] })
      const deletions = [["delete", "Encounter/e3", 0, 0], ["DELETE", "Encounter?identifier=1", 1, 1]] as const
      for (const [method, url, made, errors] of deletions) {
        const { totals, visits } = yield* bothWays({
          "a.ndjson": lines(patient("1"), encounter("e3", "1")),
          "b.json": of(method, url)
        })
        assert.deepStrictEqual([visits.length, totals.rejectedRecords.length], [made, errors], url)
      }
    }))

  it("removes a record if its export is later, and not if it is earlier", () => {
    const kept = (file: string, deletedIn: string, times?: { readonly updated: string; readonly deleted: string }) => {
      const collector = new RecordCollector()
      const resource = {
        resourceType: "Patient",
        id: "1",
        ...(times === undefined ? {} : { meta: { lastUpdated: times.updated } })
      }
      collector.add({ _tag: "Record", record: { origin: { file, line: 1, reference: "Patient/1" }, resource } })
      collector.add({
        _tag: "Deletion",
        deletion: {
          reference: "Patient/1",
          ...(times === undefined ? {} : { at: times.deleted }),
          origin: { file: deletedIn, line: 1, reference: "Patient/1" },
          bundle: { key: "d", type: "transaction" }
        }
      })
      const index = collector.index()
      return [index.all("Patient").length, index.problems.length]
    }
    assert.deepStrictEqual(kept("x/003/Patient.ndjson", "x/002/deleted/Patient.ndjson"), [1, 0])
    assert.deepStrictEqual(kept("x/10/Patient.ndjson", "x/9/deleted/Patient.ndjson"), [1, 0])
    assert.deepStrictEqual(kept("x/2026-03-02/a.ndjson", "x/2026-03-03/b.ndjson"), [0, 0])
    // The same export, and folder names without an order: it is unknown which is later.
    assert.deepStrictEqual(kept("x/002/Patient.ndjson", "x/002/deleted/Patient.ndjson"), [0, 1])
    assert.deepStrictEqual(kept("x/new/Patient.ndjson", "x/first/deleted/Patient.ndjson"), [0, 1])
    // What a later export of a mirror has exists, although it was last changed before an export that lacked it.
    const times = { updated: "2026-03-01T00:00:00Z", deleted: "2026-03-05T00:00:00Z" }
    const [first, second] = ["x/001-20260305T000000Z", "x/002-20260306T000000Z"]
    assert.deepStrictEqual(kept(`${second}/P.ndjson`, `${first}/deleted/B.ndjson`, times), [1, 0])
    assert.deepStrictEqual(kept(`${first}/P.ndjson`, `${second}/deleted/B.ndjson`, times), [0, 0])
    assert.deepStrictEqual(kept(`${first}/P.ndjson`, `${first}/deleted/B.ndjson`, times), [0, 0])
    assert.deepStrictEqual(kept(`y/${second}/P.ndjson`, `${first}/deleted/B.ndjson`, times), [0, 0])
    // Other folders with numbers can be wards.
    assert.deepStrictEqual(kept("x/2/P.ndjson", "x/1/deleted/B.ndjson", times), [0, 0])
  })
})

describe("A status in a table that the concept map of a condition does not have", () => {
  const conditions = {
    sent: "status.translated('state') = 'sent'",
    notDropped: "(status.translated('state') = 'dropped').not()",
    known: "status.translated('state').exists()",
    reviewed: "review.translated('state') = 'sent'"
  } as const
  const where: ReadonlyArray<
    readonly [conditions: ReadonlyArray<keyof typeof conditions>, unmapped: ReadonlyArray<string>]
  > = [
    [["sent"], ["Settled"]],
    [["notDropped"], ["Settled"]],
    // The second condition looks the same code up.
    [["sent", "known"], ["Settled"]],
    [["sent", "reviewed"], ["Odd", "Settled"]]
  ]
  for (const [names, unmapped] of where) {
    it.effect(`rejects the visit: ${names.join(", ")}`, () =>
      Effect.gen(function*() {
        const mapping = [
          "mapping: states",
          "extends: csv",
          "table: {visit: {column: {status: text, review: text}}}",
          "conceptMap: {state: {table: {Closed: sent, Open: dropped}, unmapped: reject}}",
          `grouping: {where: ${JSON.stringify(Object.fromEntries(names.map((name) => [name, conditions[name]])))}}`,
          ""
        ].join("\n")
        const visit = (at: number, status: string, review = "Closed") =>
          `V${at},P1,OPD,2026-01-0${at}T08:00:00+07:00,${status},${review}\n`
        const { totals, visits } = yield* bothWays(
          {
            "visit.csv": "code,patient_code,visit_type,admitted_at,status,review\n" +
              visit(1, "Closed") + visit(2, "Open") + visit(3, "Settled", "Odd"),
            "patient.csv": "code,name,surname,sex,birthdate\nP1,Test,Example,F,1990-01-01\n"
          },
          {},
          mapping
        )
        const reported = visits.map(({ code, problems }) => [
          String(code),
          ...problems.flatMap(({ code }) => code === "unmapped-code" ? [code] : [])
        ])
        assert.deepStrictEqual(reported, [["V1"], ["V3", ...unmapped.map(() => "unmapped-code")]])
        assert.deepStrictEqual(
          totals.unmapped.map(({ code, table }) => [table, code]),
          unmapped.map((code) => ["state", code])
        )
        assert.isFalse(visits[1]?.ready)
      }))
  }
})
