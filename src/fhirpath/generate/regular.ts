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
export interface RegularKey {
  readonly name: string
  /** The element that it is, or of which it is one type: `Observation.value` for `valueQuantity`. */
  readonly element: string
  readonly repeats: boolean
  readonly form: JsonForm
  /** A bit for the choice that it is one type of, such as `value` for `valueQuantity`; otherwise 0. */
  readonly choice: number
  readonly type: RegularKeys
  /** The key that followed it last in an object. Most objects of one type have their keys in one order. */
  next: RegularKey | undefined
}

/** The keys that a type has in JSON. */
export class RegularKeys {
  readonly #path: string
  #known: ReadonlyMap<string, RegularKey> | undefined
  /** The key that an object of the type began with last. */
  first: RegularKey | undefined

  constructor(path: string) {
    this.#path = path
  }

  named(name: string): RegularKey | undefined {
    this.#known ??= new Map(keysIn(this.#path).map((key) => [key.name, key]))
    return this.#known.get(name)
  }
}

const ofTypes = new Map<string, RegularKeys>()
/** Returns the keys of a type; none if the model does not have it. */
export const regularKeys = (path: string): RegularKeys => getOrMake(ofTypes, path, () => new RegularKeys(path))

/** The type of elements that are resources of any type. */
export const keysOfAnyResource = regularKeys("Resource")

const keysIn = (path: string): ReadonlyArray<RegularKey> => {
  const { choices, elsewhere, plain } = typeElements(path)
  const key = (
    name: string,
    own: string | null | undefined,
    repeats: boolean,
    choice: number,
    element: string
  ): RegularKey => ({
    name,
    element: `${path}.${element}`,
    repeats,
    form: jsonFormOf(own ?? ""),
    choice,
    type: regularKeys(own ?? ""),
    next: undefined
  })
  return [
    ...[...plain.keys(), ...elsewhere.keys()].map((name) =>
      key(name, elementSteps(path, name).straight.path, repeatsAt(path, name), 0, name)
    ),
    ...[...choices.keys()].flatMap((name, index) =>
      elementSteps(path, name).ranked.map((one) => key(one.key, one.path, false, 1 << index, name))
    )
  ]
}

/** Returns whether an element of a type repeats. */
export const repeatsAt = (path: string, name: string): boolean =>
  elementAt(`${path}.${name}`)?.repeats ?? elementAt(typeElements(path).elsewhere.get(name) ?? "")?.repeats ?? false

/** Elements that are not regular, which means written as the model says: `Patient.birthDate`. */
export type OddElements = ReadonlySet<string>

const nothingOdd: OddElements = new Set()

/**
 * Returns the elements of a resource that are not written as the model says; `undefined` if any can be. The model has lists where elements
 * repeat, and single values elsewhere. Each value has the JSON type of its element. There is at most one type of each choice. A companion
 * of a primitive (`_birthDate`) is next to its value. Keys that the model does not have are permitted.
 */
export const oddElements = (resource: unknown): OddElements | undefined => {
  const found: Array<string> = []
  if (!isJsonObject(resource) || !findInResource(resource, found)) return undefined
  return found.length === 0 ? nothingOdd : new Set(found)
}

/** Returns whether a node, and some elements of its record, are written as the model says. */
export const canRead = (node: Node, elements: ReadonlySet<string>): boolean => {
  let root = node
  while (root.parentResNode !== null) root = root.parentResNode
  if (!(root instanceof RecordNode)) return false
  const odd = root.odd === undefined ? root.odd = oddElements(root.data) ?? null : root.odd
  return odd !== null && (odd.size === 0 || (odd.isDisjointFrom(elements) && !isWithin(odd, node)))
}

/** Returns whether a node is one of some elements, or below one. */
const isWithin = (odd: OddElements, node: Node): boolean => {
  let one = node
  for (let parent = one.parentResNode; parent !== null; parent = parent.parentResNode) {
    if (odd.has(`${parent.path}.${one.propName}`)) return true
    one = parent
  }
  return false
}

/** Adds the odd elements of a resource to a list; returns false if any element can be odd. */
const findInResource = (resource: JsonObject, found: Array<string>): boolean =>
  typeof resource.resourceType === "string" && !isProxy(resource) &&
  findIn(resource, regularKeys(resource.resourceType), true, found)

const findIn = (value: JsonObject, type: RegularKeys, isResource: boolean, found: Array<string>): boolean => {
  let choices = 0
  let before: RegularKey | undefined
  for (const name in value) {
    let key = before === undefined ? type.first : before.next
    if (key === undefined || key.name !== name) {
      key = type.named(name)
      if (key === undefined) {
        if (name.startsWith("_")) {
          const beside = type.named(name.slice(1))
          if (beside !== undefined && !isCompanion(value[name], value[beside.name], beside)) found.push(beside.element)
        } else if (name === "resourceType" && !isResource) return false
        continue
      }
      if (before === undefined) type.first = key
      else before.next = key
    }
    before = key
    if ((choices & key.choice) !== 0) found.push(key.element)
    choices |= key.choice
    const one = value[name]
    if (!key.repeats) {
      if (!findInValue(one, key, found)) return false
    } else if (Array.isArray(one)) {
      for (const each of one) if (!findInValue(each, key, found)) return false
    } else found.push(key.element)
  }
  return true
}

const findInValue = (value: unknown, key: RegularKey, found: Array<string>): boolean => {
  const { form, type } = key
  if (form === "object" && isJsonObject(value)) {
    return type === keysOfAnyResource ? findInResource(value, found) : findIn(value, type, false, found)
  }
  if (!isPrimitive(value, form)) found.push(key.element)
  return true
}

const isPrimitive = (value: unknown, form: JsonForm): boolean => {
  switch (form) {
    case "text":
    case "time":
      return typeof value === "string"
    case "truth":
      return typeof value === "boolean"
    case "number":
      return typeof value === "number" || isExactNumber(value)
    case "object":
      return false
  }
}

/** Returns whether a companion has the value of a primitive next to it. In a list, each companion must have one. */
const isCompanion = (companion: unknown, value: unknown, { form, repeats }: RegularKey): boolean => {
  if (form === "object") return false
  if (!repeats) return isJsonObject(companion) && value !== undefined
  return Array.isArray(companion) && Array.isArray(value) && companion.length <= value.length &&
    companion.every((one: unknown) => one === null || isJsonObject(one))
}
