import { isProxy } from "node:util/types"
import { isExactNumber } from "../../json/exactNumber.ts"
import { isJsonObject, type JsonObject } from "../../json/JsonObject.ts"
import { getOrMake } from "../../maps.ts"
import { elementSteps } from "../evaluate/children.ts"
import type { Node } from "../evaluate/Node.ts"
import { RecordNode } from "../evaluate/RecordNode.ts"
import { elementAt, typeElements } from "../model/typeElements.ts"

/** How a value of a type is written in JSON. */
export type JsonForm = "text" | "time" | "truth" | "number" | "object"

/** A map, as the type of a record can be `constructor`. */
const forms = new Map<string, JsonForm>([
  ..."base64Binary canonical code id markdown oid string uri url uuid xhtml System.String".split(" ")
    .map((type) => [type, "text"] as const),
  ..."date dateTime instant time".split(" ").map((type) => [type, "time"] as const),
  ..."decimal integer positiveInt unsignedInt".split(" ").map((type) => [type, "number"] as const),
  ["boolean", "truth"]
])

/** Returns how the values of a type are written in JSON. */
export const jsonFormOf = (path: string): JsonForm => forms.get(path) ?? "object"

/** What is known about one key of a type. */
interface Key {
  readonly repeats: boolean
  readonly path: string
  readonly form: JsonForm
  /** A bit for the choice that it is one type of, such as `value` for `valueQuantity`; otherwise 0. */
  readonly choice: number
}

const known = new Map<string, ReadonlyMap<string, Key>>()

/** Returns the keys that a type has in JSON. */
const keysOf = (path: string): ReadonlyMap<string, Key> =>
  getOrMake(known, path, () => {
    const { choices, elsewhere, plain } = typeElements(path)
    const keys = new Map<string, Key>()
    for (const name of [...plain.keys(), ...elsewhere.keys()]) {
      const { straight } = elementSteps(path, name)
      const own = straight.path ?? ""
      keys.set(name, { repeats: repeatsAt(path, name), path: own, form: jsonFormOf(own), choice: 0 })
    }
    for (const [index, name] of [...choices.keys()].entries()) {
      for (const { key, path: own } of elementSteps(path, name).ranked) {
        keys.set(key, { repeats: false, path: own ?? "", form: jsonFormOf(own ?? ""), choice: 1 << index })
      }
    }
    return keys
  })

/** Returns whether an element of a type repeats. */
export const repeatsAt = (path: string, name: string): boolean =>
  elementAt(`${path}.${name}`)?.repeats ?? elementAt(typeElements(path).elsewhere.get(name) ?? "")?.repeats ?? false

/**
 * Returns whether a resource is written as the model says. It has lists where elements repeat, and single values elsewhere. Each value has
 * the JSON type of its element. It has at most one type of each choice, and no companions of primitives (`_birthDate`). Keys that the model
 * does not have are permitted.
 */
export const isRegular = (resource: unknown): boolean =>
  isJsonObject(resource) && typeof resource.resourceType === "string" && !isProxy(resource) &&
  isRegularObject(resource, resource.resourceType, resource.resourceType)

/** Returns whether a node is an element of a record that is written as the model says. */
export const isOfRegularRecord = (node: Node): boolean => {
  let one = node
  while (one.parentResNode !== null) one = one.parentResNode
  return one instanceof RecordNode && (one.isRegular ??= isRegular(one.data))
}

const isRegularObject = (value: JsonObject, path: string, resourceType: unknown): boolean => {
  if (value.resourceType !== resourceType) return false
  const keys = keysOf(path)
  let choices = 0
  for (const key in value) {
    const found = keys.get(key)
    if (found === undefined) {
      if (key.startsWith("_")) return false
      continue
    }
    if ((choices & found.choice) !== 0) return false
    choices |= found.choice
    const one = value[key]
    if (!found.repeats) {
      if (!isRegularValue(one, found)) return false
    } else if (Array.isArray(one)) {
      for (const each of one) if (!isRegularValue(each, found)) return false
    } else return false
  }
  return true
}

const isRegularValue = (value: unknown, { form, path }: Key): boolean => {
  switch (form) {
    case "text":
    case "time":
      return typeof value === "string"
    case "truth":
      return typeof value === "boolean"
    case "number":
      return typeof value === "number" || isExactNumber(value)
    case "object":
      return isJsonObject(value) &&
        (path === "Resource" ? isRegular(value) : isRegularObject(value, path, undefined))
  }
}
