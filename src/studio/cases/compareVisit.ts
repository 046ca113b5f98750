import { isJsonObject, jsonListOf } from "../../json/JsonObject.ts"

/** A path where a visit differs from the expectation. */
export interface Mismatch {
  /** `visit.triages[0].height` */
  readonly path: string
  readonly expected: unknown
  readonly actual: unknown
}

/**
 * Returns where a value does not match the expectation. An object must have the listed keys, and a list must have every element in order;
 * anything else must be equal.
 */
export const compareVisit = (actual: unknown, expected: unknown, path = "visit"): ReadonlyArray<Mismatch> => {
  if (Array.isArray(expected) && Array.isArray(actual)) {
    if (actual.length !== expected.length) {
      return [{ path: `${path}.length`, expected: expected.length, actual: actual.length }]
    }
    return expected.flatMap((item, index) => compareVisit(actual[index], item, `${path}[${index}]`))
  }
  if (isJsonObject(expected) && isJsonObject(actual)) {
    return Object.entries(expected).flatMap(([key, item]) => compareVisit(actual[key], item, `${path}.${key}`))
  }
  return actual === expected ? [] : [{ path, expected, actual }]
}

/**
 * Returns an expectation that the visit satisfies, with the same keys as the current expectation. Elements of a list get the keys of its
 * first element. Without a current expectation, it has everything that is not blank.
 */
export const expectationOf = (actual: unknown, expected: unknown): unknown => {
  if (Array.isArray(actual)) {
    const known = jsonListOf(expected)
    return actual.map((item, index) => expectationOf(item, known[index] ?? known[0]))
  }
  if (!isJsonObject(actual)) return actual
  const known = isJsonObject(expected) ? Object.entries(expected) : []
  return Object.fromEntries(
    known.length > 0
      ? known.filter(([key]) => Object.hasOwn(actual, key)).map((
        [key, item]
      ) => [key, expectationOf(actual[key], item)])
      : Object.entries(actual).filter(([, item]) => !isBlank(item)).map(([key, item]) => [
        key,
        expectationOf(item, undefined)
      ])
  )
}

const isBlank = (value: unknown): boolean =>
  value === null || value === "" ||
  (Array.isArray(value) ? value.length === 0 : isJsonObject(value) && Object.values(value).every(isBlank))

const lineWidth = 120

/** Formats JSON for readers: a value that fits on one line is on one line. */
export const layOut = (value: unknown, indent = ""): string => {
  const line = JSON.stringify(value, null, 1).replace(/\n\s*/gu, " ").replace(/([[{]) | ([\]}])/gu, "$1$2")
  if (indent.length + line.length <= lineWidth || typeof value !== "object" || value === null) return line
  const inner = `${indent}  `
  const parts = Array.isArray(value)
    ? value.map((item) => inner + layOut(item, inner))
    : Object.entries(value).map(([key, item]) => `${inner}${JSON.stringify(key)}: ${layOut(item, inner)}`)
  const [open, close] = Array.isArray(value) ? "[]" : "{}"
  return `${open}\n${parts.join(",\n")}\n${indent}${close}`
}
