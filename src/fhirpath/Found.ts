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
