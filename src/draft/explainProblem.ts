import type { Diagnostic } from "../diagnostic/Diagnostic.ts"
import type { Origin } from "../source/SourceRecord.ts"
import type { VisitProblem } from "../visit/VisitProblem.ts"
import type { FieldPath, Provenance } from "./VisitDraft.ts"
import { fieldText } from "./VisitDraft.ts"

/** As much of a draft as it takes to lead a problem home. */
export interface ExplainedDraft {
  readonly root: { readonly origin: Origin }
  readonly visit: { readonly code?: unknown }
  readonly provenanceOf: (path: FieldPath) => FieldHome | undefined
}

/** The line and the place of the record that made a field. */
export type FieldHome = Omit<Provenance, "record"> & { readonly record?: { readonly origin: Origin } }

/**
 * Leads a problem of a visit home: to the line of the mapping that made the field, and to the record it was read from. A
 * mandatory field that the mapping says may be missing is a warning, or nothing.
 */
export const explainProblem = (draft: ExplainedDraft, problem: VisitProblem): Diagnostic | undefined => {
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
    ...(help === undefined ? {} : { help })
  }
}

/** A mandatory field without a value is repaired in the source, or in the mapping line that was to find it. */
const whatNext = (problem: VisitProblem, provenance: FieldHome | undefined): ReadonlyArray<string> | undefined => {
  const name = problem.path.at(-1)
  if (problem.code !== "required-field" || typeof name !== "string" || provenance === undefined) return undefined
  const { systems } = provenance
  if (systems !== undefined) {
    const set = `constant: {${systems.constant}: "${systems.found[0]}"}`
    return [
      `the record's ${systems.of}s are in  ${systems.found.slice(0, 5).join("  ")}`,
      ...(systems.of === "identifier"
        ? [`say which is meant:   ${set}`]
        : [`translate them:   ${name}: {path: code, conceptMap: …}`, `or, where that is the system meant:   ${set}`])
    ]
  }
  return provenance.path === undefined
    ? [`say where it is found:   ${name}: PATH`]
    : [
      ...(endings.has(name) ? ["nothing, where it is still going on: the visit is ready on the day it ends"] : []),
      `try another place too:   ${name}: [PATH, OTHER PATH]`,
      ...(ofOneVisit.test(name) ? [] : [`or send a fixed value:   ${name}: {path: PATH, default: …}`])
    ]
}

/** When something ended, which is not known while it lasts. */
const endings: ReadonlySet<string> = new Set(["discharged_at", "ended_at"])

/** Times and codes: one value for every visit is wrong for all but one of them. */
const ofOneVisit = /(?:_at|code|spid|birthdate)$/u
