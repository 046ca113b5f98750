import type { TypePath } from "./Model.ts"

/** A text that is compared with an element which never holds it. */
export interface UnknownCode {
  readonly offset: number
  readonly length: number
  readonly code: string
  readonly codes: ReadonlyArray<string>
}

/** An operand of a comparison that may be several values: then `=` is not true, and `<` fails. */
export interface SeveralCompared {
  readonly offset: number
  readonly length: number
  readonly operator: string
}

/** A comparison of what can never be equal: an element that has elements of its own, and a text. */
export interface NeverEqual {
  readonly offset: number
  readonly length: number
  readonly operator: string
  readonly places: ReadonlyArray<TypePath>
  /** The text that it is compared with. */
  readonly other: { readonly offset: number; readonly length: number }
}

/**
 * What stands where a number must: in the brackets of an index, or beside `*` and `/`; a date that is none; a number beside a text that is
 * added to it (`sum`) or joined with it (`text`).
 */
export interface TypeMisuse {
  readonly offset: number
  readonly length: number
  readonly kind: "index" | "number" | "date" | "sum" | "text"
  readonly places: ReadonlyArray<TypePath>
}

/** A name in an expression that the model does not have. */
export interface ModelFault {
  readonly offset: number
  readonly length: number
  readonly message: string
  /** Names it could have been. */
  readonly candidates: ReadonlyArray<string>
  /** What to write instead, when it is known for sure. */
  readonly instead?: string
  /** The name is the first of its path, and the path stands on what the whole expression stands on. */
  readonly first?: boolean
}
