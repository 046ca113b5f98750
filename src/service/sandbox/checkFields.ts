import { isJsonObject } from "../../json/JsonObject.ts"
import type { Field } from "../../visit/Field.ts"
import { misspeltTitle, sentences } from "../wire.ts"
import { isDate, isStrictTimestamp } from "./isStrictTimestamp.ts"

/** The optional parts of §2 and §4.5 rule 7. */
interface FieldOptions {
  /**
   * A visit without `discharged_at` is accepted, because an inpatient stay is sent before it ends; then `ended_at` is not required
   * either.
   */
  readonly openVisits: boolean
}

/**
 * Returns the first error of form in a visit, as the sentence of §7, or `null`. `path` is `visits.0`. Fields are checked in the order
 * of the specification. Two of its rules apply: "missing values are sent as null, fields are not removed", "all codes, timestamps and
 * identifiers are mandatory".
 */
export const checkFields = (
  visit: unknown,
  fields: ReadonlyArray<Field>,
  path: string,
  options: FieldOptions
): string | null => {
  if (!isJsonObject(visit)) return `The ${path} field must be an object.`
  const open = options.openVisits && visit["discharged_at"] === null
  return checkComponent(visit, fields, path, open)
}

const checkComponent = (
  value: Readonly<Record<string, unknown>>,
  fields: ReadonlyArray<Field>,
  path: string,
  open: boolean
): string | null => {
  for (const field of fields) {
    const fault = checkField(value, field, `${path}.${field.name}`, open)
    if (fault !== null) return fault
  }
  return checkExamination(value, fields, path)
}

const checkField = (
  owner: Readonly<Record<string, unknown>>,
  field: Field,
  path: string,
  open: boolean
): string | null => {
  const value = Object.hasOwn(owner, field.name) ? owner[field.name] : undefined
  if (value === undefined) {
    if (field.optional || isInSample(owner, field)) return null
    return field.mandatory ? sentences.fieldRequired(path) : `The ${path} field must be present.`
  }
  if (value === null) {
    if (field.kind === "list" || field.kind === "strings") return `The ${path} field must be an array.`
    if (field.nullable || (open && (field.name === "discharged_at" || field.name === "ended_at"))) return null
    if (isInSample(owner, field)) return null
    return sentences.fieldRequired(path)
  }
  return checkValue(value, field, path, open)
}

/** The documented imagery sample omits the collected fields of one element and misspells its `title` (§2.6). */
const isInSample = (owner: Readonly<Record<string, unknown>>, field: Field): boolean =>
  field.section === "§2.6 Imagery" &&
  (field.name === "collected_at" || field.name === "collected_by" ||
    (field.name === "title" && typeof owner[misspeltTitle] === "string"))

const checkValue = (value: unknown, field: Field, path: string, open: boolean): string | null => {
  switch (field.kind) {
    case "code":
    case "identifier":
    case "text":
      if (typeof value !== "string") return `The ${path} field must be a string.`
      if ((field.mandatory || field.kind !== "text") && value.trim() === "") return sentences.fieldRequired(path)
      return field.values === undefined || field.values.includes(value) ? null : `The selected ${path} is invalid.`
    case "timestamp":
      return typeof value === "string" && isStrictTimestamp(value)
        ? null
        : `The ${path} field must match the format YYYY-MM-DDTHH:mm:ss.sss+HH:MM.`
    case "date":
      return typeof value === "string" && isDate(value) ? null : `The ${path} field must match the format YYYY-MM-DD.`
    case "decimal":
      return Number.isFinite(value) ? null : `The ${path} field must be a number.`
    case "text-or-decimal":
      return typeof value === "string" || Number.isFinite(value)
        ? null
        : `The ${path} field must be a string or a number.`
    case "boolean":
      return typeof value === "boolean" ? null : `The ${path} field must be true or false.`
    case "strings": {
      if (!Array.isArray(value)) return `The ${path} field must be an array.`
      const wrong = value.findIndex((item) => typeof item !== "string")
      return wrong < 0 ? null : `The ${path}.${wrong} field must be a string.`
    }
    case "object":
      if (!isJsonObject(value)) return `The ${path} field must be an object.`
      return field.fields === undefined ? null : checkComponent(value, field.fields, path, open)
    case "list": {
      if (!Array.isArray(value)) return `The ${path} field must be an array.`
      for (let index = 0; index < value.length; index++) {
        const item: unknown = value[index]
        const fault = isJsonObject(item)
          ? checkComponent(item, field.fields ?? [], `${path}.${index}`, open)
          : `The ${path}.${index} field must be an object.`
        if (fault !== null) return fault
      }
      return null
    }
    case "examination":
      return typeof value === "string" || Array.isArray(value)
        ? null
        : `The ${path} field must be a string or an array.`
  }
}

const examinationKeys: ReadonlyArray<string> = ["inspection", "palpation", "percussion", "auscultation"]

/** §2.6: `value_type` text has a string, complex an array of objects with one of four keys. */
const checkExamination = (
  value: Readonly<Record<string, unknown>>,
  fields: ReadonlyArray<Field>,
  path: string
): string | null => {
  const field = fields.find((field) => field.kind === "examination")
  if (field === undefined) return null
  const found = value[field.name]
  const at = `${path}.${field.name}`
  // An array is never null (§2); a missing text is.
  if (found === null) return value["value_type"] === "complex" ? `The ${at} field must be an array.` : null
  if (value["value_type"] === "text") return typeof found === "string" ? null : `The ${at} field must be a string.`
  if (value["value_type"] !== "complex") return sentences.fieldRequired(`${path}.value_type`)
  if (!Array.isArray(found)) return `The ${at} field must be an array.`
  const wrong = found.findIndex((item) => {
    const entries = isJsonObject(item) ? Object.entries(item) : []
    return entries.length !== 1 || !examinationKeys.includes(entries[0]![0]) || typeof entries[0]![1] !== "string"
  })
  return wrong < 0
    ? null
    : `The ${at}.${wrong} field must be an object with one of the keys ${examinationKeys.join(", ")}.`
}
