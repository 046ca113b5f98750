import type { ProblemCode } from "../../diagnostic/Problem.ts"
import { helpOf } from "../../diagnostic/render/helpOf.ts"
import { spanText } from "../../diagnostic/Span.ts"
import { problemSystem } from "../../source/evidence/outcomeConcerns.ts"
import type { Rejected } from "./Rejected.ts"

/**
 * Problems of a visit or record as an OperationOutcome of FHIR R4 (https://hl7.org/fhir/R4/operationoutcome.html), for servers and viewers that
 * show them at the record. An issue locates the record by a FHIRPath expression, its file, and its line. It contains no value.
 */
export const operationOutcome = ({ code: visit, origin: place, problems, source: whole }: Rejected) => ({
  resourceType: "OperationOutcome",
  issue: problems.map((problem) => {
    const { code, field, origin = place, severity, source = whole, title } = problem
    const { file, line } = origin
    // A problem of a file is shown at the visit that it concerns.
    const record = expressionOf(source) ?? expressionOf(whole)
    return {
      severity,
      code: issueTypes.get(code) ?? "processing",
      details: { coding: [{ system: problemSystem, code }], text: title },
      diagnostics: [
        ...(visit === null ? [] : [`visit ${visit}`]),
        ...(field === undefined ? [] : [`field ${field}`]),
        `source ${file}:${line}`,
        ...(problem.mapping === undefined ? [] : [`mapping ${spanText(problem.mapping)}`]),
        ...helpOf(problem)
      ].join("; "),
      ...(record === undefined ? {} : { expression: [record] })
    }
  })
})

/** A record as FHIRPath: `Observation.where(id = '9f2c1a')`; `undefined` for what has no id, such as a row of a table. */
const expressionOf = (source: string): string | undefined => {
  const [, type, id] = /^([A-Z][A-Za-z]+)\/([A-Za-z0-9\-.]{1,64})$/u.exec(source) ?? []
  return type === undefined ? undefined : `${type}.where(id = '${id}')`
}

/** https://hl7.org/fhir/R4/valueset-issue-type.html; `processing` for the others. */
const issueTypes: ReadonlyMap<ProblemCode, string> = new Map(
  Object.entries<ReadonlyArray<ProblemCode>>({
    required: ["required-field", "missing-content", "no-value", "no-patient", "no-encounter", "missing-offset"],
    value: ["invalid-field", "wrong-type", "invalid-date", "partial-date", "invalid-cell"],
    "code-invalid": ["unknown-status", "unmapped-code", "unknown-unit", "unknown-list-value", "foreign-code"],
    "not-found": ["dangling-reference"],
    duplicate: ["duplicate-record", "duplicate-code", "same-admission-time"],
    incomplete: ["incomplete-visit", "incomplete-export"],
    "business-rule": ["test-data"],
    security: ["restricted-record"],
    structure: ["unreadable-record", "unreadable-input", "not-a-resource"],
    "not-supported": ["other-fhir-version"],
    "too-long": ["too-deep", "too-large"],
    invariant: ["ends-before-start", "outside-visit", "in-the-future", "sum-differs", "contradiction"]
  }).flatMap(([type, codes]) => codes.map((code) => [code, type] as const))
)
