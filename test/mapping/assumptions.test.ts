import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { encounter, patient, visitOf } from "./visitOf.ts"

const declared = "assumption:\n  some-name: {means: Something is done., instead: Something else.}\n"

const told = (overlay: string, more: ReadonlyArray<{ readonly resourceType: string }> = []) =>
  visitOf([patient, encounter, ...more] as never, declared + overlay).pipe(
    Effect.map(({ said, visit }) => ({
      visit,
      said: said.filter((one) => / assumption /u.test(one))
    }))
  )

const condition = {
  resourceType: "Condition",
  id: "c1",
  subject: { reference: "Patient/p1" },
  encounter: { reference: "Encounter/e1" },
  category: [{ coding: [{ code: "encounter-diagnosis" }] }],
  code: { coding: [{ system: "http://hl7.org/fhir/sid/icd-10", code: "J18.9", display: "Pneumonia" }] }
}

const once = ["warning assumption patient.occupation"]

describe("An assumption", () => {
  for (
    const [what, overlay] of Object.entries({
      "at a path": "occupation: {path: {path: id, assume: some-name}}",
      "at one of several paths": "occupation: [telecom.value, {path: id, assume: some-name}]",
      "beside a path": "occupation: {path: id, assume: some-name}",
      "beside several paths": "occupation: {path: [telecom.value, id], assume: some-name}",
      "at a value": "occupation: {value: {value: Farmer, assume: some-name}}",
      "beside a value": "occupation: {value: Farmer, assume: some-name}",
      "at a default": "occupation: {path: telecom.value, default: {value: Farmer, assume: some-name}}",
      "beside a default": "occupation: {path: null, default: Farmer, assume: some-name}"
    })
  ) {
    it.effect(`${what} is reported with its field`, () =>
      Effect.gen(function*() {
        assert.deepStrictEqual((yield* told(`visit: {patient: {${overlay}}}\n`)).said, once)
      }))
  }

  it.effect("is not reported where another path finds the value", () =>
    Effect.gen(function*() {
      const overlay = "visit: {patient: {occupation: [id, {path: gender, assume: some-name}]}}\n"
      assert.deepStrictEqual((yield* told(overlay)).said, [])
    }))

  const map = (rows: string) =>
    `conceptMap: {job: {${rows}}}\nvisit: {patient: {occupation: {path: gender, conceptMap: job}}}\n`
  for (
    const [what, rows, value, said] of [
      ["at a row", "table: {female: {value: Farmer, assume: some-name}}", "Farmer", once],
      ["at another row", "table: {female: Farmer, male: {value: Farmer, assume: some-name}}", "Farmer", []],
      ["at a fixed value", "unmapped: {fixed: Farmer, assume: some-name}", "Farmer", once],
      ["at a policy", "table: {male: Farmer}, unmapped: {policy: provided, assume: some-name}", "female", once]
    ] as const
  ) {
    it.effect(`${what} of a concept map is reported when the code has it`, () =>
      Effect.gen(function*() {
        const result = yield* told(map(rows))
        assert.deepStrictEqual(result.said, said)
        assert.strictEqual(result.visit.patient.occupation, value)
      }))
  }

  it.effect("at a condition is reported when it excludes a record", () =>
    Effect.gen(function*() {
      const overlay = "visit: {diagnosis: {where: {none: {path: code.text.exists(), assume: some-name}}}}\n"
      const { said, visit } = yield* told(overlay, [condition])
      assert.deepStrictEqual(said, ["warning assumption diagnosis"])
      assert.deepStrictEqual(visit.diagnosis, [])
    }))

  it.effect("at a branch is reported with each row of it", () =>
    Effect.gen(function*() {
      const overlay = "visit: {diagnosis: {assume: some-name}}\n"
      assert.deepStrictEqual((yield* told(overlay, [condition])).said, ["warning assumption diagnosis[0]"])
      assert.deepStrictEqual((yield* told(overlay)).said, [])
    }))
})
