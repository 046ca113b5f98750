import type { Severity } from "./Diagnostic.ts"

/** Who can repair a problem. */
export type Owner = "source system" | "mapping" | "code table" | "facility settings" | "service" | "administrator"

/** A kind of thing that can be wrong. */
export interface Problem {
  readonly severity: Severity
  readonly owner: Owner
  /** What it means, one sentence. */
  readonly meaning: string
  /** It is the service that says so, not we: the message opens with `refused`. */
  readonly refusal?: true
}

const define = <const P extends Record<string, Problem>>(problems: P): P => problems

/** The closed list of problem codes, each with its usual severity and its owner. */
export const problems = define({
  // mapping and configuration
  "invalid-yaml": { severity: "error", owner: "mapping", meaning: "The file is not YAML that can be read." },
  "unknown-key": { severity: "error", owner: "mapping", meaning: "A key of the file is not a word of the language." },
  "missing-key": { severity: "error", owner: "mapping", meaning: "A key that must be there is missing." },
  "invalid-value": { severity: "error", owner: "mapping", meaning: "A key has a value it cannot take." },
  "unknown-field": {
    severity: "error",
    owner: "mapping",
    meaning: "The specification has no field of that name there."
  },
  "missing-field": {
    severity: "error",
    owner: "mapping",
    meaning: "A field of the specification has no line in the mapping."
  },
  "invalid-path": { severity: "error", owner: "mapping", meaning: "The path is not FHIRPath." },
  "unknown-element": {
    severity: "error",
    owner: "mapping",
    meaning: "A path names an element, type or column that is not there."
  },
  "unknown-function": { severity: "error", owner: "mapping", meaning: "A path calls a function that does not exist." },
  "wrong-arguments": {
    severity: "error",
    owner: "mapping",
    meaning: "A function is given arguments that it does not take."
  },
  "unknown-constant": { severity: "error", owner: "mapping", meaning: "A path names a constant that does not exist." },
  "unknown-concept-map": {
    severity: "error",
    owner: "mapping",
    meaning: "A field names a concept map that does not exist."
  },
  "unknown-key-name": { severity: "error", owner: "mapping", meaning: "`keyOf` names a key that does not exist." },
  "several-compared": {
    severity: "warning",
    owner: "mapping",
    meaning: "A comparison has an operand that may be several values."
  },
  "unknown-code": {
    severity: "warning",
    owner: "mapping",
    meaning: "A text is compared with an element that never holds it."
  },
  "unused-name": { severity: "warning", owner: "mapping", meaning: "A name is defined and no line uses it." },
  "unknown-branch": {
    severity: "warning",
    owner: "mapping",
    meaning: "An overlay changes a branch or a condition that is not there."
  },
  "slow-pattern": {
    severity: "warning",
    owner: "mapping",
    meaning: "A regular expression can cut one text in many ways and take very long."
  },
  "circular-extends": { severity: "error", owner: "mapping", meaning: "A mapping extends itself." },
  "unreadable-file": { severity: "error", owner: "mapping", meaning: "A file that is named cannot be read." },
  "invalid-facility": { severity: "error", owner: "facility settings", meaning: "A setting of the facility is wrong." },
  "old-standard-data": {
    severity: "warning",
    owner: "administrator",
    meaning: "The standard data at hand was pulled long ago."
  },
  // source
  "unreadable-input": { severity: "error", owner: "source system", meaning: "A whole input file cannot be read." },
  "missing-table": {
    severity: "error",
    owner: "source system",
    meaning: "No input is a file of the table whose rows are the visits."
  },
  "unreadable-record": { severity: "error", owner: "source system", meaning: "One line or entry cannot be read." },
  "incomplete-visit": {
    severity: "error",
    owner: "source system",
    meaning: "A record of the visit could not be read."
  },
  "not-a-resource": {
    severity: "error",
    owner: "source system",
    meaning: "A line or entry is JSON but not a FHIR resource."
  },
  "too-deep": { severity: "error", owner: "source system", meaning: "A record is nested deeper than the limit." },
  "too-large": { severity: "error", owner: "source system", meaning: "A record or file is larger than the limit." },
  "duplicate-record": {
    severity: "warning",
    owner: "source system",
    meaning: "The same resource was found with different contents."
  },
  "unknown-column": {
    severity: "error",
    owner: "mapping",
    meaning: "The header of a CSV file does not have a column that a table declares."
  },
  "invalid-cell": {
    severity: "warning",
    owner: "source system",
    meaning: "A cell of a CSV file does not fit the type of its column, and was left out."
  },
  "dangling-reference": {
    severity: "warning",
    owner: "source system",
    meaning: "A reference names a record that is not in the input."
  },
  "circular-reference": {
    severity: "error",
    owner: "source system",
    meaning: "Encounters are part of each other in a circle."
  },
  "no-encounter": { severity: "error", owner: "source system", meaning: "A record belongs to no visit." },
  "no-patient": { severity: "error", owner: "source system", meaning: "The visit's patient is not in the input." },
  "other-patient": {
    severity: "error",
    owner: "source system",
    meaning: "A record of the visit names another patient than the visit."
  },
  // draft
  "no-value": { severity: "warning", owner: "mapping", meaning: "A field that should have a value has none." },
  "too-many-values": {
    severity: "warning",
    owner: "mapping",
    meaning: "A field takes one value and its path found several."
  },
  "wrong-type": {
    severity: "error",
    owner: "mapping",
    meaning: "A path finds what its field, condition or comparison cannot take."
  },
  "path-failed": { severity: "error", owner: "mapping", meaning: "A path could not be evaluated on a record." },
  "unmapped-code": { severity: "warning", owner: "code table", meaning: "A code has no row in the code table." },
  "unknown-unit": {
    severity: "warning",
    owner: "source system",
    meaning: "A quantity has no unit that can be converted."
  },
  "missing-offset": {
    severity: "warning",
    owner: "source system",
    meaning: "A time has no offset; the facility's zone was used."
  },
  "partial-date": {
    severity: "warning",
    owner: "source system",
    meaning: "A date or time is less precise than the field."
  },
  "invalid-date": { severity: "error", owner: "source system", meaning: "A date or time does not exist." },
  // visit
  "required-field": {
    severity: "error",
    owner: "mapping",
    meaning: "A code, timestamp or identifier is missing; the specification makes it mandatory."
  },
  "invalid-field": {
    severity: "error",
    owner: "mapping",
    meaning: "A field has another type or form than the specification's."
  },
  "unexpected-field": { severity: "error", owner: "mapping", meaning: "The specification has no field of that name." },
  "foreign-code": {
    severity: "error",
    owner: "mapping",
    meaning: "A code inside the visit points outside it: another visit, patient or encounter."
  },
  "duplicate-code": { severity: "error", owner: "source system", meaning: "A code that must be unique occurs twice." },
  "same-admission-time": {
    severity: "error",
    owner: "source system",
    meaning: "Two visits of one patient have the same admission time; the service refuses the second."
  },
  "unknown-list-value": {
    severity: "warning",
    owner: "code table",
    meaning: "A value is not in the service's standard data."
  },
  "referral-required": {
    severity: "error",
    owner: "source system",
    meaning: "The patient was transferred and the referral is missing."
  },
  "ends-before-start": { severity: "warning", owner: "source system", meaning: "Something ends before it starts." },
  "outside-visit": { severity: "warning", owner: "source system", meaning: "A time lies outside the visit." },
  "in-the-future": { severity: "warning", owner: "source system", meaning: "A time lies in the future." },
  "odd-value": { severity: "warning", owner: "source system", meaning: "A value is outside what is possible." },
  "contradiction": {
    severity: "warning",
    owner: "source system",
    meaning: "Two fields of the visit contradict each other."
  },
  "sum-differs": {
    severity: "warning",
    owner: "source system",
    meaning: "An invoice's total is not the sum of its lines."
  },
  "other-currency": {
    severity: "error",
    owner: "source system",
    meaning: "An invoice is in another currency than the others."
  },
  "primary-diagnosis": {
    severity: "warning",
    owner: "source system",
    meaning: "A visit has no primary diagnosis, or more than one."
  },
  "no-beneficiary": {
    severity: "warning",
    owner: "source system",
    meaning: "No card of the patient was found at the service, so nothing is filled in from its record."
  },
  "other-beneficiary": {
    severity: "warning",
    owner: "source system",
    meaning: "What the service has about the patient's card is somebody else's, or may be."
  },
  "text-changed": {
    severity: "warning",
    owner: "source system",
    meaning: "A text was changed so that it can be sent."
  },
  // refusal
  "visit-already-submitted": {
    severity: "error",
    owner: "service",
    meaning: "The service holds a visit with this code.",
    refusal: true
  },
  "admission-date-changed": {
    severity: "error",
    owner: "source system",
    meaning: "The service holds this visit with another admission date.",
    refusal: true
  },
  "admission-time-taken": {
    severity: "error",
    owner: "source system",
    meaning: "The service holds another visit of the patient with the same admission time.",
    refusal: true
  },
  "field-refused": { severity: "error", owner: "mapping", meaning: "The service refused a field.", refusal: true },
  "refused-otherwise": {
    severity: "error",
    owner: "service",
    meaning: "The service refused the visit for a reason it does not document.",
    refusal: true
  },
  "unknown-outcome": {
    severity: "error",
    owner: "service",
    meaning: "A visit was sent and no answer came; the service is asked before it is sent again."
  },
  "stored-in-part": {
    severity: "warning",
    owner: "source system",
    meaning: "The service holds the visit in part and waits for an update."
  },
  "changed-since-stored": {
    severity: "warning",
    owner: "administrator",
    meaning: "The service holds the visit complete, and its source has changed since; no second version is taken."
  },
  "not-confirmed": {
    severity: "warning",
    owner: "service",
    meaning: "The service answered that the visit is stored, and its list says otherwise."
  },
  "content-unknown": {
    severity: "warning",
    owner: "administrator",
    meaning: "The service held the visit before this journal had sent it; its content there may differ from the source."
  },
  "in-doubt": {
    severity: "error",
    owner: "administrator",
    meaning: "The service holds this visit code and does not show whose record it is."
  }
})

export type ProblemCode = keyof typeof problems

/** The problem behind a code. */
export const problemOf = (code: ProblemCode): Problem => problems[code]
