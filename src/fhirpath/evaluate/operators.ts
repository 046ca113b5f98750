import { isExactNumber } from "../../json/exactNumber.ts"
import { jsonObjectOf } from "../../json/JsonObject.ts"
import type { Element, Elements, ZoneScope } from "../FhirPath.ts"
import { ask } from "../library/ask.ts"
import { QuantityValue, TimeValue } from "../library/systemValues.ts"
import { isDerivedFrom } from "../model/typeElements.ts"
import { dataOf, isNode, type Node } from "./Node.ts"
import { calculate } from "./numbers.ts"
import type { Time, TimeKind } from "./times.ts"
import { addDuration, areComparable, compareTimes, readRecordedTime } from "./times.ts"
import {
  compareWhenKnown,
  distinctElements,
  elementsIn,
  equalCollections,
  equalWhenKnown,
  hasTime,
  logical,
  none,
  numberOf,
  plainText,
  timeOf,
  truth
} from "./values.ts"

/**
 * An operator on evaluated operands. It decides the plain cases itself and leaves the others to the library, which can throw.
 */
interface PathOperator {
  /** Reads the zone of the scope if an operand is a time. */
  readonly apply: (one: Elements, other: Elements, scope: ZoneScope) => Elements
  /** Returns whether the first operand decides the result, or is an error: the second is not evaluated then. */
  readonly isDecidedBy?: (one: Elements) => boolean
}

const requested = (symbol: string): (one: Elements, other: Elements) => Elements => {
  const text = `%a ${symbol} %b`
  return (a, b) => ask(text, { a, b })
}

const equality = (symbol: "=" | "!="): PathOperator => {
  const slowly = requested(symbol)
  const same = truth(symbol === "=")
  const different = truth(symbol !== "=")
  return {
    apply: (one, other, scope) => {
      if (one.length === 0 || other.length === 0) return none
      const equal = one.length === 1 && other.length === 1
        ? equalWhenKnown(one[0], other[0], scope)
        : hasTime(one) && hasTime(other)
        ? equalCollections("=", one, other, scope)
        : undefined
      return equal === undefined ? slowly(one, other) : equal === "uncertain" ? none : equal ? same : different
    }
  }
}

const equivalence = (symbol: "~" | "!~"): PathOperator => {
  const slowly = requested(symbol)
  return {
    apply: (one, other, scope) =>
      hasTime(one) && hasTime(other)
        ? truth(equalCollections("~", one, other, scope) === (symbol === "~"))
        : slowly(one, other)
  }
}

/** Returns what `<`, `>`, `<=` or `>=` finds for the sign of a comparison. */
const inequalityOf = (symbol: string): (order: number) => boolean => {
  const isReversed = symbol.startsWith(">")
  const isEqualEnough = symbol.endsWith("=")
  return (order) => order === 0 ? isEqualEnough : order < 0 !== isReversed
}

/**
 * Returns a comparison (`<`, `>`, `<=`, `>=`) of two times as they are written in records. The comparison returns `undefined` if it is
 * uncertain, and `null` if one of the texts is not a time.
 */
export const inequalityOfTimes = (
  symbol: string,
  kind: TimeKind,
  otherKind: TimeKind
): (one: string, other: string, scope: ZoneScope) => boolean | undefined | null => {
  const isTrue = inequalityOf(symbol)
  return (one, other, scope) => {
    const left = readRecordedTime(kind, one)
    const right = readRecordedTime(otherKind, other)
    if (left === undefined || right === undefined || !areComparable(left, right)) return null
    const order = compareTimes(left, right, scope)
    return order === null ? undefined : isTrue(order)
  }
}

/** `<`, `>`, `<=` and `>=`. */
export const inequality = (symbol: string): PathOperator => {
  const slowly = requested(symbol)
  const isTrue = inequalityOf(symbol)
  return {
    apply: (one, other, scope) => {
      if (one.length === 0 || other.length === 0) return none
      const order = one.length === 1 && other.length === 1
        ? orderOfTexts(plainText(one[0]), plainText(other[0])) ?? compareWhenKnown(one[0], other[0], scope)
        : undefined
      if (order === undefined) return slowly(one, other)
      return order === null ? none : truth(isTrue(order))
    }
  }
}

/** Returns the sign of a comparison of two texts by their code units. */
const orderOfTexts = (one: string | undefined, other: string | undefined): number | undefined =>
  one === undefined || other === undefined ? undefined : one < other ? -1 : Number(one > other)

type Truth = boolean | "nothing"

/** `decisive`: the first operand that decides the result. */
const logic = (
  symbol: string,
  table: (one: Truth, other: Truth) => Truth,
  decisive?: boolean
): PathOperator => {
  const slowly = requested(symbol)
  return {
    isDecidedBy: (one) => one.length > 1 || (decisive !== undefined && logical(one) === decisive),
    apply: (a, b) => {
      const one = logical(a)
      const other = logical(b)
      if (one === "several" || other === "several") return slowly(a, b)
      const result = table(one, other)
      return result === "nothing" ? none : truth(result)
    }
  }
}

/** Returns the text of an operand, empty if it has no value; `undefined` if it is not a text. */
const textOperand = (operand: Elements): string | undefined => {
  if (operand.length === 0) return ""
  if (operand.length > 1) return undefined
  const [element] = operand
  const value = isNode(element) ? element.data : element
  return value === null || value === undefined ? "" : typeof value === "string" ? value : undefined
}

const concatenation = (): PathOperator => {
  const slowly = requested("&")
  return {
    isDecidedBy: (one) => textOperand(one) === undefined,
    apply: (a, b) => {
      const one = textOperand(a)
      const other = textOperand(b)
      return one === undefined || other === undefined ? slowly(a, b) : [one + other]
    }
  }
}

const addition = (symbol: "+" | "-"): PathOperator => {
  const slowly = requested(symbol)
  return {
    apply: (one, other, scope) => {
      if (one.length !== 1 || other.length !== 1) return slowly(one, other)
      const [left] = one
      const [right] = other
      if (symbol === "+" && typeof left === "string" && typeof right === "string") return [left + right]
      const sum = addedTo(timeOf(left), right, symbol, scope) ??
        (symbol === "+" ? addedTo(timeOf(right), left, symbol, scope) : undefined)
      return sum ?? calculated(symbol, left, right) ?? slowly(one, other)
    }
  }
}

/** Returns the result of a calculation with two numbers. */
export const calculated = (symbol: "+" | "-" | "*", one: Element, other: Element): Elements | undefined => {
  const left = numberOf(one)
  const right = left === undefined ? undefined : numberOf(other)
  const result = left === undefined || right === undefined ? undefined : calculate(symbol, left, right)
  return result === undefined ? undefined : [result]
}

const multiplication = (): PathOperator => {
  const slowly = requested("*")
  return {
    apply: (one, other) =>
      (one.length === 1 && other.length === 1 ? calculated("*", one[0], other[0]) : undefined) ?? slowly(one, other)
  }
}

/** `div` and `mod`: the library throws for a first operand that is not a number, before it evaluates the second. */
const division = (symbol: string): PathOperator => {
  const apply = requested(symbol)
  return {
    apply,
    isDecidedBy: (one) => {
      apply(one, none)
      return false
    }
  }
}

const units: Readonly<Record<string, string>> = {
  wk: "week",
  d: "day",
  h: "hour",
  min: "minute",
  s: "second",
  ms: "millisecond"
}

/** Returns a time with an hour, moved by a duration; `undefined` for all other operands. */
const addedTo = (
  time: Time | undefined,
  element: Element,
  symbol: "+" | "-",
  scope: ZoneScope
): Elements | undefined => {
  if (time === undefined || time.precision < 3) return undefined
  const quantity = isNode(element) ? quantityOf(element) : element
  const [, digits, code, word] = typeof quantity === "object"
    ? /^(\S+) (?:'(\w+)'|([a-z]+?)s?)$/u.exec(String(quantity)) ?? []
    : []
  // Only in a quantity of a resource are the codes for years and months calendar units, as in the library.
  const unit = word ?? units[code ?? ""] ?? (isNode(element) ? { a: "year", mo: "month" }[code ?? ""] : undefined)
  if (digits === undefined || unit === undefined) return undefined
  if (time.kind === "Time" && !["hour", "minute", "second", "millisecond"].includes(unit)) return undefined
  const text = addDuration(time, symbol === "+" ? Number(digits) : -Number(digits), unit, scope)
  return [new TimeValue(time.kind === "Time" ? "Time" : "DateTime", text)]
}

/** Returns the quantity of an element as an expression has it, if its unit is of UCUM. */
const quantityOf = ({ data, path }: Node): QuantityValue | undefined => {
  const { code, comparator, system, value } = jsonObjectOf(data)
  const number = dataOf(value)
  if (path === null || !isDerivedFrom(path, "Quantity") || system !== "http://unitsofmeasure.org") return undefined
  if (typeof code !== "string" || !isExactNumber(number)) return undefined
  if (comparator !== undefined) throw new Error("Cannot convert a FHIR.Quantity that has a comparator")
  return new QuantityValue(number, `'${code}'`)
}

const union = (): PathOperator => {
  const slowly = requested("|")
  return {
    apply: (one, other, scope) => {
      if (one.length + other.length < 2) return [...one, ...other]
      return distinctElements([...one, ...other], scope) ?? slowly(one, other)
    }
  }
}

/** Looks up the first element of one side in the other side. */
const membership = (symbol: "in" | "contains"): PathOperator => {
  const slowly = requested(symbol)
  return {
    apply: (one, other, scope) => {
      const [member, all] = symbol === "in" ? [one, other] : [other, one]
      if (member.length === 0) return none
      if (all.length === 0) return truth(false)
      if (member.length > 1) return slowly(one, other)
      const found = elementsIn(member, all, scope)
      return found === undefined ? slowly(one, other) : truth(found.length > 0)
    }
  }
}

const or = (one: Truth, other: Truth): Truth =>
  one === true || other === true ? true : one === "nothing" || other === "nothing" ? "nothing" : false

const and = (one: Truth, other: Truth): Truth =>
  one === false || other === false ? false : one === "nothing" || other === "nothing" ? "nothing" : true

const xor = (one: Truth, other: Truth): Truth => one === "nothing" || other === "nothing" ? "nothing" : one !== other

const implies = (one: Truth, other: Truth): Truth =>
  one === false || other === true ? true : one === "nothing" || other === "nothing" ? "nothing" : false

/** Returns a compiled operator by its symbol. */
export const operatorOf = (symbol: string): PathOperator => {
  switch (symbol) {
    case "=":
    case "!=":
      return equality(symbol)
    case "~":
    case "!~":
      return equivalence(symbol)
    case "<":
    case ">":
    case "<=":
    case ">=":
      return inequality(symbol)
    case "or":
      return logic(symbol, or, true)
    case "xor":
      return logic(symbol, xor)
    case "and":
      return logic(symbol, and, false)
    case "implies":
      return logic(symbol, implies, false)
    case "|":
      return union()
    case "&":
      return concatenation()
    case "+":
    case "-":
      return addition(symbol)
    case "in":
    case "contains":
      return membership(symbol)
    case "*":
      return multiplication()
    case "div":
    case "mod":
      return division(symbol)
    default:
      return { apply: requested(symbol) }
  }
}
