import { isDecimal } from "../json/Decimal.ts"
import { isOpenObject } from "./components/Referral.ts"
import { describeIssue, type FormIssue } from "./describeIssue.ts"
import type { Field } from "./Field.ts"
import { visitFields } from "./fields.ts"
import { isComponent, type UnvalidatedVisit } from "./rules/Rule.ts"
import { isCalendarDate } from "./values/CalendarDate.ts"
import { isTimestamp } from "./values/Timestamp.ts"
import type { VisitProblem } from "./VisitProblem.ts"

/** A walk through a value: the current path, and the problems so far. */
class Walk {
  /** Grows and shrinks with the walk. It is copied only for a problem. */
  readonly path: Array<string | number> = []
  readonly problems: Array<VisitProblem> = []

  /** Checks the value of a key or an index. */
  inside(step: string | number, check: Check, value: unknown): void {
    this.path.push(step)
    check(value, this)
    this.path.pop()
  }

  report(issue: FormIssue, value: unknown, after?: string): void {
    this.problems.push(describeIssue(issue, [...this.path], value, after))
  }
}

/** Checks a value and everything inside it. */
type Check = (value: unknown, walk: Walk) => void

/**
 * Returns every problem of the form of a visit (§2.4 to §2.6) with its path, in the order of the specification. They are missing and
 * unexpected keys, and values of another type or form. The titles show no value. Empty if the value is a visit. A test compares the
 * result with that of the schema.
 */
export const formProblems = (value: unknown): ReadonlyArray<VisitProblem> => {
  const walk = new Walk()
  checkVisit(value, walk)
  return walk.problems
}

const isFilled = (value: unknown): boolean =>
  typeof value === "string" && (value.charCodeAt(0) > 32 || /\S/.test(value))

/** Returns whether a value has the type and form of a field that holds no parts. */
const isLeaf = (field: Field): (value: unknown) => boolean => {
  const { kind, mandatory, values } = field
  switch (kind) {
    case "code":
    case "identifier":
      return isFilled
    case "timestamp":
      return (value) => typeof value === "string" && isTimestamp(value)
    case "date":
      return (value) => typeof value === "string" && isCalendarDate(value)
    case "text":
      return values !== undefined
        ? (value) => typeof value === "string" && values.includes(value)
        : mandatory
        ? isFilled
        : isText
    case "decimal":
      return isDecimal
    case "text-or-decimal":
      return (value) => typeof value === "string" || isDecimal(value)
    case "boolean":
      return (value) => typeof value === "boolean"
    case "object":
      return isOpenObject
    case "strings":
    case "list":
    case "examination":
      throw new Error(`a field of kind ${kind} has parts`)
  }
}

const hasParts = ({ fields, kind }: Field): boolean =>
  fields !== undefined || kind === "list" || kind === "strings" || kind === "examination"

const isText = (value: unknown): boolean => typeof value === "string"

const checkLeaf = (isValid: (value: unknown) => boolean): Check => (value, walk) => {
  if (!isValid(value)) walk.report("InvalidType", value)
}

const checkEntries = (checkEntry: Check): Check => (value, walk) => {
  if (!Array.isArray(value)) return walk.report("InvalidType", value)
  for (let index = 0; index < value.length; index++) walk.inside(index, checkEntry, value[index])
}

const isUnexpected = (after: string | undefined): Check => (value, walk) => walk.report("UnexpectedKey", value, after)
const isMissing: Check = (value, walk) => walk.report("MissingKey", value)
const hasOtherForm: Check = (value, walk) => walk.report("InvalidType", value)

const checkObject = (fields: ReadonlyArray<Field>): Check => {
  const members = fields.map((field) => ({
    field,
    check: checkOf(field),
    isValid: hasParts(field) ? undefined : isLeaf(field)
  }))
  const names = new Set(fields.map(({ name }) => name))
  const isExamination = fields.some(({ kind }) => kind === "examination")
  return (value, walk) => {
    if (!isComponent(value) || Array.isArray(value)) return walk.report("InvalidType", value)
    const before = walk.problems.length
    let last: string | undefined
    for (const key of Object.keys(value)) {
      if (names.has(key)) last = key
      else walk.inside(key, isUnexpected(last), value[key])
    }
    for (const { check, field: { name, nullable, optional }, isValid } of members) {
      if (Object.hasOwn(value, name)) {
        const inner = value[name]
        if (nullable && inner === null) continue
        // The path is only needed inside a component, and for a problem.
        if (isValid === undefined || !isValid(inner)) walk.inside(name, check, inner)
      } else if (!optional) walk.inside(name, isMissing, undefined)
    }
    if (isExamination && walk.problems.length === before && !hasStatedForm(value)) {
      walk.inside("value", hasOtherForm, value.value)
    }
  }
}

/** Returns whether the value of an examination has the form that `value_type` states (§2.6 PhysicalExamination). */
const hasStatedForm = ({ value, value_type: type }: UnvalidatedVisit): boolean =>
  type === "complex" ? Array.isArray(value) : type === "text" ? !Array.isArray(value) : value === null

const isFinding = (keys: ReadonlyArray<string>) => (value: unknown): boolean => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false
  const [entry, ...others] = Object.entries(value)
  return entry !== undefined && others.length === 0 && keys.includes(entry[0]) && isText(entry[1])
}

const checkParts = (field: Field): Check => {
  switch (field.kind) {
    case "strings":
      return checkEntries(checkLeaf(isText))
    case "list":
      return checkEntries(checkObject(field.fields ?? []))
    case "object":
      return field.fields === undefined ? checkLeaf(isLeaf(field)) : checkObject(field.fields)
    case "examination": {
      const checkFindings = checkEntries(checkLeaf(isFinding(field.keys ?? [])))
      return (value, walk) => {
        if (typeof value !== "string") checkFindings(value, walk)
      }
    }
    default:
      return checkLeaf(isLeaf(field))
  }
}

const checkOf = (field: Field): Check => {
  const check = checkParts(field)
  return field.nullable
    ? (value, walk) => {
      if (value !== null) check(value, walk)
    }
    : check
}

const checkVisit = checkObject(visitFields)
