import { isDecimal } from "../json/Decimal.ts"
import type { Field } from "./Field.ts"
import { fieldOfValue } from "./fields.ts"
import { timestampForm } from "./values/Timestamp.ts"
import type { ValuePath, VisitProblem } from "./VisitProblem.ts"

/** What is wrong with the form of a value. */
export type FormIssue = "InvalidType" | "MissingKey" | "UnexpectedKey"

/**
 * Describes a problem of form at a path, in the specification's words; it inspects the value but never shows it. `after` is the field before
 * an unexpected key.
 */
export const describeIssue = (issue: FormIssue, path: ValuePath, value: unknown, after?: string): VisitProblem => {
  const name = nameOf(path)
  if (issue === "UnexpectedKey") {
    // The key is not shown: it can be data, or contain terminal control characters.
    return {
      code: "unexpected-field",
      severity: "error",
      path,
      title: "the specification has no field of this name here",
      facts: [["key", after === undefined ? "before the first field" : `after \`${after}\``]]
    }
  }
  const field = fieldOfValue(path)
  const inside = typeof path.at(-1) === "number"
  if (issue === "MissingKey" && field !== undefined) return required(path, `${name} is absent`, field)
  if (field?.mandatory === true && value === null) return required(path, `${name} is null`, field)
  if (field?.mandatory === true && typeof value === "string" && !/\S/.test(value)) {
    return required(path, `${name} is empty`, field)
  }
  if (inside && field?.kind === "examination" && typeof value === "object" && value !== null && !Array.isArray(value)) {
    return {
      code: "invalid-field",
      severity: "error",
      path,
      title: `${name} does not have exactly one of the keys ${keysOf(field)}, with a text`
    }
  }
  const expected = field === undefined || inside ? expectedInside(field) : expectedOf(field)
  const sameType = typeof value === "string" && field !== undefined && !inside && isTextual(field)
  return {
    code: "invalid-field",
    severity: "error",
    path,
    title: sameType ? `${name} is not ${expected}` : `${name} is ${typeOf(value)}, not ${expected}`,
    ...(value === null && field !== undefined ? { help: `send ${blankOf(field)} if there is no value` } : {})
  }
}

const required = (path: ValuePath, title: string, field: Field): VisitProblem => ({
  code: "required-field",
  severity: "error",
  path,
  title: field.mandatory ? `${title}; it is mandatory` : `${title}; fields are not removed`,
  ...(field.mandatory ? {} : { help: `send ${blankOf(field)} if there is no value` })
})

const blankOf = (field: Field): string =>
  field.kind === "list" || field.kind === "strings" ? "`[]`" : field.blank === "" ? "an empty string" : "`null`"

const nameOf = (path: ValuePath): string => {
  const last = path.at(-1)
  if (last === undefined) return "the visit"
  if (typeof last === "string") return `\`${last}\``
  return `entry ${last} of \`${path.findLast((part) => typeof part === "string") ?? "visits"}\``
}

const isTextual = (field: Field): boolean =>
  field.kind === "code" || field.kind === "identifier" || field.kind === "timestamp" || field.kind === "date" ||
  field.kind === "text"

const expectedOf = (field: Field): string => {
  if (field.values !== undefined) return field.values.map((value) => `\`${value}\``).join(" or ")
  switch (field.kind) {
    case "code":
    case "identifier":
    case "text":
      return "a string"
    case "timestamp":
      return `a timestamp of the form ${timestampForm}`
    case "date":
      return "a date of the form YYYY-MM-DD"
    case "decimal":
      return "a number"
    case "text-or-decimal":
      return "a string or a number"
    case "boolean":
      return "`true` or `false`"
    case "strings":
      return "an array of strings"
    case "list":
      return "an array"
    case "object":
      return "an object"
    case "examination":
      return "of the form that `value_type` states"
  }
}

const keysOf = ({ keys = [] }: Field): string => keys.map((key) => `\`${key}\``).join(", ")

/** Describes the expected entry of an array; without a field, the entry is the visit itself. */
const expectedInside = (field: Field | undefined): string =>
  field?.kind === "strings"
    ? "a string"
    : field?.kind === "examination"
    ? `an object with one of the keys ${keysOf(field)}`
    : "an object"

const typeOf = (value: unknown): string => {
  if (value === null) return "null"
  if (value === undefined) return "absent"
  if (Array.isArray(value)) return "an array"
  if (isDecimal(value)) return "a number"
  switch (typeof value) {
    case "string":
      return "a string"
    case "boolean":
      return "`true` or `false`"
    case "number":
      return "a number that JSON has no form for"
    default:
      return "an object"
  }
}
