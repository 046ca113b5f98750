import { describeIssue } from "./describeIssue.ts"
import type { Field } from "./Field.ts"
import { visitFields } from "./fields.ts"
import { checkOf, isExamination } from "./isVisit.ts"
import type { ValuePath, VisitProblem } from "./VisitProblem.ts"

type Report = (problem: VisitProblem) => void
type Explain = (value: unknown, path: ValuePath, report: Report) => void
type Loose = Readonly<Record<string, unknown>>

/**
 * Returns the problems of form of an invalid visit, equal to the schema's and in its order, at a fraction of the cost. `undefined` if an
 * examination is invalid: the caller must use the schema then.
 */
export const formProblems = (value: unknown): ReadonlyArray<VisitProblem> | undefined => {
  const problems: Array<VisitProblem> = []
  try {
    explainVisit(value, [], (problem) => problems.push(problem))
  } catch (cause) {
    if (cause === askSchema) return undefined
    throw cause
  }
  return problems
}

const askSchema: unique symbol = Symbol("ask the schema")

const explainObject = (fields: ReadonlyArray<Field>): Explain => {
  const members = fields.map((field) => ({ field, explain: explainField(field) }))
  const names = new Set(fields.map(({ name }) => name))
  return (value, path, report) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      report(describeIssue("InvalidType", path, value))
      return
    }
    for (const key of Object.keys(value)) {
      if (!names.has(key)) report(describeIssue("UnexpectedKey", [...path, key], (value as Loose)[key]))
    }
    for (const { explain, field } of members) {
      if (Object.hasOwn(value, field.name)) explain((value as Loose)[field.name], [...path, field.name], report)
      else if (!field.optional) report(describeIssue("MissingKey", [...path, field.name], undefined))
    }
  }
}

const explainField = (field: Field): Explain => {
  const accepts = checkOf(field)
  const inside = explainInside(field)
  return (value, path, report) => {
    if (!accepts(value)) inside(value, path, report)
  }
}

/** Explains an invalid field: its one value, or the invalid ones among its parts. */
const explainInside = (field: Field): Explain => {
  const itself: Explain = (value, path, report) => report(describeIssue("InvalidType", path, value))
  if (field.fields === undefined) {
    return field.kind === "strings" ? explainEntries(itself, (value) => typeof value === "string") : itself
  }
  if (field.kind === "list") return explainEntries(explainObject(field.fields), () => false)
  const parts = explainObject(field.fields)
  return (value, path, report) => (value === null ? itself : parts)(value, path, report)
}

const explainEntries = (entry: Explain, accepts: (value: unknown) => boolean): Explain => (value, path, report) => {
  if (!Array.isArray(value)) return report(describeIssue("InvalidType", path, value))
  value.forEach((one: unknown, index) => {
    if (!accepts(one)) entry(one, [...path, index], report)
  })
}

const raise = (): never => {
  throw askSchema
}

const explainParts = explainObject(visitFields)

const areExaminations = checkOf(visitFields.find(({ name }) => name === "physical_examinations")!)

const explainVisit: Explain = (value, path, report) => {
  const examinations = (value as Loose | null | undefined)?.physical_examinations
  if (Array.isArray(examinations) && !(areExaminations(examinations) && examinations.every(isExamination))) raise()
  explainParts(value, path, report)
}
