/**
 * A number of the Visit that keeps its digits: `7.20` remains `7.20`, and an amount of twenty digits loses none. It is an ordinary number
 * if that writes the same digits (`7.2`, `250000`), otherwise the object from `JSON.rawJSON`. On the wire both are plain JSON numbers.
 */
export type Decimal = number | RawJson

/** Plain notation: no exponent, no leading zeros, no `+`. */
const plain = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/
/** Plain notation or JSON's exponent form. */
const numeral = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

/** Maximum characters; more than any double needs in plain notation. A longer numeral is treated as an attack or an error. */
const maxLength = 400

/** Returns true for a finite number and for raw JSON that holds a number in plain notation. */
export const isDecimal = (value: unknown): value is Decimal =>
  typeof value === "number"
    ? Number.isFinite(value)
    : JSON.isRawJSON(value) && value.rawJSON.length <= maxLength && plain.test(value.rawJSON)

/**
 * Returns a decimal from its source text, digit for digit. An exponent is written out (`1.50e1` becomes `15.0`) and a zero has no sign.
 * `undefined` if the text is not a JSON number, or has more than 400 characters in plain notation.
 */
export const fromText = (text: string): Decimal | undefined => {
  const digits = plainText(text)
  if (digits === undefined) return undefined
  const number = Number(digits)
  return String(number) === digits ? number : JSON.rawJSON(digits)
}

/** Returns the decimal of a text that must be one. Throws if it is not. */
export const toDecimal = (text: string): Decimal => {
  const decimal = fromText(text)
  if (decimal === undefined) throw new RangeError("not a decimal")
  return decimal
}

const plainText = (text: string): string | undefined => {
  if (text.length > maxLength) return undefined
  if (plain.test(text)) return unsignedZero(text)
  const parts = numeral.exec(text)
  if (parts === null) return undefined
  const [, sign = "", integer = "", fraction = "", power = "0"] = parts
  const exponent = Number(power)
  if (Math.abs(exponent) > maxLength) return undefined
  const shifted = writeOut(BigInt(integer + fraction), fraction.length - exponent)
  return shifted.length >= maxLength ? undefined : unsignedZero(sign + shifted)
}

const unsignedZero = (text: string): string => text.startsWith("-") && /^-[0.]+$/.test(text) ? text.slice(1) : text

/** Writes `digits` times ten to the power of `-scale` in plain notation. */
const writeOut = (digits: bigint, scale: number): string => {
  const sign = digits < 0n ? "-" : ""
  const text = String(digits < 0n ? -digits : digits)
  if (scale <= 0) return sign + (digits === 0n ? "0" : text + "0".repeat(-scale))
  const padded = text.padStart(scale + 1, "0")
  return `${sign}${padded.slice(0, -scale)}.${padded.slice(-scale)}`
}

/** Returns the digits in plain notation, as in the JSON text of a visit. */
export const decimalText = (decimal: Decimal): string =>
  typeof decimal === "number" ? (plainText(String(decimal)) ?? String(decimal)) : decimal.rawJSON

/** Returns the same number in a form that `JSON.stringify` writes in plain notation; `null` stays `null`. */
export const withoutExponent = (decimal: Decimal | null): Decimal | null => {
  if (typeof decimal !== "number" || decimal === 0) return decimal
  const size = Math.abs(decimal)
  return size < 1e21 && size >= 1e-6 ? decimal : (fromText(String(decimal)) ?? decimal)
}

/** Returns the nearest double, for comparison with limits; not for sending. */
export const toNumber = (decimal: Decimal): number => typeof decimal === "number" ? decimal : Number(decimal.rawJSON)

interface Scaled {
  readonly digits: bigint
  readonly scale: number
}

const scaled = (decimal: Decimal): Scaled => {
  const text = decimalText(decimal)
  const point = text.indexOf(".")
  return point === -1
    ? { digits: BigInt(text), scale: 0 }
    : { digits: BigInt(text.slice(0, point) + text.slice(point + 1)), scale: text.length - point - 1 }
}

const toScale = (value: Scaled, scale: number): bigint => value.digits * 10n ** BigInt(scale - value.scale)

const make = (digits: bigint, scale: number): Decimal => {
  const text = writeOut(digits, scale)
  const number = Number(text)
  return String(number) === text ? number : JSON.rawJSON(text)
}

/** Compares by exact value: `-1`, `0` or `1`. `7.2` and `7.20` are equal. */
export const compare = (left: Decimal, right: Decimal): -1 | 0 | 1 => {
  if (typeof left === "number" && typeof right === "number") return left < right ? -1 : left > right ? 1 : 0
  const a = scaled(left)
  const b = scaled(right)
  const scale = Math.max(a.scale, b.scale)
  const x = toScale(a, scale)
  const y = toScale(b, scale)
  return x < y ? -1 : x > y ? 1 : 0
}

/** Returns the exact sum, with as many decimal places as the most precise term. The sum of no terms is `0`. */
export const sum = (terms: Iterable<Decimal>): Decimal => {
  let digits = 0n
  let scale = 0
  for (const term of terms) {
    const next = scaled(term)
    if (next.scale > scale) {
      digits *= 10n ** BigInt(next.scale - scale)
      scale = next.scale
    }
    digits += toScale(next, scale)
  }
  return make(digits, scale)
}

/** Returns the exact product; its decimal places are the sum of those of both factors. */
export const multiply = (left: Decimal, right: Decimal): Decimal => {
  const a = scaled(left)
  const b = scaled(right)
  return make(a.digits * b.digits, a.scale + b.scale)
}

/** Returns the exact difference `left - right`. */
export const subtract = (left: Decimal, right: Decimal): Decimal => {
  const a = scaled(left)
  const b = scaled(right)
  const scale = Math.max(a.scale, b.scale)
  return make(toScale(a, scale) - toScale(b, scale), scale)
}
