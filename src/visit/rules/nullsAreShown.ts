import { getOrMake } from "../../maps.ts"
import type { Field } from "../Field.ts"
import { visitFields } from "../fields.ts"
import type { VisitProblem } from "../VisitProblem.ts"
import { isComponent, type Rule, type UnvalidatedVisit } from "./Rule.ts"

/**
 * §2: missing values are sent as null, so a null is not an error by itself. If the specification does not show one, a warning is reported
 * once for each field of a visit. Fields that the settings expect or allow to be null, and fields where a null is an error, are excluded.
 */
export const nullsAreShown: Rule = (visit, { expected, mayBeNull, required }, report) => {
  const found = new Map<string, { times: number; readonly path: VisitProblem["path"] }>()
  count(visit, visitFields, "", [], (field, path) => {
    getOrMake(found, field, () => ({ times: 0, path: [...path] })).times++
  })
  for (const [field, { path, times }] of found) {
    if (mayBeNull.includes(field) || expected.includes(field) || required.includes(field)) continue
    const name = path.at(-1)
    report({
      code: "null-field",
      severity: "warning",
      path,
      title: `\`${name}\` is null; the specification does not show null here`,
      times
    })
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

const count = (
  value: UnvalidatedVisit,
  fields: ReadonlyArray<Field>,
  prefix: string,
  path: Array<string | number>,
  see: (field: string, path: ReadonlyArray<string | number>) => void
): void => {
  const at = path.length
  for (const field of fields) {
    const inner = value[field.name]
    path[at] = field.name
    if (inner === null) {
      const name = prefix + field.name
      if (showsNoNull(field) && !reported.has(name)) see(name, path)
    } else if (field.fields !== undefined && isComponent(inner)) {
      const below = `${prefix}${field.name}.`
      if (Array.isArray(inner)) {
        for (let index = 0; index < inner.length; index++) {
          const entry: unknown = inner[index]
          if (!isComponent(entry)) continue
          path[at + 1] = index
          count(entry, field.fields, below, path, see)
        }
        path.length = at + 1
      } else count(inner, field.fields, below, path, see)
    }
  }
  path.length = at
}
