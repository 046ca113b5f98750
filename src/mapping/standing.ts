import type { Elements, Variables } from "../fhirpath/FhirPath.ts"
import type { MappingPlan } from "./MappingPlan.ts"

/** The variables that are the same wherever one stands in a visit. */
export type VisitVariables = Readonly<
  Record<"visit" | "patient" | "encounters" | "main" | "facility" | "system", unknown>
>

type Standing = (visit: VisitVariables, parent: Elements, rowIndex: unknown) => Variables

const known = new WeakMap<MappingPlan["constants"], Standing>()

/** Makes the variables where a row stands: all of one shape, with the constants behind it, so that what is looked up most is found fastest. */
export const standingOn = (constants: MappingPlan["constants"]): Standing => {
  let standing = known.get(constants)
  if (standing === undefined) {
    function Variables(this: Record<string, unknown>, visit: VisitVariables, parent: Elements, rowIndex: unknown) {
      this.visit = visit.visit
      this.patient = visit.patient
      this.encounters = visit.encounters
      this.main = visit.main
      this.facility = visit.facility
      this.system = visit.system
      this.parent = parent
      this.rowIndex = rowIndex
    }
    Variables.prototype = constants
    const Made = Variables as unknown as new(...args: Parameters<Standing>) => Variables
    standing = (visit, parent, rowIndex) => new Made(visit, parent, rowIndex)
    known.set(constants, standing)
  }
  return standing
}
