import { Result } from "effect"
import { formProblems } from "./checkForm.ts"
import { keyTwice } from "./keyTwice.ts"
import { isComponent } from "./rules/Rule.ts"
import { fromText } from "./values/Decimal.ts"
import type { Visit } from "./Visit.ts"
import type { ValuePath, VisitProblem } from "./VisitProblem.ts"

/**
 * Decodes a visit from its JSON text, or from a value that `parseJson` parsed (so that digits are kept). All problems of form are returned
 * at once, each with its path and without the value. They are missing keys, unexpected keys, and types or forms that differ from §2.4 to
 * §2.6. `validateVisit` checks the rules between fields.
 */
export const decodeVisit = (input: unknown): Result.Result<Visit, ReadonlyArray<VisitProblem>> => {
  if (typeof input !== "string") return decodeValue(input)
  return Result.flatMap(parseJson(input), decodeValue)
}

const decodeValue = (value: unknown): Result.Result<Visit, ReadonlyArray<VisitProblem>> => {
  const problems = formProblems(value)
  // Without a problem, every member has the form that the type declares.
  return problems.length === 0 ? Result.succeed(value as Visit) : Result.fail(problems)
}

/** Returns the value at a path; `undefined` if there is none. */
export const valueAt = (value: unknown, path: ValuePath): unknown =>
  path.reduce<unknown>(
    (at, key) => isComponent(at) ? at[key] : undefined,
    value
  )

/**
 * Matches numbers that JavaScript would write differently. These have trailing zeros in a fraction, an exponent, sixteen digits or more, a
 * very small fraction, or a negative zero. A match inside a string only costs time.
 */
const unusualNumber =
  /[:[,\s]-?(?:\d+\.\d*0|[\d.]+[eE][+-]?\d+|[\d.]{16,}|0\.000000\d*|(?<=-)0)(?=[\s,}\]])|^-?[\d.eE+-]+\s*$/

const reviver = (_: string, value: unknown, { source }: { readonly source?: string }): unknown =>
  typeof value !== "number" || source === undefined || String(value) === source ? value : fromText(source) ?? value

/**
 * Parses JSON text and keeps the digits of every number: a number that JavaScript would write differently (`7.20`, twenty digits) becomes
 * raw JSON. A repeated key in an object is a problem, because readers differ in which value counts. The problem shows the location, never
 * the text.
 */
export const parseJson = (text: string): Result.Result<unknown, ReadonlyArray<VisitProblem>> => {
  try {
    const value: unknown = unusualNumber.test(text) ? JSON.parse(text, reviver) : JSON.parse(text)
    const twice = keyTwice(text, value)
    return twice === undefined ? Result.succeed(value) : Result.fail([{
      code: "invalid-field",
      severity: "error",
      path: [],
      title: `an object has a key twice, at character ${twice + 1}`
    }])
  } catch (error) {
    const place = /position (\d+)/.exec(String(error))?.[1]
    const at = place === undefined ? "" : `, at character ${Number(place) + 1}`
    return Result.fail([{ code: "invalid-field", severity: "error", path: [], title: `the text is not JSON${at}` }])
  }
}
