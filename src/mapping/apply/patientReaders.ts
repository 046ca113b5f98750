import type { ComponentPlan, FieldPlan, MappingPlan, PathPlan } from "../MappingPlan.ts"

/** A section that reads records of a type from the patient, independent of the visit they refer to, with its conditions for a record. */
interface PatientReader {
  /** `medical_histories.past-surgical`. */
  readonly name: string
  readonly where: ReadonlyArray<PathPlan>
}

/** Returns the sections that read records of types that belong to the patient rather than to one visit. */
export const patientReaders = ({ grouping, visit }: MappingPlan, type: string): ReadonlyArray<PatientReader> =>
  grouping.patientScope.has(type) ? readersIn(visit, [], type) : []

const readersIn = (
  { branches }: ComponentPlan,
  path: ReadonlyArray<string>,
  type: string
): ReadonlyArray<PatientReader> =>
  branches.flatMap(({ fields, name, rows, where }): ReadonlyArray<PatientReader> => [
    ...(rows.from === "resource" && rows.scope === "patient" && rows.types.includes(type)
      ? [{ name: [...path, ...(name === null ? [] : [name])].join("."), where }]
      : []),
    ...fields.flatMap((field: FieldPlan) =>
      field.kind === "component" ? readersIn(field, [...path, field.name], type) : []
    )
  ])
