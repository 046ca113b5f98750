import { getExisting } from "../../maps.ts"
import type { Field } from "../Field.ts"
import { type FieldPath, visitFields } from "../fields.ts"
import type { ValuePath, VisitProblem } from "../VisitProblem.ts"
import { LeafCheck, type LeafRule } from "./Rule.ts"

/** Reported by `emptyIsWrittenEmpty` and `contentIsGiven`. */
const reported: ReadonlySet<string> = new Set(
  ("patient.nationality patient.disabilities patient.photos visit_type patient.sex patient.birthdate "
    + "vital_signs.observations.name vital_signs.observations.value medical_histories.name physical_examinations.name "
    + "physical_examinations.value laboratories.results.name laboratories.results.value "
    + "prescriptions.medications.medicine_name invoices.services.service_name invoices.medications.medicine_name")
    .split(" ")
)

const showsNoNull = ({ kind, mandatory, nullable, optional, showsNull }: Field): boolean =>
  nullable && !mandatory && !optional && showsNull !== true && kind !== "list" && kind !== "strings"

/** The fields of which nulls are counted, with what is reported of them. */
const counted: ReadonlyMap<Field, { readonly path: FieldPath; readonly title: string }> = (() => {
  const found = new Map<Field, { readonly path: FieldPath; readonly title: string }>()
  const walk = (fields: ReadonlyArray<Field>, prefix: string): void => {
    for (const field of fields) {
      const path = prefix + field.name
      if (showsNoNull(field) && !reported.has(path)) {
        found.set(field, { path, title: `\`${field.name}\` is null; the specification does not show null here` })
      }
      if (field.fields !== undefined) walk(field.fields, `${path}.`)
    }
  }
  walk(visitFields, "")
  return found
})()

class ShownNulls extends LeafCheck {
  readonly #found = new Map<Field, { times: number }>()

  see(_value: unknown, field: Field, path: () => ValuePath): void {
    const known = this.#found.get(field)
    if (known !== undefined) {
      known.times++
      return
    }
    const { expected, mayBeNull, required } = this.settings
    const { path: name, title } = getExisting(counted, field)
    const problem = {
      code: "null-field",
      severity: "warning",
      path: path(),
      title,
      times: 1
    } satisfies VisitProblem
    this.#found.set(field, problem)
    if (!mayBeNull.includes(name) && !expected.includes(name) && !required.includes(name)) this.report(problem)
  }
}

/**
 * §2: missing values are sent as null, so a null is not an error by itself. If the specification does not show one, a warning is reported
 * once for each field of a visit. Fields that the settings expect or allow to be null, and fields where a null is an error, are excluded.
 */
export const nullsAreShown: LeafRule = {
  isAbout: (field) => counted.has(field),
  sees: "nulls",
  Check: ShownNulls
}
