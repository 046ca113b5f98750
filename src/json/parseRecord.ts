import { keepDigits } from "./exactNumber.ts"
import type { Scan } from "./scanJson.ts"

/** Why a value that is JSON is not taken. */
export type InvalidRecordReason = "too-deep" | "half-character" | "endless-number" | "repeated-name"

/** More characters or a greater exponent than any amount or result has; such a number would cost time wherever it is calculated with. */
const numberLimit = 400

/** The names of elements that change what others mean, and an escape, which may write one of them in another way. */
const modifying = /modifierExtension|implicitRules|\\u/

const plain = new WeakSet<object>()

/** Whether a value was parsed from a text in which no element can be a modifier, so that nothing must be looked for in it. */
export const isWithoutModifiers = (value: object): boolean => plain.has(value)

/**
 * One value of a text, parsed: plain `JSON.parse`, and a second look only where `scan` found something to look at. Throws the
 * `SyntaxError` of `JSON.parse`.
 */
export const parseRecord = (
  bytes: Buffer,
  scan: Scan,
  depth: number
): { readonly value: unknown } | { readonly unfit: InvalidRecordReason } => {
  if (scan.depth > depth) return { unfit: "too-deep" }
  const text = bytes.toString("utf8", scan.start, scan.end)
  const value: unknown = JSON.parse(text)
  // What has been read before is not looked at again.
  if (depth !== Number.POSITIVE_INFINITY && countNames(value) !== scan.names) {
    return { unfit: "repeated-name" }
  }
  if (typeof value === "object" && value !== null && !modifying.test(text)) plain.add(value)
  if (scan.surrogates && !isWellFormed(value)) return { unfit: "half-character" }
  if (scan.lossy === undefined) return { value }
  if (scan.lossy.some(({ text }) => isEndless(text))) return { unfit: "endless-number" }
  return {
    value: keepDigits(
      value,
      scan.numbers,
      scan.lossy,
      (revive) => JSON.parse(text, revive as (key: string, value: unknown) => unknown)
    )
  }
}

const isEndless = (digits: string): boolean =>
  digits.length > numberLimit || Math.abs(Number(/e(.*)/i.exec(digits)?.[1] ?? 0)) > numberLimit

/** No text or key holds half of a character, which could not be written as UTF-8. */
const isWellFormed = (value: unknown): boolean => {
  if (typeof value === "string") return value.isWellFormed()
  if (typeof value !== "object" || value === null) return true
  if (Array.isArray(value)) return value.every(isWellFormed)
  return Object.entries(value).every(([key, member]) => key.isWellFormed() && isWellFormed(member))
}

/** The names of members in a value that was parsed. Where its text has more of them, an object has one twice: `JSON.parse` keeps the last. */
const countNames = (value: unknown): number => {
  if (typeof value !== "object" || value === null) return 0
  let count = 0
  if (Array.isArray(value)) { for (const item of value) count += countNames(item) }
  else {
    for (const name in value) {
      count++
      const member = (value as Readonly<Record<string, unknown>>)[name]
      if (typeof member === "object") count += countNames(member)
    }
  }
  return count
}
