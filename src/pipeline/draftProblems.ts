import type { Diagnostic } from "../diagnostic/Diagnostic.ts"
import { explainProblem } from "../draft/explainProblem.ts"
import type { VisitDraft } from "../draft/VisitDraft.ts"
import type { VisitProblem } from "../visit/VisitProblem.ts"

/**
 * All problems of a draft: those of the mapping and those of the visit it made, each led home. A code that is missing once
 * (the patient's, the visit's) is told once, not again for every row that repeats it.
 */
export const draftProblems = (
  draft: VisitDraft,
  visitProblems: ReadonlyArray<VisitProblem>
): ReadonlyArray<Diagnostic> => {
  const told = [...draft.problems]
  for (const problem of visitProblems) {
    if (repeats(draft, problem)) continue
    const diagnostic = explainProblem(draft, problem)
    if (diagnostic !== undefined) told.push(diagnostic)
  }
  const { code } = draft.visit
  return typeof code === "string" ? told.map((diagnostic) => ({ ...diagnostic, visit: code })) : told
}

const repeats = (draft: VisitDraft, problem: VisitProblem): boolean => {
  const last = problem.path.at(-1)
  if (problem.code !== "required-field" || problem.path.length < 2) return false
  if (last === "patient_code" || (last === "code" && problem.path[0] === "patient" && problem.path.length === 2)) {
    return draft.visit.patient_code === null
  }
  return last === "visit_code" && draft.visit.code === null
}
