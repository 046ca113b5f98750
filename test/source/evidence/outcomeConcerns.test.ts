import { assert, describe, it } from "@effect/vitest"
import { outcomeConcerns } from "../../../src/source/evidence/outcomeConcerns.ts"

const concerns = (diagnostics: string) => {
  const [found] = outcomeConcerns({ issue: [{ severity: "error", code: "exception", diagnostics }] })
  return [found?.patients.join(), found?.types.join()]
}

describe("What an OperationOutcome concerns", () => {
  it("returns the patients and types of a request", () => {
    for (
      const text of [
        "An error occurred when connecting to /Observation?patient=a: [500]",
        "https://emr.example/fhir/Observation?subject=Patient%2Fa&_count=100 failed",
        "Observation?subject:Patient=a failed",
        "Could not read Observation resources of Patient/a.",
        "GET https://emr.example/fhir/Patient/a/Observation/$lastn: 403",
        "Observation?patient=https://emr.example/fhir/Patient/a"
      ]
    ) assert.deepStrictEqual(concerns(text), ["a", "Observation"], text)
    assert.deepStrictEqual(concerns("/Observation?patient=a,b failed"), ["a,b", "Observation"])
    assert.deepStrictEqual(concerns("Patient/a: 403"), ["a", ""])
  })

  it("returns names only if they are used as types", () => {
    assert.deepStrictEqual(concerns("Failed to export Slot/17"), ["", "Slot"])
    assert.deepStrictEqual(concerns("no access to resource type Account"), ["", "Account"])
    assert.deepStrictEqual(concerns("MedicationRequest is not supported"), ["", "MedicationRequest"])
    for (const text of ["Account locked", "Group/7/$export timed out", "Internal server error", "Task failed", ""]) {
      assert.deepStrictEqual(concerns(text), ["", ""], text)
    }
  })

  it("reads every text of an issue, and each issue by itself", () => {
    const found = outcomeConcerns({
      issue: [
        { severity: "error", details: { text: "/Observation?patient=a" } },
        { severity: "fatal", expression: ["Encounter/17"] },
        { severity: "warning", diagnostics: "/Observation?patient=b" },
        { severity: "information" },
        { diagnostics: "without a severity" },
        null
      ]
    })
    assert.deepStrictEqual(found, [
      { patients: ["a"], types: ["Observation"] },
      { patients: [], types: ["Encounter"] },
      { patients: [], types: [] }
    ])
    assert.deepStrictEqual(outcomeConcerns({}), [])
  })
})
