import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { ConversionRequest } from "../../src/run/ConversionRequest.ts"
import { makeReferenceList } from "../../src/visit/values/ReferenceList.ts"
import type { Json } from "../run/smallRecords.ts"
import { encounter, patient, visitOf } from "./visitOf.ts"

const diagnosed = (code: string): Json => ({
  resourceType: "Condition",
  id: `c-${code}`,
  subject: { reference: "Patient/p1" },
  encounter: { reference: "Encounter/e1" },
  code: { coding: [{ system: "http://hl7.org/fhir/sid/icd-10", code }] }
})

describe("texts", () => {
  const withFamily = (family: string): Json => ({ ...patient, name: [{ family, given: ["Ann"] }] })
  const changed = "warning text-changed patient.surname"

  it.effect("composes decomposed letters, with a report", () =>
    Effect.gen(function*() {
      const { reported, visit } = yield* visitOf([withFamily("Re\u0301na"), encounter])
      assert.strictEqual(visit.patient.surname, "R\u00E9na")
      assert.include(reported, changed)
    }))

  it.effect("keeps decomposed letters if the mapping requires it", () =>
    Effect.gen(function*() {
      const { reported, visit } = yield* visitOf([withFamily("Re\u0301na"), encounter], "text: {normalise: none}\n")
      assert.strictEqual(visit.patient.surname, "Re\u0301na")
      assert.notInclude(reported, changed)
    }))

  it.effect("sends a fixed number with its digits", () =>
    Effect.gen(function*() {
      const { visit } = yield* visitOf(
        [patient, encounter],
        "visit:\n  patient:\n    occupation: {value: 1.50}\n    nationality: {path: id, conceptMap: own}\nconceptMap: {own: {table: {p1: 2.0}}}\n"
      )
      assert.strictEqual(visit.patient.occupation, "1.50")
      assert.strictEqual(visit.patient.nationality, "2.0")
    }))

  it.effect("keeps every script, zero-width spaces and emoji without a report", () =>
    Effect.gen(function*() {
      for (const family of ["R\u00E9na", "សុខ\u200Bសាន្ត", "山田", "فاطمة", "🩺", "  two  spaces  "]) {
        const { reported, visit } = yield* visitOf([withFamily(family), encounter])
        assert.strictEqual(visit.patient.surname, family)
        assert.notInclude(reported, changed)
      }
    }))

  it.effect("removes control characters, with a report", () =>
    Effect.gen(function*() {
      const { reported, visit } = yield* visitOf([withFamily("Re\u0000\u0301na\t"), encounter])
      assert.strictEqual(visit.patient.surname, "R\u00E9na\t")
      assert.strictEqual(reported.filter((line) => line === changed).length, 2)
    }))
})

describe("§4.3 diagnoses: a code is sent in the form of the list", () => {
  const lists = new Map(
    [
      ["diagnoses", makeReferenceList([{ code: "J18.9", name: "Pneumonia" }, { code: "A90", name: "Dengue fever" }])]
    ] as const
  )
  const codes = (code: string, settings: Partial<ConversionRequest>) =>
    Effect.map(
      visitOf([patient, encounter, diagnosed(code)], "", settings),
      ({ reported, visit }) => [
        visit.diagnosis[0].diagnosis_code,
        reported.filter((line) => line.includes("diagnosis_code"))
      ]
    )

  it.effect("accepts a code with and without its dot, in any letter case", () =>
    Effect.gen(function*() {
      for (const code of ["J18.9", "J189", "j18.9"]) {
        assert.deepStrictEqual(yield* codes(code, { validation: { lists } }), ["J18.9", []])
      }
      assert.deepStrictEqual(yield* codes("A9.0", { validation: { lists } }), ["A90", []])
    }))

  it.effect("reports a code outside the list, and rejects one without the form of ICD-10", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* codes("J18-9", { validation: { lists } }), [
        "J18-9",
        [
          "warning unknown-list-value diagnosis[0].diagnosis_code",
          "error foreign-diagnosis diagnosis[0].diagnosis_code"
        ]
      ])
      assert.deepStrictEqual(yield* codes("J189", {}), ["J189", []])
    }))
})

describe("a birth date that is only a year", () => {
  const born: Json = { ...patient, birthDate: "1990" }
  const partial = (severity: string) => `${severity} partial-date patient.birthdate`

  it.effect("is an error unless the mapping chooses a policy", () =>
    Effect.gen(function*() {
      const rejected = yield* visitOf([born, encounter])
      assert.include(rejected.reported, partial("error"))
      const blank = yield* visitOf([born, encounter], "time: {partialDate: blank}\n")
      assert.include(blank.reported, partial("warning"))
      assert.isNull(blank.visit.patient.birthdate)
      const first = yield* visitOf([born, encounter], "time: {partialDate: first-day}\n")
      assert.include(first.reported, partial("warning"))
      assert.strictEqual(first.visit.patient.birthdate, "1990-01-01")
    }))
})
