import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { parse } from "yaml"
import { jsonObjectsIn } from "../../../src/json/JsonObject.ts"
import { present } from "../../present.ts"
import { begun, type Json, sample } from "./begun.ts"
import { codedInIcd10, hospital } from "./hospital.ts"

describe("Lines of init keep the assumptions of the base mapping", () => {
  const codedAs = (...codings: ReadonlyArray<Json>) =>
    hospital(4).map((record, at) =>
      record["resourceType"] === "Condition"
        ? { ...record, code: at > 5 ? record["code"] : { coding: codings } }
        : record
    )

  it.effect("keeps the assumptions about ICD-10 if other codes have rows", () =>
    Effect.gen(function*() {
      const icd10 = "http://hl7.org/fhir/sid/icd-10"
      for (
        const [name, codings] of [
          ["national-icd10-is-icd10", [{ system: `${icd10}-xx`, code: "A90" }]],
          ["first-of-several-codes", [{ system: icd10, code: "A90" }, { system: icd10, code: "A91" }]]
        ] as const
      ) {
        const { report, text, visits } = yield* begun(codedAs(...codings))
        assert.deepStrictEqual(parse(text).visit.diagnosis.diagnosis_code, {
          after: ["code.translated('diagnosis_code')"]
        })
        assert.deepStrictEqual(visits.map(({ diagnosis }) => diagnosis[0].diagnosis_code), ["A90"])
        assert.include(report, `"${name}"`)
      }
    }))

  it.effect("sends codes of a national edition under another address as an assumption", () =>
    Effect.gen(function*() {
      const records = hospital(4).map((record) =>
        record["resourceType"] === "Condition"
          ? { ...record, code: { coding: [{ system: "http://our-hospital.example/icd-10-xx", code: "A90" }] } }
          : record
      )
      const { report, text, visits } = yield* begun(records)
      assert.isUndefined(parse(text).constant.icd10)
      assert.isUndefined(parse(text).visit.diagnosis)
      assert.lengthOf(visits, 4)
      assert.include(report, "\"national-icd10-is-icd10\"")
      const other = yield* begun(JSON.parse(JSON.stringify(records).replaceAll("icd-10-xx", "icd-10")))
      assert.strictEqual(parse(other.text).constant.icd10, "http://our-hospital.example/icd-10")
      assert.isUndefined(parse(other.text).function)
    }))

  it.effect("keeps the assumptions about medicines without a code of the service's system", () =>
    Effect.gen(function*() {
      const prescribed = (at: number, medicine: Json) => ({
        resourceType: "MedicationRequest",
        id: `m${at}`,
        status: "active",
        intent: "order",
        subject: { reference: `Patient/p${at}` },
        authoredOn: `2026-03-0${at}T08:30:00+07:00`,
        encounter: { reference: `Encounter/e${at}` },
        medicationCodeableConcept: medicine
      })
      const { report, visits } = yield* begun([
        ...codedInIcd10(hospital(4)),
        prescribed(1, {
          coding: [{ system: "http://a.example", code: "A1" }, { system: "http://b.example", code: "B1" }]
        }),
        prescribed(2, { text: "Paracetamol" })
      ])
      const codes = visits.flatMap(({ prescriptions }) => prescriptions[0]?.medications[0].code ?? [])
      assert.sameMembers(codes, ["A1", "Paracetamol"])
      for (const name of ["first-of-several-code-systems", "name-is-code", "code-is-sent-as-it-is"]) {
        assert.include(report, `"${name}"`)
      }
    }))

  it.effect("keeps the assumptions about ends and the service's ids of patients", () =>
    Effect.gen(function*() {
      const records = sample((_, at) => ({
        status: at === 0 ? "in-progress" : "finished",
        period: {
          start: `2026-03-0${at + 1}T08:00:00+07:00`,
          ...(at === 0 ? { end: "2026-03-01T09:00:00+07:00" } : {})
        }
      }))
      const system = "https://fhir2visit.example/fhir/NamingSystem/spid"
      const patient = present(records.find((record) => record["resourceType"] === "Patient"))
      const ids = ["S1", "S2"].map((value) => ({ system, value }))
      const { report, text } = yield* begun(
        records.map((record) =>
          record === patient ? { ...record, identifier: [...jsonObjectsIn(record["identifier"]), ...ids] } : record
        )
      )
      assert.deepStrictEqual(Object.keys(parse(text).visit.discharged_at), ["after"])
      assert.deepStrictEqual(Object.keys(parse(text).visit.patient.spid), ["after"])
      for (const name of ["unfinished-encounter-has-ended", "another-spid-may-be-in-use", "beginning-is-end"]) {
        assert.include(report, `"${name}"`)
      }
    }))
})
