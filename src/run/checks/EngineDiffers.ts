import { Data } from "effect"

/** How generated code and the definition made different visits of the same records. This is a defect of the program, and ends the run. */
export interface EngineDifference {
  readonly what: "values" | "problems" | "assumptions" | "unmapped codes" | "records"
  /** The root of the visit: `Encounter/5b1e44`. */
  readonly source: string
}

/** See `EngineDifference`. */
export class EngineDiffers extends Data.TaggedError("EngineDiffers")<EngineDifference> {}
