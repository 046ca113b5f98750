import type { Elements, Variables } from "../../fhirpath/FhirPath.ts"
import type { VisitContext } from "../apply/VisitContext.ts"
import type { MappingPlan } from "../MappingPlan.ts"

/** The variables that are the same everywhere in a visit. */
export type VisitVariables = Readonly<
  Record<"visit" | "patient" | "encounters" | "main" | "facility" | "system", unknown>
>

type PathFocus = (visit: VisitVariables, parent: Elements, rowIndex: unknown) => Variables

const known = new WeakMap<MappingPlan["constants"], PathFocus>()

/**
 * Returns the same variables, and calls `requested` on each read of one whose value differs between the patient's visits. These are
 * the variables of the visit, and those of a row of the visit itself.
 */
export const trackedFocus = (
  constants: MappingPlan["constants"],
  visit: VisitVariables,
  requested: () => void
): Pick<VisitContext, "standing" | "within"> => {
  const watched = (value: unknown): PropertyDescriptor => ({
    enumerable: true,
    get: () => {
      requested()
      return value
    }
  })
  const ofVisit: object = Object.create(constants, {
    visit: watched(visit.visit),
    encounters: watched(visit.encounters),
    main: watched(visit.main),
    patient: { value: visit.patient },
    facility: { value: visit.facility },
    system: { value: visit.system }
  })
  return {
    standing: (parent, rowIndex) =>
      Object.create(ofVisit, {
        parent: parent === visit.visit ? watched(parent) : { value: parent },
        rowIndex: parent === visit.visit ? watched(rowIndex) : { value: rowIndex }
      }) as Variables,
    within: (parent, around) =>
      Object.create(ofVisit, {
        parent: { value: parent },
        rowIndex: Object.getOwnPropertyDescriptor(around, "rowIndex")!
      }) as Variables
  }
}

/** Returns a function that makes the variables of a row. All have one shape with the constants as prototype: the fastest for lookups. */
export const focusOn = (constants: MappingPlan["constants"]): PathFocus => {
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
    const Made = Variables as unknown as new(...args: Parameters<PathFocus>) => Variables
    standing = (visit, parent, rowIndex) => new Made(visit, parent, rowIndex)
    known.set(constants, standing)
  }
  return standing
}
