/** The kinds of problem a visit can have; each is a code of the program's closed list. */
export type VisitProblemCode =
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
  | "no-beneficiary"
  | "other-beneficiary"

/**
 * Where in a visit a value stands: `["vital_signs", 3, "recorded_by"]`. Empty for the visit as a whole. The last key of an `unexpected-field`
 * is one that the specification does not have, and may be data.
 */
export type ValuePath = ReadonlyArray<string | number>

/**
 * Something wrong with a visit, and where. `title` is one sentence without a full stop in the specification's words; it never
 * holds a value of the visit. An `error` breaks what the specification documents: the visit is not sent.
 */
export interface VisitProblem {
  readonly code: VisitProblemCode
  readonly severity: "error" | "warning"
  readonly path: ValuePath
  readonly title: string
  /** Further facts, by name: codes and places of other visits, never values. */
  readonly facts?: ReadonlyArray<readonly [name: string, text: string]>
  /** How many values it stands for, where it is not one. */
  readonly times?: number
  /** What to do next. */
  readonly help?: string
}
