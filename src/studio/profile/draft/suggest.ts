import type { Findings } from "../Findings.ts"
import { askAboutCategories, suggestDiagnosisCode, suggestMedicineCodes } from "../sections/suggestCodes.ts"
import {
  suggestEncounterCodes,
  suggestEnds,
  suggestHospitals,
  suggestVisitType
} from "../sections/suggestEncounters.ts"
import { suggestMoney } from "../sections/suggestMoney.ts"
import { suggestAddress, suggestPatientCode, suggestPerson } from "../sections/suggestPatients.ts"
import { suggestStates } from "../sections/suggestStates.ts"
import { suggestVitalSigns } from "../sections/suggestVitalSigns.ts"
import { suggestBundles, suggestLinks, suggestWindows } from "../sections/suggestWindows.ts"
import { questionsOf } from "./assumptions.ts"
import { Draft } from "./Draft.ts"

/** What a profile means for the mapping. */
export interface Suggestions {
  /** Lines for an overlay, in the mapping language; `""` if there are none. */
  readonly overlay: string
  /** Fields with a substitute or placeholder for values that the data never has; they await a decision. */
  readonly substitutes: ReadonlyArray<string>
  /** Code table rows that translate a code to another system; a coding expert must confirm each. */
  readonly proposals?: number
  /** Assumptions about how numbers are written: a wrong one affects every visit. */
  readonly guesses?: ReadonlyArray<string>
  /** Questions that only people can answer; the drafted lines are marked QUESTION. */
  readonly questions?: ReadonlyArray<string>
  /** Problems that no mapping line can solve, and who can solve them. */
  readonly notes: ReadonlyArray<string>
  /** For tables: a page with a first case, in files with their headers. */
  readonly example?: string
}

/** The suggestions in a draft, with the questions about its doubtful lines and assumptions. */
export const suggestionsIn = (draft: Draft): Suggestions => {
  const questions = [...draft.questions, ...questionsOf(draft)]
  const proposals = draft.marked("proposal").get("conceptMap.diagnosis_code")
  return {
    overlay: draft.isEmpty ? "" : `${String(draft)}\n`,
    substitutes: draft.substitutes,
    notes: draft.notes,
    ...(questions.length === 0 ? {} : { questions }),
    ...(proposals === undefined ? {} : { proposals })
  }
}

/** Suggests the lines that a mapping of FHIR needs for what was found. */
export const suggestOverlay = (findings: Findings): Suggestions => {
  const draft = new Draft()
  suggestPatientCode(findings, draft)
  suggestHospitals(findings, draft)
  suggestStates(findings, draft)
  suggestPerson(findings, draft)
  suggestEncounterCodes(findings, draft)
  suggestVisitType(findings, draft)
  suggestVitalSigns(findings, draft)
  suggestDiagnosisCode(findings, draft)
  askAboutCategories(findings, draft)
  suggestMedicineCodes(findings, draft)
  suggestMoney(findings, draft)
  suggestEnds(findings, draft)
  suggestAddress(findings, draft)
  suggestLinks(findings, draft)
  suggestBundles(findings, draft)
  suggestWindows(findings, draft)
  return suggestionsIn(draft)
}
