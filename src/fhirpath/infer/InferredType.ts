import type { Model, TypePath } from "./Model.ts"

/** What an expression can find: places of the model, or `null` when it cannot be told. */
export type TypePaths = ReadonlySet<TypePath> | null

/** What an expression can find, and whether the model says that it may be several at once. */
export interface InferredType {
  readonly places: TypePaths
  readonly several: boolean
  /** The types of the resources that the references among the places name, when the model says. */
  readonly targets?: ReadonlySet<string>
  /** The codes that it can be, when FHIR says. */
  readonly codes?: ReadonlySet<string>
  /** Dates and times of FHIR; those of tables are texts. */
  readonly timed?: true
}

/** What is known before an expression is looked at. */
export interface InferenceContext {
  readonly model: Model
  readonly focus: InferredType
  readonly variables: ReadonlyMap<string, InferredType>
  /** What a function of the mapping language gives. */
  readonly functionResult: (call: FoundCall) => InferredType
}

/** A call of a function that is none of FHIRPath's. */
export interface FoundCall {
  readonly name: string
  readonly offset: number
  readonly length: number
  readonly input: InferredType
  readonly args: ReadonlyArray<InferredType>
  /** The first argument, when it is a text. */
  readonly literal?: string
}

/** What cannot be told. */
export const anything: InferredType = { places: null, several: false }

export const nothingInferred: InferredType = { places: new Set(), several: false }

/** One element of a type. */
export const oneOf = (...types: ReadonlyArray<TypePath>): InferredType => ({ places: new Set(types), several: false })

export const inferredTruth: InferredType = oneOf("boolean")

/** Two lists together. */
export const joinFound = (oneOf: InferredType, other: InferredType): InferredType => ({
  places: oneOf.places === null || other.places === null ? null : new Set([...oneOf.places, ...other.places]),
  several: oneOf.several || other.several,
  ...joinTargets(oneOf, other),
  ...(oneOf.codes === undefined || other.codes === undefined ? {} : { codes: oneOf.codes.union(other.codes) }),
  ...(oneOf.timed === true && other.timed === true ? { timed: true } : {})
})

/** Of two lists together; nothing, unless the model says of each reference in them. */
const joinTargets = (oneOf: InferredType, other: InferredType): { readonly targets?: ReadonlySet<string> } => {
  const reported = [oneOf, other].every(({ places, targets }) =>
    targets !== undefined || places?.has("Reference") === false
  )
  return reported ? { targets: new Set([...(oneOf.targets ?? []), ...(other.targets ?? [])]) } : {}
}
