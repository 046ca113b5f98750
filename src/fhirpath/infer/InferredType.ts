import type { TextSpan } from "../syntax/nodeSpans.ts"
import type { Model, TypePath } from "./Model.ts"

/** The type paths of an expression's result, or `null` if unknown. */
export type TypePaths = ReadonlySet<TypePath> | null

/** The type of an expression's result, and whether the model permits several values at once. */
export interface InferredType {
  readonly typePaths: TypePaths
  readonly several: boolean
  /** The target types of the references among the type paths, if the model defines them. */
  readonly targets?: ReadonlySet<string>
  /** The possible texts, if FHIR or the mapping defines them. */
  readonly codes?: ReadonlySet<string>
  /** The mapping defines some of those texts. */
  readonly isOwn?: true
  /** Texts in the expression that can be its result, with their places. */
  readonly literals?: ReadonlyMap<string, TextSpan>
  /** FHIR dates and times; those of tables are texts. */
  readonly timed?: true
  /** Dates and times of tables: their columns hold texts. */
  readonly isDateColumn?: true
}

/** What type inference needs besides the expression. */
export interface InferenceContext {
  readonly model: Model
  readonly focus: InferredType
  readonly variables: ReadonlyMap<string, InferredType>
  /** Returns the result type of a function of the mapping language. */
  readonly functionResult: (call: FoundCall) => InferredType
  /** Returns whether the first argument of such a function is a text of codes, with spaces between them. */
  readonly takesCodes: (name: string) => boolean
}

/** A call of a function that FHIRPath does not define. */
export interface FoundCall extends TextSpan {
  readonly name: string
  readonly input: InferredType
  readonly args: ReadonlyArray<InferredType>
  /** The first argument, if it is a text. */
  readonly literal?: string
}

/** The unknown type. */
export const anything: InferredType = { typePaths: null, several: false }

export const nothingInferred: InferredType = { typePaths: new Set(), several: false, codes: new Set() }

/** Returns the type of a text in an expression. */
export const literalText = (text: string, { length, offset }: TextSpan): InferredType => ({
  ...oneOf("string"),
  codes: new Set([text]),
  isOwn: true,
  literals: new Map([[text, { offset, length }]])
})

/** Returns the type of one element with these type paths. */
export const oneOf = (...types: ReadonlyArray<TypePath>): InferredType => ({
  typePaths: new Set(types),
  several: false
})

export const inferredTruth: InferredType = oneOf("boolean")

/** Returns the union of two types. */
export const joinFound = (oneOf: InferredType, other: InferredType): InferredType => ({
  typePaths: oneOf.typePaths === null || other.typePaths === null
    ? null
    : new Set([...oneOf.typePaths, ...other.typePaths]),
  several: oneOf.several || other.several,
  ...joinTargets(oneOf, other),
  ...(oneOf.codes === undefined || other.codes === undefined ? {} : { codes: oneOf.codes.union(other.codes) }),
  ...(oneOf.isOwn === true || other.isOwn === true ? { isOwn: true } : {}),
  ...(oneOf.literals === undefined && other.literals === undefined
    ? {}
    : { literals: new Map([...oneOf.literals ?? [], ...other.literals ?? []]) }),
  ...(oneOf.timed === true && other.timed === true ? { timed: true } : {}),
  ...([oneOf, other].every((one) => one.isDateColumn === true || one.typePaths?.size === 0) &&
      (oneOf.isDateColumn ?? other.isDateColumn) === true
    ? { isDateColumn: true }
    : {})
})

/** Returns the union of two target sets; nothing, unless the model defines the targets of every reference in both. */
const joinTargets = (oneOf: InferredType, other: InferredType): { readonly targets?: ReadonlySet<string> } => {
  const reported = [oneOf, other].every(({ typePaths, targets }) =>
    targets !== undefined || typePaths?.has("Reference") === false
  )
  return reported ? { targets: new Set([...(oneOf.targets ?? []), ...(other.targets ?? [])]) } : {}
}
