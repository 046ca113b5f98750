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
  readonly repeats: boolean
  readonly form: JsonForm
  /** A bit for the choice that it is one type of, such as `value` for `valueQuantity`; otherwise 0. */
  readonly choice: number
  /** The keys of its objects. */
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
  const key = (name: string, own: string | null | undefined, repeats: boolean, choice: number): RegularKey => ({
    name,
    repeats,
    form: jsonFormOf(own ?? ""),
    choice,
    type: regularKeys(own ?? ""),
    next: undefined
  })
  return [
    ...[...plain.keys(), ...elsewhere.keys()].map((name) =>
      key(name, elementSteps(path, name).straight.path, repeatsAt(path, name), 0)
    ),
    ...[...choices.keys()].flatMap((name, index) =>
      elementSteps(path, name).ranked.map((one) => key(one.key, one.path, false, 1 << index))
    )
  ]
}

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
  isRegularObject(resource, regularKeys(resource.resourceType), true)

/** Returns whether a node is an element of a record that is written as the model says. */
export const isOfRegularRecord = (node: Node): boolean => {
  let one = node
  while (one.parentResNode !== null) one = one.parentResNode
  return one instanceof RecordNode && (one.isRegular ??= isRegular(one.data))
}

const isRegularObject = (value: JsonObject, type: RegularKeys, isResource: boolean): boolean => {
  let choices = 0
  let before: RegularKey | undefined
  for (const name in value) {
    let key = before === undefined ? type.first : before.next
    if (key === undefined || key.name !== name) {
      key = type.named(name)
      if (key === undefined) {
        if (name.startsWith("_") || (name === "resourceType" && !isResource)) return false
        continue
      }
      if (before === undefined) type.first = key
      else before.next = key
    }
    before = key
    if ((choices & key.choice) !== 0) return false
    choices |= key.choice
    const one = value[name]
    if (!key.repeats) {
      if (!isRegularValue(one, key)) return false
    } else if (Array.isArray(one)) {
      for (const each of one) if (!isRegularValue(each, key)) return false
    } else return false
  }
  return true
}

const isRegularValue = (value: unknown, { form, type }: RegularKey): boolean => {
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
        (type === keysOfAnyResource ? isRegular(value) : isRegularObject(value, type, false))
  }
}
