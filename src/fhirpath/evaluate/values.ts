import fhirpath from "fhirpath"
import type { Element, Elements } from "../FhirPath.ts"
import type { TimeRange } from "./moments.ts"
import { compareSpans, timeRangeOf } from "./moments.ts"
import type { Node } from "./Node.ts"
import { dataOf, isNode, isTimed } from "./Node.ts"

export const none: Elements = []
export const yes: Elements = [true]
export const no: Elements = [false]

export const truth = (value: boolean): Elements => (value ? yes : no)

interface Comparable {
  readonly compare: (other: unknown) => number | null
  readonly equals: (other: unknown) => boolean | undefined
}

const LibraryValue = Object.getPrototypeOf(fhirpath.FP_Decimal) as new() => Comparable

/** Returns true for decimals, dates, times and quantities of the library. */
const isLibraryValue = (value: unknown): value is Comparable => value instanceof LibraryValue

/** Returns `toString()` of a single element, for plain values. */
export const spelled = (elements: Elements): string | undefined => {
  const text = textOfSingle(elements)
  if (text !== undefined || elements.length !== 1) return text
  return decimalOf(elements[0])?.toString()
}

/** Returns the text of a single element, whatever its type; `undefined` if there is not exactly one, or it is not a text. */
export const textOfSingle = (elements: Elements): string | undefined => {
  if (elements.length !== 1) return undefined
  const [element] = elements
  if (typeof element === "string") return element
  return isNode(element) && typeof element.data === "string" ? element.data : undefined
}

/** Returns a text or boolean that `=` compares unchanged; `undefined` for other values. */
const plain = (element: Element): string | boolean | undefined => {
  if (typeof element === "string" || typeof element === "boolean") return element
  if (!isNode(element) || isTimed(element.path)) return undefined
  const { data } = element
  return typeof data === "boolean" || typeof data === "string" ? data : undefined
}

/** Returns the text of an element that `=` compares unchanged. */
export const plainText = (element: Element): string | undefined => {
  const value = plain(element)
  return typeof value === "string" ? value : undefined
}

/** Returns the exact decimal of an element. A count such as `%rowIndex` has one too. */
const decimalOf = (element: Element): Comparable | undefined => {
  const value = isNode(element) ? (isTimed(element.path) ? undefined : element.data) : element
  if (typeof value === "number") return Number.isSafeInteger(value) ? (dataOf(value) as Comparable) : undefined
  return value instanceof fhirpath.FP_Decimal ? (value as unknown as Comparable) : undefined
}

/** Returns whether two elements are equal, as in `=`, for plain values: texts, booleans and decimals. */
export const equalWhenPlain = (one: Element, other: Element): boolean | undefined => {
  const a = plain(one)
  const b = plain(other)
  if (a !== undefined && b !== undefined) {
    if (a !== b) return false
    return isNode(one) && isNode(other) && (one._data !== null || other._data !== null) ? undefined : true
  }
  if (a !== undefined || b !== undefined) return undefined
  // A number of a resource and a number of the expression.
  if (isNode(one) && isNode(other)) return undefined
  const left = decimalOf(one)
  const right = decimalOf(other)
  return left === undefined || right === undefined ? undefined : left.equals(right)
}

/** Returns the possible time range of a dateTime. */
const spanOfNode = (element: Element): TimeRange | undefined =>
  isNode(element) && element.path === "dateTime" && typeof element.data === "string"
    ? timeRangeOf(element.data)
    : undefined

/** Returns the sign of a comparison of two times or library values; `null` if uncertain, `undefined` for other types. */
export const compareWhenTimed = (one: Element, other: Element): number | null | undefined => {
  const left = spanOfNode(one)
  const right = left === undefined ? undefined : spanOfNode(other)
  const order = left === undefined || right === undefined ? undefined : compareSpans(left, right)
  if (order !== undefined) return order
  const a = comparable(one)
  const b = comparable(other)
  return isLibraryValue(a) && isLibraryValue(b) ? a.compare(b) : undefined
}

/** Converts a count to an exact decimal for comparison. */
const comparable = (element: Element): unknown =>
  isNode(element) ? element.convertData() : typeof element === "number" ? decimalOf(element) : element

/** Returns `true`, `false` or nothing, as logical operators read an operand; `"several"` if they throw. */
export const logical = (elements: Elements): boolean | "nothing" | "several" => {
  if (elements.length === 0) return "nothing"
  if (elements.length > 1) return "several"
  const [element] = elements
  const value = isNode(element) ? element.data : element
  if (value === null || value === undefined) return "nothing"
  return value !== false
}

/** Returns whether a condition holds: it is exactly `true`. */
export const holds = (elements: Elements): boolean => {
  if (elements.length !== 1) return false
  const [element] = elements
  return element === true || (isNode(element) && element.data === true)
}

/** Returns whether two times are equal for `distinct()`; `undefined` unless certain. The library compares other spellings of one instant. */
const sameMoment = (one: Element, other: Element): boolean | undefined => {
  if (!isNode(one) || !isNode(other) || one._data !== null || other._data !== null) return undefined
  const left = momentOf(one)
  const right = left === undefined ? undefined : momentOf(other)
  if (left === undefined || right === undefined) return undefined
  return left !== right ? false : one.data === other.data && one.path === other.path ? true : undefined
}

/** Returns the instant of a dateTime with an offset, in milliseconds since 1970. */
const momentOf = ({ data, path }: Node): number | undefined => {
  if ((path !== "dateTime" && path !== "instant") || typeof data !== "string") return undefined
  const span = timeRangeOf(data)
  return span !== undefined && span.from === span.to ? span.from : undefined
}

/** Returns the distinct elements, for plain values. */
export const distinctWhenPlain = (elements: Elements): Elements | undefined => {
  const found: Array<Element> = []
  for (const element of elements) {
    let known = false
    for (const one of found) {
      const same = equalWhenPlain(one, element) ?? sameMoment(one, element)
      if (same === undefined) return undefined
      known ||= same
    }
    if (!known) found.push(element)
  }
  return found
}

/** Returns the elements that equal none of `other`, for plain values. */
export const excludeWhenPlain = (elements: Elements, other: Elements): Elements | undefined => {
  const found: Array<Element> = []
  for (const element of elements) {
    const same = new Set(other.map((one) => equalWhenPlain(element, one)))
    if (same.has(undefined)) return undefined
    if (!same.has(true)) found.push(element)
  }
  return found
}
