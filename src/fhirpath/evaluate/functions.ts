import { exactNumber, isExactNumber } from "../../json/exactNumber.ts"
import { getOrMake, getOrRemember } from "../../maps.ts"
import { UserPattern } from "../../pattern/UserPattern.ts"
import { toFhirTime } from "../../visit/values/Timestamp.ts"
import type { Element, Elements, ZoneScope } from "../FhirPath.ts"
import { ask } from "../library/ask.ts"
import { QuantityValue, type TimeType, TimeValue } from "../library/systemValues.ts"
import { extensionsWith } from "./children.ts"
import { isNode, isTimed, rootNode } from "./Node.ts"
import { calculated, inequality } from "./operators.ts"
import { areComparable, compareTimes, readTime } from "./times.ts"
import {
  distinctElements,
  elementsIn,
  elementsNotIn,
  hasTime,
  logical,
  none,
  numberOf,
  plainText,
  spelled,
  textOfSingle,
  timeOf,
  truth
} from "./values.ts"

/** The common cases of a function that only reads its input and the values of its arguments. */
interface PlainFunction {
  /** The numbers of arguments for which `plainly` is defined. */
  readonly arities: ReadonlyArray<number>
  /** Returns the result; `undefined` if the library must find it. */
  readonly plainly: (input: Elements, args: ReadonlyArray<Elements>, scope: ZoneScope) => Elements | undefined
}

const text = (
  of: (value: string, ...args: ReadonlyArray<string>) => Element,
  ...arities: ReadonlyArray<number>
): PlainFunction => ({
  arities: arities.length === 0 ? [0] : arities,
  plainly: (input: Elements, args: ReadonlyArray<Elements>): Elements | undefined => {
    const given: Array<string> = []
    for (const argument of args) {
      const one = textOfSingle(argument)
      if (one === undefined) return undefined
      given.push(one)
    }
    const value = textOfSingle(input)
    return value === undefined ? whenEmpty(input) : [of(value, ...given)]
  }
})

const whenEmpty = (input: Elements): Elements | undefined => (input.length === 0 ? none : undefined)

const patterns = new Map<string, Map<string, UserPattern>>()

const patternOf = (source: string, flags: string): UserPattern => {
  const known = getOrMake(patterns, flags, () => new Map<string, UserPattern>())
  return getOrRemember(known, source, () => new UserPattern(source, flags))
}

/** Fails without the pattern and the text, because both can come from a record. */
const inTime = <A>(result: A | undefined): A => {
  if (result === undefined) throw new Error("a pattern takes too long on a text")
  return result
}

/** `matches` and `matchesFull`. The library reports wrong flags and other mistakes; it never matches a text. */
const matching = (form: (source: string) => string): PlainFunction => {
  const { arities, plainly } = text(
    (value, source = "", flags = "") =>
      inTime(patternOf(form(source), flags === "" ? "su" : `${[...new Set(flags)].join("")}su`).test(value)),
    1,
    2
  )
  return {
    arities,
    plainly: (input, args, scope) => {
      const [source = none, flags = none] = args
      if (flags.length === 0) return plainly(input, [source], scope)
      return /[^im]/u.test(textOfSingle(flags) ?? "") ? undefined : plainly(input, args, scope)
    }
  }
}

/** Returns an integer that is a literal in the expression. */
const wholeNumber = (argument: Elements | undefined): number | undefined => {
  if (argument?.length !== 1 || !isExactNumber(argument[0])) return undefined
  const digits = argument[0].toString()
  return /^\d{1,9}$/u.test(digits) ? Number(digits) : undefined
}

const isDecimalText = (text: string): boolean => /^[+-]?\d+(?:\.\d+)?$/u.test(text)

/** Units of quantities that are words. */
const unitWord = /^(?:year|month|week|day|hour|minute|second|millisecond)s?$/u

/** Returns the quantity that a text is; `undefined` if the library must decide. */
const quantityOfText = (text: string): QuantityValue | undefined => {
  const [, digits, unit = "'1'"] = /^([+-]?\d+(?:\.\d+)?)\s*('[^']+'|[a-zA-Z]+)?$/u.exec(text) ?? []
  if (digits === undefined || !(unitWord.test(unit) || (unit.startsWith("'") && !unitWord.test(unit.slice(1, -1))))) {
    return undefined
  }
  const number = String(Number(digits))
  return isDecimalText(number) ? new QuantityValue(exactNumber(number), unit) : undefined
}

/** A conversion of a text to a time; the library converts other values, and rejects texts. */
const timeConversion = (type: TimeType, result: (written: string) => Elements): PlainFunction => ({
  arities: [0],
  plainly: (input) => {
    const value = textOfSingle(input)
    if (value === undefined) return whenEmpty(input)
    const written = type === "Time" && value.startsWith("T") ? value.slice(1) : value
    if (readTime(type, written) !== undefined) return result(written)
    const [element] = input
    const recorded = type === "DateTime" && isNode(element) && isTimed(element.path) ? toFhirTime(written) : undefined
    return recorded === undefined || readTime(type, recorded) === undefined ? undefined : result(recorded)
  }
})

const toTime = (type: TimeType): PlainFunction => timeConversion(type, (written) => [new TimeValue(type, written)])
const convertsToTime = (type: TimeType): PlainFunction => timeConversion(type, () => truth(true))

/** Returns whether each element equals one of `other`; `undefined` if the library must decide. It compares the data of elements. */
const subsetOf = (input: Elements, other: Elements, scope: ZoneScope): Elements | undefined => {
  const [one, all] = [input, other].map((elements) =>
    elements.map((element) => (isNode(element) ? element.data : element))
  )
  if (one === undefined || all === undefined || !(hasTime(one) && hasTime(all))) return undefined
  return truth(one.length <= all.length && elementsIn(one, all, scope)?.length === one.length)
}

/** Returns the least or greatest time or text; `undefined` if there is an element of another type. */
const extreme = (symbol: "<" | ">", input: Elements, scope: ZoneScope): Elements | undefined => {
  if (input.length === 0) return none
  const times = allOf(input, timeOf)
  if (times !== undefined) {
    return best(input, (one, other) => {
      const [left, right] = [times[one], times[other]]
      const order = left !== undefined && right !== undefined && areComparable(left, right)
        ? compareTimes(left, right, scope)
        : undefined
      return order === undefined
        ? inequality(symbol).apply([input[one]], [input[other]], scope)[0] === true
        : order !== null && (symbol === "<" ? order < 0 : order > 0)
    })
  }
  const texts = allOf(input, plainText)
  return texts && best(input, (one, other) => {
    const [left = "", right = ""] = [texts[one], texts[other]]
    return symbol === "<" ? left < right : left > right
  })
}

/** Returns what a function returns for each element; `undefined` if there is an element for which it returns nothing. */
const allOf = <A>(input: Elements, of: (element: Element) => A | undefined): ReadonlyArray<A> | undefined => {
  const found: Array<A> = []
  for (const element of input) {
    const one = of(element)
    if (one === undefined) return undefined
    found.push(one)
  }
  return found
}

/** Returns the first element than which no other is better. */
const best = (input: Elements, isBetter: (one: number, other: number) => boolean): Elements => {
  let first = 0
  for (let at = 1; at < input.length; at++) if (isBetter(at, first)) first = at
  return [input[first]]
}

/** Returns the sum of numbers; `undefined` for other elements. */
export const sumOf = (input: Elements): Elements | undefined => {
  const [first, ...others] = input
  if (input.length === 0) return none
  if (numberOf(first) === undefined) return undefined
  let total: Elements | undefined = [first]
  for (const one of others) total = total === undefined ? undefined : calculated("+", total[0], one)
  return total
}

/** The functions with common cases that need no library. It evaluates all others, except those that `compile.ts` compiles itself. */
export const plainFunctions: ReadonlyMap<string, PlainFunction> = new Map(Object.entries<PlainFunction>({
  empty: { arities: [0], plainly: (input) => truth(input.length === 0) },
  exists: { arities: [0], plainly: (input) => truth(input.length > 0) },
  count: { arities: [0], plainly: (input) => [input.length] },
  first: { arities: [0], plainly: (input) => (input.length === 0 ? none : [input[0]]) },
  last: { arities: [0], plainly: (input) => (input.length === 0 ? none : [input[input.length - 1]]) },
  tail: { arities: [0], plainly: (input) => (input.length < 2 ? none : input.slice(1)) },
  single: { arities: [0], plainly: (input) => (input.length < 2 ? input : undefined) },
  combine: { arities: [1], plainly: (input, [other = none]) => [...input, ...other] },
  distinct: { arities: [0], plainly: (input, _, scope) => input.length < 2 ? input : distinctElements(input, scope) },
  not: {
    arities: [0],
    plainly: (input) => {
      const value = logical(input)
      return value === "several" ? undefined : value === "nothing" ? none : truth(!value)
    }
  },
  toString: {
    arities: [0],
    plainly: (input: Elements) => {
      const value = spelled(input)
      return value === undefined ? whenEmpty(input) : [value]
    }
  },
  join: {
    arities: [0, 1],
    plainly: (input, [given]) => {
      const separator = given === undefined ? "" : textOfSingle(given)
      if (separator === undefined) return undefined
      const parts: Array<string> = []
      for (const element of input) {
        const value = isNode(element) ? element.data : element
        if (typeof value !== "string") return undefined
        parts.push(value)
      }
      return parts.length === 0 ? none : [parts.join(separator)]
    }
  },
  substring: {
    arities: [1, 2],
    plainly: (input, [from, length]) => {
      const value = textOfSingle(input)
      const start = wholeNumber(from)
      const count = length === undefined ? Infinity : wholeNumber(length)
      if (start === undefined || count === undefined) return undefined
      if (value === undefined) return whenEmpty(input)
      return start >= value.length ? none : [value.substring(start, start + count)]
    }
  },
  matches: matching((source) => source),
  matchesFull: matching((source) => `^(?:${source})$`),
  replaceMatches: text((value, source = "", by = "") => inTime(patternOf(source, "gu").replaceIn(value, by)), 2),
  startsWith: text((value, start = "") => value.startsWith(start), 1),
  endsWith: text((value, end = "") => value.endsWith(end), 1),
  contains: text((value, part = "") => value.includes(part), 1),
  indexOf: text((value, part = "") => value.indexOf(part), 1),
  length: text((value) => value.length),
  upper: text((value) => value.toUpperCase()),
  lower: text((value) => value.toLowerCase()),
  trim: text((value) => value.trim()),
  union: { arities: [1], plainly: (input, [other = none], scope) => distinctElements([...input, ...other], scope) },
  intersect: {
    arities: [1],
    plainly: (input, [other = none], scope) => {
      const distinct = distinctElements(input, scope)
      return distinct === undefined ? undefined : elementsIn(distinct, other, scope)
    }
  },
  exclude: { arities: [1], plainly: (input, [other = none], scope) => elementsNotIn(input, other, scope) },
  subsetOf: { arities: [1], plainly: (input, [other = none], scope) => subsetOf(input, other, scope) },
  supersetOf: { arities: [1], plainly: (input, [other = none], scope) => subsetOf(other, input, scope) },
  isDistinct: {
    arities: [0],
    plainly: (input, _, scope) => {
      const distinct = distinctElements(input, scope)
      return distinct === undefined ? undefined : truth(distinct.length === input.length)
    }
  },
  sum: { arities: [0], plainly: sumOf },
  min: { arities: [0], plainly: (input, _, scope) => extreme("<", input, scope) },
  max: { arities: [0], plainly: (input, _, scope) => extreme(">", input, scope) },
  unescape: {
    arities: [1],
    plainly: (input, [format]) => {
      if (format?.length !== 1 || format[0] !== "html") return undefined
      const value = textOfSingle(input)
      return value === undefined ? whenEmpty(input) : value.includes("&") ? undefined : [value]
    }
  },
  toQuantity: {
    arities: [0, 1],
    plainly: (input, [unit]) => {
      if (input.length === 0) return none
      const quantity = unit === undefined && input.length === 1 ? quantityOfText(plainText(input[0]) ?? "") : undefined
      return quantity === undefined ? undefined : [quantity]
    }
  },
  toDecimal: {
    arities: [0],
    plainly: (input) => {
      const value = textOfSingle(input)
      return value === undefined ? whenEmpty(input) : isDecimalText(value) ? [Number.parseFloat(value)] : none
    }
  },
  convertsToDecimal: {
    arities: [0],
    plainly: (input) => {
      const value = textOfSingle(input)
      return value === undefined ? whenEmpty(input) : truth(isDecimalText(value))
    }
  },
  toDateTime: toTime("DateTime"),
  toDate: toTime("Date"),
  toTime: toTime("Time"),
  convertsToDateTime: convertsToTime("DateTime"),
  convertsToDate: convertsToTime("Date"),
  convertsToTime: convertsToTime("Time")
}))

/** Calls a function through the library, with evaluated operands. */
export const askedFunction = (
  name: string,
  count: number
): (input: Elements, args: ReadonlyArray<Elements>, root?: Elements) => Elements => {
  const operands = Array.from({ length: count }, (_, index) => `%a${index}`)
  const text = `%input.${name}(${operands.join(", ")})`
  return (input, args, root) =>
    ask(text, Object.fromEntries([["input", input], ...args.map((argument, index) => [`a${index}`, argument])]), root)
}

/** Evaluates `extension('url')` directly, including the companions of primitives. */
export const extensions = (input: Elements, url: Elements): Elements => {
  const expected = textOfSingle(url)
  if (expected === undefined) return ask("%input.extension(%url)", { input, url })
  if (expected === "") return none
  let found: Array<Element> | undefined
  for (const element of input) {
    const own = extensionsWith(isNode(element) ? element : rootNode(element), expected)
    if (own === undefined) return ask("%input.extension(%url)", { input, url })
    if (own.length > 0) (found ??= []).push(...own)
  }
  return found ?? none
}
