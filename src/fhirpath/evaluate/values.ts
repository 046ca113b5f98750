import { ExactNumber } from "../../json/exactNumber.ts"
import { isJsonObject, type JsonObject } from "../../json/JsonObject.ts"
import type { Element, Elements, ZoneScope } from "../FhirPath.ts"
import { ask } from "../library/ask.ts"
import { TimeValue } from "../library/systemValues.ts"
import { dataOf, isNode, isTimed } from "./Node.ts"
import { compareNumbers } from "./numbers.ts"
import type { Time } from "./times.ts"
import { areComparable, compareTimes, equalTimes, equivalentTimes, readRecordedTime, readTime } from "./times.ts"

export const none: Elements = []
export const yes: Elements = [true]
export const no: Elements = [false]

export const truth = (value: boolean): Elements => (value ? yes : no)

/** Returns `toString()` of a single element, for plain values. */
export const spelled = (elements: Elements): string | undefined => {
  const text = textOfSingle(elements)
  if (text !== undefined || elements.length !== 1) return text
  return numberOf(elements[0])?.toString()
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

/** Returns the exact number of an element. A count such as `%rowIndex` has one too. */
export const numberOf = (element: Element): ExactNumber | undefined => {
  const found = isNode(element) ? (isTimed(element.path) ? undefined : element.data) : element
  const value = Number.isSafeInteger(found) ? dataOf(found) : found
  return value instanceof ExactNumber ? value : undefined
}

/** Returns whether two elements are equal, as in `=`, for plain values: texts, booleans and numbers. */
const equalWhenPlain = (one: Element, other: Element): boolean | undefined => {
  const a = plain(one)
  const b = plain(other)
  if (a !== undefined && b !== undefined) {
    if (a !== b) return false
    return isNode(one) && isNode(other) && (one._data !== null || other._data !== null) ? undefined : true
  }
  if (a !== undefined || b !== undefined) return undefined
  const left = numberOf(one)
  const right = left === undefined ? undefined : numberOf(other)
  const order = left === undefined || right === undefined ? undefined : compareNumbers(left, right)
  if (order !== 0) return order === undefined ? undefined : false
  return isNode(one) && isNode(other) && (one._data !== null || other._data !== null) ? undefined : true
}

export const kindOfPath = { date: "Date", dateTime: "DateTime", instant: "Instant", time: "Time" } as const

/** Returns the time that an element is: an element of a resource, or a value of an expression such as `@2026-03-02`. */
export const timeOf = (element: Element): Time | undefined => {
  if (isNode(element)) {
    if (typeof element.data !== "string") return timeOfValue(element.data)
    const kind = isTimed(element.path) ? kindOfPath[element.path] : undefined
    return kind === undefined ? undefined : readRecordedTime(kind, element.data)
  }
  return timeOfValue(element)
}

const timeOfValue = (value: unknown): Time | undefined =>
  value instanceof TimeValue ? readTime(TimeValue.typeOf(value), String(value)) : undefined

export const hasTime = (elements: Elements): boolean => elements.some((element) => timeOf(element) !== undefined)

/** Returns the sign of a comparison of two times or numbers; `null` if uncertain, `undefined` for other types. */
export const compareWhenKnown = (one: Element, other: Element, scope: ZoneScope): number | null | undefined => {
  const left = timeOf(one)
  const right = left === undefined ? undefined : timeOf(other)
  if (left !== undefined && right !== undefined) {
    return areComparable(left, right) ? compareTimes(left, right, scope) : undefined
  }
  const a = numberOf(one)
  const b = a === undefined ? undefined : numberOf(other)
  return a === undefined || b === undefined ? undefined : compareNumbers(a, b)
}

/** Returns whether two times are equal; `undefined` if they are not both times. */
const equalWhenTimed = (one: Element, other: Element, scope: ZoneScope): boolean | "uncertain" | undefined => {
  const left = timeOf(one)
  const right = left === undefined ? undefined : timeOf(other)
  if (left === undefined || right === undefined) return undefined
  const equal = equalTimes(left, right, scope)
  if (equal !== true) return equal ?? "uncertain"
  return !isNode(one) || !isNode(other) || areEqualCompanions(one._data, other._data)
}

const areEqualCompanions = (one: unknown, other: unknown): boolean =>
  one === other || (one !== null && other !== null && ask("%one = %other", { one, other })[0] === true)

const hasMembers = (data: unknown): data is JsonObject =>
  isJsonObject(data) && !(data instanceof ExactNumber) && !(data instanceof TimeValue)

/** The library converts a quantity before it compares it. */
const canBeQuantity = (data: JsonObject): boolean => Object.hasOwn(data, "value") && Object.hasOwn(data, "code")

/** Returns whether two elements with members are equal, as in `=`; `undefined` if one is a quantity, or contains a number. */
const equalWhenTexts = (one: Element, other: Element): boolean | undefined =>
  isNode(one) && isNode(other) && hasMembers(one.data) && hasMembers(other.data) &&
    !canBeQuantity(one.data) && !canBeQuantity(other.data)
    ? equalMembers(one.data, other.data)
    : undefined

const equalMembers = (one: JsonObject, other: JsonObject): boolean | undefined => {
  const names = Object.keys(one)
  if (names.length !== Object.keys(other).length || names.some((name) => !Object.hasOwn(other, name))) return false
  return equalEach(names.length, (at) => equalData(one[names[at] ?? ""], other[names[at] ?? ""]))
}

const equalData = (one: unknown, other: unknown): boolean | undefined => {
  if (typeof one === "string" || typeof one === "boolean") return one === other
  if (Array.isArray(one)) {
    if (!Array.isArray(other)) return undefined
    return one.length === other.length && equalEach(one.length, (at) => equalData(one[at], other[at]))
  }
  return hasMembers(one) && hasMembers(other) ? equalMembers(one, other) : undefined
}

const equalEach = (count: number, equalAt: (at: number) => boolean | undefined): boolean | undefined => {
  let equal: boolean | undefined = true
  for (let at = 0; at < count; at++) {
    const same = equalAt(at)
    if (same === false) return false
    equal = same && equal
  }
  return equal
}

/** Returns whether two elements are equal (`=`); `undefined` if the library must compare them, such as quantities. */
export const equalWhenKnown = (one: Element, other: Element, scope: ZoneScope): boolean | "uncertain" | undefined =>
  equalWhenPlain(one, other) ?? equalWhenTimed(one, other, scope) ?? equalWhenTexts(one, other)

/** Returns whether two elements are certainly equal, as the functions on collections compare them. */
const areEqual = (one: Element, other: Element, scope: ZoneScope): boolean =>
  (equalWhenKnown(one, other, scope) ?? ask("%one = %other", { one, other })[0]) === true

/** Returns whether two collections with times are equal (`=`) or equivalent (`~`), element by element. */
export const equalCollections = (symbol: "=" | "~", one: Elements, other: Elements, scope: ZoneScope): boolean =>
  one.length === other.length &&
  one.every((element, at) =>
    symbol === "=" ? areEqual(element, other[at], scope) : areEquivalent(element, other[at], scope)
  )

const areEquivalent = (one: Element, other: Element, scope: ZoneScope): boolean => {
  const left = timeOf(one)
  const right = left === undefined ? undefined : timeOf(other)
  return left !== undefined && right !== undefined
    ? equivalentTimes(left, right, scope)
    : ask("%one ~ %other", { one, other })[0] === true
}

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

/**
 * Returns a comparison of elements in collections; it returns `undefined` if the library must compare the whole collections. With a time
 * among the elements it never does.
 */
const sameIn = (
  scope: ZoneScope,
  ...collections: ReadonlyArray<Elements>
): (one: Element, other: Element) => boolean | undefined => {
  let timed: boolean | undefined
  return (one, other) => {
    const same = equalWhenKnown(one, other, scope)
    if (same !== undefined) return same === true
    timed ??= collections.some(hasTime)
    return timed ? areEqual(one, other, scope) : undefined
  }
}

/** Returns the texts and booleans that elements are; `undefined` if one is another value, or has a companion. */
const plainValues = (elements: Elements): ReadonlyArray<string | boolean> | undefined => {
  const values: Array<string | boolean> = []
  for (const element of elements) {
    const value = isNode(element) && element._data !== null ? undefined : plain(element)
    if (value === undefined) return undefined
    values.push(value)
  }
  return values
}

/** Returns the distinct elements; `undefined` if the library must find them. */
export const distinctElements = (elements: Elements, scope: ZoneScope): Elements | undefined => {
  const values = elements.length < 8 ? undefined : plainValues(elements)
  if (values !== undefined) {
    const seen = new Set<string | boolean>()
    return elements.filter((_, at) => {
      const value = values[at] ?? ""
      const isNew = !seen.has(value)
      seen.add(value)
      return isNew
    })
  }
  const isSame = sameIn(scope, elements)
  const found: Array<Element> = []
  for (const element of elements) {
    let known = false
    for (const one of found) {
      const same = isSame(one, element)
      if (same === undefined) return undefined
      known ||= same
    }
    if (!known) found.push(element)
  }
  return found
}

/** Returns the elements that equal one of `other`; `undefined` if the library must find them. */
export const elementsIn = (elements: Elements, other: Elements, scope: ZoneScope): Elements | undefined =>
  elementsWhere("in", elements, other, scope)

/** Returns the elements that equal none of `other`; `undefined` if the library must find them. */
export const elementsNotIn = (elements: Elements, other: Elements, scope: ZoneScope): Elements | undefined =>
  elementsWhere("not in", elements, other, scope)

const elementsWhere = (
  place: "in" | "not in",
  elements: Elements,
  other: Elements,
  scope: ZoneScope
): Elements | undefined => {
  const values = elements.length < 8 ? undefined : plainValues(elements)
  const others = values === undefined ? undefined : plainValues(other)
  if (values !== undefined && others !== undefined) {
    const all = new Set(others)
    return elements.filter((_, at) => all.has(values[at] ?? "") === (place === "in"))
  }
  const isSame = sameIn(scope, elements, other)
  const found: Array<Element> = []
  for (const element of elements) {
    const same = new Set(other.map((one) => isSame(element, one)))
    if (same.has(undefined)) return undefined
    if (same.has(true) === (place === "in")) found.push(element)
  }
  return found
}
