import { getOrMake } from "../../maps.ts"
import { fieldAt, type FieldPath } from "../fields.ts"
import { isBlankText } from "../values/blankText.ts"
import type { VisitProblem } from "../VisitProblem.ts"
import { isComponent, type ReportProblem, type Rule, type UnvalidatedVisit } from "./Rule.ts"

/** Checks one field in a value. `path` is that of the value; it grows and shrinks with the walk. */
type Check = (value: UnvalidatedVisit, path: Array<string | number>, report: ReportProblem) => void

/**
 * Checks that configured fields have a value. If a `required` field is missing, the visit is not sent; if an `expected` field is missing, a
 * warning is reported.
 */
export const fieldsAreGiven: Rule = (visit, settings, report) => {
  for (const check of checksOf(settings.required, "error")) check(visit, [], report)
  for (const check of checksOf(settings.expected, "warning")) check(visit, [], report)
}

const known = new WeakMap<ReadonlyArray<FieldPath>, ReadonlyArray<Check>>()

/** Returns the checks of a list of fields, created once. */
const checksOf = (fields: ReadonlyArray<FieldPath>, severity: "error" | "warning"): ReadonlyArray<Check> =>
  getOrMake(known, fields, () => fields.flatMap((field) => checkOf(field, severity) ?? []))

const checkOf = (path: FieldPath, severity: "error" | "warning"): Check | undefined => {
  const field = fieldAt(path)
  // The check of the form already reports a missing mandatory field.
  if (field === undefined || (severity === "warning" && field.mandatory)) return undefined
  const { name } = field
  const problem: Omit<VisitProblem, "path"> = severity === "error"
    ? { code: "required-field", severity, title: `\`${name}\` has no value; the facility's settings require one` }
    : { code: "no-value", severity, title: `\`${name}\` has no value` }
  const checkLeaf: Check = (value, path, report) => {
    if (isBlank(value[name])) report({ ...problem, path: [...path, name] })
  }
  return path.split(".").slice(0, -1).reduceRight(checkInside, checkLeaf)
}

/** Applies a check to the component or to each entry of the list under a name. */
const checkInside = (check: Check, name: string): Check => (value, path, report) => {
  const inner = value[name]
  if (typeof inner !== "object" || inner === null) return
  const depth = path.push(name)
  if (Array.isArray(inner)) {
    for (let index = 0; index < inner.length; index++) {
      const entry: unknown = inner[index]
      if (!isComponent(entry)) continue
      path[depth] = index
      check(entry, path, report)
    }
  } else if (isComponent(inner)) check(inner, path, report)
  path.length = depth - 1
}

const isBlank = (value: unknown): boolean =>
  value === null || (typeof value === "string" && isBlankText(value)) || (Array.isArray(value) && value.length === 0)
