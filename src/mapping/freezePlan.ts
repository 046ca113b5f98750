import { getExisting } from "../maps.ts"
import type { Field } from "../visit/Field.ts"
import { visitFields } from "../visit/fields.ts"
import type { ReferenceList, ReferenceLists } from "../visit/values/ReferenceList.ts"
import type { MappingPlan } from "./MappingPlan.ts"

/** A key that no object has; in a frozen value it marks what is not plain data. */
const mark = "\u0000"

/** Every field of the specification, in a fixed order: a thawed plan must refer to these fields, not to copies. */
const everyField: ReadonlyArray<Field> = (() => {
  const all: Array<Field> = []
  const add = (fields: ReadonlyArray<Field>): void => {
    for (const field of fields) {
      all.push(field)
      add(field.fields ?? [])
    }
  }
  add(visitFields)
  return all
})()

const noLists: ReferenceLists = new Map()

/**
 * Returns a copy of a plan as plain data, with expressions as text. Throws for what cannot be restored. Only the names of these `lists`
 * are in it.
 */
export const freeze = (value: unknown, lists = noLists): unknown => {
  const known = new Map<unknown, unknown>(everyField.map((field, at) => [field, { [mark]: "field", at }]))
  for (const [name, list] of lists) known.set(list, { [mark]: "list", text: name })
  const copy = (one: unknown): unknown => {
    if (typeof one === "function") throw new TypeError("a function is no data")
    if (typeof one !== "object" || one === null) return one
    if (known.has(one)) return known.get(one)
    const keepIn = <A extends object>(made: A, fill: (made: A) => void): A => {
      known.set(one, made)
      fill(made)
      return made
    }
    if (Array.isArray(one)) return keepIn<Array<unknown>>([], (made) => one.forEach((each) => made.push(copy(each))))
    if (one instanceof Map) {
      return keepIn(new Map(), (made) => one.forEach((each, key) => made.set(key, copy(each))))
    }
    if (one instanceof Set) return keepIn(new Set(), (made) => one.forEach((each) => made.add(copy(each))))
    const prototype: unknown = Object.getPrototypeOf(one)
    if (prototype !== null && prototype !== Object.prototype) throw new TypeError("this object is no plain data")
    const rest: Record<string, unknown> = {}
    const isPath = "evaluate" in one && typeof one.evaluate === "function" && "text" in one
    return keepIn(
      isPath ? { [mark]: "path", text: one.text, rest } : prototype === null ? { [mark]: "bare", rest } : rest,
      () => {
        for (const [key, each] of Object.entries(one)) {
          if (!isPath || (typeof each !== "function" && key !== "text")) rest[key] = copy(each)
        }
      }
    )
  }
  return copy(value)
}

/** An object of a frozen plan. Only `freeze` makes them, so the types of its marked keys are known. */
type Bag = Record<string, unknown> & { readonly rest?: Bag; readonly at?: number; readonly text?: string }

/** Restores a frozen plan, with the lists that it names. Expressions are compiled when they are first evaluated. */
export const thaw = (
  frozen: unknown,
  fhirPath: MappingPlan["fhirPath"],
  lists: ReadonlyMap<unknown, ReferenceList> = noLists
): unknown => {
  const known = new Map<object, unknown>()
  const made = (one: unknown): unknown => {
    if (typeof one !== "object" || one === null) return one
    if (known.has(one)) return known.get(one)
    known.set(one, one)
    if (Array.isArray(one)) { for (let at = 0; at < one.length; at++) one[at] = made(one[at]) }
    else if (one instanceof Map) {
      for (const [key, each] of one) if (typeof each === "object") one.set(key, made(each))
    } else if (!(one instanceof Set)) {
      // Only `freeze` makes such objects.
      const bag = one as Bag
      const what = bag[mark]
      const data: Record<string, unknown> = what === undefined ? bag : bag.rest ?? {}
      for (const key in data) {
        const each = data[key]
        if (typeof each === "object") data[key] = made(each)
      }
      const whole = what === undefined
        ? bag
        : what === "field"
        ? everyField[bag.at ?? 0]
        : what === "list"
        ? getExisting(lists, bag.text)
        : what === "bare"
        ? Object.assign(Object.create(null), data)
        : Object.assign(fhirPath.compile(bag.text ?? ""), data)
      known.set(one, whole)
      return whole
    }
    return one
  }
  return made(frozen)
}
