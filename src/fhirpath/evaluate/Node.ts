import { ExactNumber } from "../../json/exactNumber.ts"
import { getOrRemember } from "../../maps.ts"
import type { Elements } from "../FhirPath.ts"

/** An element of a resource. It has the properties of the library's nodes, so that `ask.ts` can convert one to the other. */
export class Node {
  /** Numbers are exact. */
  readonly data: unknown
  /** The companion of a primitive: for `birthDate` the value of `_birthDate`. */
  readonly _data: unknown
  readonly parentResNode: Node | null
  /** The type, or the path of a nested element, which identifies it in the model. */
  readonly path: string | null
  readonly fhirNodeDataType: string | null
  readonly propName: string | null
  readonly index: number | null

  // There is a node for each element, so its parts are not put into an object first.
  constructor(
    parent: Node | null,
    data: unknown,
    companion: unknown,
    path: string | null,
    type: string | null,
    name: string | null,
    index: number | null
  ) {
    // A resource has the type that it states, also within another.
    const stated = statedType(data)
    this.data = dataOf(data)
    this._data = companion || null
    this.parentResNode = parent
    this.path = (stated || path) || null
    this.fhirNodeDataType = (stated || type) || null
    this.propName = name
    this.index = index
  }
}

/** Returns the `resourceType` of a value. */
const statedType = (data: unknown): string | undefined =>
  // It is a text in every valid resource. The library accepts any other value, too: a type is only compared and written into texts.
  typeof data === "object" && data !== null ? (data as { readonly resourceType?: string }).resourceType : undefined

/** The exact numbers of doubles, of which resources have few different ones. */
const numbers = new Map<number, ExactNumber>()

const numberOf = (value: number): ExactNumber => {
  // A map does not distinguish 0 from -0.
  return value === 0 ? new ExactNumber(value) : getOrRemember(numbers, value, toExact, 10_000)
}

const toExact = (value: number): ExactNumber => new ExactNumber(value)

/** Returns the data of a node for a value. */
export const dataOf = (value: unknown): unknown => (typeof value === "number" ? numberOf(value) : value)

/** Returns true for types that are compared as instants rather than as texts. */
export const isTimed = (path: string | null): path is "date" | "dateTime" | "instant" | "time" =>
  path === "dateTime" || path === "date" || path === "instant" || path === "time"

export const isNode = (element: unknown): element is Node => element instanceof Node

/** Returns the node of a value outside a resource: a resource itself, or the result of a function. */
export const rootNode = (value: unknown): Node => new Node(null, value, null, null, null, null, null)

/** Returns whether a value is a resource that is no node yet. */
const isBareResource = (value: unknown): value is object => {
  if (typeof value !== "object" || value === null || isNode(value)) return false
  const { resourceType }: { readonly resourceType?: unknown } = value
  return Boolean(resourceType)
}

/** Returns a collection in which each resource is a node; the collection itself if nothing changes. */
export const elementsOf = (values: Elements): Elements =>
  values.some(isBareResource) ? values.map((value) => (isBareResource(value) ? rootNode(value) : value)) : values
