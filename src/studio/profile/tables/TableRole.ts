import type { ColumnProfile, ForeignKey, TableProfile } from "./TableProfile.ts"

/** A column with its name in the mapping. */
export interface Declared {
  readonly name: string
  readonly column: ColumnProfile
  readonly yaml: string
  /** Why the declaration may be wrong. */
  readonly doubt?: string
  /** The column of the time of day, if the date is in another column. */
  readonly clock?: string
}

/** A file and its table name in the mapping. */
export interface Role {
  readonly table: TableProfile
  readonly name: string
  readonly columns: ReadonlyArray<Declared>
  readonly links: ReadonlyArray<readonly [name: string, link: ForeignKey, target: string]>
}

/** Whether the day or the month comes first, and whether some column proves it. */
export interface Order {
  readonly daysFirst: boolean
  readonly sure: boolean
}

/** Whether a table has a column of this name. */
export const hasColumn = (role: Role | undefined, name: string): boolean =>
  role?.columns.some((column) => column.name === name) === true

/** Returns the codes of a column, if it has any. */
export const columnCodesAt = (role: Role | undefined, name: string) =>
  role?.columns.find((column) => column.name === name)?.column.codes ?? []

/** The tables of the canonical extract. */
export const canonicalColumn: ReadonlySet<string> = new Set(
  ("visit patient identifications triages vital_signs medical_histories physical_examinations outpatients inpatients emergencies "
    + "surgeries progress_notes soaps laboratories imageries diagnosis consultations prescriptions invoices referrals")
    .split(" ")
)
