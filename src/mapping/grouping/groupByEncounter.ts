import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import type { Element, Elements, FhirPath, Variables } from "../../fhirpath/FhirPath.ts"
import {
  evaluatePath,
  isPathFault,
  type PathFault,
  recordOf,
  valueOf,
  valuesOfPath,
  valueText
} from "../../fhirpath/FhirPath.ts"
import { unknownStatusOf } from "../../fhirpath/infer/statusOf.ts"
import { isJsonObject } from "../../json/JsonObject.ts"
import { getOrMake } from "../../maps.ts"
import { compareIds } from "../../source/records/compareRecords.ts"
import { areOnTwoServers, isAbsolute, sameServerHelp } from "../../source/records/Servers.ts"
import type { BundleContext, SourceRecord } from "../../source/records/SourceRecord.ts"
import { similarKey } from "../../source/tables/similarKey.ts"
import { parseInstant } from "../../visit/values/Timestamp.ts"
import { clinicalTypes } from "../clinicalTypes.ts"
import { GroupingFaults } from "./GroupingFaults.ts"
import type { GroupingPath, GroupingPlan, GroupingRemark } from "./GroupingPlan.ts"
import { modifierProblem, type ModifierRules, unknownModifier } from "./modifiers.ts"
import { otherSubject, subjectOf } from "./otherSubject.ts"
import { patientName } from "./patientName.ts"
import { placeByTime } from "./placeByTime.ts"
import { type RecordsToReport, withoutModified } from "./RecordsToReport.ts"
import { unwatchedStatusProblem } from "./statusProblems.ts"
import type { Grouping, UnassignedRecord, VisitGroup } from "./VisitGroup.ts"

/** The records of a run as grouping requires them, in an order that does not depend on the files. */
export interface RecordSource {
  readonly types: Iterable<string>
  readonly all: (type: string) => ReadonlyArray<SourceRecord>
  readonly resolve: (reference: unknown, from: SourceRecord, quietly?: "quietly") => SourceRecord | undefined
}

export interface GroupingOptions {
  readonly source: RecordSource
  readonly plan: GroupingPlan
  readonly fhirPath: FhirPath
  readonly variables: Variables
  /** IANA name of the facility's zone: for its days, and for times without an offset. */
  readonly zone: string
  /** Selects the visits to make, by their root (default: all). */
  readonly wanted?: (root: SourceRecord) => boolean
  /** Types whose records make a visit (default: all). */
  readonly read?: ReadonlySet<string> | undefined
  /** Names of elements that the mapping reads (default: all). */
  readonly elements?: ReadonlySet<string> | undefined
  /** Types whose records are put into their visits (default: all). Those that are not read are only reported. */
  readonly assigned?: ReadonlySet<string> | undefined
}

interface GroupingParts extends GroupingOptions {
  readonly faults: GroupingFaults
}

/** The records by which others belong to a visit. */
export type VisitIdentity = Pick<VisitGroup, "encounters" | "patient">

/** The visits of a run, before other records are put into them. */
interface FoundVisits {
  readonly encounters: ReadonlyArray<SourceRecord>
  readonly tree: EncounterTree
  readonly bundles: Bundles
  readonly faults: GroupingFaults
}

/** Finds the encounters that are a visit, and the members of each. */
export const findVisits = (options: GroupingOptions): FoundVisits => {
  const faults = new GroupingFaults(options.read)
  const parts = { ...options, faults }
  const encounters = parts.source.all(parts.plan.rootType)
  const tree = encounterTree(parts, encounters)
  return { encounters, tree, bundles: readBundles(parts, encounters, tree), faults }
}

/**
 * Puts every record into its visit, as the mapping's `grouping` declares. Encounters that are a visit come first, then their members
 * through `partOf`, other records through their links, then through their document. Last, records are assigned by patient and time if a
 * `window` exists for their type. The result keeps the input order.
 */
export const groupByEncounter = (
  options: GroupingOptions,
  { bundles, encounters, faults, tree }: FoundVisits = findVisits(options)
): Grouping => {
  const parts: GroupingParts = { ...options, faults }
  const { source, plan } = parts
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
    const problem = faults.firstOf(record)
    unplaced.set(record, problem === undefined ? why : { why: "path-failed", problem })
  }
  const assumed = new Map<SourceRecord, GroupingRemark>()
  for (const encounter of encounters) {
    const root = tree.rootOf.get(encounter)
    const problem = tree.undecided.has(encounter) ? faults.firstOf(encounter) : undefined
    if (problem !== undefined) unplaced.set(encounter, { why: "path-failed", problem })
    else if (root === undefined) {
      unplaced.set(encounter, { why: tree.partOfNone.has(encounter) ? "part-of-none" : "not-a-visit" })
    } else place(root, encounter)
  }
  const otherwise = plan.links.get("*") ?? []
  const byTime = plan.windows.size === 0 ? undefined : timePlacing(parts, tree, bundles)
  const rules: ModifierRules = { understood: plan.understood, elements: parts.elements }
  const toReport: RecordsToReport = { records: new Map(), doubtful: new Map(), ofPatient: new Map() }
  for (const type of source.types) {
    if (type === plan.rootType) continue
    if (parts.assigned?.has(type) === false) continue
    const isRead = parts.read?.has(type) !== false
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
        noteOfPatient(parts, toReport, record)
      }
      const doubt = isRead && plan.patientScope.has(type) ? unwatchedStatusProblem(record) : undefined
      if (doubt !== undefined) {
        toReport.doubtful.set(record, doubt)
        noteOfPatient(parts, toReport, record)
      }
      // Lines find the record by its patient. That fails here, where it can be reported, rather than in one of the visits.
      if (isRead) ofPatientScope(parts, record)
      const found = linkedEncounter(parts, record, links, isRead ? undefined : "quietly")
      // Of a record whose link leads nowhere or failed, the visit is not guessed.
      const isOpen = !found.dangling && !faults.has(record)
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
      const root = tree.rootOf.get(encounter)
      if (root === undefined) leave(record, { why: "not-a-visit" })
      else {
        place(root, record)
        placedBy.set(record, encounter)
      }
    }
  }
  const { wanted: expected } = parts
  const roots = byPatient(parts, expected === undefined ? tree.roots : tree.roots.filter(expected))
  return {
    groups: roots.map((root) =>
      withoutModified(
        visitGroup(parts, root, placed.get(root) ?? new Map(), { placedBy, tree, bundles, assumed }),
        toReport,
        rules
      )
    ),
    unplaced,
    placedByTime,
    ofPatient: patientRecords(parts, toReport)
  }
}

const noteOfPatient = (parts: GroupingParts, { ofPatient }: RecordsToReport, record: SourceRecord): void => {
  for (const element of ofPatientScope(parts, record)) {
    const patient = targetOf(parts, element, record, "quietly")
    if (patient === undefined) continue
    getOrMake(ofPatient, patient, () => new Set()).add(record)
  }
}

/** The references of a record to the patient that it belongs to. */
const ofPatientScope = (parts: GroupingParts, record: SourceRecord): Elements => {
  const path = parts.plan.patientScope.get(record.resource.resourceType)
  return path === undefined ? [] : evaluate(parts, path, record)
}

/** Sorts visits so that those of one patient are consecutive, otherwise in the order of their encounters. */
const byPatient = (parts: GroupingParts, roots: ReadonlyArray<SourceRecord>): ReadonlyArray<SourceRecord> => {
  const { fhirPath, plan: grouping, variables: constants } = parts
  return roots.map((root) => ({ root, name: patientName(root, { fhirPath, constants, grouping }) }))
    .toSorted((one, other) => compareIds(one.name, other.name))
    .map(({ root }) => root)
}

const evaluate = (parts: GroupingParts, path: GroupingPath, record: SourceRecord): Elements =>
  orFault(parts, path, record, evaluatePath(path, [parts.fhirPath.elementOf(record)], parts.variables))

const values = (parts: GroupingParts, path: GroupingPath, record: SourceRecord): Elements =>
  orFault(parts, path, record, valuesOfPath(path, [parts.fhirPath.elementOf(record)], parts.variables))

/** Returns what a path found, or notes that it failed and returns nothing. */
const orFault = (
  { faults }: GroupingParts,
  path: GroupingPath,
  record: SourceRecord,
  result: Elements | PathFault
): Elements => {
  if (!isPathFault(result)) return result
  faults.note(record, path, result)
  return []
}

const satisfies = (parts: GroupingParts, record: SourceRecord): boolean =>
  (record.row !== undefined || unknownStatusOf(record.resource) === undefined) &&
  parts.plan.where.every((path) => {
    const [value, ...others] = values(parts, path, record)
    return value === true && others.length === 0
  })

interface EncounterTree {
  readonly roots: ReadonlyArray<SourceRecord>
  /** The visit of an encounter; absent if it belongs to none. */
  readonly rootOf: ReadonlyMap<SourceRecord, SourceRecord>
  /** Roots whose `partOf` refers to an encounter that is not in the input. */
  readonly dangling: ReadonlySet<SourceRecord>
  /** Encounters that could be part of a visit, and whose top is not a visit. */
  readonly partOfNone: ReadonlySet<SourceRecord>
  /** Roots chosen for circles of `partOf` references. */
  readonly cycles: ReadonlySet<SourceRecord>
  /** Encounters on which a condition failed, with the top of each. */
  readonly undecided: ReadonlyMap<SourceRecord, SourceRecord>
}

const encounterTree = (parts: GroupingParts, encounters: ReadonlyArray<SourceRecord>): EncounterTree => {
  const accepted = new Set(encounters.filter((encounter) => satisfies(parts, encounter)))
  const failed = encounters.filter((encounter) => parts.faults.has(encounter))
  const { partOf } = parts.plan
  const parentOf = new Map<SourceRecord, SourceRecord>()
  const dangling = new Set<SourceRecord>()
  for (const encounter of encounters) {
    for (const element of partOf === undefined ? [] : evaluate(parts, partOf, encounter)) {
      const parent = targetOf(parts, element, encounter)
      if (parent === undefined) dangling.add(encounter)
      if (parent !== undefined && parent !== encounter && parent.resource.resourceType === parts.plan.rootType) {
        parentOf.set(encounter, parent)
        break
      }
    }
  }
  const { cycles, topOf } = topsOf(encounters, parentOf)
  const rootOf = new Map<SourceRecord, SourceRecord>()
  const partOfNone = new Set<SourceRecord>()
  for (const encounter of encounters) {
    if (!accepted.has(encounter)) continue
    const top = topOf.get(encounter)
    // An encounter below one that is not a visit (cancelled, entered in error) is excluded with it.
    if (top !== undefined && accepted.has(top)) rootOf.set(encounter, top)
    else partOfNone.add(encounter)
  }
  const roots = encounters.filter((encounter) => rootOf.get(encounter) === encounter)
  const undecided = new Map(failed.map((encounter) => [encounter, topOf.get(encounter) ?? encounter]))
  return { roots, rootOf, dangling, partOfNone, cycles, undecided }
}

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

const targetOf = (
  parts: GroupingParts,
  element: Element,
  from: SourceRecord,
  quietly?: "quietly"
): SourceRecord | undefined => {
  const value = valueOf(element)
  if (isJsonObject(value) && "resourceType" in value) return recordOf(element)
  return parts.source.resolve(value, recordOf(element) ?? from, quietly)
}

const linkedEncounter = (
  parts: GroupingParts,
  record: SourceRecord,
  links: ReadonlyArray<GroupingPath>,
  quietly: "quietly" | undefined
): { readonly encounter?: SourceRecord; readonly dangling: boolean } => {
  let dangling = false
  for (const link of links) {
    for (const element of evaluate(parts, link, record)) {
      const target = targetOf(parts, element, record, quietly)
      if (target?.resource.resourceType === parts.plan.rootType) return { encounter: target, dangling: false }
      if (target === undefined) dangling = true
    }
  }
  return { dangling }
}

/** The encounters and patients of Bundles that are one visit. */
interface Bundles {
  /** The encounter of a Bundle: `Composition.encounter`, its only encounter, or the top of all of its encounters. */
  readonly encounterOf: (bundle: BundleContext) => SourceRecord | undefined
  /** The only patient in the Bundle of an encounter. */
  readonly patientOf: (root: SourceRecord) => SourceRecord | undefined
}

const readBundles = (
  parts: GroupingParts,
  encounters: ReadonlyArray<SourceRecord>,
  { rootOf }: EncounterTree
): Bundles => {
  const { plan: { bundles }, source } = parts
  const keyOf = ({ bundle }: SourceRecord): string | undefined =>
    bundle !== undefined && bundles.has(bundle.type) ? bundle.key : undefined
  const found = new Map<string, SourceRecord>()
  for (const composition of bundles.has("document") ? source.all("Composition") : []) {
    if (composition.bundle?.type !== "document" || composition.resource.encounter === undefined) continue
    const encounter = source.resolve(composition.resource.encounter, composition)
    if (encounter !== undefined) found.set(composition.bundle.key, encounter)
  }
  for (const [key, all] of bundles.size === 0 ? [] : Map.groupBy(encounters, keyOf)) {
    if (key === undefined || found.has(key)) continue
    const tops = new Set(all.map((one) => rootOf.get(one)))
    const [top] = all.length === 1 ? all : tops
    if (top !== undefined && tops.size === 1) found.set(key, top)
  }
  let patients: Map<string | undefined, Array<SourceRecord>> | undefined
  return {
    encounterOf: ({ key }) => found.get(key),
    patientOf: (root) => {
      const key = keyOf(root)
      if (key === undefined) return undefined
      patients ??= Map.groupBy(source.all("Patient"), keyOf)
      const [patient, ...others] = patients.get(key) ?? []
      return others.length === 0 ? patient : undefined
    }
  }
}

const patientRecords = (parts: GroupingParts, toReport: RecordsToReport): Grouping["ofPatient"] => {
  const indexes = new Map<string, Map<SourceRecord, Array<SourceRecord>>>()
  return (patient, type) => {
    if (!parts.plan.patientScope.has(type)) return []
    let index = indexes.get(type)
    if (index === undefined) {
      index = new Map()
      indexes.set(type, index)
      for (const record of parts.source.all(type)) {
        if (toReport.records.has(record)) continue
        for (const element of ofPatientScope(parts, record)) {
          const target = targetOf(parts, element, record, "quietly")
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

const startOf = (parts: GroupingParts, encounter: SourceRecord): number => {
  for (const path of parts.plan.start) {
    for (const value of values(parts, path, encounter)) {
      const text = valueText(value)
      const instant = text === undefined ? undefined : parseInstant(text, { zone: parts.zone })
      if (instant !== undefined && !("reason" in instant)) return instant.epochMillis
    }
  }
  return Number.POSITIVE_INFINITY
}

/** The kind of an encounter, as the mapping defines it. */
const kindOf = (parts: GroupingParts, encounter: SourceRecord): unknown => {
  const { kind } = parts.plan
  return kind === undefined ? undefined : values(parts, kind, encounter)[0]
}

/** The encounters that become rows of a visit: the top only if `rootIsEncounter` is set. */
const rowsOf = (
  parts: GroupingParts,
  root: SourceRecord,
  all: ReadonlyArray<SourceRecord>
): ReadonlyArray<SourceRecord> => {
  const { rootIsEncounter } = parts.plan
  const members = all.filter((encounter) => encounter !== root)
  if (rootIsEncounter === "always") return [root, ...members]
  if (rootIsEncounter === "never" || members.length === 0) return rootIsEncounter === "never" ? members : [root]
  const kind = rootIsEncounter === "when-none-of-its-kind" ? kindOf(parts, root) : undefined
  return kind === undefined || members.some((member) => kindOf(parts, member) === kind) ? members : [root, ...members]
}

const patientOf = (
  parts: GroupingParts,
  { patientOf }: Bundles,
  root: SourceRecord
): { readonly element?: Element; readonly patient: SourceRecord | undefined } => {
  const [element] = evaluate(parts, parts.plan.patient, root)
  return element === undefined ? { patient: patientOf(root) } : { element, patient: targetOf(parts, element, root) }
}

/** Returns the encounters of a visit, and its patient. */
export const identityOfVisit = (
  options: GroupingOptions,
  { bundles, encounters, faults, tree }: FoundVisits,
  root: SourceRecord
): VisitIdentity => ({
  encounters: encounters.filter((encounter) => tree.rootOf.get(encounter) === root),
  patient: patientOf({ ...options, faults }, bundles, root).patient
})

const timePlacing = (parts: GroupingParts, tree: EncounterTree, bundles: Bundles) => {
  const patients = new Map(tree.roots.map((root) => [root, patientOf(parts, bundles, root).patient]))
  return placeByTime({
    plan: parts.plan,
    zone: parts.zone,
    evaluate: (path, record) => evaluate(parts, path, record),
    target: (element, from) => targetOf(parts, element, from),
    encounters: tree.rootOf,
    patientOf: (root) => patients.get(root)
  })
}

const visitGroup = (
  parts: GroupingParts,
  root: SourceRecord,
  records: ReadonlyMap<string, ReadonlyArray<SourceRecord>>,
  { assumed, bundles, placedBy, tree: { cycles, dangling, undecided } }: {
    readonly tree: EncounterTree
    readonly bundles: Bundles
    /** The encounter that assigned a record to its visit, and the assumption that this depends on. */
    readonly placedBy: ReadonlyMap<SourceRecord, SourceRecord>
    readonly assumed: ReadonlyMap<SourceRecord, GroupingRemark>
  }
): VisitGroup => {
  const { plan } = parts
  const rows = rowsOf(parts, root, records.get(plan.rootType) ?? [root])
  const encounters = rows.toSorted((one, other) => startOf(parts, one) - startOf(parts, other) || 0)
  // If the top is not a row of the visit, a reference to it means the first row of the same kind.
  const rowOfRoot = rows.includes(root) ? root : encounters.find((one) => kindOf(parts, one) === kindOf(parts, root))
  const problems: Array<Diagnostic> = []
  const about = { source: root.origin.reference, origin: root.origin } as const
  if (dangling.has(root)) {
    problems.push({
      code: "dangling-reference",
      severity: "error",
      title: "the encounter is part of another that is not in the input",
      ...(plan.partOf === undefined ? {} : { mapping: plan.partOf.span, path: plan.partOf.text }),
      ...about,
      help: [
        "add the Encounter to the input: a visit sent in part cannot be corrected later",
        "where such names lead nowhere by design:  grouping: {partOf: \"{}\"}"
      ]
    })
  }
  if (cycles.has(root)) {
    problems.push({
      code: "circular-reference",
      severity: "error",
      title: "encounters are part of each other in a circle",
      ...about,
      help: ["correct `Encounter.partOf` in the source system"]
    })
  }
  const { element: patientElement, patient } = patientOf(parts, bundles, root)
  if (patient === undefined) {
    // If the path failed, it is unknown whether the encounter refers to a patient.
    if (!parts.faults.has(root, plan.patient)) {
      problems.push({ ...missingPatient(parts, root, patientElement), ...about })
    }
  } else {
    if (isReplaced(patient)) {
      problems.push({
        code: "no-patient",
        severity: "error",
        title: "the encounter's patient was replaced by another, and must no longer be used",
        path: plan.patient.text,
        mapping: plan.patient.span,
        ...about,
        help: ["correct the encounter in the source system: it must refer to the patient that `link` refers to"]
      })
    }
    problems.push(...foreignRecords(parts, root, records, patient))
  }
  const members = Array.from(undecided, ([encounter, top]) => (top === root ? [encounter] : [])).flat()
  problems.push(...parts.faults.of([root, ...[...records.values()].flat(), ...members]))
  const rule = patientElement === undefined ? plan.bundles.get(root.bundle?.type ?? "") : undefined
  return {
    root,
    encounters: encounters.length === 0 ? [root] : encounters,
    patient,
    records,
    assumed: new Map([
      ...(patient === undefined || rule === undefined ? [] : [[patient, rule] as const]),
      ...(assumed.size === 0 ? [] : [...records.values()].flat()).flatMap((one) => {
        const remark = assumed.get(one)
        return remark === undefined ? [] : [[one, remark] as const]
      })
    ]),
    encounterOf: (record) => {
      const encounter = record === root ? root : placedBy.get(record)
      return encounter === root ? rowOfRoot : encounter
    },
    problems
  }
}

const missingPatient = (
  { plan: { patient: path }, source }: GroupingParts,
  root: SourceRecord,
  element: Element | undefined
): Diagnostic => ({
  code: "no-patient",
  severity: "error",
  title: element === undefined
    ? "the encounter refers to no patient"
    : isAbsolute(valueOf(element))
    ? "the encounter's patient is on another server, or nothing says that it is on this one"
    : "the encounter's patient is not in the input",
  path: path.text,
  mapping: path.span,
  help: root.row === undefined
    ? [
      "add the Patient to the input: a visit cannot be sent without it",
      ...(element !== undefined && isAbsolute(valueOf(element)) ? sameServerHelp : [])
    ]
    : (element === undefined
      ? undefined
      : similarKey(valueOf(element), (other) => source.resolve(other, root, "quietly") !== undefined)) ??
      ["add the patient's row to its table: a visit cannot be sent without it"]
})

/** FHIR R4 `Patient.link.type`: a patient that is `replaced-by` another must no longer be used. */
const isReplaced = ({ resource: { link } }: SourceRecord): boolean =>
  Array.isArray(link) &&
  link.some((one: unknown) => isJsonObject(one) && one.type === "replaced-by")

const foreignRecords = (
  parts: GroupingParts,
  root: SourceRecord,
  records: ReadonlyMap<string, ReadonlyArray<SourceRecord>>,
  patient: SourceRecord
): ReadonlyArray<Diagnostic> => {
  const found: Array<Diagnostic> = []
  for (const [type, list] of records) {
    if (parts.read?.has(type) === false) continue
    for (const record of list) {
      const reference = subjectOf(record.resource)
      if (reference === undefined) continue
      const target = parts.source.resolve(reference, record)
      if (target === undefined || target === patient) continue
      if (target.resource.resourceType !== patient.resource.resourceType) continue
      // Two copies of one patient count as one.
      if (
        target.resource.id !== undefined && target.resource.id === patient.resource.id &&
        !areOnTwoServers(target, patient)
      ) continue
      found.push({
        code: "other-patient",
        severity: "error",
        title: "a record of the visit refers to a different patient",
        source: record.origin.reference,
        origin: record.origin,
        facts: [["encounter", root.origin.reference]],
        help: ["correct the record's patient or its encounter in the source system"]
      })
    }
  }
  return found
}
