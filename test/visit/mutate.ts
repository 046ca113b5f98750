import { copyOf } from "../../src/studio/proof/MutableObject.ts"
import type { Field } from "../../src/visit/Field.ts"
import type { Visit } from "../../src/visit/Visit.ts"

/** The same visit with the keys of every component in the opposite order. */
export const reversedKeys = (visit: Visit, fields: ReadonlyArray<Field>): Visit => {
  const turn = (value: unknown, inside: ReadonlyArray<Field>): unknown => {
    if (value === null) return null
    const object = value as Readonly<Record<string, unknown>>
    return Object.fromEntries(
      Object.keys(object).toReversed().map((name) => {
        const field = inside.find((candidate) => candidate.name === name)!
        if (field.fields === undefined) return [name, object[name]]
        return field.kind === "list"
          ? [name, (object[name] as ReadonlyArray<unknown>).map((entry) => turn(entry, field.fields!))]
          : [name, turn(object[name], field.fields)]
      })
    )
  }
  return turn(visit, fields) as Visit
}

type Path = ReadonlyArray<string | number>
type Container = Record<string | number, unknown>

const containerAt = (root: unknown, path: Path): Container =>
  path.slice(0, -1).reduce<Container>((at, key) => at[key] as Container, root as Container)

/** A copy with the value at a path replaced, or removed when it is `undefined`; arrays on the way must exist. */
export const withValue = (value: unknown, path: Path, replacement: unknown): unknown => {
  const changed = copyOf(value)
  const container = containerAt(changed, path)
  if (replacement === undefined) delete container[path.at(-1)!]
  else container[path.at(-1)!] = replacement
  return changed
}

/** The value at a path. */
export const valueAt = (value: unknown, path: Path): unknown => containerAt(value, path)[path.at(-1)!]

/** A place of a visit that holds a field: its path with indexes, and the field. */
export interface Place {
  readonly path: Path
  readonly field: Field
}

/** Every place of a visit, parents before their parts. */
export const placesOf = (value: unknown, fields: ReadonlyArray<Field>, path: Path = []): ReadonlyArray<Place> =>
  fields.flatMap((field) => {
    const here: Path = [...path, field.name]
    const inner = (value as Container)[field.name]
    const place: ReadonlyArray<Place> = [{ path: here, field }]
    if (field.fields === undefined || inner === null || inner === undefined) return place
    const inside = field.kind === "list"
      ? (inner as ReadonlyArray<unknown>).flatMap((entry, index) => placesOf(entry, field.fields!, [...here, index]))
      : placesOf(inner, field.fields, here)
    return place.concat(inside)
  })
