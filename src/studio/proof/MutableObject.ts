import { isJsonObject } from "../../json/JsonObject.ts"
/** A part of a visit that is changed while a visit is made up. */
export type MutableObject = Record<string, unknown>

/** Returns a deep copy that can be changed. Exact numbers are shared, because they are frozen. */
export const copyOf = <A>(value: A): A =>
  // A copy has the members of the value.
  copy(value) as A

const copy = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(copy)
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, copy(inner)]))
}

/** The rows of a list in a part of a visit. */
export const rowsIn = (object: MutableObject, list: string): Array<MutableObject> =>
  // Parts are made from the fields of the Visit, and callers name only fields that are lists of objects.
  object[list] as Array<MutableObject>

/** Returns true for an object that can be changed; false for lists, exact numbers and primitives. */
export const isMutable = (value: unknown): value is MutableObject => isJsonObject(value) && !Object.isFrozen(value)

/** A value as an object that can be changed. */
export const mutable = (value: unknown): MutableObject | undefined => isMutable(value) ? value : undefined

/** Calls a function with each object in a value, outermost first. */
export const forEachObject = (value: unknown, change: (object: MutableObject) => void): void => {
  if (Array.isArray(value)) return value.forEach((item) => forEachObject(item, change))
  const object = mutable(value)
  if (object === undefined) return
  change(object)
  for (const inner of Object.values(object)) forEachObject(inner, change)
}
