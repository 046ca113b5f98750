import { compare, type Decimal, decimalText, multiply, subtract, sum } from "../../json/Decimal.ts"
import { type ExactNumber, exactNumber } from "../../json/exactNumber.ts"

/**
 * Calculations with exact numbers, with the results of the library. `undefined` leaves a case to the library. It rounds to 8 decimal places
 * when it compares, and to 31 digits when it calculates. It writes very large and very small results with an exponent.
 */

const maxPlaces = 8
const maxDigits = 30

const hasFewPlaces = (decimal: Decimal): boolean => {
  if (Number.isInteger(decimal)) return true
  const text = decimalText(decimal)
  const point = text.indexOf(".")
  return point < 0 || text.length - point - 1 <= maxPlaces
}

/** Returns the sign of the order of two numbers. */
export const compareNumbers = (one: ExactNumber, other: ExactNumber): -1 | 0 | 1 | undefined => {
  const left = one.toDecimal()
  const right = other.toDecimal()
  return left !== null && right !== null && hasFewPlaces(left) && hasFewPlaces(right) ? compare(left, right) : undefined
}

const calculations: Readonly<Record<"+" | "-" | "*", (one: Decimal, other: Decimal) => Decimal>> = {
  "+": (one, other) => sum([one, other]),
  "-": subtract,
  "*": multiply
}

export const calculate = (symbol: "+" | "-" | "*", one: ExactNumber, other: ExactNumber): ExactNumber | undefined => {
  const left = one.toDecimal()
  const right = other.toDecimal()
  if (left === null || right === null) return undefined
  const text = decimalText(calculations[symbol](left, right))
  const shortest = text.includes(".") ? text.replace(/\.?0+$/u, "") : text
  const size = Math.abs(Number(shortest))
  const isWritten = size === 0 || (size >= 1e-6 && size < 1e21)
  return isWritten && shortest.length <= maxDigits ? exactNumber(shortest) : undefined
}

/** Returns whether a number without a type in the model is an `Integer`: `5` is, `5.0` is a `Decimal`. */
export const isInteger = (number: ExactNumber): boolean => {
  const source = number.toSource()
  if (typeof source === "number") return Number.isInteger(source)
  const [written, fraction, exponent] = /^[+-]?\d+(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/u.exec(source) ?? []
  if (written === undefined) return false
  const places = fraction === "0" && exponent !== undefined ? 0 : fraction?.length ?? 0
  return places <= Number(exponent ?? 0)
}
