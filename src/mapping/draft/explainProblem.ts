import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import type { Origin } from "../../diagnostic/Origin.ts"
import type { VisitProblem } from "../../visit/VisitProblem.ts"
import type { DraftPath, Provenance } from "./VisitDraft.ts"
import { fieldText } from "./VisitDraft.ts"

type FoundSystems = NonNullable<Provenance["systems"]>

/** As much of a draft as it takes to lead a problem home. */
export interface ExplainedDraft {
  readonly root: { readonly origin: Origin }
  readonly visit: { readonly code?: unknown }
  readonly provenanceOf: (path: DraftPath) => FieldHome | undefined
}

/** The line and the place of the record that made a field. */
export type FieldHome = Omit<Provenance, "record"> & { readonly record?: { readonly origin: Origin } }

/**
 * Leads a problem of a visit home: to the line of the mapping that made the field, and to the record it was read from. A
 * mandatory field that the mapping says may be missing is a warning, or nothing.
 */
export const explainProblem = (draft: ExplainedDraft, problem: VisitProblem): Diagnostic | undefined => {
  // Many lines and records leave one field null: the field is what is reported.
  if (problem.code === "null-field") {
    const { code, path, severity, times, title } = problem
    return { code, severity, title, field: fieldText(path), ...(times === undefined ? {} : { times }) }
  }
  const provenance = draft.provenanceOf(problem.path)
  const record = provenance?.record ?? draft.root
  const severity = problem.code === "required-field" && provenance !== undefined && provenance.required !== "error"
    ? provenance.required
    : problem.severity
  if (severity === "none") return undefined
  const help = problem.help === undefined ? whatNext(problem, provenance) : [problem.help]
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
    ...(help === undefined ? {} : { help }),
    ...fixOf(problem, provenance)
  }
}

/** The system of identifiers that is meant, where the record has identifiers of one alone. */
const fixOf = ({ code }: VisitProblem, provenance: FieldHome | undefined): Pick<Diagnostic, "fix"> => {
  const { constant, found, of } = provenance?.systems ?? {}
  const [system] = found ?? []
  return code === "required-field" && of === "identifier" && constant !== undefined && constant !== "spid_system" &&
      system !== undefined && found?.length === 1
    ? { fix: { kind: "system", at: ["constant", constant], value: system } }
    : {}
}

/** A mandatory field without a value is repaired in the source, or in the mapping line that was to find it. */
const whatNext = (problem: VisitProblem, provenance: FieldHome | undefined): ReadonlyArray<string> | undefined => {
  const name = problem.path.at(-1)
  if (problem.code !== "required-field" || typeof name !== "string" || provenance === undefined) return undefined
  const { systems } = provenance
  if (systems !== undefined) return ofSystems(name, systems)
  return provenance.path === undefined
    ? [`say where it is found:   ${name}: PATH`]
    : [
      ...(endings.has(name) ? ["nothing, where it is still going on: the visit is ready on the day it ends"] : []),
      `try another place too:   ${name}: [PATH, OTHER PATH]`,
      ...(ofOneVisit.test(name) ? [] : [`or send a fixed value:   ${name}: {path: PATH, default: …}`])
    ]
}

/** The record has codes, in other systems than the one that is asked for. */
const ofSystems = (name: string, { constant, found, of }: FoundSystems): ReadonlyArray<string> => {
  const [first, ...others] = found
  const seen = `the record's ${of}s are in  ${found.slice(0, 5).join("  ")}`
  // Which of several is meant is not for the program to say.
  const set = `constant: {${constant}: "${others.length > 0 ? "SYSTEM" : first}"}`
  if (of !== "identifier") {
    return [
      seen,
      `translate them:   ${name}: {path: code, conceptMap: …}`,
      `or, where that is the system meant:   ${set}`
    ]
  }
  return constant === "spid_system" ? ofService(seen) : [seen, `say which is meant:   ${set}`]
}

/** §2.5, §2.7: the patient's number at the service. An export seldom has it, and a number of another kind in its place is wrong. */
const ofService = (seen: string): ReadonlyArray<string> => [
  "it is the number that the service's own record of the patient has, and no medical record number",
  seen,
  "where one of these is that number:   constant: {spid_system: \"SYSTEM\"}",
  "the service tells it where the patient has a card:   beneficiary: {fill: [spid]}  in facility.yaml"
]

/** When something ended, which is not known while it lasts. */
const endings: ReadonlySet<string> = new Set(["discharged_at", "ended_at"])

/** Times and codes: one value for every visit is wrong for all but one of them. */
const ofOneVisit = /(?:_at|code|spid|birthdate)$/u
