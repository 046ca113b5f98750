import { isOpenObject } from "./components/Referral.ts"
import type { Field } from "./Field.ts"
import { visitFields } from "./fields.ts"
import { isCalendarDate } from "./values/CalendarDate.ts"
import { isDecimal } from "./values/Decimal.ts"
import { isTimestamp } from "./values/Timestamp.ts"
import type { Visit } from "./Visit.ts"

type Check = (value: unknown) => boolean
type Loose = Readonly<Record<string, unknown>>

const isString: Check = (value) => typeof value === "string"
const isFilled: Check = (value) => typeof value === "string" && (value.charCodeAt(0) > 32 || /\S/.test(value))

const arrayOf = (element: Check): Check => (value) => {
  if (!Array.isArray(value)) return false
  for (let i = 0; i < value.length; i++) if (!element(value[i])) return false
  return true
}

const objectOf = (fields: ReadonlyArray<Field>): Check => {
  const names = fields.map((field) => field.name)
  const optional = fields.map((field) => field.optional)
  const checks = fields.map(checkOf)
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return false
    let present = 0
    for (let i = 0; i < names.length; i++) {
      const inner = (value as Loose)[names[i]!]
      if (inner === undefined) {
        if (!optional[i] || Object.hasOwn(value, names[i]!)) return false
      } else {
        present++
        if (!checks[i]!(inner)) return false
      }
    }
    return Object.keys(value).length === present
  }
}

const plainCheck = (field: Field): Check => {
  switch (field.kind) {
    case "code":
    case "identifier":
      return isFilled
    case "timestamp":
      return (value) => typeof value === "string" && isTimestamp(value)
    case "date":
      return (value) => typeof value === "string" && isCalendarDate(value)
    case "text":
      return field.values !== undefined ? oneOf(field.values) : field.mandatory ? isFilled : isString
    case "decimal":
      return isDecimal
    case "text-or-decimal":
      return (value) => typeof value === "string" || isDecimal(value)
    case "boolean":
      return (value) => typeof value === "boolean"
    case "strings":
      return arrayOf(isString)
    case "list":
      return arrayOf(objectOf(field.fields!))
    case "object":
      return field.fields === undefined ? isOpenObject : objectOf(field.fields)
    case "examination": {
      const isFindings = arrayOf(isFinding(field.keys!))
      return (value) => typeof value === "string" || isFindings(value)
    }
  }
}

const oneOf = (values: ReadonlyArray<string>): Check => (value) => typeof value === "string" && values.includes(value)

/** Returns the check of whether a value is valid for a field. */
export const checkOf = (field: Field): Check => {
  const check = plainCheck(field)
  return field.nullable ? (value) => value === null || check(value) : check
}

const isFinding = (keys: ReadonlyArray<string>): Check => (value) => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false
  const own = Object.keys(value)
  return own.length === 1 && keys.includes(own[0]!) && isString((value as Loose)[own[0]!])
}

/** Returns true if `value` has the form that `value_type` states (§2.6 PhysicalExamination). */
export const isExamination = (value: unknown): boolean => {
  const { value: found, value_type: type } = value as Loose
  return type === "complex" ? Array.isArray(found) : type === "text" ? !Array.isArray(found) : found === null
}

const isVisitShape = objectOf(visitFields)

/**
 * Returns true for every value that the schema of the Visit accepts, at a tenth of its cost. `formProblems` or the schema itself explains a
 * rejection.
 */
export const isVisit = (value: unknown): value is Visit =>
  isVisitShape(value) && (value as Visit).physical_examinations.every(isExamination)
