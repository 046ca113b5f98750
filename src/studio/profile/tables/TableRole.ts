import type { ColumnProfile, ForeignKey, TableProfile } from "./facts/TableProfile.ts"

/** A column with its name in the mapping. */
export interface Declared {
  readonly name: string
  readonly column: ColumnProfile
  readonly yaml: string
  /** Why the declaration may be wrong. */
  readonly doubt?: string
  /** What only people can say about the cells, instead of a doubt. */
  readonly question?: string
  /** The column of the time of day, if the date is in another column. */
  readonly clock?: string
}

/** A link from the rows of a table to the rows of another, with its name in the mapping. */
export interface TableLink {
  readonly name: string
  readonly foreignKey: ForeignKey
  /** The name of the other table in the mapping. */
  readonly target: string
}

/** A file and its table name in the mapping. */
export interface Role {
  readonly table: TableProfile
  readonly name: string
  readonly columns: ReadonlyArray<Declared>
  readonly links: ReadonlyArray<TableLink>
}

/** How the export writes dates: whether the day or the month comes first, and whether some column proves it. */
export interface DateOrder {
  readonly daysFirst: boolean
  readonly sure: boolean
  /** Years with two digits are Buddhist. */
  readonly shortBuddhist: boolean
}

/** Returns the column with a name in the mapping. */
export const columnOf = (role: Role | undefined, name: string): Declared | undefined =>
  role?.columns.find((column) => column.name === name)

export const hasColumn = (role: Role | undefined, name: string): boolean => columnOf(role, name) !== undefined

/** Returns the codes of a column that may be shown, with their counts. */
export const columnCodesAt = (role: Role | undefined, name: string): ColumnProfile["codes"] =>
  columnOf(role, name)?.column.codes ?? []

/** Returns the key column of a table. */
export const keyColumnOf = ({ columns, table }: Role): Declared | undefined =>
  columns.find(({ column }) => column.name === table.keys[0])

/** Returns the link by which rows refer to their visit or their patient. */
export const linkTo = ({ links }: Role, name: "visit" | "patient"): TableLink | undefined =>
  links.find((link) => link.name === name)

/** Whether rows refer to their visit. */
export const namesVisit = (role: Role): boolean => linkTo(role, "visit") !== undefined

/** Whether a link leads to visits or patients, not to a table of names. */
export const leadsToPerson = ({ target }: TableLink): boolean => target === "visit" || target === "patient"

/** Whether a table is neither that of the visits nor that of the patients. */
export const isOther = ({ name }: Role): boolean => name !== "visit" && name !== "patient"

/** The tables of the canonical extract. */
export const canonicalTables: ReadonlySet<string> = new Set(
  ("visit patient identifications triages vital_signs medical_histories physical_examinations outpatients inpatients emergencies "
    + "surgeries progress_notes soaps laboratories imageries diagnosis consultations prescriptions invoices referrals")
    .split(" ")
)
