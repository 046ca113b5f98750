import { withoutIndexes } from "../../diagnostic/collate.ts"
import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import type { ExplainedDraft } from "../../mapping/draft/explainProblem.ts"
import { explainProblem } from "../../mapping/draft/explainProblem.ts"
import { fieldText, type VisitDraft } from "../../mapping/draft/VisitDraft.ts"
import type { Assumption } from "../../mapping/MappingPlan.ts"
import { isAccepted } from "../../mapping/MappingPlan.ts"
import { getExisting } from "../../maps.ts"
import type { VisitProblem } from "../../visit/VisitProblem.ts"

/**
 * Returns all problems of a draft with their origins: those of the mapping, those of the visit, and assumptions that are not accepted. A missing
 * code (the patient's, the visit's) is reported once, not for every row that repeats it. A field with an unmapped code is not also reported
 * as empty.
 */
export const draftProblems = (
  draft: VisitDraft,
  visitProblems: ReadonlyArray<VisitProblem>,
  assumptions: ReadonlyMap<string, Assumption>
): ReadonlyArray<Diagnostic> => {
  const { code } = draft.visit
  const problems: Array<Diagnostic> = []
  const add = (diagnostic: Diagnostic): void =>
    void problems.push(typeof code === "string" ? { ...diagnostic, visit: code } : diagnostic)
  draft.problems.forEach(add)
  for (const assumed of draft.assumed) {
    if (!isAccepted(getExisting(assumptions, assumed.assumption ?? ""))) add(assumed)
  }
  const explained = new Set<string>()
  for (const { code, field } of draft.problems) {
    if ((code === "unmapped-code" || code === "no-value") && field !== undefined) explained.add(withoutIndexes(field))
  }
  for (const problem of visitProblems) {
    if (repeats(draft, problem, explained)) continue
    const diagnostic = explainProblem(draft, problem)
    if (diagnostic !== undefined) problems.push(diagnostic)
  }
  return problems
}

/** Returns problems of the visit, each with its mapping line and its record. */
export const explainProblems = (
  draft: ExplainedDraft,
  problems: ReadonlyArray<VisitProblem>
): ReadonlyArray<Diagnostic> => problems.flatMap((problem) => explainProblem(draft, problem) ?? [])

/** Returns whether a value is missing. */
const isAbsence = ({ code }: VisitProblem): boolean =>
  code === "no-value" || code === "missing-content" || code === "required-field"

/** Problems that explain why a field has no value: an unmapped code, and a path that failed or found what cannot be sent. */
const reasonsForAbsence: ReadonlySet<string> = new Set(["unmapped-code", "path-failed", "wrong-type"])

/**
 * Whether a problem of the visit repeats one of the draft. `explained`: the fields for which the mapping reports that they have no value,
 * without the indexes of rows.
 */
const repeats = (draft: VisitDraft, problem: VisitProblem, explained: ReadonlySet<string>): boolean => {
  // Without a patient record no content of the patient exists, and no code of the patient.
  if (
    (problem.path[0] === "patient" || problem.path[0] === "patient_code") && isAbsence(problem) &&
    draft.problems.some(({ code }) => code === "no-patient")
  ) {
    return true
  }
  // What was reported of the field is the reason why it has no value.
  if (isAbsence(problem)) {
    const field = fieldText(problem.path)
    const isExplained = draft.problems.some((reported) =>
      reasonsForAbsence.has(reported.code) && reported.field === field &&
      (problem.severity === "warning" || reported.severity === "error")
    )
    if (isExplained || problem.code !== "required-field") return isExplained
  }
  // The mapping has its own report for it.
  if (problem.code === "null-field") return explained.size > 0 && explained.has(withoutIndexes(fieldText(problem.path)))
  const last = problem.path.at(-1)
  if (problem.code !== "required-field" || problem.path.length < 2) return false
  if (last === "patient_code" || (last === "code" && problem.path[0] === "patient" && problem.path.length === 2)) {
    return draft.visit.patient_code === null
  }
  return last === "visit_code" && draft.visit.code === null
}
