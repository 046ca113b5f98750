import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as fc from "fast-check"
import { atLevels } from "../../src/diagnostic/levels.ts"
import { parseJson } from "../../src/visit/decode.ts"
import { validateVisit, type ValidationSettings } from "../../src/visit/validateVisit.ts"
import { exampleVisit } from "./exampleVisit.ts"
import { withValue } from "./mutate.ts"

type Change = readonly [path: ReadonlyArray<string | number>, value: unknown]

const problemsOf = (changes: ReadonlyArray<Change>, settings: Partial<ValidationSettings> = {}) =>
  validateVisit(changes.reduce<unknown>((visit, [path, value]) => withValue(visit, path, value), exampleVisit), {
    now: Date.UTC(2026, 3, 1),
    ...settings
  })

const hollow = (...changes: ReadonlyArray<Change>): ReadonlyArray<string> =>
  problemsOf(changes).flatMap(({ code, path, severity }) =>
    code === "missing-content" ? [`${severity} ${path.join(".")}`] : []
  )

describe("A visit and its rows have their content", () => {
  it("rejects a visit without its kind, or a patient without name, sex or birth date", () => {
    assert.deepStrictEqual(hollow(), [])
    assert.deepStrictEqual(hollow([["visit_type"], null]), ["error visit_type"])
    assert.deepStrictEqual(hollow([["visit_type"], " "]), ["error visit_type"])
    assert.deepStrictEqual(hollow([["patient", "sex"], null]), ["error patient.sex"])
    assert.deepStrictEqual(hollow([["patient", "birthdate"], null]), ["error patient.birthdate"])
    assert.deepStrictEqual(hollow([["patient", "name"], null]), [])
    assert.deepStrictEqual(hollow([["patient", "name"], null], [["patient", "surname"], ""]), ["error patient.name"])
  })

  it("rejects rows without content", () => {
    const rows: ReadonlyArray<readonly [Change, string]> = [
      [[["vital_signs", 0, "observations", 0, "value"], null], "vital_signs.0.observations.0.value"],
      [[["vital_signs", 0, "observations"], []], "vital_signs.0.observations"],
      [[["medical_histories", 0, "name"], ""], "medical_histories.0.name"],
      [[["laboratories", 0, "results"], []], "laboratories.0.results"],
      [[["physical_examinations", 0, "value"], " "], "physical_examinations.0.value"],
      [[["physical_examinations", 1, "value"], []], "physical_examinations.1.value"],
      [
        [["physical_examinations", 1, "value"], [{ inspection: "" }, { palpation: "\u00A0" }]],
        "physical_examinations.1.value"
      ],
      [[["laboratories", 0, "results", 0, "value"], null], "laboratories.0.results.0.value"],
      [[["prescriptions", 0, "medications", 0, "medicine_name"], null], "prescriptions.0.medications.0.medicine_name"],
      [[["invoices", 0, "services", 0, "service_name"], ""], "invoices.0.services.0.service_name"]
    ]
    for (const [change, field] of rows) assert.deepStrictEqual(hollow(change), [`error ${field}`], field)
    const described: Change = [["physical_examinations", 1, "value"], [{ inspection: "" }, { palpation: "Soft" }]]
    assert.deepStrictEqual(hollow(described), [])
  })

  it("is an error that a facility can lower, or turn off", () => {
    const problems = problemsOf([[["visit_type"], null]])
    const at = (level: "error" | "warning" | "off") =>
      atLevels(problems, new Map([["missing-content", level]])).flatMap(({ code, severity }) =>
        code === "missing-content" ? [severity] : []
      )
    assert.deepStrictEqual([at("error"), at("warning"), at("off")], [["error"], ["warning"], []])
  })
})

describe("A null that the specification does not show is a warning, once for each field of a visit", () => {
  const nulls = (changes: ReadonlyArray<Change>, settings: Partial<ValidationSettings> = {}) => {
    const before = new Set(problemsOf([]).map(({ path }) => path.join(".")))
    return problemsOf(changes, settings).flatMap(({ code, path, severity, times }) =>
      code === "null-field" && !before.has(path.join(".")) ? [`${severity} ${path.join(".")} ${times}`] : []
    )
  }

  it("counts the values", () => {
    assert.deepStrictEqual(nulls([[["patient", "phone"], null]]), ["warning patient.phone 1"])
    assert.deepStrictEqual(
      nulls([
        [["laboratories", 0, "results", 0, "category"], null],
        [["laboratories", 0, "results", 1, "category"], null]
      ]),
      ["warning laboratories.0.results.0.category 2"]
    )
  })

  it("does not report a null that the specification shows, that the facility allows, or that another rule reports", () => {
    assert.deepStrictEqual(nulls([[["soaps", 0, "evaluation"], null], [["followup_at"], null]]), [])
    assert.deepStrictEqual(nulls([[["patient", "phone"], null]], { mayBeNull: ["patient.phone"] }), [])
    assert.deepStrictEqual(nulls([[["patient", "phone"], null]], { required: ["patient.phone"] }), [])
    assert.deepStrictEqual(nulls([[["visit_type"], null], [["admitted_at"], null]]), [])
  })
})

describe("An object with a repeated key is no visit", () => {
  it("law: rejects a text exactly if one of its objects has a repeated key", () => {
    const json = fc.letrec<{ readonly value: string; readonly object: string }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom("1", "null", "\"a\"", "\"a\\\":1\"", "\"\\u0022: \"", "[]", "{}"),
        fc.array(tie("value"), { maxLength: 3 }).map((all) => `[${all.join(",")}]`),
        tie("object")
      ),
      object: fc.uniqueArray(fc.tuple(fc.constantFrom("ab", "b", "c\\\"", "\\u0022d"), tie("value")), {
        maxLength: 4,
        selector: ([key]) => key
      }).map((all) => `{${all.map(([key, value]) => `"${key}" : ${value}`).join(",")}}`)
    })).object
    fc.assert(fc.property(json, fc.nat(), (text, at) => {
      assert.isTrue(Result.isSuccess(parseJson(text)), text)
      const keys = [...text.matchAll(/"ab" : /gu)]
      const chosen = keys[at % Math.max(1, keys.length)]
      if (chosen === undefined) return
      const twice = `${text.slice(0, chosen.index)}"\\u0061b":2,${text.slice(chosen.index)}`
      assert.isTrue(Result.isFailure(parseJson(twice)), twice)
    }))
  })
})
