import { assert, describe, it } from "@effect/vitest"
import { type Rejected, rejectedLine } from "../../src/cli/files/Rejected.ts"
import type { Diagnostic } from "../../src/diagnostic/Diagnostic.ts"
import { typesOfElement } from "../../src/fhirpath/infer/Model.ts"
import { outcomeConcerns } from "../../src/source/evidence/outcomeConcerns.ts"
import { VisitCode } from "../../src/visit/values/Code.ts"

const problem: Diagnostic = {
  code: "unmapped-code",
  severity: "error",
  title: "a code is not in the table",
  field: "laboratories[0].results[2].name",
  source: "Observation/9f2c1a",
  origin: { file: "export/Observation.ndjson", line: 7, reference: "Observation/9f2c1a" },
  mapping: { file: "mapping.yaml", line: 3, column: 5, endColumn: 9 },
  help: ["add the row"],
  value: "Ann Example",
  said: "Ann Example"
}

const rejected: Rejected = {
  code: VisitCode("V1"),
  source: "Encounter/e1",
  origin: { file: "export/Encounter.ndjson", line: 2 },
  problems: [problem, { code: "required-field", severity: "error", title: "a field is empty" }]
}

const outcome = JSON.parse(rejectedLine(rejected, "operation-outcome"))

describe("a rejected visit as an OperationOutcome", () => {
  it("has an issue for each problem, with its record", () => {
    assert.strictEqual(outcome.resourceType, "OperationOutcome")
    assert.deepStrictEqual(outcome.issue, [
      {
        severity: "error",
        code: "code-invalid",
        details: {
          coding: [{ system: "https://fhir2visit.example/fhir/CodeSystem/problems", code: "unmapped-code" }],
          text: "a code is not in the table"
        },
        diagnostics:
          "visit V1; field laboratories[0].results[2].name; source export/Observation.ndjson:7; mapping mapping.yaml:3:5; add the row",
        expression: ["Observation.where(id = '9f2c1a')"]
      },
      {
        severity: "error",
        code: "required",
        details: {
          coding: [{ system: "https://fhir2visit.example/fhir/CodeSystem/problems", code: "required-field" }],
          text: "a field is empty"
        },
        diagnostics: outcome.issue[1].diagnostics,
        expression: ["Encounter.where(id = 'e1')"]
      }
    ])
  })

  it("has no value, and no expression for a CSV row; the default is a line of JSON", () => {
    assert.notInclude(JSON.stringify(outcome), "Ann")
    const row = JSON.parse(
      rejectedLine(
        { ...rejected, source: "visits.csv:3", problems: [{ ...problem, source: "visits.csv:3" }] },
        "operation-outcome"
      )
    )
    assert.notProperty(row.issue[0], "expression")
    const ofFile = JSON.parse(
      rejectedLine({ ...rejected, problems: [{ ...problem, source: "a.ndjson" }] }, "operation-outcome")
    )
    assert.deepStrictEqual(ofFile.issue[0].expression, ["Encounter.where(id = 'e1')"])
    assert.property(JSON.parse(rejectedLine(rejected)), "visit")
  })

  it("does not mark an export next to it as incomplete", () => {
    assert.deepStrictEqual(outcomeConcerns(outcome), [])
    const { details: _, ...foreign } = outcome.issue[0]
    assert.lengthOf(outcomeConcerns({ issue: [foreign] }), 1)
  })

  it("has only elements and codes of R4", () => {
    const names = (value: object, place: string): void => {
      for (const [key, inner] of Object.entries(value)) {
        if (key === "resourceType") continue
        const [type] = typesOfElement(place, key) ?? []
        if (type === undefined) return assert.fail(`${place}.${key}`)
        for (const one of [inner].flat()) if (typeof one === "object") names(one, type)
      }
    }
    names(outcome, "OperationOutcome")
  })
})
