import { type Decimal, fromText } from "./Decimal.ts"
import { isJsonObject } from "./JsonObject.ts"
import type { LossyNumber } from "./scanJson.ts"

/**
 * A number that a double would not keep as written: `7.20`, twenty digits, `1e400`. FHIRPath calculates with it exactly, and treats all
 * numbers of a resource as such.
 */
export class ExactNumber {
  // Private, because an expression finds the public members of an object as elements.
  readonly #source: string | number
  #decimal: Decimal | null | undefined

  constructor(source: string | number) {
    this.#source = source
  }

  /** Returns the digits as written, or the double that has them. */
  toSource(): string | number {
    return this.#source
  }

  /** Returns the number for exact calculations; `null` if it has too many digits or another notation. */
  toDecimal(): Decimal | null {
    if (this.#decimal === undefined) this.#decimal = fromText(String(this.#source)) ?? null
    return this.#decimal
  }

  toString(): string {
    return String(this.#source)
  }

  toNumber(): number {
    return Number(this.#source)
  }

  /** JSON has the nearest double. Where digits count, they are written by other means. */
  toJSON(): number {
    return this.toNumber()
  }
}

export const isExactNumber = (value: unknown): value is ExactNumber => value instanceof ExactNumber

/** Returns the number that a resource has as a decimal or an integer. */
export const numberIn = (value: unknown): number | undefined =>
  typeof value === "number" ? value : isExactNumber(value) ? value.toNumber() : undefined

export const exactNumber = (digits: string): ExactNumber => new ExactNumber(digits)

/**
 * Returns true for elements whose digits are kept as written. These are the value of a Quantity, Money, Ratio or Range, a decimal of an
 * extension or a parameter, and the factor of a price. Elsewhere (`Timing.repeat.period`) only the number counts, and `1.0` is `1`.
 */
const keepsDigits = (key: string): boolean => key === "value" || key === "valueDecimal" || key === "factor"

/** Returns the object that represents a number with this source text under this key, or `undefined` if a double is exact. */
const exactOf = (key: string, text: string): ExactNumber | undefined => {
  const number = Number(text)
  if (String(number) === text || (!keepsDigits(key) && isSameNumber(number, text))) return undefined
  return exactNumber(text)
}

/** Returns true if the double equals the number in the text, in any notation: `1e3`, `2.50`. */
const isSameNumber = (number: number, text: string): boolean =>
  Number.isFinite(number) && (number !== 0 || !/[1-9]/.test(text.replace(/e.*/i, ""))) && significantDigits(text) <= 15

const significantDigits = (text: string): number =>
  text.replace(/e.*/i, "").replace(/[-.]/g, "").replace(/^0+/, "").replace(/0+$/, "").length

/**
 * Puts exact numbers into a parsed value, in place. `lossy` are the uncertain numbers of `scanValue`, of `count` in all. The value's
 * numbers are in the order of the text, so only the uncertain ones are checked. The order differs for repeated keys and for keys that look
 * like array indexes. In that case `parse` reads the text again, slowly, with the source of every number.
 */
export const keepDigits = (
  value: unknown,
  count: number,
  lossy: ReadonlyArray<LossyNumber>,
  parse: (revive: Reviver) => unknown
): unknown => {
  const found = locate(value, lossy)
  const isInOrder = found.count === count && found.numbers.length === lossy.length &&
    found.numbers.every(({ holder, key, text }) => Object.is(holder[key], Number(text)))
  if (!isInOrder) {
    return parse((key, read, context) =>
      typeof read === "number" && context.source !== undefined ? (exactOf(key, context.source) ?? read) : read
    )
  }
  for (const { holder, key, text } of found.numbers) {
    const exact = exactOf(typeof key === "string" ? key : "", text)
    // The key exists with a number in it: this sets its value and touches no prototype.
    if (exact !== undefined) holder[key] = exact
  }
  return value
}

export type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown

/** Keeps the digits of numbers in a value that is only written as JSON again. */
export const withDigits: Reviver = (_, value, { source }) =>
  typeof value === "number" && source !== undefined && String(value) !== source ? JSON.rawJSON(source) : value

/** An object by its names. An array is one too, by its indexes, which its type does not show. */
type Holder = Record<string | number, unknown>

/** A number in a parsed value, and its text. */
interface LocatedNumber {
  readonly holder: Holder
  readonly key: string | number
  readonly text: string
}

/** Counts the numbers of a value, and finds those whose ordinals are in `lossy`. */
const locate = (
  root: unknown,
  lossy: ReadonlyArray<LossyNumber>
): { readonly count: number; readonly numbers: ReadonlyArray<LocatedNumber> } => {
  const numbers: Array<LocatedNumber> = []
  let count = 0
  const visit = (holder: Holder, key: string | number): void => {
    const value = holder[key]
    if (typeof value === "number") {
      const next = lossy[numbers.length]
      if (next?.ordinal === count) numbers.push({ holder, key, text: next.text })
      count++
    } else if (Array.isArray(value)) {
      // A list holds its items by their indexes, as an object holds its members by their names.
      for (let index = 0; index < value.length; index++) visit(value as unknown as Holder, index)
    } else if (isJsonObject(value)) {
      for (const name of Object.keys(value)) visit(value, name)
    }
  }
  visit({ root }, "root")
  return { count, numbers }
}
