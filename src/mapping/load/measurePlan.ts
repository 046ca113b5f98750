import type { CheckedMapping } from "../check/check.ts"
import { groupingPaths } from "../grouping/GroupingPlan.ts"
import type { FieldPlan, PathPlan } from "../MappingPlan.ts"

export interface PlanSize {
  readonly name: string
  /** Number of distinct lines that fill a field. */
  readonly fields: number
  /** Number of distinct expressions, by source location. */
  readonly paths: number
  readonly maps: number
  readonly rows: number
  /** Number of functions that the mapping defines. */
  readonly functions: number
}

/** Measures a checked mapping. A line that several branches share counts once. */
export const measurePlan = ({ functions, plan }: CheckedMapping): PlanSize => {
  const fields = new Set<string>()
  const paths = new Set<string>()
  const addPaths = (found: Iterable<PathPlan>): void => {
    for (const { span } of found) paths.add(`${span.file}:${span.line}:${span.column}`)
  }
  const add = (field: FieldPlan): void => {
    if (field.kind === "leaf") {
      fields.add(`${field.span.file}:${field.span.line}:${field.span.column}:${field.name}`)
      addPaths(field.paths)
      if (field.unit !== undefined && typeof field.unit.to !== "string") addPaths([field.unit.to.of])
      return
    }
    for (const branch of field.branches) {
      if (branch.rows.from === "forEach") addPaths([branch.rows.path])
      addPaths(branch.where)
      addPaths(branch.groupBy)
      branch.fields.forEach(add)
    }
  }
  add(plan.visit)
  for (const { paths } of plan.keys.values()) addPaths(paths)
  addPaths(groupingPaths(plan.grouping))
  const maps = [...plan.conceptMaps.values()]
  return {
    name: plan.name,
    fields: fields.size,
    paths: paths.size,
    maps: maps.length,
    rows: maps.reduce((sum, { rows }) => sum + rows.size, 0),
    functions: functions.length
  }
}
