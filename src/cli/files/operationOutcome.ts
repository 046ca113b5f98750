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
      code: issueTypes[code] ?? "processing",
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
const issueTypes: Partial<Record<ProblemCode, string>> = {
  "required-field": "required",
  "missing-content": "required",
  "no-value": "required",
  "no-patient": "required",
  "no-encounter": "required",
  "missing-offset": "required",
  "invalid-field": "value",
  "wrong-type": "value",
  "invalid-date": "value",
  "partial-date": "value",
  "invalid-cell": "value",
  "unknown-status": "code-invalid",
  "unmapped-code": "code-invalid",
  "unknown-unit": "code-invalid",
  "unknown-list-value": "code-invalid",
  "foreign-code": "code-invalid",
  "dangling-reference": "not-found",
  "duplicate-record": "duplicate",
  "duplicate-code": "duplicate",
  "same-admission-time": "duplicate",
  "incomplete-visit": "incomplete",
  "incomplete-export": "incomplete",
  "test-data": "business-rule",
  "restricted-record": "security",
  "unreadable-record": "structure",
  "unreadable-input": "structure",
  "not-a-resource": "structure",
  "other-fhir-version": "not-supported",
  "too-deep": "too-long",
  "too-large": "too-long",
  "ends-before-start": "invariant",
  "outside-visit": "invariant",
  "in-the-future": "invariant",
  "sum-differs": "invariant",
  contradiction: "invariant"
}
