import type { Elements, Variables } from "../fhirpath/FhirPath.ts"
import { recordOf } from "../fhirpath/FhirPath.ts"
import type { VisitGroup } from "../grouping/VisitGroup.ts"
import type { SourceRecord } from "../source/SourceRecord.ts"
import { foundValue } from "./applyLeaf.ts"
import type { LeafContext } from "./Filling.ts"
import type { Making, Row, RowStory } from "./Making.ts"
import type { BranchPlan, LeafPlan } from "./MappingPlan.ts"
import { statedFields } from "./Statements.ts"

/**
 * The records of which a value, or a code made for them, is in a visit that has been made. Conditions, groupings, and orders do not count,
 * nor does a row or a value that was dropped. Values are made without their sources, which costs nothing; here the fields that may hold a
 * value of a record are evaluated once more with their sources, until one of them does.
 */
export const recordsIn = (
  making: Making,
  group: VisitGroup,
  known: ReadonlySet<SourceRecord> = new Set()
): ReadonlySet<SourceRecord> => {
  const { encounters, patient, root } = group
  const found = new Set<SourceRecord>()
  const ofGroup = new Set<SourceRecord>([...group.records.values()].flat())
  const isOpen = (record: SourceRecord): boolean => !found.has(record) && (!known.has(record) || ofGroup.has(record))
  const stories = keptRows(making.stories)
  const done = new Map<Row, Set<LeafPlan>>()
  const trace = (leaf: LeafPlan, row: Row, focus: Elements, variables: Variables): void => {
    let leaves = done.get(row)
    if (leaves === undefined) done.set(row, leaves = new Set())
    if (leaves.has(leaf)) return
    leaves.add(leaf)
    if (isBlank(row[leaf.name])) return
    for (const record of sourcesOfField(making, leaf, stories.get(row)!, focus, variables)) found.add(record)
  }
  /** The records that rows stand on. */
  const focused: Array<SourceRecord> = []
  for (const { branch, focus, row, variables } of stories.values()) {
    const records = focus.flatMap((element) => recordOf(element) ?? [])
    if (!records.some(isOpen)) continue
    for (const leaf of leavesOf(branch)) {
      trace(leaf, row, focus, variables)
      if (records.some(isOpen)) continue
      likely.set(branch, leaf)
      break
    }
    for (const record of records) if (isOpen(record)) focused.push(record)
  }
  for (const { focus, leaf, records, row, variables } of making.lookups) {
    if (stories.has(row) && records.some(isOpen)) trace(leaf, row, focus, variables)
  }
  // Variables lead to these from any row.
  const others = [root, ...encounters, ...(patient === undefined ? [] : [patient]), ...focused]
  for (const { branch, focus, row, variables } of others.some(isOpen) ? stories.values() : []) {
    for (const leaf of leavesOf(branch)) trace(leaf, row, focus, variables)
    if (!others.some(isOpen)) break
  }
  return found
}

/** The field of a branch in which a value of the row's record was found last: it is looked at first. */
const likely = new WeakMap<BranchPlan, LeafPlan>()

const leavesOf = (branch: BranchPlan): ReadonlyArray<LeafPlan> => {
  const leaves = branch.fields.filter((field): field is LeafPlan => field.kind === "leaf")
  const first = likely.get(branch)
  return first === undefined ? leaves : [first, ...leaves.filter((leaf) => leaf !== first)]
}

/** The rows that are in the visit, with those around them. */
export const keptRows = (stories: ReadonlyArray<RowStory>): ReadonlyMap<Row, RowStory> => {
  const kept = new Map<Row, RowStory>()
  for (const story of stories) {
    if (story.dropped || isBeside(story)) continue
    if (story.parent === null || kept.has(story.parent)) kept.set(story.row, story)
  }
  return kept
}

/** A row beside the first, where a section is one object. */
const isBeside = ({ name, parent, row }: RowStory): boolean => {
  const sent = parent?.[name]
  return typeof sent === "object" && sent !== null && !Array.isArray(sent) && sent !== row
}

export const isBlank = (value: unknown): boolean =>
  value === null || value === undefined || value === "" || (Array.isArray(value) && value.length === 0)

/** The records whose values a field holds. */
const sourcesOfField = (
  making: Making,
  leaf: LeafPlan,
  { name }: RowStory,
  focus: Elements,
  variables: Variables
): Iterable<SourceRecord> => {
  const { statements } = making.plan
  const stated = statements === undefined ? undefined : statedFields(statements, name, focus)?.has(leaf.name)
  // What a record states outright goes before a constant of the mapping.
  if (stated === true) return focus.flatMap((element) => recordOf(element) ?? [])
  if (leaf.literal !== undefined) return []
  const context: LeafContext = { ...making, problem: () => undefined, unmapped: () => undefined }
  const filling = { leaf, focus, variables, row: {}, context }
  for (const path of leaf.paths) {
    const values = context.values(path, focus, variables, null, leaf.name)
    if (values.length === 0 || foundValue(filling, values, path) === undefined) continue
    const sources = path.sources(focus, variables)
    const isOne = leaf.field.kind !== "strings" && leaf.join === undefined && sources.length === values.length
    // Of several values for one field the first that fits is sent.
    const at = isOne && values.length > 1
      ? values.findIndex((value) => foundValue(filling, [value], path) !== undefined)
      : -1
    return at < 0 ? sources.flatMap((records) => [...records]) : sources[at]!
  }
  return []
}
