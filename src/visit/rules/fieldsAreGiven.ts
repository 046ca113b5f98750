import { fieldAt, type FieldPath } from "../fields.ts"
import type { VisitProblem } from "../VisitProblem.ts"
import type { ReportProblem, Rule, UnvalidatedVisit } from "./Rule.ts"

type Seek = (value: UnvalidatedVisit, report: ReportProblem) => void

/**
 * Checks that configured fields have a value. If a `required` field is missing, the visit is not sent; if an `expected` field is missing, a
 * warning is reported.
 */
export const fieldsAreGiven: Rule = (visit, settings, report) => {
  for (const seek of seekersOf(settings.required, "error")) seek(visit, report)
  for (const seek of seekersOf(settings.expected, "warning")) seek(visit, report)
}

const known = new WeakMap<ReadonlyArray<FieldPath>, ReadonlyArray<Seek>>()

/** Returns the functions that find missing fields, created once for each list of fields. */
const seekersOf = (fields: ReadonlyArray<FieldPath>, severity: "error" | "warning"): ReadonlyArray<Seek> => {
  let seekers = known.get(fields)
  if (seekers === undefined) {
    seekers = fields.map((field) => seekerOf(field, severity))
    known.set(fields, seekers)
  }
  return seekers
}

const seekerOf = (field: FieldPath, severity: "error" | "warning"): Seek => {
  const names = field.split(".")
  const name = names.at(-1)!
  // The check of the form already reports a missing mandatory field.
  if (fieldAt(field) === undefined || (severity === "warning" && fieldAt(field)!.mandatory)) return () => {}
  const problem: Omit<VisitProblem, "path"> = severity === "error"
    ? { code: "required-field", severity, title: `\`${name}\` has no value; the facility's settings require one` }
    : { code: "no-value", severity, title: `\`${name}\` has no value` }
  const path: Array<string | number> = []
  const into = (value: UnvalidatedVisit, at: number, report: ReportProblem): void => {
    const here = names[at]!
    const inner = value[here]
    if (at === names.length - 1) {
      if (isBlank(inner)) report({ ...problem, path: [...path, here] })
      return
    }
    if (typeof inner !== "object" || inner === null) return
    const depth = path.length
    path.push(here)
    if (Array.isArray(inner)) {
      for (let index = 0; index < inner.length; index++) {
        const entry: unknown = inner[index]
        if (typeof entry !== "object" || entry === null) continue
        path[depth + 1] = index
        into(entry as UnvalidatedVisit, at + 1, report)
        path.length = depth + 1
      }
    } else into(inner as UnvalidatedVisit, at + 1, report)
    path.length = depth
  }
  return (visit, report) => into(visit, 0, report)
}

const isBlank = (value: unknown): boolean =>
  value === null || value === "" || (Array.isArray(value) && value.length === 0)
