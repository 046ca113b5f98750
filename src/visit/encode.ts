import { isDecimal, withoutExponent } from "../json/Decimal.ts"
import type { Field } from "./Field.ts"
import { visitFields } from "./fields.ts"
import { isComponent, type UnvalidatedVisit } from "./rules/Rule.ts"
import type { Visit } from "./Visit.ts"

type Arrange = (value: unknown) => unknown

const number: Arrange = (value) => isDecimal(value) ? withoutExponent(value) : value
const textOrNumber: Arrange = (value) => typeof value === "string" ? value : number(value)

const array = (element: Arrange): Arrange => (value) => Array.isArray(value) ? value.map(element) : value

/** Returns a copy of a component with its keys in the specification's order; optional keys without a value are omitted. */
const object = (fields: ReadonlyArray<Field>): Arrange => {
  const members = fields.map((field) => ({
    name: field.name,
    optional: field.optional,
    arrange: arrangeOf(field)
  }))
  return (value) => {
    if (!isComponent(value)) return value
    const arranged: Record<string, unknown> = {}
    for (const { name, optional, arrange } of members) {
      const inner = value[name]
      if (inner === undefined && optional) continue
      arranged[name] = arrange === undefined || inner === undefined ? inner ?? null : arrange(inner)
    }
    return arranged
  }
}

const arrangeOf = (field: Field): Arrange | undefined => {
  if (field.fields !== undefined) return field.kind === "list" ? array(object(field.fields)) : object(field.fields)
  return field.kind === "decimal" ? number : field.kind === "text-or-decimal" ? textOrNumber : undefined
}

const arrangeVisit = object(visitFields)

/**
 * Returns the exact JSON text of a visit: keys in the specification's order, and no white space. Optional keys without a value are omitted;
 * numbers keep all their digits in plain notation. The same visit always gives the same text, whatever the order of construction. Of an
 * incomplete visit, the text has what is there.
 */
export const encodeVisit = (visit: Visit | UnvalidatedVisit): string => JSON.stringify(arrangeVisit(visit))

/** Returns the body of a submission request (§2.3) from the exact texts of its visits. */
export const encodeSubmission = (visits: ReadonlyArray<string>): string => `{"visits":[${visits.join(",")}]}`
