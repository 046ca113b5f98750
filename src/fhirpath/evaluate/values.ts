import fhirpath from "fhirpath"
import type { Element, Elements } from "../FhirPath.ts"
import type { TimeRange } from "./moments.ts"
import { compareSpans, timeRangeOf } from "./moments.ts"
import type { Node } from "./Node.ts"
import { dataOf, isNode } from "./Node.ts"

export const none: Elements = []
export const yes: Elements = [true]
export const no: Elements = [false]

export const truth = (value: boolean): Elements => (value ? yes : no)

/** Elements of these types are compared as moments rather than as texts. */
export const isTimed = (path: string | null): boolean =>
  path === "dateTime" || path === "date" || path === "instant" || path === "time"

interface Comparable {
  readonly compare: (other: unknown) => number | null
  readonly equals: (other: unknown) => boolean | undefined
}

const LibraryValue = Object.getPrototypeOf(fhirpath.FP_Decimal) as new() => Comparable

/** Decimals, dates, times and quantities of the library. */
const isLibraryValue = (value: unknown): value is Comparable => value instanceof LibraryValue

/** What `toString()` makes of a single element, where that is plain to see. */
export const spelled = (elements: Elements): string | undefined => {
  const text = textOfSingle(elements)
  if (text !== undefined || elements.length !== 1) return text
  return decimalOf(elements[0])?.toString()
}

/** The text of a single element, whatever its type; `undefined` when there is not just one, or it is no text. */
export const textOfSingle = (elements: Elements): string | undefined => {
  if (elements.length !== 1) return undefined
  const [element] = elements
  if (typeof element === "string") return element
  return isNode(element) && typeof element.data === "string" ? element.data : undefined
}

/** A text or truth value that `=` compares as it stands; `undefined` for everything else. */
const plain = (element: Element): string | boolean | undefined => {
  if (typeof element === "string" || typeof element === "boolean") return element
  if (!isNode(element) || isTimed(element.path)) return undefined
  const { data } = element
  return typeof data === "boolean" || typeof data === "string" ? data : undefined
}

/** The text of an element that `=` compares as it stands. */
export const plainText = (element: Element): string | undefined => {
  const value = plain(element)
  return typeof value === "string" ? value : undefined
}

/** The exact decimal of an element. A count, as `%rowIndex` is, has one too. */
const decimalOf = (element: Element): Comparable | undefined => {
  const value = isNode(element) ? (isTimed(element.path) ? undefined : element.data) : element
  if (typeof value === "number") return Number.isSafeInteger(value) ? (dataOf(value) as Comparable) : undefined
  return value instanceof fhirpath.FP_Decimal ? (value as unknown as Comparable) : undefined
}

/** Whether two elements are equal, as `=` has it, where that is plain to see: of texts, truth values and decimals. */
export const equalWhenPlain = (one: Element, other: Element): boolean | undefined => {
  const a = plain(one)
  const b = plain(other)
  if (a !== undefined && b !== undefined) {
    if (a !== b) return false
    return isNode(one) && isNode(other) && (one._data !== null || other._data !== null) ? undefined : true
  }
  if (a !== undefined || b !== undefined) return undefined
  // A number of a resource beside a number of the expression.
  if (isNode(one) && isNode(other)) return undefined
  const left = decimalOf(one)
  const right = decimalOf(other)
  return left === undefined || right === undefined ? undefined : left.equals(right)
}

/** When a dateTime may have been. */
export const spanOfNode = (element: Element): TimeRange | undefined =>
  isNode(element) && element.path === "dateTime" && typeof element.data === "string"
    ? timeRangeOf(element.data)
    : undefined

/** The sign of a comparison of two single elements of the library's types, `null` when it cannot be told; `undefined` for others. */
export const compareWhenTimed = (one: Element, other: Element): number | null | undefined => {
  const left = spanOfNode(one)
  const right = left === undefined ? undefined : spanOfNode(other)
  const order = left === undefined || right === undefined ? undefined : compareSpans(left, right)
  if (order !== undefined) return order
  const a = comparable(one)
  const b = comparable(other)
  return isLibraryValue(a) && isLibraryValue(b) ? a.compare(b) : undefined
}

/** A count is compared as an exact decimal. */
const comparable = (element: Element): unknown =>
  isNode(element) ? element.convertData() : typeof element === "number" ? decimalOf(element) : element

/** `true`, `false` or nothing, as operators of logic read an operand; `"several"` is what they refuse. */
export const logical = (elements: Elements): boolean | "nothing" | "several" => {
  if (elements.length === 0) return "nothing"
  if (elements.length > 1) return "several"
  const [element] = elements
  const value = isNode(element) ? element.data : element
  if (value === null || value === undefined) return "nothing"
  return value !== false
}

/** Whether a condition holds: it is `true`, and nothing besides. */
export const holds = (elements: Elements): boolean => {
  if (elements.length !== 1) return false
  const [element] = elements
  return element === true || (isNode(element) && element.data === true)
}

/**
 * Whether two times are one for `distinct()`, where that is plain to see. Elements that are not certain to be equal are kept apart, and
 * other spellings of a moment are for the library.
 */
const sameMoment = (one: Element, other: Element): boolean | undefined => {
  if (!isNode(one) || !isNode(other) || one._data !== null || other._data !== null) return undefined
  const left = momentOf(one)
  const right = left === undefined ? undefined : momentOf(other)
  if (left === undefined || right === undefined) return undefined
  return left !== right ? false : one.data === other.data && one.path === other.path ? true : undefined
}

/** The moment of a dateTime with an offset, in milliseconds since 1970. */
const momentOf = ({ data, path }: Node): number | undefined => {
  if ((path !== "dateTime" && path !== "instant") || typeof data !== "string") return undefined
  const span = timeRangeOf(data)
  return span !== undefined && span.from === span.to ? span.from : undefined
}

/** The distinct ones of some elements, where that is plain to see. */
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
