import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { bothWays } from "./converted.ts"
import { encounter, type Json, lines, patient, system } from "./smallRecords.ts"

const of = (id: string, resourceType: string, name: string, more: Json = {}): Json => ({
  resourceType,
  id: name,
  status: "final",
  subject: { reference: `Patient/${id}` },
  ...more
})

const to = (reference: string): Json => ({ reference })
const inVisit = { encounter: to("Encounter/e1") }

/** The problems of the visit of patient `a` about records of another patient. */
const refused = (of: Json, ...records: ReadonlyArray<Json>) =>
  Effect.map(
    bothWays({ "a.ndjson": lines(patient("a"), patient("b"), encounter("e1", "a", of), ...records) }),
    ({ visits }) =>
      visits.map(({ json, problems, ready }) => ({
        ready,
        sent: json.includes("OTHER"),
        found: problems.flatMap(({ code, severity, source }) =>
          code === "other-patient" ? [`${severity} ${source}`] : []
        )
      }))
  )

const imaging = { category: [{ coding: [{ code: "RAD" }] }], code: { text: "Scan" }, conclusion: "Clear" }
const laboratory = { category: [{ coding: [{ code: "LAB" }] }], code: { text: "Blood" }, conclusion: "Clear" }

describe("A record that is linked to a record of the visit and is about another patient", () => {
  for (
    const [what, more, name, ...records] of [
      [
        "a reason",
        { reasonReference: [to("Condition/x")] },
        "Condition/x",
        of("b", "Condition", "x", {
          code: { text: "OTHER" }
        })
      ],
      [
        "an order",
        {},
        "ServiceRequest/x",
        of("a", "DiagnosticReport", "r", { ...inVisit, ...imaging, basedOn: [to("ServiceRequest/x")] }),
        of("b", "ServiceRequest", "x", { status: "active", requester: { display: "OTHER" } })
      ],
      [
        "a study",
        {},
        "ImagingStudy/x",
        of("a", "DiagnosticReport", "r", { ...inVisit, ...imaging, imagingStudy: [to("ImagingStudy/x")] }),
        of("b", "ImagingStudy", "x", { status: "available", modality: [{ code: "OTHER" }] })
      ],
      [
        "a specimen",
        {},
        "Specimen/x",
        of("a", "DiagnosticReport", "r", { ...inVisit, ...laboratory, specimen: [to("Specimen/x")] }),
        of("b", "Specimen", "x", { status: "available", collection: { collector: { display: "OTHER" } } })
      ],
      [
        "a coverage",
        {},
        "Coverage/x",
        of("a", "Invoice", "i", { status: "issued", account: to("Account/y") }),
        {
          resourceType: "Account",
          id: "y",
          status: "active",
          subject: [to("Patient/a")],
          coverage: [{ coverage: to("Coverage/x") }],
          extension: [{
            url: "https://fhir2visit.example/fhir/StructureDefinition/encounter",
            valueReference: to("Encounter/e1")
          }]
        },
        {
          resourceType: "Coverage",
          id: "x",
          status: "active",
          beneficiary: to("Patient/b"),
          type: { text: "OTHER" }
        }
      ],
      [
        "a report that lists one of its results",
        {},
        "DiagnosticReport/x",
        of("a", "Observation", "o", { ...inVisit, ...laboratory, valueString: "12" }),
        of("b", "DiagnosticReport", "x", { ...laboratory, result: [to("Observation/o")], code: { text: "OTHER" } })
      ]
    ] as const
  ) {
    it.effect(`rejects the visit and is not read: ${what}`, () =>
      Effect.gen(function*() {
        assert.deepStrictEqual(yield* refused(more, ...records), [
          { ready: false, sent: false, found: [`error ${name}`] }
        ])
      }))
  }

  it.effect("is read if it is about the visit's patient, or about no patient", () =>
    Effect.gen(function*() {
      const report = of("a", "DiagnosticReport", "r", { ...inVisit, ...imaging, basedOn: [to("ServiceRequest/x")] })
      const [own] = yield* refused({}, report, of("a", "ServiceRequest", "x", { status: "active" }))
      assert.deepStrictEqual(own?.found, [])
      const [none] = yield* refused({}, report, { resourceType: "ServiceRequest", id: "x", status: "active" })
      assert.deepStrictEqual(none?.found, [])
    }))

  it.effect("is a problem of its own visit only if it belongs to one", () =>
    Effect.gen(function*() {
      const found = yield* refused(
        {},
        of("a", "Condition", "c", { encounter: to("Encounter/e1"), code: { text: "Fever" } }),
        encounter("e2", "b", { diagnosis: [{ condition: to("Condition/c") }] })
      )
      assert.deepStrictEqual(found.map((one) => one.found), [[], ["error Condition/c"]])
    }))
})

describe("A Reference with an address and an identifier", () => {
  const numbered = (name: string, value: string): Json => ({
    reference: name,
    identifier: { system: `${system}${name.startsWith("Patient") ? "patient-code" : "visit-code"}`, value }
  })
  const problemsOf = (inVisit: Json, ofEncounter: Json = {}) =>
    Effect.map(
      bothWays({
        "a.ndjson": lines(
          patient("a"),
          encounter("e1", "a", {
            identifier: [{ system: `${system}visit-code`, value: "V-1" }, { system: "urn:old", value: "O-1" }],
            ...ofEncounter
          }),
          of("a", "Condition", "c", { ...inVisit, code: { text: "Fever" } })
        )
      }),
      ({ visits }) =>
        visits.flatMap(({ problems }) =>
          problems.flatMap(({ code, severity, source }) =>
            code === "other-patient" || code === "contradiction" ? [`${severity} ${code} ${source}`] : []
          )
        )
    )

  it.effect("rejects the visit if the patient has another value of this system", () =>
    Effect.gen(function*() {
      const subject = numbered("Patient/a", "P-b")
      const link = to("Encounter/e1")
      assert.deepStrictEqual(yield* problemsOf({ encounter: link, subject }), ["error other-patient Condition/c"])
      assert.deepStrictEqual(yield* problemsOf({ encounter: link }, { subject }), ["error other-patient Encounter/e1"])
    }))

  it.effect("rejects the visit if the encounter has another value of this system", () =>
    Effect.gen(function*() {
      const found = yield* problemsOf({ encounter: numbered("Encounter/e1", "V-2") })
      assert.deepStrictEqual(found, ["error contradiction Condition/c"])
    }))

  it.effect("is used if the target has this value, or none of this system", () =>
    Effect.gen(function*() {
      const encounterIn = (system: string, value: string): Json => ({
        encounter: { reference: "Encounter/e1", identifier: { system, value } },
        subject: numbered("Patient/a", "P-a")
      })
      assert.deepStrictEqual(yield* problemsOf(encounterIn("urn:old", "O-1")), [])
      assert.deepStrictEqual(yield* problemsOf(encounterIn("urn:new", "N-1")), [])
    }))
})

describe("A patient whom another record replaces", () => {
  it.effect("keeps the visit from being sent, also if the other record has no visit", () =>
    Effect.gen(function*() {
      const link = [{ type: "replaces", other: to("Patient/a") }]
      const { visits } = yield* bothWays({
        "a.ndjson": lines(patient("a"), encounter("e1", "a"), patient("c"), encounter("e2", "c")),
        "b.ndjson": lines(patient("b", { link }))
      })
      assert.deepStrictEqual(
        visits.map(({ problems }) =>
          problems.filter(({ assumption }) => assumption === "replaced-patient-is-sent").map(({ severity }) => severity)
        ),
        [["error"], []]
      )
    }))
})
