import type { Field } from "../Field.ts"
import { type FieldPath, visitFields } from "../fields.ts"
import type { VisitProblem } from "../VisitProblem.ts"
import { isComponent, type Rule, type UnvalidatedVisit } from "./Rule.ts"

/**
 * §2: missing values are sent as null, so a null is not an error by itself. If the specification does not show one, a warning is reported
 * once for each field of a visit. Fields that the settings expect or allow to be null, and fields where a null is an error, are excluded.
 */
export const nullsAreShown: Rule = (visit, { expected, mayBeNull, required }, report) => {
  const found = new Map<CountedField, { times: number; readonly path: VisitProblem["path"] }>()
  count(visit, countedFields, [], (field, path) => {
    const known = found.get(field)
    if (known === undefined) found.set(field, { times: 1, path: [...path] })
    else known.times++
  })
  for (const [{ field, title }, { path, times }] of found) {
    if (mayBeNull.includes(field) || expected.includes(field) || required.includes(field)) continue
    report({ code: "null-field", severity: "warning", path, title, times })
  }
}

/** Reported by `emptyIsWrittenEmpty` and `contentIsGiven`. */
const reported: ReadonlySet<string> = new Set([
  "patient.nationality",
  "patient.disabilities",
  "patient.photos",
  "visit_type",
  "patient.sex",
  "patient.birthdate",
  "vital_signs.observations.name",
  "vital_signs.observations.value",
  "medical_histories.name",
  "physical_examinations.name",
  "physical_examinations.value",
  "laboratories.results.name",
  "laboratories.results.value",
  "prescriptions.medications.medicine_name",
  "invoices.services.service_name",
  "invoices.medications.medicine_name"
])

const showsNoNull = ({ kind, mandatory, nullable, optional, showsNull }: Field): boolean =>
  nullable && !mandatory && !optional && showsNull !== true && kind !== "list" && kind !== "strings"

/** A field with what is reported of it. Both are the same for all visits. */
interface CountedField {
  readonly name: string
  readonly field: FieldPath
  readonly title: string
  /** A null is counted. */
  readonly isCounted: boolean
  readonly fields: ReadonlyArray<CountedField> | undefined
}

const counted = (fields: ReadonlyArray<Field>, prefix: string): ReadonlyArray<CountedField> =>
  fields.map((field) => ({
    name: field.name,
    field: prefix + field.name,
    title: `\`${field.name}\` is null; the specification does not show null here`,
    isCounted: showsNoNull(field) && !reported.has(prefix + field.name),
    fields: field.fields === undefined ? undefined : counted(field.fields, `${prefix}${field.name}.`)
  }))

const countedFields = counted(visitFields, "")

const count = (
  value: UnvalidatedVisit,
  fields: ReadonlyArray<CountedField>,
  path: Array<string | number>,
  see: (field: CountedField, path: ReadonlyArray<string | number>) => void
): void => {
  const at = path.length
  for (const field of fields) {
    const inner = value[field.name]
    if (inner === null) {
      path[at] = field.name
      if (field.isCounted) see(field, path)
    } else if (field.fields !== undefined && isComponent(inner)) {
      path[at] = field.name
      if (Array.isArray(inner)) {
        for (let index = 0; index < inner.length; index++) {
          const entry: unknown = inner[index]
          if (!isComponent(entry)) continue
          path[at + 1] = index
          count(entry, field.fields, path, see)
        }
        path.length = at + 1
      } else count(inner, field.fields, path, see)
    }
  }
  path.length = at
}
