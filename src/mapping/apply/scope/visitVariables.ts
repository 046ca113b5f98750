import type { Elements, Variables } from "../../../fhirpath/FhirPath.ts"
import type { MappingPlan } from "../../MappingPlan.ts"

/** The variables that are the same everywhere in a visit. */
export type VisitVariables =
  & Readonly<Record<"visit" | "patient" | "encounters" | "main", Elements>>
  & Readonly<Record<"facility" | "system", unknown>>

export type VariablesAt = (visit: VisitVariables, parent: Elements, rowIndex: unknown) => Variables

const known = new WeakMap<MappingPlan["constants"], VariablesAt>()

/** Returns a function that makes the variables of a row. All have one shape with the constants as prototype: the fastest for lookups. */
export const variablesAt = (constants: MappingPlan["constants"]): VariablesAt => {
  let at = known.get(constants)
  if (at === undefined) {
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
    // Called with `new`, the function makes an object with all variables. TypeScript has no type for that.
    const Made = Variables as unknown as new(...args: Parameters<VariablesAt>) => Variables
    at = (visit, parent, rowIndex) => new Made(visit, parent, rowIndex)
    known.set(constants, at)
  }
  return at
}
