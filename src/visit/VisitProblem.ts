/** The problem codes of a visit; each is in the program's closed list of codes. */
type VisitProblemCode =
  | "required-field"
  | "no-value"
  | "missing-content"
  | "null-field"
  | "invalid-field"
  | "unexpected-field"
  | "foreign-code"
  | "foreign-diagnosis"
  | "duplicate-code"
  | "same-admission-time"
  | "unknown-list-value"
  | "referral-required"
  | "ends-before-start"
  | "outside-visit"
  | "in-the-future"
  | "odd-value"
  | "contradiction"
  | "sum-differs"
  | "other-currency"
  | "primary-diagnosis"
  | "dropped-record"
  | "no-beneficiary"
  | "other-beneficiary"

/**
 * The path of a value in a visit: `["vital_signs", 3, "recorded_by"]`. Empty for the visit as a whole. The last key of an
 * `unexpected-field` is not in the specification, and can be data.
 */
export type ValuePath = ReadonlyArray<string | number>

/**
 * A problem in a visit, with its path. `title` is one sentence without a full stop, in the specification's words. It never holds a value of
 * the visit. An `error` violates the documented specification: the visit is not sent.
 */
export interface VisitProblem {
  readonly code: VisitProblemCode
  readonly severity: "error" | "warning"
  readonly path: ValuePath
  readonly title: string
  /** Further facts, by name: codes and source locations of other visits, never values. */
  readonly facts?: ReadonlyArray<readonly [name: string, text: string]>
  /** Number of values that it represents (default: 1). */
  readonly times?: number
  /** What to do next. */
  readonly help?: string
}
