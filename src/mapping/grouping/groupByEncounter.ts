import type { Elements } from "../../fhirpath/FhirPath.ts"
import { getOrMake } from "../../maps.ts"
import { compareIds } from "../../source/records/compareRecords.ts"
import type { VisitsOfCopies } from "../../source/records/dedupeRecords.ts"
import type { SourceRecord } from "../../source/records/SourceRecord.ts"
import { clinicalTypes } from "../clinicalTypes.ts"
import { type EncounterTree, encounterTree } from "./encounterTree.ts"
import { evaluateOn, type GroupingContext, type GroupingOptions, targetOf, valuesOn } from "./GroupingContext.ts"
import type { GroupingPath, GroupingRemark } from "./GroupingPlan.ts"
import { GroupingReports } from "./GroupingReports.ts"
import { findPatient, makeVisitGroup } from "./makeVisitGroup.ts"
import { modifierProblem, type ModifierRules, unknownModifier } from "./modifiers.ts"
import { otherSubject } from "./otherSubject.ts"
import { patientName } from "./patientName.ts"
import { placeByTime } from "./placeByTime.ts"
import { type Bundles, readBundles } from "./readBundles.ts"
import { type RecordsToReport, withoutModified } from "./RecordsToReport.ts"
import { unwatchedStatusProblem } from "./statusProblems.ts"
import type { Grouping, UnassignedRecord, VisitGroup } from "./VisitGroup.ts"

/** The records by which others belong to a visit. */
export type VisitIdentity = Pick<VisitGroup, "encounters" | "patient">

/** The visits of a run, before other records are put into them. */
interface FoundVisits {
  readonly encounters: ReadonlyArray<SourceRecord>
  readonly tree: EncounterTree
  readonly bundles: Bundles
  readonly reports: GroupingReports
}

const contextOf = (options: GroupingOptions, reports: GroupingReports): GroupingContext => ({
  ...options,
  scope: reports.scopeOf(options.scope),
  reports
})

/** Finds the encounters that are a visit, and the members of each. */
export const findVisits = (options: GroupingOptions): FoundVisits => {
  const reports = new GroupingReports(options)
  const context = contextOf(options, reports)
  const encounters = context.source.all(context.plan.rootType)
  const tree = encounterTree(context, encounters)
  return { encounters, tree, bundles: readBundles(context, encounters, tree), reports }
}

/**
 * Puts every record into its visit, as the mapping's `grouping` declares. Encounters that are a visit come first, then their members
 * through `partOf`, other records through their links, then through their document. Last, records are assigned by patient and time if a
 * `window` exists for their type. The result keeps the input order.
 */
export const groupByEncounter = (
  options: GroupingOptions,
  { bundles, encounters, reports, tree }: FoundVisits = findVisits(options)
): Grouping => {
  const context = contextOf(options, reports)
  const { source, plan } = context
  const placed = new Map<SourceRecord, Map<string, Array<SourceRecord>>>()
  for (const root of tree.roots) placed.set(root, new Map())
  const placedBy = new Map<SourceRecord, SourceRecord>()
  const placedByTime = new Set<SourceRecord>()
  const place = (root: SourceRecord, record: SourceRecord): void => {
    const byType = placed.get(root)
    if (byType !== undefined) getOrMake(byType, record.resource.resourceType, () => []).push(record)
  }
  const unplaced = new Map<SourceRecord, UnassignedRecord>()
  const leave = (record: SourceRecord, why: UnassignedRecord): void => {
    const problem = reports.firstOf(record)
    unplaced.set(record, problem === undefined ? why : { why: "path-failed", problem })
  }
  const assumed = new Map<SourceRecord, GroupingRemark>()
  const ofExcluded = new Map<SourceRecord, Array<SourceRecord>>()
  for (const encounter of encounters) {
    const root = tree.rootOf.get(encounter)
    const problem = tree.undecided.has(encounter) ? reports.firstOf(encounter) : undefined
    if (problem !== undefined) unplaced.set(encounter, { why: "path-failed", problem })
    else if (root === undefined) {
      unplaced.set(encounter, { why: tree.partOfNone.has(encounter) ? "part-of-none" : "not-a-visit" })
    } else place(root, encounter)
  }
  const otherwise = plan.links.get("*") ?? []
  const byTime = plan.windows.size === 0 ? undefined : timePlacing(context, tree, bundles)
  const rules: ModifierRules = { understood: plan.understood, elements: context.elements }
  const toReport: RecordsToReport = { records: new Map(), doubtful: new Map(), ofPatient: new Map() }
  for (const type of source.types) {
    if (type === plan.rootType) continue
    if (context.assigned?.has(type) === false) continue
    const isRead = context.read?.has(type) !== false
    const links = plan.links.get(type) ?? otherwise
    const window = plan.windows.get(type)
    for (const record of source.all(type)) {
      const modifier = isRead ? unknownModifier(record, rules) : undefined
      const dropped = modifier !== undefined
        ? modifierProblem(record, modifier, "warning")
        : isRead
        ? otherSubject(record, (reference) => source.resolve(reference, record, "quietly"))
        : undefined
      if (dropped !== undefined) {
        toReport.records.set(record, dropped)
        noteOfPatient(context, toReport, record)
      }
      const doubt = isRead && plan.patientScope.has(type) ? unwatchedStatusProblem(record) : undefined
      if (doubt !== undefined) {
        toReport.doubtful.set(record, doubt)
        noteOfPatient(context, toReport, record)
      }
      // Lines find the record by its patient. That fails here, where it can be reported, rather than in one of the visits.
      if (isRead) ofPatientScope(context, record)
      const found = linkedEncounter(context, record, links, isRead ? undefined : "quietly")
      // Of a record whose link leads nowhere or failed, the visit is not guessed.
      const isOpen = !found.dangling && !reports.has(record)
      let encounter = found.encounter
      if (encounter === undefined && isOpen && record.bundle !== undefined) {
        encounter = bundles.encounterOf(record.bundle)
        const rule = plan.bundles.get(record.bundle.type)
        if (encounter !== undefined && rule?.assume !== undefined && clinicalTypes.includes(type)) {
          assumed.set(record, rule)
        }
      }
      if (encounter === undefined && isOpen && window !== undefined && byTime !== undefined) {
        const at = byTime(record, window)
        if ("why" in at) {
          leave(record, at)
          continue
        }
        encounter = at
        placedByTime.add(record)
        if (window.assume !== undefined) assumed.set(record, window)
      }
      if (encounter === undefined) {
        leave(record, { why: found.dangling ? "dangling" : "no-link" })
        continue
      }
      const withdrawn = isRead && clinicalTypes.includes(type)
        ? bundles.withdrawn(record, encounter, found.encounter !== undefined)
        : undefined
      if (withdrawn !== undefined && dropped === undefined) {
        toReport.records.set(record, withdrawn)
        noteOfPatient(context, toReport, record)
      }
      const root = tree.rootOf.get(encounter)
      if (root === undefined) {
        leave(record, { why: "not-a-visit" })
        const visit = tree.excludedFrom.get(encounter)
        if (visit !== undefined) getOrMake(ofExcluded, visit, () => []).push(record)
      } else {
        place(root, record)
        placedBy.set(record, encounter)
      }
    }
  }
  const { wanted: expected } = context
  const roots = byPatient(context, expected === undefined ? tree.roots : tree.roots.filter(expected))
  return {
    groups: roots.map((root) =>
      withoutModified(
        makeVisitGroup(context, root, placed.get(root) ?? new Map(), { placedBy, tree, bundles, assumed, ofExcluded }),
        toReport,
        rules
      )
    ),
    unplaced,
    placedByTime,
    ofPatient: patientRecords(context, toReport)
  }
}

/**
 * Returns the visits of records that are the same in several Bundles, if they are in several visits. A record without an encounter belongs
 * to the visit of each document that contains it. `copies` are the lists of such records.
 */
export const visitsOfCopies = (
  options: GroupingOptions,
  copies: ReadonlyArray<ReadonlyArray<SourceRecord>>
): VisitsOfCopies => {
  const visits = new Map<SourceRecord, SourceRecord>()
  const { assigned, plan } = options
  const placed = copies.filter(([record]) => {
    const type = record?.resource.resourceType ?? ""
    return type !== plan.rootType && type !== "Patient" && assigned?.has(type) !== false
  })
  if (placed.length === 0) return visits
  const { bundles, reports, tree } = findVisits(options)
  const context = contextOf(options, reports)
  const otherwise = plan.links.get("*") ?? []
  const visitOf = (copy: SourceRecord): SourceRecord | undefined => {
    const links = plan.links.get(copy.resource.resourceType) ?? otherwise
    const linked = [...linkedEncounters(context, copy, links, "quietly")]
    const encounters = linked.filter((one) => one !== undefined)
    const ofBundle = copy.bundle === undefined ? undefined : bundles.encounterOf(copy.bundle)
    const isOfBundle = encounters.length === 0
      ? linked.length === 0 && !reports.has(copy)
      : ofBundle !== undefined && encounters.includes(ofBundle)
    const encounter = isOfBundle ? ofBundle : encounters[0]
    return encounter === undefined ? undefined : tree.rootOf.get(encounter)
  }
  for (const same of placed) {
    const found = same.map((copy) => [copy, visitOf(copy)] as const)
    if (new Set(found.map(([, visit]) => visit)).size === 1) continue
    for (const [copy, visit] of found) if (visit !== undefined) visits.set(copy, visit)
  }
  return visits
}

const noteOfPatient = (context: GroupingContext, { ofPatient }: RecordsToReport, record: SourceRecord): void => {
  for (const element of ofPatientScope(context, record)) {
    const patient = targetOf(context, element, record, "quietly")
    if (patient === undefined) continue
    getOrMake(ofPatient, patient, () => new Set()).add(record)
  }
}

/** The references of a record to the patient that it belongs to. */
const ofPatientScope = (context: GroupingContext, record: SourceRecord): Elements => {
  const path = context.plan.patientScope.get(record.resource.resourceType)
  return path === undefined ? [] : evaluateOn(context, path, record)
}

/** Sorts visits so that those of one patient are consecutive, otherwise in the order of their encounters. */
const byPatient = (context: GroupingContext, roots: ReadonlyArray<SourceRecord>): ReadonlyArray<SourceRecord> => {
  const { fhirPath, plan: grouping, scope, variables: constants } = context
  return roots.map((root) => ({ root, name: patientName(root, { fhirPath, constants, grouping }, scope) }))
    .toSorted((one, other) => compareIds(one.name, other.name))
    .map(({ root }) => root)
}

const linkedEncounter = (
  context: GroupingContext,
  record: SourceRecord,
  links: ReadonlyArray<GroupingPath>,
  quietly: "quietly" | undefined
): { readonly encounter?: SourceRecord; readonly dangling: boolean } => {
  let dangling = false
  for (const encounter of linkedEncounters(context, record, links, quietly)) {
    if (encounter !== undefined) return { encounter, dangling: false }
    dangling = true
  }
  return { dangling }
}

/** Yields the encounters that the first link with any leads to, and `undefined` for each link that leads nowhere. */
function* linkedEncounters(
  context: GroupingContext,
  record: SourceRecord,
  links: ReadonlyArray<GroupingPath>,
  quietly: "quietly" | undefined
): Generator<SourceRecord | undefined> {
  for (const link of links) {
    let found = false
    // Of an element of the record itself, the value is enough.
    for (const element of (link.staysInRecord() ? valuesOn : evaluateOn)(context, link, record)) {
      const target = targetOf(context, element, record, quietly)
      if (target !== undefined && target.resource.resourceType !== context.plan.rootType) continue
      found ||= target !== undefined
      yield target
    }
    if (found) return
  }
}

const patientRecords = (context: GroupingContext, toReport: RecordsToReport): Grouping["ofPatient"] => {
  const indexes = new Map<string, Map<SourceRecord, Array<SourceRecord>>>()
  return (patient, type) => {
    if (!context.plan.patientScope.has(type)) return []
    let index = indexes.get(type)
    if (index === undefined) {
      index = new Map()
      indexes.set(type, index)
      for (const record of context.source.all(type)) {
        if (toReport.records.has(record)) continue
        for (const element of ofPatientScope(context, record)) {
          const target = targetOf(context, element, record, "quietly")
          if (target === undefined) continue
          const list = getOrMake(index, target, () => [])
          // Two of its links may refer to the same patient.
          if (list.at(-1) !== record) list.push(record)
        }
      }
    }
    return index.get(patient) ?? []
  }
}

/** Returns the encounters of a visit, also those below it that do not count, and its patient. */
export const identityOfVisit = (
  options: GroupingOptions,
  { bundles, encounters, reports, tree }: FoundVisits,
  root: SourceRecord
): VisitIdentity => ({
  encounters: encounters.filter((encounter) =>
    tree.rootOf.get(encounter) === root || tree.excludedFrom.get(encounter) === root
  ),
  patient: findPatient(contextOf(options, reports), bundles, root).patient
})

const timePlacing = (context: GroupingContext, tree: EncounterTree, bundles: Bundles) => {
  const patients = new Map(tree.roots.map((root) => [root, findPatient(context, bundles, root).patient]))
  return placeByTime({
    plan: context.plan,
    zone: context.scope.zone,
    evaluate: (path, record) => evaluateOn(context, path, record),
    target: (element, from) => targetOf(context, element, from),
    encounters: tree.rootOf,
    patientOf: (root) => patients.get(root)
  })
}
