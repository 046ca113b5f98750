import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import fc from "fast-check"
import { at } from "../../src/at.ts"
import { fromText } from "../../src/json/Decimal.ts"
import { isJsonObject, oneOrMore } from "../../src/json/JsonObject.ts"
import { arbitraryVisit } from "../../src/studio/proof/arbitraryVisit.ts"
import { copyOf, type MutableObject } from "../../src/studio/proof/MutableObject.ts"
import { formProblems } from "../../src/visit/checkForm.ts"
import { decodeVisit, parseJson } from "../../src/visit/decode.ts"
import { encodeSubmission, encodeVisit } from "../../src/visit/encode.ts"
import type { Field } from "../../src/visit/Field.ts"
import { visitFields } from "../../src/visit/fields.ts"
import { EncounterCode, PatientCode, VisitCode } from "../../src/visit/values/Code.ts"
import { only, present } from "../present.ts"
import { exampleVisit } from "./exampleVisit.ts"
import { reversedKeys } from "./mutate.ts"

/** Checks the order of the keys of every object against the fields of its component. */
const assertOrder = (value: unknown, fields: ReadonlyArray<Field>): void => {
  if (!isJsonObject(value)) throw new Error("a component is an object")
  const names = fields.map((field) => field.name).filter((name) => name in value)
  assert.deepStrictEqual(Object.keys(value), names)
  for (const field of fields) {
    const inner = value[field.name]
    if (field.fields === undefined || inner === null) continue
    assert.strictEqual(Array.isArray(inner), field.kind === "list")
    for (const entry of oneOrMore(inner)) {
      assertOrder(entry, field.fields)
    }
  }
}

const unknownHere = "the specification has no field of this name here"

describe("encodeVisit: the exact bytes", () => {
  it("law: decoding returns the encoded visit, and encoding it again the same bytes", () => {
    fc.assert(
      fc.property(arbitraryVisit, (visit) => {
        const text = encodeVisit(visit)
        const decoded = decodeVisit(text)
        assert.isTrue(Result.isSuccess(decoded))
        assert.deepStrictEqual(Result.getOrThrow(decoded), visit)
        assert.strictEqual(encodeVisit(Result.getOrThrow(decoded)), text)
      }),
      { numRuns: 150 }
    )
  })

  it("law: keys are in the specification's order, whatever the order of construction", () => {
    fc.assert(
      fc.property(arbitraryVisit, (visit) => {
        const text = encodeVisit(visit)
        assertOrder(JSON.parse(text), visitFields)
        assert.strictEqual(encodeVisit(reversedKeys(visit, visitFields)), text)
      }),
      { numRuns: 60 }
    )
  })

  it("keeps the digits of numbers, and writes none with an exponent", () => {
    const sample = only(fc.sample(arbitraryVisit, { numRuns: 1, seed: 7 }))
    const triage = {
      patient_code: PatientCode("P1"),
      visit_code: VisitCode("V1"),
      code: EncounterCode("E1"),
      chief_complaint: null,
      height: 1e21,
      weight: 1e-7,
      recorded_at: "2026-03-01T10:15:00.000+07:00",
      recorded_by: null,
      title: null
    }
    const text = encodeVisit({ ...sample, triages: [triage] })
    assert.include(text, "\"height\":1000000000000000000000,\"weight\":0.0000001,")
    const kept = text.replace("\"height\":1000000000000000000000", "\"height\":170.0")
    assert.strictEqual(encodeVisit(Result.getOrThrow(decodeVisit(kept))), kept)
  })

  it("§2.6 LabResult: a result remains a string or a number", () => {
    const results = [1e21, "1e21", present(fromText("7.20")), "7.20", null].map((value) => ({
      ...at(at(exampleVisit.laboratories, 0).results, 0),
      value
    }))
    const text = encodeVisit({ ...exampleVisit, laboratories: [{ ...at(exampleVisit.laboratories, 0), results }] })
    assert.deepStrictEqual([...text.matchAll(/"value":([^,[]*),"value_type":"float"/g)].map(([, value]) => value), [
      "1000000000000000000000",
      "\"1e21\"",
      "7.20",
      "\"7.20\"",
      "null"
    ])
  })

  it("§2.3: a submission request holds the same bytes", () => {
    assert.strictEqual(encodeSubmission([]), "{\"visits\":[]}")
    assert.strictEqual(encodeSubmission(["{\"a\":7.20}", "{}"]), "{\"visits\":[{\"a\":7.20},{}]}")
  })
})

describe("parseJson: digits are kept", () => {
  const always = (text: string): string => JSON.stringify(Result.getOrThrow(parseJson(text)))

  it("law: numbers keep their digits, at any position", () => {
    const numeral = fc.stringMatching(/^-?(?:0|[1-9]\d{0,20})(?:\.\d{1,12})?$/).filter((text) => !/^-[0.]+$/.test(text))
    fc.assert(
      fc.property(fc.array(numeral, { minLength: 1 }), fc.constantFrom("", " ", "\n\t"), (numbers, space) => {
        assert.strictEqual(always(`[${numbers.join(`,${space}`)}${space}]`), `[${numbers.join(",")}]`)
        assert.strictEqual(
          always(`{${numbers.map((text, i) => `"k${i}":${space}${text}`).join(",")}}`),
          `{${numbers.map((text, i) => `"k${i}":${text}`).join(",")}}`
        )
        assert.strictEqual(always(at(numbers, 0)), numbers[0])
      }),
      { numRuns: 500 }
    )
  })

  it("does not change strings that look like numbers", () => {
    const text = "{\"a\":\"7.20\",\"b\":\", 7.20 ,\",\"c\":7.20}"
    assert.strictEqual(always(text), text)
  })

  it("reports where the text stops being JSON, and shows none of it", () => {
    const problems = Result.getOrThrow(Result.flip(parseJson("{\"surname\": \"Sok\" \"x\"}")))
    assert.deepStrictEqual(problems, [
      { code: "invalid-field", severity: "error", path: [], title: "the text is not JSON, at character 19" }
    ])
  })
})

describe("decodeVisit: all problems of form at once", () => {
  it("reports each problem at its path, without a value", () => {
    const visit = copyOf(only(fc.sample(arbitraryVisit, { numRuns: 1, seed: 3 })))
    const patient: MutableObject = visit.patient
    const broken: MutableObject = visit
    broken.code = ""
    broken.patient_code = null
    delete broken.admitted_at
    delete broken.admission_type
    delete broken.soaps
    broken.created_at = "2026-03-01T10:15:00Z"
    broken.updated_at = "2026-02-30T10:15:00.000+07:00"
    broken.discharged_at = 12
    broken.consultations = ["rest", 7]
    broken.triages = null
    broken.vital_signs = {}
    broken.invoices = [null]
    broken.referals = []
    patient.sex = "male"
    patient.birthdate = "1990-02-30"
    patient.surname = 7
    patient.address = null
    broken.physical_examinations = [
      {
        patient_code: "P",
        visit_code: "V",
        encounter_code: "E",
        name: null,
        value_type: "text",
        value: [],
        value_unit: null
      }
    ]
    const found = formProblems(broken).map(({ code, path, title }) => `${path.join(".")} ${code}: ${title}`)
    assert.deepStrictEqual(found.toSorted(), [
      "admission_type required-field: `admission_type` is absent; fields are not removed",
      "admitted_at required-field: `admitted_at` is absent; it is mandatory",
      "code required-field: `code` is empty; it is mandatory",
      "consultations.1 invalid-field: entry 1 of `consultations` is a number, not a string",
      "created_at invalid-field: `created_at` is not a timestamp of the form YYYY-MM-DDTHH:mm:ss.sss+HH:MM",
      "discharged_at invalid-field: `discharged_at` is a number, not a timestamp of the form YYYY-MM-DDTHH:mm:ss.sss+HH:MM",
      "invoices.0 invalid-field: entry 0 of `invoices` is null, not an object",
      "patient.address required-field: `address` is null; it is mandatory",
      "patient.birthdate invalid-field: `birthdate` is not a date of the form YYYY-MM-DD",
      "patient.sex invalid-field: `sex` is not `M` or `F`",
      "patient.surname invalid-field: `surname` is a number, not a string",
      "patient_code required-field: `patient_code` is null; it is mandatory",
      "physical_examinations.0.value invalid-field: `value` is an array, not of the form that `value_type` states",
      "referals unexpected-field: the specification has no field of this name here",
      "soaps required-field: `soaps` is absent; fields are not removed",
      "triages invalid-field: `triages` is null, not an array",
      "updated_at invalid-field: `updated_at` is not a timestamp of the form YYYY-MM-DDTHH:mm:ss.sss+HH:MM",
      "vital_signs invalid-field: `vital_signs` is an object, not an array"
    ])
  })

  it("treats unknown keys as data, and shows none", () => {
    const text = encodeVisit(exampleVisit).replace("{", "{\"__proto__\":{\"code\":1},\"constructor\":1,\"Sok Dara\":1,")
    assert.deepStrictEqual(formProblems(Result.getOrThrow(parseJson(text))).map(({ path, title }) => [path, title]), [
      [["__proto__"], unknownHere],
      [["constructor"], unknownHere],
      [["Sok Dara"], unknownHere]
    ])
  })

  it("reports a value that is not a visit", () => {
    for (const value of [null, [], 7, true, undefined]) {
      const [problem, ...others] = formProblems(value)
      assert.deepStrictEqual([problem?.code, problem?.path, others], ["invalid-field", [], []])
    }
    assert.strictEqual(formProblems({}).length, 30)
  })

  it("law: finds no problem in a valid visit", () => {
    fc.assert(
      fc.property(arbitraryVisit, (visit) => {
        assert.deepStrictEqual(formProblems(visit), [])
      }),
      { numRuns: 100 }
    )
  })
})
