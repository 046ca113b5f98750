import type { JsonObject } from "../../json/JsonObject.ts"
import type { Element, Elements } from "../FhirPath.ts"
import { choiceAt, definitionOf, elementAt, typeNames } from "../model/typeElements.ts"
import { dataOf, isTimed, Node } from "./Node.ts"

/** The key of an element in JSON, and its type in the model. */
export interface Step {
  readonly key: string
  /** The key of the companion: `_birthDate`. */
  readonly companion: string
  readonly path: string | null
  readonly type: string | null
  /** False for times, which are compared as instants. */
  readonly isPlain: boolean
}

/** The access to one name from one kind of parent: direct, or to the first present type of a choice. */
export interface Steps {
  readonly straight: Step
  readonly choices?: ReadonlyMap<string, number>
  readonly ranked: ReadonlyArray<Step>
}

const none: Elements = []

/** Types of elements that have no type of their own: they are identified by their paths. */
const inline: ReadonlySet<string> = new Set(["BackboneElement", "Element"])

const stepOf = (key: string, path: string): Step => {
  const type = elementAt(path)?.type ?? null
  const own = type === null || inline.has(type) ? path : type
  return { key, companion: `_${key}`, type, path: own, isPlain: !isTimed(own) }
}

/** Returns the access to a name from a parent with a path in the model; `null`: not in the model. */
export const elementSteps = (parent: string | null, name: string): Steps => {
  if (parent === null) {
    return { straight: { key: name, companion: `_${name}`, path: null, type: null, isPlain: true }, ranked: [] }
  }
  const path = definitionOf(`${parent}.${name}`)
  const types = choiceAt(path)
  const straight = stepOf(name, name === "extension" ? "Extension" : path)
  if (types === undefined) return { straight, ranked: [] }
  const ranked = types.map((type) => stepOf(name + type, path + type))
  const choices = new Map(ranked.flatMap(({ key, companion }, rank) => [[key, rank], [companion, rank]] as const))
  return { straight, choices, ranked }
}

/** How elements are returned: as nodes, as their data, or texts and booleans that `=` compares unchanged as data and all others as nodes. */
export type Form = "nodes" | "values" | "plain"

/** Returns the children of any node by one name, in order. */
type Follow = (node: Node, form: Form) => Elements

/**
 * Returns the access to a name as the library implements it. It uses the model for the type of the result, includes the companions of
 * primitives, and returns nothing for absent elements. The model is queried once for each kind of parent.
 */
export const follow = (name: string): Follow => {
  const known = new Map<string | null, Steps>()
  let lastPath: string | null | undefined
  let last: Steps | undefined
  return (node, form) => {
    const { path, data } = node
    if (last === undefined || path !== lastPath) {
      last = known.get(path)
      if (last === undefined) known.set(path, last = elementSteps(path, name))
      lastPath = path
    }
    if (last.choices !== undefined) {
      const step = chosen(last, last.choices, data)
      // `chosen` returns a step only for the data of an object.
      return step === undefined
        ? none
        : childrenOf(node, step, name, (data as JsonObject)[step.key], (data as JsonObject)[step.companion], form)
    }
    const step = last.straight
    let value: unknown
    let companion: unknown
    if (data !== null && data !== undefined) {
      // Only `null` and `undefined` cannot be asked for a member. As the library, this returns the `length` of a text.
      const holder = data as JsonObject
      value = holder[name]
      companion = holder[step.companion]
    }
    if (value === undefined && companion === undefined) {
      // The companion of one primitive is an object in valid FHIR. Other JSON can be asked for a member, too, as above.
      const beside = node._data as JsonObject | null | undefined
      if (beside === null || beside === undefined) return none
      value = beside[name]
    }
    return childrenOf(node, step, name, value, companion, form)
  }
}

/** Returns the first type of a choice that has a key in the JSON. */
const chosen = (steps: Steps, choices: ReadonlyMap<string, number>, data: unknown): Step | undefined => {
  if (typeof data !== "object" || data === null) return undefined
  let best = steps.ranked.length
  for (const key of Object.keys(data)) {
    const rank = choices.get(key)
    if (rank !== undefined && rank < best) best = rank
  }
  return steps.ranked[best]
}

const isAbsent = (value: unknown): boolean =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0)

// These functions run for every element of every record. They take arguments in a row, because an object for each call would cost time.
const childrenOf = (
  node: Node,
  step: Step,
  name: string,
  value: unknown,
  companion: unknown,
  form: Form
): Elements => {
  if (isAbsent(value) && isAbsent(companion)) return none
  if (!Array.isArray(value)) {
    if ((value === undefined || value === null) && Array.isArray(companion)) {
      return companion.map((one, index) => childOf(node, null, one, step, name, index, form))
    }
    return [childOf(node, value, companion, step, name, null, form)]
  }
  if (value.length === 1 && isAbsent(companion)) {
    return [childOf(node, value[0], null, step, name, 0, form)]
  }
  const found: Array<Element> = []
  // As the library, this reads a companion that is not a list by its keys. An object has no length, so no index is below it.
  const beside = (companion ?? []) as ReadonlyArray<unknown>
  for (let index = 0; index < value.length; index++) {
    found.push(childOf(node, value[index], beside[index], step, name, index, form))
  }
  for (let index = value.length; index < beside.length; index++) {
    found.push(childOf(node, null, beside[index], step, name, index, form))
  }
  return found
}

const childOf = (
  node: Node,
  value: unknown,
  companion: unknown,
  { isPlain, path, type }: Step,
  name: string,
  index: number | null,
  form: Form
): Element => {
  if (form === "values") return dataOf(value)
  return form === "plain" && isPlain && (typeof value === "string" || typeof value === "boolean")
    ? value
    : new Node(node, value, companion, path, type, name, index)
}

/** Returns whether a name can be that of a type; most names are only elements. */
export const mayBeType = (name: string): boolean => !/^[a-z]/u.test(name) || typeNames().has(name)

/** Returns the extensions of an element with a URL. `undefined` if they do not have the FHIR form. */
export const extensionsWith = (node: Node, url: string): Elements | undefined => {
  // A text or a number has no `extension`.
  const { _data: companion, data } = node as { readonly [K in "data" | "_data"]: JsonObject | null | undefined }
  const written = data?.extension || companion?.extension
  if (!written) return none
  if (!Array.isArray(written)) return undefined
  let found: Array<Element> | undefined
  for (let index = 0; index < written.length; index++) {
    // An entry that is no object has no `url`.
    const extension = written[index] as JsonObject | null | undefined
    if (extension === null || extension === undefined) return undefined
    if (extension.url === url) {
      ;(found ??= []).push(new Node(node, extension, null, "Extension", "Extension", "extension", index))
    }
  }
  return found ?? none
}
