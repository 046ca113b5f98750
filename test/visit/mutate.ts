import type { Field } from "../../src/visit/Field.ts"
import type { Visit } from "../../src/visit/Visit.ts"

/** A deep copy that may be changed; raw JSON numbers are shared, they are frozen. */
export const copyOf = <A>(value: A): A => copy(value) as A

const copy = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(copy)
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, copy(inner)]))
}

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
