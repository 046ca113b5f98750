import type { Fix } from "./Fix.ts"
import type { Origin } from "./Origin.ts"
import type { ProblemCode } from "./Problem.ts"
import type { Span } from "./Span.ts"

export type Severity = "error" | "warning"

/** A further source location of a problem, shown below the first one or on the same line. */
export interface Label {
  readonly span: Span
  readonly text: string
}

/**
 * One occurrence of a problem in a document, with its source location: plain data. It never carries a patient's value. A type, a count, a
 * code of a public system and a reference are safe to show.
 */
export interface Diagnostic {
  readonly code: ProblemCode
  readonly severity: Severity
  /** One sentence without a full stop, in words the reader knows; names in backticks. */
  readonly title: string
  /** The mapping line, setting or table row to change. */
  readonly mapping?: Span
  /** What the program found there; shown next to the caret. */
  readonly label?: string
  /** Further source locations, for example where a bracket opens, or the table that lacks the code. */
  readonly labels?: ReadonlyArray<Label>
  /** The expression, if one was evaluated. */
  readonly path?: string
  readonly assumption?: string
  /** The visit's code, if known. */
  readonly visit?: string
  /** The field of the visit with its indexes: `vital_signs[3].recorded_by`. */
  readonly field?: string
  /** The record: `Observation/9f2c1a`. */
  readonly source?: string
  readonly origin?: Origin
  /** Further facts, shown as `= name  text`. */
  readonly facts?: ReadonlyArray<readonly [name: string, text: string]>
  /** What to do next, one step per entry. */
  readonly help?: ReadonlyArray<string>
  /** A line of the facility's mapping that resolves the problem. */
  readonly fix?: Fix
  /** Number of occurrences that this diagnostic represents (default: 1). */
  readonly times?: number
  /** A value of the source, shown only under `--show-values`. */
  readonly value?: string
  /** The service's own text, which can contain a patient's name; shown only under `--show-values`. */
  readonly said?: string
}
