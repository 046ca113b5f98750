import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { encounter, patient, visitOf } from "./visitOf.ts"

const list = "https://fhir2visit.example/fhir/CodeSystem/admission-types"
const extensions = "https://fhir2visit.example/fhir/StructureDefinition/"
const naming = "https://fhir2visit.example/fhir/NamingSystem/"
const outcome = (code: string) => ({
  url: `${extensions}visit-outcome`,
  valueCodeableConcept: { coding: [{ code }] }
})

const concept = (...codes: ReadonlyArray<string>) => ({
  url: `${extensions}visit-outcome`,
  valueCodeableConcept: { coding: codes.map((code) => ({ code })) }
})

/** What is sent in a field of the visit, and what is reported about it. */
const sent = (field: string, more: object, overlay = "") =>
  visitOf([patient, { ...encounter, ...more }], overlay).pipe(
    Effect.map(({ reported, visit }) => [visit[field], ...reported.filter((one) => one.endsWith(` ${field}`))])
  )

describe("A field with a concept map that takes one value", () => {
  for (
    const [what, field, more, result] of [
      ["sends the first of several concepts, and reports that they differ", "visit_outcome", {
        extension: [outcome("Improved"), outcome("Recovered")]
      }, ["Improved", "warning too-many-values visit_outcome"]],
      ["reports several codes, each of its own concept", "admission_type", {
        type: [{ coding: [{ system: list, code: "Appointment" }] }, { coding: [{ system: list, code: "Refer" }] }]
      }, ["Appointment", "warning too-many-values admission_type"]],
      ["reports nothing if several concepts mean the same", "visit_outcome", {
        extension: [outcome("Deceased"), outcome("exp")]
      }, ["Deceased"]],
      ["ignores a concept without a row next to one with a row", "visit_outcome", {
        extension: [outcome("other"), outcome("Recovered")]
      }, ["Recovered"]],
      ["takes the codings of one concept as alternatives", "visit_outcome", {
        extension: [concept("other", "Deceased", "exp")]
      }, ["Deceased"]],
      ["reports codings of one concept that do not mean the same", "visit_outcome", {
        extension: [concept("other", "Improved", "Recovered")]
      }, ["Improved", "warning too-many-values visit_outcome"]]
    ] as const
  ) {
    it.effect(what, () => Effect.map(sent(field, more), (found) => assert.deepStrictEqual(found, [...result])))
  }

  it.effect("takes the codings of one concept as alternatives, also if the path ends in them", () =>
    Effect.gen(function*() {
      const overlay = `visit: {visit_outcome: {path: "extension('${extensions}visit-outcome').value.coding"}}\n`
      const codings = { coding: [{ code: "Improved" }, { code: "Recovered" }] }
      const one = { extension: [{ url: `${extensions}visit-outcome`, valueCodeableConcept: codings }] }
      assert.deepStrictEqual(yield* sent("visit_outcome", one, overlay), [
        "Improved",
        "warning too-many-values visit_outcome"
      ])
      const same = { extension: [concept("Deceased", "exp")] }
      assert.deepStrictEqual(yield* sent("visit_outcome", same, overlay), ["Deceased"])
      const two = { extension: [outcome("Improved"), outcome("Recovered")] }
      assert.deepStrictEqual(yield* sent("visit_outcome", two, overlay), [
        "Improved",
        "warning too-many-values visit_outcome"
      ])
    }))
})

describe("A field with a concept map that reads several records", () => {
  it.effect("takes the concepts of different records as several, also if each has one at the same place", () =>
    Effect.gen(function*() {
      const flag = (id: string, code: string) => ({
        resourceType: "Flag",
        id,
        status: "active",
        subject: { reference: "Patient/p1" },
        encounter: { reference: "Encounter/e1" },
        code: { coding: [{ system: list, code }] }
      })
      const overlay =
        "grouping: {link: {Flag: encounter}}\nvisit: {admission_type: {path: inVisit('Flag').code.coding}}\n"
      const several = yield* visitOf([patient, encounter, flag("f", "Appointment"), flag("g", "Refer")], overlay)
      assert.strictEqual(several.visit.admission_type, "Appointment")
      assert.include(several.reported, "warning too-many-values admission_type")
    }))
})

describe("Several identifiers of one system", () => {
  const spid = (value: string, use?: string) => ({
    system: `${naming}spid`,
    value,
    ...(use === undefined ? {} : { use })
  })
  const assumedWith = (...spids: ReadonlyArray<object>) =>
    visitOf([{ ...patient, identifier: [{ system: `${naming}patient-code`, value: "P-1" }, ...spids] }, encounter])
      .pipe(
        Effect.map(({ assumed, visit }) => [visit.patient.spid, assumed.includes("another-spid-may-be-in-use")])
      )

  it.effect("are an assumption if it is not recorded which one is in use", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* assumedWith(spid("S-1"), spid("S-2")), ["S-1", true])
      assert.deepStrictEqual(yield* assumedWith(spid("S-1", "old"), spid("S-2")), ["S-2", false])
      assert.deepStrictEqual(yield* assumedWith(spid("S-1"), spid("S-1")), ["S-1", false])
    }))
})

describe("A medicine with several codes of the list", () => {
  const medications = "https://fhir2visit.example/fhir/CodeSystem/medications"
  const request = (...codes: ReadonlyArray<string>) => ({
    resourceType: "MedicationRequest",
    id: "m1",
    status: "active",
    intent: "order",
    subject: { reference: "Patient/p1" },
    encounter: { reference: "Encounter/e1" },
    authoredOn: "2026-03-02T08:20:00+07:00",
    medicationCodeableConcept: { coding: codes.map((code) => ({ system: medications, code })), text: "Medicine" }
  })

  it.effect("is not sent until the facility decides", () =>
    Effect.gen(function*() {
      const error = "error assumption prescriptions[0].medications[0].code"
      const several = yield* visitOf([patient, encounter, request("A", "B")])
      assert.include(several.reported, error)
      const one = yield* visitOf([patient, encounter, request("A")])
      assert.notInclude(one.reported, error)
    }))
})

describe("A section that is one object", () => {
  it.effect("takes the first of several rows, and reports the second", () =>
    Effect.gen(function*() {
      const address = [{ line: ["House 1"] }, { line: ["House 2"] }]
      const overlay = "visit: {patient: {address: {forEachOrNull: null, forEach: address, location: line.first()}}}"
      const { reported, visit } = yield* visitOf([{ ...patient, address }, encounter], overlay)
      assert.strictEqual(visit.patient.address.location, "House 1")
      assert.include(reported, "warning dropped-record patient.address")
    }))
})

describe("Records that state that they are one row", () => {
  const illness = (id: string, text: string, part: number) => ({
    resourceType: "Condition",
    id,
    subject: { reference: `Patient/${patient.id}` },
    encounter: { reference: `Encounter/${encounter.id}` },
    category: [{ coding: [{ code: "problem-list-item" }] }],
    code: { text },
    extension: [
      { url: `${extensions}row-medical_histories`, valuePositiveInt: 1 },
      { url: `${extensions}part-medical_histories`, valuePositiveInt: part }
    ]
  })

  it.effect("are in the order that they state, and not in that of their ids", () =>
    Effect.gen(function*() {
      const { visit } = yield* visitOf([
        patient,
        encounter,
        illness("a", "Asthma", 3),
        illness("b", "Gout", 1),
        illness("c", "Mumps", 2)
      ])
      assert.deepStrictEqual(visit.medical_histories.map(({ value }: { readonly value: unknown }) => value), [
        ["Gout", "Mumps", "Asthma"]
      ])
    }))
})
