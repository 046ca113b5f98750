import { Data } from "effect"
import type { Units } from "../../fhirpath/generate/Units.ts"

/** How generated code and the definition differ on the same records. This is a defect of the program, and ends the run. */
export interface EngineDifference {
  /** What differs between two visits; `path`: what a path finds outside of a visit, such as a link of the grouping. */
  readonly what: "values" | "problems" | "assumptions" | "unmapped codes" | "records" | "path"
  /** The root of the visit, or the record: `Encounter/5b1e44`. */
  readonly source: string
}

/** See `EngineDifference`. */
export class EngineDiffers extends Data.TaggedError("EngineDiffers")<EngineDifference> {}

/** Describes a difference as a sentence without a point. */
export const describeDifference = ({ source, what }: EngineDifference): string =>
  what === "path"
    ? `the program found two different results of a path on ${source}`
    : `the program made two different visits of ${source}: their ${what} differ`

/** Throws `EngineDiffers` if a path outside of a visit has found something else than by the definition. */
export const checkPaths = (units: Units | undefined): void => {
  if (units?.difference !== undefined) throw new EngineDiffers({ what: "path", source: units.difference })
}
