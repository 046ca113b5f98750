import { formProblems } from "../../../visit/checkForm.ts"
import { valueAt } from "../../../visit/decode.ts"
import type { Field } from "../../../visit/Field.ts"
import { fieldOfValue } from "../../../visit/fields.ts"
import type { VisitProblem } from "../../../visit/VisitProblem.ts"
import { misspeltTitle, sentences } from "../../wire.ts"

/** The optional parts of §2 and §4.5 rule 7. */
interface FieldOptions {
  /**
   * A visit without `discharged_at` is accepted, because an inpatient stay is sent before it ends; then `ended_at` is not required
   * either.
   */
  readonly openVisits: boolean
}

/**
 * Returns the first error of form in a visit, as the sentence of §7, or `null`. `path` is `visits.0`. The checker of the Visit finds the
 * errors. The service ignores unknown fields, and accepts what its documentation shows.
 */
export const checkFields = (visit: unknown, path: string, options: FieldOptions): string | null => {
  const open = options.openVisits && valueAt(visit, ["discharged_at"]) === null
  const first = formProblems(visit).find((problem) => !isAccepted(problem, visit, open))
  return first === undefined ? null : sentenceOf([path, ...first.path].join("."), first, visit)
}

const isAccepted = ({ code, path }: VisitProblem, visit: unknown, open: boolean): boolean => {
  if (code === "unexpected-field") return true
  const name = path.at(-1)
  const value = valueAt(visit, path)
  if (value === null && open && (name === "discharged_at" || name === "ended_at")) return true
  return (value === null || value === undefined) && isInSample(path, visit)
}

/** The documented imagery sample omits the collected fields of one element and misspells its `title` (§2.6). */
const isInSample = (path: VisitProblem["path"], visit: unknown): boolean => {
  const name = path.at(-1)
  return fieldOfValue(path)?.section === "§2.6 Imagery" &&
    (name === "collected_at" || name === "collected_by" ||
      (name === "title" && typeof valueAt(visit, [...path.slice(0, -1), misspeltTitle]) === "string"))
}

const sentenceOf = (at: string, { path }: VisitProblem, visit: unknown): string => {
  const value = valueAt(visit, path)
  const field = fieldOfValue(path)
  if (field === undefined) return `The ${at} field must be an object.`
  if (typeof path.at(-1) === "number") return `The ${at} field must be ${entryOf(field)}.`
  if (value === undefined) return field.mandatory ? sentences.fieldRequired(at) : `The ${at} field must be present.`
  if (field.kind === "examination") {
    return examinationSentence(at, value, valueAt(visit, [...path.slice(0, -1), "value_type"]))
  }
  const isMissing = value === null ? field.kind !== "list" && field.kind !== "strings" : isBlank(field, value)
  if (isMissing) return sentences.fieldRequired(at)
  return field.values !== undefined && typeof value === "string"
    ? `The selected ${at} is invalid.`
    : `The ${at} field must ${formOf(field)}.`
}

const isBlank = ({ kind, mandatory }: Field, value: unknown): boolean =>
  (kind === "code" || kind === "identifier" || (kind === "text" && mandatory)) && typeof value === "string" &&
  value.trim() === ""

/** §2.6: a text where `value_type` is `text`, a list where it is `complex`. */
const examinationSentence = (at: string, value: unknown, type: unknown): string =>
  type === "text"
    ? `The ${at} field must be a string.`
    : type === "complex"
    ? `The ${at} field must be an array.`
    : typeof value === "string" || Array.isArray(value)
    ? sentences.fieldRequired(`${at}_type`)
    : `The ${at} field must be a string or an array.`

const entryOf = ({ keys, kind }: Field): string =>
  kind === "strings"
    ? "a string"
    : kind === "examination"
    ? `an object with one of the keys ${keys?.join(", ")}`
    : "an object"

const formOf = ({ kind }: Field): string => {
  switch (kind) {
    case "code":
    case "identifier":
    case "text":
      return "be a string"
    case "timestamp":
      return "match the format YYYY-MM-DDTHH:mm:ss.sss+HH:MM"
    case "date":
      return "match the format YYYY-MM-DD"
    case "decimal":
      return "be a number"
    case "text-or-decimal":
      return "be a string or a number"
    case "boolean":
      return "be true or false"
    case "strings":
    case "list":
      return "be an array"
    case "object":
      return "be an object"
    case "examination":
      return "be a string or an array"
  }
}
