import type { Diagnostic, Severity } from "./Diagnostic.ts"
import type { ProblemCode } from "./Problem.ts"

/** The level of a warning: it stops the visit from being sent, is reported, or is ignored. */
export const levelNames = ["error", "warning", "off"] as const
export type Level = (typeof levelNames)[number]

/** The levels of warnings, by code. */
export type Levels = ReadonlyMap<string, Level>

/** Codes of warnings and of contradictions between records. Violations of the documented specification remain errors. */
export const adjustable = [
  "required-field",
  "no-value",
  "missing-content",
  "null-field",
  "unused-record",
  "mostly-unused",
  "too-many-values",
  "assumption",
  "substitute-value",
  "dropped-record",
  "unmapped-code",
  "unknown-unit",
  "missing-offset",
  "partial-date",
  "text-changed",
  "invalid-cell",
  "invalid-field",
  "duplicate-code",
  "same-admission-time",
  "unknown-list-value",
  "foreign-diagnosis",
  "ends-before-start",
  "outside-visit",
  "in-the-future",
  "odd-value",
  "contradiction",
  "duplicate-record",
  "incomplete-visit",
  "test-data",
  "restricted-record",
  "unknown-modifier",
  "sum-differs",
  "primary-diagnosis",
  "no-beneficiary",
  "other-beneficiary"
] as const satisfies ReadonlyArray<ProblemCode>

/** Errors that a facility can lower, because the specification does not document them. */
const lowerable: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  "missing-content",
  "incomplete-visit",
  "duplicate-record",
  "mostly-unused",
  "foreign-diagnosis",
  "outside-visit",
  "test-data",
  "restricted-record"
])

/** Returns the problems with their warnings at the configured levels. Violations of the documented specification remain errors. */
export const atLevels = <A extends { readonly code: ProblemCode; readonly severity: Severity } = Diagnostic>(
  problems: ReadonlyArray<A>,
  levels: Levels | undefined
): ReadonlyArray<A> => {
  if (levels === undefined || levels.size === 0) return problems
  const found: Array<A> = []
  for (const problem of problems) {
    const { code, severity } = problem
    const level = severity === "warning" || lowerable.has(code) ? levels.get(code) : undefined
    if (level === undefined) found.push(problem)
    else if (level !== "off") found.push({ ...problem, severity: level })
  }
  return found
}
