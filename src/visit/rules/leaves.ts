import type { Field } from "../Field.ts"
import { visitFields } from "../fields.ts"
import type { ValuePath } from "../VisitProblem.ts"
import { isComponent, type UnvalidatedVisit } from "./Rule.ts"

/** Receives every leaf: its value (never null or absent), its field, and its path, which is created on request. */
type See = (value: unknown, field: Field, path: () => ValuePath) => void

/** A traversal of a visit: its current position and the function that it calls. */
interface Tour {
  readonly path: Array<string | number>
  readonly pathOf: () => ValuePath
  readonly see: See
}

type Walk = (value: UnvalidatedVisit, tour: Tour) => void

/**
 * Visits the leaves of the expected fields, with entries of text arrays and findings of examinations one by one. The route through the
 * Visit is computed once. Parts without an expected field are skipped, and values that do not follow the specification are ignored.
 */
export const leavesWhere = (expected: (field: Field) => boolean): (visit: UnvalidatedVisit, see: See) => void => {
  const walk = walkOf(visitFields, expected) ?? (() => {})
  return (visit, see) => {
    const path: Array<string | number> = []
    walk(visit, { path, pathOf: () => [...path], see })
  }
}

const walkOf = (fields: ReadonlyArray<Field>, expected: (field: Field) => boolean): Walk | undefined => {
  const steps: Array<{ readonly name: string; readonly isList: boolean; readonly field?: Field; readonly walk: Walk }> =
    []
  for (const field of fields) {
    const { kind, name } = field
    if (field.fields !== undefined) {
      const inner = walkOf(field.fields, expected)
      if (inner !== undefined) steps.push({ name, isList: kind === "list", walk: inner })
    } else if (expected(field)) steps.push({ name, isList: false, field, walk: entriesOf(field) })
  }
  if (steps.length === 0) return undefined
  return (value, tour) => {
    const { path, pathOf, see } = tour
    const at = path.length
    for (const { field, isList, name, walk } of steps) {
      const inner = value[name]
      if (inner === null || inner === undefined) continue
      path[at] = name
      if (field !== undefined && !Array.isArray(inner)) see(inner, field, pathOf)
      else if (isList) intoList(inner, walk, tour)
      else if (isComponent(inner)) walk(inner, tour)
    }
    path.length = at
  }
}

const intoList = (list: unknown, walk: Walk, tour: Tour): void => {
  if (!Array.isArray(list)) return
  const { path } = tour
  const at = path.length
  for (let index = 0; index < list.length; index++) {
    const entry: unknown = list[index]
    if (!isComponent(entry)) continue
    path[at] = index
    walk(entry, tour)
  }
  path.length = at
}

/** Visits the entries of a leaf that is an array: texts, and the values of findings. */
const entriesOf = (field: Field): Walk => (value, { path, pathOf, see }) => {
  const at = path.length
  if (!Array.isArray(value)) return
  value.forEach((entry: unknown, index) => {
    path[at] = index
    if (typeof entry === "string") see(entry, field, pathOf)
    else if (typeof entry === "object" && entry !== null) {
      for (const [key, found] of Object.entries(entry)) {
        path[at + 1] = key
        see(found, field, pathOf)
      }
      path.length = at + 1
    }
  })
  path.length = at
}
