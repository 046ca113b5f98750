import type { Element, Elements, Variables } from "../../../fhirpath/FhirPath.ts"
import { isPathFault, parsePath, recordOf, valueOf } from "../../../fhirpath/FhirPath.ts"
import { getOrMake } from "../../../maps.ts"
import type { SourceRecord } from "../../../source/records/SourceRecord.ts"
import type { VisitGroup } from "../../grouping/VisitGroup.ts"
import { statedFields } from "../../language/Statements.ts"
import type { BranchPlan, LeafPlan, MappingPlan, PathPlan } from "../../MappingPlan.ts"
import { foundValue } from "../fields/applyLeaf.ts"
import { silentContext } from "../scope/silentContext.ts"
import type { RowProvenance, SectionRow, VisitContext } from "../scope/VisitContext.ts"
import { isBlankValue } from "../scope/VisitContext.ts"
import { isSeen, isSeenInEach } from "./seenRecords.ts"

/**
 * Returns the records whose values, or codes made for them, are in a finished visit. Conditions, groupings and orders do not count, nor
 * does a dropped row or value. Values are made without provenance, which is faster. Fields that may hold a value of a record, and do not
 * show it by themselves, are evaluated again here. That is done with provenance, until one of them shows the record.
 */
export const recordsIn = (
  context: VisitContext,
  group: VisitGroup,
  known: Pick<ReadonlySet<SourceRecord>, "has"> = new Set()
): ReadonlySet<SourceRecord> => {
  const { encounters, patient, root } = group
  const found = new Set<SourceRecord>()
  const isOfGroup = membersOf(group)
  const isOpen = (record: SourceRecord): boolean => !found.has(record) && (!known.has(record) || isOfGroup(record))
  const { isKept, rows } = keptRows(context.rows)
  let tracing: SourcesOfField | undefined
  /** Made when a field is first evaluated again: in many visits none is. */
  const sourcesOf = (): SourcesOfField => tracing ??= sourcesOfFields(context)
  /** The fields evaluated so far. */
  const done = new Map<SectionRow, Set<LeafPlan>>()
  /** The records in the focus of rows that none of their fields found. Those of nested rows reach them by `%parent`. */
  const left = new Map<SectionRow, ReadonlyArray<SourceRecord>>()
  const trace = (made: RowProvenance, leaf: LeafPlan): void => {
    const { filled, focus, name, row, variables } = made
    if (isBlankValue(row[leaf.name]) || (focus.length === 1 && isOfItsRecord(leaf))) return
    const path = filled?.find((one) => one.leaf === leaf)?.path
    if (path !== undefined && !pathsToRecords(leaf, context.plan).includes(path)) return
    if (isSeen(made, leaf) || (focus.length === 1 && path?.staysInRecord() === true)) {
      for (const element of focus) addRecord(found, element)
      return
    }
    const leaves = getOrMake(done, row, () => new Set())
    if (leaves.has(leaf)) return
    leaves.add(leaf)
    for (const record of sourcesOf()(leaf, name, focus, variables, path ?? "filled")) found.add(record)
  }
  /** Like `trace`, for a field whose values are those of each element of the focus. Only elements of open records are evaluated. */
  const traceEach = (made: RowProvenance, leaf: LeafPlan): void => {
    const { focus, name, row, variables } = made
    if (isBlankValue(row[leaf.name])) return
    for (const [at, element] of focus.entries()) {
      const record = recordOf(element)
      if (record === undefined || !isOpen(record)) continue
      if (isSeenInEach(made, leaf, at)) found.add(record)
      else for (const source of sourcesOf()(leaf, name, [element], variables)) found.add(source)
    }
  }
  for (const made of rows) {
    const { branch, focus, row } = made
    let open: Array<SourceRecord> | undefined
    for (const element of focus) {
      const record = recordOf(element)
      if (record === undefined || found.has(record)) continue
      if (isOfVisit(branch) || isOpen(record)) (open ??= []).push(record)
    }
    const first = open?.[0]
    if (open === undefined || first === undefined) continue
    const { all, ofRecord, others } = leavesOf(branch)
    if (focus.length === 1 && ofRecord.some(({ name }) => !isBlankValue(row[name]))) {
      found.add(first)
      continue
    }
    const leaves = focus.length === 1 ? others : all
    for (const [at, leaf] of leaves.entries()) {
      if (focus.length > 1 && isOfEach(context, made, leaf)) traceEach(made, leaf)
      else trace(made, leaf)
      if (open.some(isOpen)) continue
      // The same field probably finds it in the next row of the branch, too.
      if (at > 0) leaves.unshift(...leaves.splice(at, 1))
      break
    }
    if (open.some(isOpen)) left.set(row, open)
  }
  // Variables can reach these from any row.
  const others = [root, ...encounters, ...(patient === undefined ? [] : [patient])]
  for (const { leaf, made, records } of others.some(isOpen) ? context.lookups : context.farLookups) {
    if (records.some(isOpen) && isKept(made.row)) trace(made, leaf)
  }
  for (const made of others.some(isOpen) || left.size > 0 ? rows : []) {
    const above = made.parent === null ? undefined : left.get(made.parent)
    if (!others.some(isOpen) && above?.some(isOpen) !== true) continue
    for (const leaf of leavesOf(made.branch).all) trace(made, leaf)
  }
  return found
}

const addRecord = (records: Set<SourceRecord>, element: Element): void => {
  const record = recordOf(element)
  if (record !== undefined) records.add(record)
}

const ofItsRecord = new WeakMap<LeafPlan, boolean>()

/** Returns whether a record is one of the visit's own. The records of a type are put into a set at the first question about one of them. */
const membersOf = ({ records }: VisitGroup): (record: SourceRecord) => boolean => {
  const ofTypes = new Map<string, ReadonlySet<SourceRecord>>()
  return (record) => {
    const { resourceType } = record.resource
    return getOrMake(ofTypes, resourceType, () => new Set(records.get(resourceType))).has(record)
  }
}

/** Returns whether the rows of a branch are records of the visit. */
const isOfVisit = ({ rows }: BranchPlan): boolean => rows.from === "resource" && rows.scope === "visit"

/** Returns true if a field's value always comes from the record in its row's focus, judged by its paths only. */
const isOfItsRecord = (leaf: LeafPlan): boolean => getOrMake(ofItsRecord, leaf, staysInItsRecord)

const staysInItsRecord = ({ fallback, literal, paths }: LeafPlan): boolean =>
  literal === undefined && fallback === undefined && paths.every((path) => path.staysInRecord())

/** Returns true if all values of a field are sent, and each is found on one element of the focus by itself. */
const isOfEach = ({ plan: { statements } }: VisitContext, { focus, name }: RowProvenance, leaf: LeafPlan): boolean =>
  leaf.paths.length === 1 && (leaf.field.kind === "strings" || leaf.join !== undefined) &&
  leaf.paths.every((path) => path.isOfEach()) &&
  (statements === undefined || statedFields(statements, name, focus) === undefined)

/** The fields of a branch that have one value. */
interface Leaves {
  /** In evaluation order, those that satisfy `isOfItsRecord` first. */
  readonly all: Array<LeafPlan>
  readonly ofRecord: ReadonlyArray<LeafPlan>
  readonly others: Array<LeafPlan>
}

const leavesOfBranch = new WeakMap<BranchPlan, Leaves>()

const leavesOf = (branch: BranchPlan): Leaves =>
  getOrMake(leavesOfBranch, branch, () => {
    const leaves = branch.fields.filter((field): field is LeafPlan => field.kind === "leaf")
    const ofRecord = leaves.filter(isOfItsRecord)
    const others = leaves.filter((leaf) => !isOfItsRecord(leaf))
    return { all: [...ofRecord, ...others], ofRecord, others }
  })

/** Returns the rows that are in the visit, with their parent rows. */
const keptRows = (rows: ReadonlyArray<RowProvenance>) => {
  if (!rows.some(({ dropped }) => dropped)) return { rows, isKept: () => true }
  const kept = new Set<SectionRow>()
  const isAround = (made: RowProvenance): boolean => !made.dropped && (made.parent === null || kept.has(made.parent))
  const remaining: Array<RowProvenance> = []
  for (const made of rows) {
    if (!isAround(made)) continue
    kept.add(made.row)
    remaining.push(made)
  }
  return { rows: remaining, isKept: (row: SectionRow) => kept.has(row) }
}

/** Returns the records whose values a field holds. `filled`: it is known to have a value on this focus, or that this path found it. */
type SourcesOfField = (
  leaf: LeafPlan,
  section: string,
  focus: Elements,
  variables: Variables,
  filled?: "filled" | PathPlan
) => Iterable<SourceRecord>

const sourcesOfFields = (visit: VisitContext): SourcesOfField => {
  const { plan, plan: { statements } } = visit
  const scope = visit.scope.silently()
  const context = silentContext(visit, scope)
  return (leaf, section, focus, variables, filled) => {
    const stated = statements === undefined ? undefined : statedFields(statements, section, focus)?.has(leaf.name)
    // A value that a record states explicitly takes precedence over a constant of the mapping.
    if (stated === true) return focus.flatMap((element) => recordOf(element) ?? [])
    if (leaf.literal !== undefined) return []
    const sendsAll = leaf.field.kind === "strings" || leaf.join !== undefined
    const filling = { leaf, focus, variables, row: {}, context }
    const isKnown = typeof filled === "object"
    for (const path of isKnown ? [filled] : pathsToRecords(leaf, plan)) {
      const found = computing.has(path) ? undefined : context.evaluate(path, focus, variables, null, leaf.name)
      if (found?.length === 0) continue
      const records = found === undefined ? undefined : recordsOfEach(found)
      if (found !== undefined && records === undefined) computing.add(path)
      // The field has a value. If no earlier path found it, the last path did.
      if (isKnown || (filled !== undefined && path === leaf.paths.at(-1) && leaf.fallback === undefined)) {
        const sources = records ?? path.sources(focus, variables, scope)
        if (sendsAll || sources.length < 2) return union(sources)
      }
      const values = found?.map(valueOf) ?? context.values(path, focus, variables, null, leaf.name)
      if (values.length === 0 || foundValue(filling, values, path) === undefined) continue
      const sources = records ?? path.sources(focus, variables, scope)
      // Of several values for one field the first valid one is sent.
      const at = !sendsAll && sources.length === values.length && values.length > 1
        ? values.findIndex((value) => foundValue(filling, [value], path) !== undefined)
        : -1
      return at < 0 ? union(sources) : sources[at] ?? []
    }
    return []
  }
}

/** Paths that have computed a value. Their results have to be evaluated with provenance. */
const computing = new WeakSet<PathPlan>()

/** Returns the record of each element; `undefined` if one of them is a computed value. */
const recordsOfEach = (elements: Elements): ReadonlyArray<Iterable<SourceRecord>> | undefined => {
  const records: Array<Iterable<SourceRecord>> = []
  for (const element of elements) {
    const record = recordOf(element)
    if (record === undefined) return undefined
    records.push([record])
  }
  return records
}

const pathsOfLeaves = new WeakMap<LeafPlan, ReadonlyArray<PathPlan>>()

/** Returns the paths of a field without the constants at their end, which hold no value of a record. */
const pathsToRecords = (leaf: LeafPlan, { constants }: MappingPlan): ReadonlyArray<PathPlan> =>
  getOrMake(pathsOfLeaves, leaf, () => {
    const isConstant = ({ text }: PathPlan): boolean => {
      const names = parsePath(text)
      const [variable] = isPathFault(names) ? [] : names.variables
      const name = variable?.length === text.length ? variable.name : ""
      return name === "facility" || name === "system" || Object.hasOwn(constants, name)
    }
    return leaf.paths.slice(0, leaf.paths.findLastIndex((path) => !isConstant(path)) + 1)
  })

const union = (sources: ReadonlyArray<Iterable<SourceRecord>>): Iterable<SourceRecord> =>
  sources.length === 1 ? sources[0] ?? [] : sources.flatMap((records) => [...records])
