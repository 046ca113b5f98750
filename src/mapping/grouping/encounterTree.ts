import { unknownStatusOf } from "../../fhirpath/infer/statusOf.ts"
import type { SourceRecord } from "../../source/records/SourceRecord.ts"
import { evaluateOn, type GroupingContext, targetOf, valuesOn } from "./GroupingContext.ts"
import { areTwoPatients } from "./otherSubject.ts"
import { firstTimeOf, meet, rangeOf, stayOf } from "./placeByTime.ts"

/** Which encounters are a visit, and which are part of one. */
export interface EncounterTree {
  readonly roots: ReadonlyArray<SourceRecord>
  /** The visit of an encounter; absent if it belongs to none. */
  readonly rootOf: ReadonlyMap<SourceRecord, SourceRecord>
  /** The visit above an encounter that is not part of it, because it does not fulfil the conditions: it was cancelled. */
  readonly excludedFrom: ReadonlyMap<SourceRecord, SourceRecord>
  /** Roots whose `partOf` refers to an encounter that is not in the input. */
  readonly dangling: ReadonlySet<SourceRecord>
  /** Encounters that could be part of a visit, and whose top is not a visit. */
  readonly partOfNone: ReadonlySet<SourceRecord>
  /** Roots chosen for circles of `partOf` references. */
  readonly cycles: ReadonlySet<SourceRecord>
  /** Encounters on which a condition failed, with the top of each. */
  readonly undecided: ReadonlyMap<SourceRecord, SourceRecord>
}

/**
 * Follows `partOf` from each encounter to the top. An encounter is in a visit if it and its top fulfil the conditions. A newborn's encounter
 * below the mother's is a visit of its own.
 */
export const encounterTree = (context: GroupingContext, encounters: ReadonlyArray<SourceRecord>): EncounterTree => {
  const accepted = new Set(encounters.filter((encounter) => satisfies(context, encounter)))
  const failed = encounters.filter((encounter) => context.reports.has(encounter))
  const { partOf } = context.plan
  const parentOf = new Map<SourceRecord, SourceRecord>()
  const dangling = new Set<SourceRecord>()
  for (const encounter of encounters) {
    for (const element of partOf === undefined ? [] : evaluateOn(context, partOf, encounter)) {
      const parent = targetOf(context, element, encounter)
      if (parent === undefined) dangling.add(encounter)
      if (parent !== undefined && parent !== encounter && parent.resource.resourceType === context.plan.rootType) {
        if (!isOfNewborn(context, encounter, parent)) parentOf.set(encounter, parent)
        break
      }
    }
  }
  const { cycles, topOf } = topsOf(encounters, parentOf)
  const rootOf = new Map<SourceRecord, SourceRecord>()
  const partOfNone = new Set<SourceRecord>()
  const excludedFrom = new Map<SourceRecord, SourceRecord>()
  for (const encounter of encounters) {
    const top = topOf.get(encounter)
    if (!accepted.has(encounter)) {
      if (top !== undefined && accepted.has(top)) excludedFrom.set(encounter, top)
      continue
    }
    // An encounter below one that is not a visit (cancelled, entered in error) is excluded with it.
    if (top !== undefined && accepted.has(top)) rootOf.set(encounter, top)
    else partOfNone.add(encounter)
  }
  const roots = encounters.filter((encounter) => rootOf.get(encounter) === encounter)
  const undecided = new Map(failed.map((encounter) => [encounter, topOf.get(encounter) ?? encounter]))
  return { roots, rootOf, excludedFrom, dangling, partOfNone, cycles, undecided }
}

const satisfies = (context: GroupingContext, record: SourceRecord): boolean =>
  (record.row !== undefined || unknownStatusOf(record.resource) === undefined) &&
  context.plan.where.every((path) => {
    const [value, ...others] = valuesOn(context, path, record)
    return (value === true && others.length === 0) || context.reports.isUndecided(record, path)
  })

/**
 * Returns the top of each encounter; each link is followed once. A circle has no top, so its first encounter in the run's order represents
 * it.
 */
const topsOf = (
  encounters: ReadonlyArray<SourceRecord>,
  parentOf: ReadonlyMap<SourceRecord, SourceRecord>
): { readonly topOf: ReadonlyMap<SourceRecord, SourceRecord>; readonly cycles: ReadonlySet<SourceRecord> } => {
  const order = new Map(encounters.map((encounter, at) => [encounter, at]))
  const topOf = new Map<SourceRecord, SourceRecord>()
  const cycles = new Set<SourceRecord>()
  for (const encounter of encounters) {
    const path = new Set<SourceRecord>()
    let at = encounter
    for (;;) {
      if (topOf.has(at) || path.has(at)) break
      path.add(at)
      const parent = parentOf.get(at)
      if (parent === undefined) break
      at = parent
    }
    let top = topOf.get(at) ?? at
    if (!topOf.has(at) && parentOf.has(at)) {
      const circle = [...path].slice([...path].indexOf(at))
      top = circle.reduce((first, one) => ((order.get(one) ?? Infinity) < (order.get(first) ?? Infinity) ? one : first))
      cycles.add(top)
    }
    for (const one of path) topOf.set(one, top)
  }
  return { topOf, cycles }
}

/**
 * Returns whether an encounter is of a child who was born in the encounter that it is part of: the mother's (FHIR R4, `Encounter.partOf`).
 * Otherwise an encounter below that of another patient is a mistake.
 */
const isOfNewborn = (context: GroupingContext, encounter: SourceRecord, parent: SourceRecord): boolean => {
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
