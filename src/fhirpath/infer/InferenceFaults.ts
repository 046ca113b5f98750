import type { TextSpan } from "../syntax/nodeSpans.ts"
import type { TypePath } from "./Model.ts"

/** A text that is compared with an element or a result which never is this text. */
export interface UnknownCode extends TextSpan {
  readonly code: string
  readonly codes: ReadonlyArray<string>
  /** The mapping defines the codes, not FHIR. */
  readonly isOwn: boolean
}

/** An operand of a comparison that can be several values: then `=` is not true, and `<` fails. */
export interface SeveralCompared extends TextSpan {
  readonly operator: string
}

/** A comparison that is never equal: an element with child elements, and a text. */
export interface NeverEqual extends TextSpan {
  readonly operator: string
  readonly typePaths: ReadonlyArray<TypePath>
  readonly other: TextSpan
}

/**
 * An operand of the wrong type. It is a non-number in the brackets of an index or with `*` and `/`, or an invalid date. It can also be:
 * - a number that is added to a text (`sum`) or joined with it (`text`);
 * - a text that a duration moves, or a date that a number without a unit moves (`unitless`);
 * - a text that is compared with a date (`dated`), such as a date column of a table;
 * - the difference of two dates.
 */
export interface TypeMisuse extends TextSpan {
  readonly kind: "index" | "number" | "date" | "sum" | "text" | "moved" | "unitless" | "dated" | "difference"
  readonly typePaths: ReadonlyArray<TypePath>
}

/** A test of a type, `$this is Condition`: the type and what is tested. */
export interface TypeQuestion extends TextSpan {
  readonly type: string
  readonly typePaths: ReadonlyArray<TypePath>
  /** The result can be true. */
  readonly isPossible: boolean
}

/** A name in an expression that the model does not define. */
export interface ModelFault extends TextSpan {
  readonly message: string
  /** Similar names. */
  readonly candidates: ReadonlyArray<string>
  /** The suggested replacement, if it is certain. */
  readonly instead?: string
  /** True if the name is the first of its path, and the path starts at the expression's focus. */
  readonly first?: boolean
}
