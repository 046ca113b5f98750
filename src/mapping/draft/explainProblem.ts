import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import type { Origin } from "../../diagnostic/Origin.ts"
import { withoutAbsent } from "../../objects.ts"
import type { VisitProblem } from "../../visit/VisitProblem.ts"
import type { DraftPath, FoundSystems, Provenance } from "./VisitDraft.ts"
import { fieldText } from "./VisitDraft.ts"

/** The members of a draft that locating a problem requires. */
export interface ExplainedDraft {
  readonly root: { readonly origin: Origin }
  readonly visit: { readonly code?: unknown; readonly discharged_at?: unknown }
  readonly provenanceOf: (path: DraftPath) => ValueProvenance | undefined
}

/** The mapping line that made a field, and the location in the record. */
export type ValueProvenance = Omit<Provenance, "record"> & { readonly record?: { readonly origin: Origin } }

/**
 * Adds the origin of a visit's problem: the mapping line that made the field, and the record it was read from. A mandatory field that the
 * mapping allows to be missing is a warning, or not reported.
 */
export const explainProblem = (draft: ExplainedDraft, problem: VisitProblem): Diagnostic | undefined => {
  // Many lines and records can leave one field null, so the problem reports only the field.
  if (problem.code === "null-field") {
    const { code, path, severity, times = 1, title } = problem
    return { code, severity, title, field: fieldText(path), times, ...visitFact(draft) }
  }
  const provenance = draft.provenanceOf(problem.path)
  const record = provenance?.record ?? draft.root
  const severity = problem.code === "required-field" && provenance !== undefined && provenance.required !== "error"
    ? provenance.required
    : problem.severity
  if (severity === "none") return undefined
  const help = problem.help === undefined ? whatNext(draft, problem, provenance) : [problem.help]
  return {
    code: problem.code,
    severity,
    title: problem.title,
    field: fieldText(problem.path),
    source: record.origin.reference,
    origin: record.origin,
    ...withoutAbsent({ mapping: provenance?.mapping, path: provenance?.path, facts: problem.facts, help }),
    ...fixOf(problem, provenance),
    ...visitFact(draft)
  }
}

const visitFact = ({ visit: { code } }: ExplainedDraft): Pick<Diagnostic, "visit"> =>
  typeof code === "string" ? { visit: code } : {}

/** The identifier system to set, if the record has identifiers of only one. */
const fixOf = ({ code, path }: VisitProblem, provenance: ValueProvenance | undefined): Pick<Diagnostic, "fix"> => {
  if (code !== "required-field") return {}
  const { constant, found, of } = provenance?.systems?.() ?? {}
  const [system] = found ?? []
  return of === "identifier" && constant !== undefined && path.at(-1) !== serviceNumber && system !== undefined &&
      found?.length === 1
    ? { fix: { kind: "system", at: ["constant", constant], value: system } }
    : {}
}

/** A mandatory field without a value is corrected in the source, or in the mapping line that should find it. */
const whatNext = (
  { visit }: ExplainedDraft,
  problem: VisitProblem,
  provenance: ValueProvenance | undefined
): ReadonlyArray<string> | undefined => {
  const name = problem.path.at(-1)
  if (problem.code !== "required-field" || typeof name !== "string" || provenance === undefined) return undefined
  const systems = provenance.systems?.()
  if (systems !== undefined && systems.found.length > 0) return ofSystems(name, systems)
  return provenance.path === undefined
    ? [`write where it is found:   ${name}: PATH`]
    : [
      ...(endings.has(name) ? [visit.discharged_at == null ? notEnded : endUnknown] : []),
      `add another path:   ${name}: [PATH, OTHER PATH]`,
      ...(systems === undefined ? [] : ofOtherRecord(systems)),
      ...(visit.discharged_at != null && provenance.path.endsWith("period.end") ? endOfVisit(problem.path) : []),
      ...(ofOneVisit.test(name) ? [] : [`or send a fixed value:   ${name}: {path: PATH, default: …}`])
    ]
}

/** Identifiers of another record, such as the hospital that a referral names, can have another system, or not be in the input. */
const ofOtherRecord = ({ constant }: FoundSystems): ReadonlyArray<string> => [
  `or, if the identifiers that it reads are of another system:   constant: {${constant}: "SYSTEM"}`,
  "or, if the record that has them is not in the input, add it"
]

/** Describes the systems of the record's codes, which differ from the expected one. */
const ofSystems = (name: string, { constant, found, key, of }: FoundSystems): ReadonlyArray<string> => {
  const [first, ...others] = found
  const seen = `the record's ${of}s are in  ${found.slice(0, 5).join("  ")}`
  // The program cannot choose among several systems.
  const system = others.length > 0 ? "SYSTEM" : first
  const set = `constant: {${constant}: "${system}"}`
  if (of !== "identifier") {
    return [
      seen,
      `translate them:   ${name}: {path: code, conceptMap: …}`,
      `or, if that is the right system:   ${set}`
    ]
  }
  return name === serviceNumber ? ofService(seen, constant) : [
    seen,
    `if all records have one of them, name it:   ${set}`,
    // Not every patient has a national number of the same kind.
    ...(key === undefined
      ? []
      : [
        `if others have the one of the mapping, add it:   key: {${key}: {path: {after: ["identifierIn('${system}')"]}}}`
      ])
  ]
}

/** The patient's number at the service, whatever a mapping calls its system. */
const serviceNumber = "spid"

/** §2.5, §2.7: exports seldom contain this number, and a number of another kind in its place is wrong. */
const ofService = (seen: string, constant: string): ReadonlyArray<string> => [
  "it is the number in the service's own record of the patient, not a medical record number",
  seen,
  `if one of these is that number:   constant: {${constant}: "SYSTEM"}`,
  "the service provides it for patients with a card:   beneficiary: {fill: [spid]}  in facility.yaml"
]

/** Fields for the end of something, which is unknown while it lasts. */
const endings: ReadonlySet<string> = new Set(["discharged_at", "ended_at"])

const notEnded = "wait, if it has not ended yet: the visit is ready on the day it ends"
const endUnknown =
  "write its end into the source: the visit is over, so waiting helps only if the source still records the end"

/** Proposes the end of the visit for an encounter below it. */
const endOfVisit = ([section]: DraftPath): ReadonlyArray<string> =>
  typeof section === "string" && encounterSections.has(section)
    ? [
      `or send the end of the visit:   ${section}: {ended_at: {after: [{path: "%visit.period.end", warn: "the visit's end"}]}}`
    ]
    : []

const encounterSections: ReadonlySet<string> = new Set(["outpatients", "inpatients", "emergencies"])

/** Times and codes: a fixed value would be wrong for all visits but one. */
const ofOneVisit = /(?:_at|code|spid|birthdate)$/u
