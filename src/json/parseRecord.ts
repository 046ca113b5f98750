import { useSystemUrls } from "./codeSystems.ts"
import { keepDigits, type Reviver } from "./exactNumber.ts"
import { isJsonObject } from "./JsonObject.ts"
import { removeNulls } from "./removeNulls.ts"
import type { Scan } from "./scanJson.ts"

/** The reason why a valid JSON value is rejected. */
export type InvalidRecordReason = "too-deep" | "half-character" | "endless-number" | "repeated-name"

/** Maximum digits, and maximum exponent, of a number; amounts and results need less. A longer number would slow down every calculation. */
const numberLimit = 400

/** The names of modifier elements, and an escape, which can hide one of these names. */
const modifying = /modifierExtension|implicitRules|\\u/

const plain = new WeakSet<object>()

/** Returns whether a value was parsed from a text without modifier elements, so that no check is needed. */
export const isWithoutModifiers = (value: object): boolean => plain.has(value)

/** Notes that a part of a value has no modifier elements if the value has none. */
export const notePart = (value: object, part: object): void => {
  if (plain.has(value)) plain.add(part)
}

/** `JSON.parse`, which also gives each code system that is named by an OID its URL. */
export const parsePassing = (text: string, revive?: Reviver): unknown => {
  const value: unknown = revive === undefined ? JSON.parse(text) : JSON.parse(text, revive)
  useSystemUrls(text, value)
  return value
}

/** `parsePassing`, which also notes whether the text has modifier elements: to find them in the value takes longer than to parse it. */
export const parseText = (text: string): unknown => {
  const value = parsePassing(text)
  if (typeof value === "object" && value !== null && !modifying.test(text)) plain.add(value)
  return value
}

/**
 * Parses one value of a text: `parsePassing`, and a second check only if `scan` found a reason. Throws the `SyntaxError` of `JSON.parse`.
 * A value that is not kept (`isPassing`) is not searched for modifier elements.
 */
export const parseRecord = (
  bytes: Buffer,
  scan: Scan,
  depth: number,
  isPassing = false
): { readonly value: unknown } | { readonly unfit: InvalidRecordReason } => {
  if (scan.depth > depth) return { unfit: "too-deep" }
  const text = bytes.toString("utf8", scan.start, scan.end)
  const value = isPassing ? parsePassing(text) : parseText(text)
  // Names are not counted if `depth` is infinite: the record was checked when it was first read.
  if (depth !== Number.POSITIVE_INFINITY && countNames(value) !== scan.names) {
    return { unfit: "repeated-name" }
  }
  if (scan.surrogates && !isWellFormed(value)) return { unfit: "half-character" }
  if (scan.lossy?.some(({ text }) => isEndless(text)) === true) return { unfit: "endless-number" }
  const exact = scan.lossy === undefined
    ? value
    : keepDigits(value, scan.numbers, scan.lossy, (revive) => parsePassing(text, revive))
  if (scan.nulls) removeNulls(exact)
  return { value: exact }
}

const isEndless = (digits: string): boolean =>
  digits.length > numberLimit || Math.abs(Number(/e(.*)/i.exec(digits)?.[1] ?? 0)) > numberLimit

/** Returns whether no text or key holds half a surrogate pair, which cannot be written as UTF-8. */
export const isWellFormed = (value: unknown): boolean => {
  if (typeof value === "string") return value.isWellFormed()
  if (typeof value !== "object" || value === null) return true
  if (Array.isArray(value)) return value.every(isWellFormed)
  return Object.entries(value).every(([key, member]) => key.isWellFormed() && isWellFormed(member))
}

/**
 * Returns the number of member names in a parsed value. If its text has more, an object repeats a name: `JSON.parse` keeps the last. For
 * parsed objects, `for` … `in` takes half of the time of `Object.keys`, which makes a list for each.
 */
export const countNames = (value: unknown): number => {
  if (typeof value !== "object" || value === null) return 0
  let count = 0
  if (Array.isArray(value)) { for (const item of value) count += countNames(item) }
  else if (isJsonObject(value)) {
    // All enumerable members of parsed JSON are own members.
    for (const name in value) {
      count++
      const member = value[name]
      if (typeof member === "object") count += countNames(member)
    }
  }
  return count
}
