import type { Findings } from "../Findings.ts"
import { suggestAddress } from "../sections/suggestAddress.ts"
import { suggestDiagnosisCode } from "../sections/suggestDiagnosisCode.ts"
import { suggestEncounterCodes } from "../sections/suggestEncounterCodes.ts"
import { suggestEnds } from "../sections/suggestEnds.ts"
import { suggestHospitals } from "../sections/suggestHospitals.ts"
import { suggestMedicineCodes } from "../sections/suggestMedicineCodes.ts"
import { suggestPatientCode } from "../sections/suggestPatientCode.ts"
import { suggestPerson } from "../sections/suggestPerson.ts"
import { suggestStates } from "../sections/suggestStates.ts"
import { suggestVisitType } from "../sections/suggestVisitType.ts"
import { suggestVitalSigns } from "../sections/suggestVitalSigns.ts"
import { suggestLinks, suggestWindows } from "../sections/suggestWindows.ts"
import { questionsOf } from "../substitutes.ts"
import { OverlayWriter } from "./OverlayWriter.ts"

/** What a profile means for the mapping. */
export interface Suggestions {
  /** Lines for an overlay, in the mapping language; `""` if there are none. */
  readonly overlay: string
  /** Of these, substitutes and placeholders for values that the data never has; they await a decision. */
  readonly standIns: ReadonlyArray<string>
  /** Code table rows that translate a code to another system; a coding expert must confirm each. */
  readonly proposals?: number
  /** Assumptions about how numbers are written: a wrong one affects every visit. */
  readonly guesses?: ReadonlyArray<string>
  /** Questions that only people can answer; the drafted lines are marked QUESTION. */
  readonly questions?: ReadonlyArray<string>
  /** Problems that no mapping line can solve, and who can solve them. */
  readonly notes: ReadonlyArray<string>
  /** Of tables: a page with a first case, in files with their headers. */
  readonly example?: string
}

/** The lines that a mapping needs for what was found. */
export const suggestOverlay = (findings: Findings): Suggestions => {
  const writer = new OverlayWriter()
  const standIns: Array<string> = []
  const notes: Array<string> = []
  const questions: Array<string> = []
  const out = { writer, standIns, notes, questions }
  suggestPatientCode(findings, out)
  suggestHospitals(findings, out)
  suggestStates(findings, out)
  suggestPerson(findings, out)
  suggestEncounterCodes(findings, out)
  suggestVisitType(findings, out)
  suggestVitalSigns(findings, out)
  const proposals = suggestDiagnosisCode(findings, out)
  suggestMedicineCodes(findings, out)
  suggestEnds(findings, out)
  suggestAddress(findings, out)
  suggestLinks(findings, out)
  suggestWindows(findings, out)
  questions.push(...questionsOf(writer))
  return {
    overlay: writer.isEmpty ? "" : `${String(writer)}\n`,
    standIns,
    notes,
    ...(questions.length === 0 ? {} : { questions }),
    ...(proposals === 0 ? {} : { proposals })
  }
}
