import type { Field } from "../Field.ts"
import { visitFields } from "../fields.ts"
import type { ValuePath } from "../VisitProblem.ts"
import type { Loose } from "./Rule.ts"

/** Told every leaf: its value (never null or absent), its field, and its path, which is made when it is asked for. */
export type See = (value: unknown, field: Field, path: () => ValuePath) => void

type Walk = (value: Loose, path: Array<string | number>, see: See) => void

/**
 * Goes through the leaves of a visit whose field is wanted, entries of text arrays and findings of examinations one by one.
 * The way through the Visit is laid once; parts that hold no wanted field are not entered, and what is not as the
 * specification has it is passed over.
 */
export const leavesWhere = (wanted: (field: Field) => boolean): (visit: Loose, see: See) => void => {
  const walk = walkOf(visitFields, wanted) ?? (() => {})
  return (visit, see) => walk(visit, [], see)
}

const walkOf = (fields: ReadonlyArray<Field>, wanted: (field: Field) => boolean): Walk | undefined => {
  const steps: Array<readonly [name: string, walk: Walk]> = []
  for (const field of fields) {
    if (field.fields !== undefined) {
      const inner = walkOf(field.fields, wanted)
      if (inner !== undefined) steps.push([field.name, field.kind === "list" ? intoList(inner) : intoObject(inner)])
    } else if (wanted(field)) steps.push([field.name, atLeaf(field)])
  }
  if (steps.length === 0) return undefined
  return (value, path, see) => {
    for (const [name, step] of steps) {
      const inner = value[name]
      if (inner === null || inner === undefined) continue
      path.push(name)
      step(inner as Loose, path, see)
      path.pop()
    }
  }
}

const intoObject = (walk: Walk): Walk => (value, path, see) => {
  if (typeof value === "object") walk(value, path, see)
}

const intoList = (walk: Walk): Walk => (value, path, see) => {
  if (!Array.isArray(value)) return
  for (let i = 0; i < value.length; i++) {
    const entry: unknown = value[i]
    if (typeof entry !== "object" || entry === null) continue
    path.push(i)
    walk(entry as Loose, path, see)
    path.pop()
  }
}

const atLeaf = (field: Field): Walk => {
  const entries: Walk = (value, path, see) => {
    const at = path.length
    const pathOf = () => [...path]
    ;(value as unknown as ReadonlyArray<unknown>).forEach((entry, index) => {
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
  return (value, path, see) => {
    if (Array.isArray(value)) entries(value, path, see)
    else see(value, field, () => [...path])
  }
}
