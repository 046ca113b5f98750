import { Result } from "effect"
import { parseWithDigits } from "../json/parseWithDigits.ts"
import { formProblems } from "./checkForm.ts"
import { isFieldName } from "./fields.ts"
import { isComponent } from "./rules/Rule.ts"
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

/** Parses JSON text and keeps the digits of every number. A repeated key in an object is a problem. No problem shows the text. */
export const parseJson = (text: string): Result.Result<unknown, ReadonlyArray<VisitProblem>> => {
  const parsed = parseWithDigits(text)
  if ("value" in parsed) return Result.succeed(parsed.value)
  const { fault, repeated } = parsed
  const title = repeated !== undefined && isFieldName(repeated)
    ? fault.replace("a key", `the key \`${repeated}\``)
    : fault
  return Result.fail([{
    code: "invalid-field",
    severity: "error",
    path: [],
    title,
    ...(repeated === undefined ? {} : { help: "keep one of them: programs differ in which value they read" })
  }])
}
