import type { SourceRecord } from "../../source/records/SourceRecord.ts"
import { evaluateOn, type GroupingContext, targetOf } from "./GroupingContext.ts"
import { areTwoPatients } from "./otherSubject.ts"
import { firstTimeOf, meet, rangeOf, stayOf } from "./placeByTime.ts"

/**
 * Returns whether an encounter is of a child who was born in the encounter that it is part of: the mother's (FHIR R4, `Encounter.partOf`).
 * Otherwise an encounter below that of another patient is a mistake.
 */
export const isOfNewborn = (context: GroupingContext, encounter: SourceRecord, parent: SourceRecord): boolean => {
  const child = patientAt(context, encounter)
  const mother = patientAt(context, parent)
  if (child === undefined || mother === undefined || !areTwoPatients(child, mother)) return false
  const { plan, scope: { zone } } = context
  const { birthDate } = child.resource
  // A month or a year of birth does not show that the child was born then.
  if (typeof birthDate !== "string" || birthDate.length !== 10) return false
  const born = rangeOf(birthDate, zone)
  const timeOf = firstTimeOf((path, record) => evaluateOn(context, path, record), zone)
  const start = timeOf(plan.start, parent)
  return born !== undefined && start !== undefined && meet(stayOf(start, timeOf(plan.end, parent), zone), born)
}

const patientAt = (context: GroupingContext, encounter: SourceRecord): SourceRecord | undefined => {
  const [element] = evaluateOn(context, context.plan.patient, encounter)
  return element === undefined ? undefined : targetOf(context, element, encounter, "quietly")
}
