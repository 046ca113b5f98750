/** A part of a visit that is changed while a visit is made up. */
export type MutableObject = Record<string, unknown>

/** Returns a deep copy that can be changed. Exact numbers are shared, because they are frozen. */
export const copyOf = <A>(value: A): A => copy(value) as A

const copy = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(copy)
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, copy(inner)]))
}
