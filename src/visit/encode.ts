import { isDecimal, withoutExponent } from "../json/Decimal.ts"
import type { Field } from "./Field.ts"
import { visitFields } from "./fields.ts"
import { isComponent, type UnvalidatedVisit } from "./rules/Rule.ts"
import type { Visit } from "./Visit.ts"

type Arrange = (value: unknown) => unknown

const number: Arrange = (value) => isDecimal(value) ? withoutExponent(value) : value
const textOrNumber: Arrange = (value) => typeof value === "string" ? value : number(value)

/** Returns a list with its entries arranged; the list itself if they are arranged already. */
const array = (element: Arrange): Arrange => (value) => {
  if (!Array.isArray(value)) return value
  let copy: Array<unknown> | undefined
  for (let index = 0; index < value.length; index++) {
    const entry: unknown = value[index]
    const arranged = element(entry)
    if (arranged !== entry) (copy ??= [...value])[index] = arranged
  }
  return copy ?? value
}

/**
 * Returns a component with its keys in the specification's order; optional keys without a value are omitted. A component that is arranged
 * already, as every one of a mapping is, is returned itself.
 */
const object = (fields: ReadonlyArray<Field>): Arrange => {
  const members = fields.map((field) => ({ name: field.name, optional: field.optional, arrange: arrangeOf(field) }))
  return (value) => {
    if (!isComponent(value)) return value
    let copy: Record<string, unknown> | undefined
    let at = 0
    for (const key in value) {
      const inner = value[key]
      while (members[at]?.optional === true && members[at]?.name !== key) at++
      const member = members[at++]
      if (inner === undefined || member?.name !== key) return inOrder(value, members)
      if (member.arrange === undefined) continue
      const arranged = member.arrange(inner)
      if (arranged !== inner) (copy ??= { ...value })[key] = arranged
    }
    while (members[at]?.optional === true) at++
    return at < members.length ? inOrder(value, members) : copy ?? value
  }
}

interface Member extends Pick<Field, "name" | "optional"> {
  readonly arrange: Arrange | undefined
}

const inOrder = (value: UnvalidatedVisit, members: ReadonlyArray<Member>): Record<string, unknown> => {
  const ordered: Record<string, unknown> = {}
  for (const { arrange, name, optional } of members) {
    const inner = value[name]
    if (inner !== undefined || !optional) ordered[name] = arrange === undefined ? inner ?? null : arrange(inner ?? null)
  }
  return ordered
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
