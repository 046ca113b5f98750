import type { Fix } from "./Fix.ts"
import type { Origin } from "./Origin.ts"
import type { ProblemCode } from "./Problem.ts"
import type { Span } from "./Span.ts"

export type Severity = "error" | "warning"

/** A further place that belongs to a problem, drawn below the first one or on its line. */
export interface Label {
  readonly span: Span
  readonly text: string
}

/**
 * One occurrence of a problem in a document, with its place: plain data. It never carries a value of a patient;
 * what is safe to show is a type, a count, a code of a public system, a reference.
 */
export interface Diagnostic {
  readonly code: ProblemCode
  readonly severity: Severity
  /** One sentence without a full stop, in the reader's words; names in backticks. */
  readonly title: string
  /** The mapping line, setting or table row that is to be changed. */
  readonly mapping?: Span
  /** What the program saw there; drawn beside the caret. */
  readonly label?: string
  /** Further places: where a bracket was opened, the table that has no row. */
  readonly labels?: ReadonlyArray<Label>
  /** The expression, when one was evaluated. */
  readonly path?: string
  /** The assumption that it reports. */
  readonly assumption?: string
  /** The visit's code, when it is known. */
  readonly visit?: string
  /** The field of the visit with its indexes: `vital_signs[3].recorded_by`. */
  readonly field?: string
  /** The record: `Observation/9f2c1a`. */
  readonly source?: string
  readonly origin?: Origin
  /** Further facts, drawn as `= name  text`. */
  readonly facts?: ReadonlyArray<readonly [name: string, text: string]>
  /** What to do next, one step each. */
  readonly help?: ReadonlyArray<string>
  /** A line of the facility's mapping that settles it. */
  readonly fix?: Fix
  /** How many occurrences it stands for, where it is not one. */
  readonly times?: number
  /** A value of the source, shown only under `--show-values`. */
  readonly value?: string
  /** The service's own words, which may name a patient; shown only under `--show-values`. */
  readonly said?: string
}
