import { Data } from "effect"

/** Generated code and the definition made different visits of the same records. This is a defect of the program, and ends the run. */
export class EngineDiffers extends Data.TaggedError("EngineDiffers")<{
  readonly what: "values" | "problems" | "assumptions" | "unmapped codes" | "records"
}> {}
