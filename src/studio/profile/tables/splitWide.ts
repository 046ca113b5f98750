import { columnWordsOf, isIdentifier, isRowNumber, isVisitColumnName, namesPatient } from "./columnWords.ts"
import { isPersonColumn, patientsOf, visitBegins, visitsOf } from "./findRoles.ts"
import type { ColumnProfile, TableProfile } from "./TableProfile.ts"

/** The tables of an export, after a table that holds several things is split. */
interface SplitTables {
  readonly tables: ReadonlyArray<TableProfile>
  readonly patients: TableProfile | undefined
  readonly visits: TableProfile | undefined
}

/**
 * Finds the tables of patients and of visits. A small hospital often exports one wide table, with one row for each visit and its patient.
 * Each row is then a patient and a visit, and a column that belongs to the one is empty in the other.
 */
export const splitWide = (tables: ReadonlyArray<TableProfile>): SplitTables => {
  const patients = patientsOf(tables)
  const visits = visitsOf(tables, patients)
  const wide = visits === undefined ? (patients ?? tables.find(isWide)) : patients === undefined ? visits : undefined
  if (wide === undefined || !isWide(wide)) return { tables, patients, visits }
  const who = patientColumn(wide)
  const people = new Set(wide.columns.filter((column) => column !== who && isPersonColumn(column, wide)))
  // A list is numbered again each time it is printed, so its numbers are not visit codes.
  const keys = wide.keys.filter((key) => key !== who?.name && !isRowNumber(key))
  const name = freeName("patient", tables)
  const ofVisits: TableProfile = {
    ...wide,
    keys,
    links: who === undefined
      ? wide.links
      : [...wide.links, { column: who.name, table: name, key: who.name, orphans: 0, byName: true }],
    columns: wide.columns.map((column) => (people.has(column) ? emptied(column) : column))
  }
  if (who === undefined) {
    const visits: TableProfile = { ...wide, keys }
    return { tables: tables.map((table) => (table === wide ? visits : table)), patients: undefined, visits }
  }
  const { pair: _pair, ...whole } = wide
  const ofPeople: TableProfile = {
    ...whole,
    name,
    keys: [who.name],
    links: [],
    columns: wide.columns.map((column) => (column === who || people.has(column) ? column : emptied(column)))
  }
  return {
    tables: tables.flatMap((table) => (table === wide ? [ofVisits, ofPeople] : [table])),
    patients: ofPeople,
    visits: ofVisits
  }
}

/** Whether a row states the patient and the time. */
const isWide = (table: TableProfile): boolean =>
  visitBegins(table) !== undefined &&
  table.columns.filter((column) => isPersonColumn(column, table)).length > 1

/** Finds the column that identifies the patient: named after the patient or a register of them, and filled in every row. */
const patientColumn = ({ columns, rows }: TableProfile): ColumnProfile | undefined => {
  const candidates = columns.filter(({ filled, kind, name }) =>
    filled === rows && (kind === "text" || kind === "code" || kind === "integer") && !isVisitColumnName(name) &&
    !isRowNumber(name) && !/\bname\b/u.test(columnWordsOf(name))
  )
  return candidates.find(({ name }) => namesPatient(name)) ??
    candidates.find(({ name }) => isIdentifier(name))
}

const emptied = (column: ColumnProfile): ColumnProfile => ({
  ...column,
  kind: "empty",
  filled: 0,
  codes: [],
  withheld: 0,
  dates: []
})

const freeName = (expected: string, tables: ReadonlyArray<TableProfile>): string =>
  tables.some(({ name }) => name === expected) ? freeName(`${expected}_2`, tables) : expected
