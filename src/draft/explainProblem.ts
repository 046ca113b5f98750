import type { Diagnostic } from "../diagnostic/Diagnostic.ts"
import type { VisitProblem } from "../visit/VisitProblem.ts"
import type { VisitDraft } from "./VisitDraft.ts"
import { fieldText } from "./VisitDraft.ts"

/**
 * Leads a problem of a visit home: to the line of the mapping that made the field, and to the record it was read from. A
 * mandatory field that the mapping says may be missing is a warning, or nothing.
 */
export const explainProblem = (draft: VisitDraft, problem: VisitProblem): Diagnostic | undefined => {
  const provenance = draft.provenanceOf(problem.path)
  const record = provenance?.record ?? draft.root
  const severity = problem.code === "required-field" && provenance !== undefined && provenance.required !== "error"
    ? provenance.required
    : problem.severity
  if (severity === "none") return undefined
  return {
    code: problem.code,
    severity,
    title: problem.title,
    field: fieldText(problem.path),
    source: record.origin.reference,
    origin: record.origin,
    ...(provenance === undefined ? {} : { mapping: provenance.mapping }),
    ...(provenance?.path === undefined ? {} : { path: provenance.path }),
    ...(problem.facts === undefined ? {} : { facts: problem.facts }),
    ...(problem.help === undefined ? {} : { help: [problem.help] })
  }
}
