import { jsonListOf } from "../../src/json/JsonObject.ts"
import { copyOf } from "../../src/studio/proof/MutableObject.ts"
import type { Field } from "../../src/visit/Field.ts"
import type { Visit } from "../../src/visit/Visit.ts"
import { present } from "../present.ts"

/** The same visit with the keys of every component in the opposite order. */
export const reversedKeys = (visit: Visit, fields: ReadonlyArray<Field>): Visit => {
  const turn = (value: unknown, inside: ReadonlyArray<Field>): unknown => {
    if (!isContainer(value)) return value
    return Object.fromEntries(
      Object.entries(value).toReversed().map(([name, inner]) => {
        const { fields, kind } = present(inside.find((candidate) => candidate.name === name))
        if (fields === undefined) return [name, inner]
        return [name, kind === "list" ? jsonListOf(inner).map((entry) => turn(entry, fields)) : turn(inner, fields)]
      })
    )
  }
  // The same values under the same names: only the order of the names differs.
  return turn(visit, fields) as Visit
}

type Path = ReadonlyArray<string | number>
type Container = Record<string | number, unknown>

/** An object or an array has its members under names or indexes. */
export const isContainer = (value: unknown): value is Container => typeof value === "object" && value !== null

/** The object or array that holds a value. */
const containerIn = (value: unknown): Container => {
  if (!isContainer(value)) throw new Error("the path leads into a value without members")
  return value
}

/** A copy with the value at a path replaced, or a member removed when it is `undefined`; all but the last part must exist. */
export const withValue = (value: unknown, path: Path, replacement: unknown): unknown => {
  const changed = copyOf(value)
  const container = containerIn(valueAt(changed, path.slice(0, -1)))
  const last = present(path.at(-1))
  if (replacement === undefined && typeof last === "string") delete container[last]
  else container[last] = replacement
  return changed
}

/** The value at a path. */
export const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>((inner, key) => containerIn(inner)[key], value)

/** A place of a visit that holds a field: its path with indexes, and the field. */
export interface Place {
  readonly path: Path
  readonly field: Field
}

/** Every place of a visit, parents before their parts. */
export const placesOf = (value: unknown, fields: ReadonlyArray<Field>, path: Path = []): ReadonlyArray<Place> =>
  fields.flatMap((field) => {
    const here: Path = [...path, field.name]
    const inner = containerIn(value)[field.name]
    const place: ReadonlyArray<Place> = [{ path: here, field }]
    const { fields } = field
    if (fields === undefined || inner === null || inner === undefined) return place
    const inside = field.kind === "list"
      ? jsonListOf(inner).flatMap((entry, index) => placesOf(entry, fields, [...here, index]))
      : placesOf(inner, fields, here)
    return place.concat(inside)
  })
