import type { Model, Place } from "./Model.ts"

/** What an expression can find: places of the model, or `null` when it cannot be told. */
export type Places = ReadonlySet<Place> | null

/** What an expression can find, and whether the model says that it may be several at once. */
export interface Found {
  readonly places: Places
  readonly several: boolean
  /** The types of the resources that the references among the places name, when the model says. */
  readonly targets?: ReadonlySet<string>
  /** The codes that it can be, when FHIR says. */
  readonly codes?: ReadonlySet<string>
  /** Dates and times of FHIR; those of tables are texts. */
  readonly timed?: true
}

/** What is known before an expression is looked at. */
export interface Surroundings {
  readonly model: Model
  readonly focus: Found
  readonly variables: ReadonlyMap<string, Found>
  /** What a function of the mapping language gives. */
  readonly functionResult: (call: FoundCall) => Found
}

/** A call of a function that is none of FHIRPath's. */
export interface FoundCall {
  readonly name: string
  readonly offset: number
  readonly length: number
  readonly input: Found
  readonly args: ReadonlyArray<Found>
  /** The first argument, when it is a text. */
  readonly literal?: string
}

/** What cannot be told. */
export const anything: Found = { places: null, several: false }

export const nothing: Found = { places: new Set(), several: false }

/** One element of a type. */
export const one = (...types: ReadonlyArray<Place>): Found => ({ places: new Set(types), several: false })

export const truth: Found = one("boolean")

/** Two lists together. */
export const joinFound = (one: Found, other: Found): Found => ({
  places: one.places === null || other.places === null ? null : new Set([...one.places, ...other.places]),
  several: one.several || other.several,
  ...joinTargets(one, other),
  ...(one.codes === undefined || other.codes === undefined ? {} : { codes: one.codes.union(other.codes) }),
  ...(one.timed === true && other.timed === true ? { timed: true } : {})
})

/** Of two lists together; nothing, unless the model says of each reference in them. */
const joinTargets = (one: Found, other: Found): { readonly targets?: ReadonlySet<string> } => {
  const told = [one, other].every(({ places, targets }) => targets !== undefined || places?.has("Reference") === false)
  return told ? { targets: new Set([...(one.targets ?? []), ...(other.targets ?? [])]) } : {}
}
