import { plural } from "../../../diagnostic/count.ts"
import { printable } from "../../../diagnostic/render/printable.ts"
import { fileNamesOf } from "./facts/alikeFiles.ts"
import type { ColumnProfile, TableProfile } from "./facts/TableProfile.ts"
import { patientsOf, visitsOf } from "./roles/findTables.ts"
import { isPersonColumn, timesAndPatient, visitBegins } from "./roles/knownColumns.ts"
import {
  columnWordsOf,
  isIdentifier,
  isKeyName,
  isRank,
  isRowNumber,
  isVisitColumnName,
  namesDiagnosis,
  namesMember,
  namesPatient,
  namesPerson,
  namesThing
} from "./words/columnWords.ts"
import { statesOfDiagnoses } from "./words/statusWords.ts"

/** The tables of an export, after a table that holds several things is split. */
interface SplitTables {
  readonly tables: ReadonlyArray<TableProfile>
  readonly patients: TableProfile | undefined
  readonly visits: TableProfile | undefined
  /** What only people know about rows that are several for one visit, each with how to answer it. */
  readonly questions: ReadonlyArray<readonly [question: string, answer: string]>
}

/**
 * Finds the tables of patients and of visits. A small hospital often exports one wide table, with one row for each visit and its patient.
 * Each row is then a patient and a visit, and a column that belongs to the one is empty in the other.
 */
export const splitWide = (tables: ReadonlyArray<TableProfile>): SplitTables => {
  const split = splitPeople(tables)
  const { visits } = split
  if (visits?.visitRows === undefined) return { ...split, questions: [] }
  const [key = ""] = visits.keys
  const rows = `${plural(visits.visitRows.repeats, "row")} of ${namesOf(visits)} ${
    visits.visitRows.repeats === 1 ? "repeats" : "repeat"
  } the \`${printable(key)}\` of another`
  const conflicts = conflictsIn(visits, split.patients)
  if (conflicts.length > 0) {
    return {
      ...split,
      questions: [[
        `which rows are right? ${rows}, with other values in ${listOf(conflicts)}`,
        "Their visits are rejected: export one row for each visit"
      ]]
    }
  }
  const { diagnoses, ofVisits, others } = splitRows(visits, split.tables)
  const isCombined = diagnoses.length > 0 && others.length > 0 && !areApart(visits, diagnoses, others, key)
  return {
    ...split,
    tables: split.tables.flatMap((table) =>
      table === visits
        ? [
          ofVisits,
          ...diagnoses.map((one) => isCombined ? { ...one, isRepeated: true as const } : one),
          ...(isCombined ? [] : others)
        ]
        : [table]
    ),
    visits: ofVisits,
    questions: isCombined
      ? [[
        `is each of ${
          listOf(
            others.flatMap(({ columns }) => columns).filter(({ filled, name }) => filled > 0 && name !== key).map((
              { name }
            ) => name)
          )
        } repeated for each diagnosis? ${rows}, and differ in both. They are not sent`,
        "If not, declare a second table of this file with these columns, and map it"
      ]]
      : [[
        `are these one visit? ${rows}, with the same patient and beginning. They are sent as one visit`,
        "If not, export a number of its own for each visit"
      ]]
  }
}

/** Whether no row has both a diagnosis and another part of a visit. */
const areApart = (
  { visitRows }: TableProfile,
  diagnoses: ReadonlyArray<TableProfile>,
  others: ReadonlyArray<TableProfile>,
  key: string
): boolean => {
  const namesIn = (tables: ReadonlyArray<TableProfile>): ReadonlyArray<string> =>
    tables.flatMap(({ columns }) => columns.flatMap(({ filled, name }) => filled > 0 && name !== key ? [name] : []))
  const ofDiagnoses = new Set(namesIn(diagnoses))
  const ofOthers = new Set(namesIn(others))
  return visitRows?.patterns?.every((pattern) =>
    !(pattern.some((name) => ofDiagnoses.has(name)) && pattern.some((name) => ofOthers.has(name)))
  ) === true
}

const listOf = (names: ReadonlyArray<string>): string => names.map((name) => `\`${printable(name)}\``).join(", ")

const namesOf = (table: TableProfile): string => fileNamesOf(table).map((name) => printable(name)).join(", ")

const splitPeople = (tables: ReadonlyArray<TableProfile>): Omit<SplitTables, "questions"> => {
  const patients = patientsOf(tables)
  // Rows with a number of the visit and one of the patient are visits, although they have birth dates.
  if (patients !== undefined && isWide(patients) && numbersVisits(patients)) return splitTable(patients, tables)
  const visits = visitsOf(tables, patients)
  const wide = visits === undefined ? (patients ?? tables.find(isWide)) : patients === undefined ? visits : undefined
  return wide === undefined || !isWide(wide) ? { tables, patients, visits } : splitTable(wide, tables)
}

/** Whether a column numbers the rows of a table as visits, and another has a number of the patient. */
const numbersVisits = (table: TableProfile): boolean => {
  const [key = ""] = table.keys
  const who = patientColumn(table)
  return isVisitColumnName(key) && !namesPatient(key) && who !== undefined && namesPatient(who.name)
}

const splitTable = (wide: TableProfile, tables: ReadonlyArray<TableProfile>): Omit<SplitTables, "questions"> => {
  const who = patientColumn(wide)
  const people = new Set(wide.columns.filter((column) => column !== who && isPersonColumn(column, wide)))
  // A list is numbered again each time it is printed, so its numbers are not visit codes. A patient can return.
  const keys = wide.keys.filter((key) =>
    key !== who?.name && !isRowNumber(key) && !namesPerson(key) && ![...people].some(({ name }) => name === key)
  )
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
  const { pair: _pair, visitRows: _rows, ...whole } = wide
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

/**
 * Splits a table with several rows for a visit into two. The visits have the columns that are the same in all rows of a visit, and the parts
 * of visits have the others.
 */
const splitRows = (visits: TableProfile, tables: ReadonlyArray<TableProfile>) => {
  const [key = ""] = visits.keys
  const varying = new Set(visits.visitRows?.varying)
  const states = statesOfDiagnoses(visits)
  const isOfDiagnosis = (column: ColumnProfile): boolean => states.includes(column) || holdsDiagnosis(column)
  const isListed = visits.columns.some((column) => varying.has(column.name) && holdsDiagnosis(column))
  // Quantities, and whether diagnoses are certain, may be the same in the sample by chance.
  const varies = (column: ColumnProfile): boolean =>
    column.filled > 0 && (varying.has(column.name) || varying.size > 0 && isQuantity(column.name) ||
      isListed && states.includes(column))
  const ofVisits: TableProfile = {
    ...visits,
    links: visits.links.filter(({ column }) => !varying.has(column)),
    columns: visits.columns.map((column) => varies(column) ? emptied(column) : column)
  }
  const { pair: _pair, visitRows: _rows, ...whole } = visits
  const part = (name: string, isIn: (column: ColumnProfile) => boolean): ReadonlyArray<TableProfile> => {
    const columns = visits.columns.filter((column) => varies(column) && isIn(column))
    return columns.length === 0 ? [] : [{
      ...whole,
      name: freeName(name, tables),
      isPart: true,
      keys: columns.filter(({ name, unique }) => unique && isKeyName(name) && !isRowNumber(name)).map(({ name }) =>
        name
      ),
      links: [
        { column: key, table: visits.name, key, orphans: 0, byName: true },
        ...visits.links.filter(({ column }) => columns.some(({ name }) => name === column))
      ],
      columns: visits.columns.map((column) =>
        column.name === key || columns.includes(column) ? column : emptied(column)
      )
    }]
  }
  const isOther = (column: ColumnProfile): boolean => !isOfDiagnosis(column) && !isRowNumber(column.name)
  const hasDiagnoses = visits.columns.some((column) => varies(column) && isOfDiagnosis(column))
  // Without other columns, a rank is that of a diagnosis.
  const hasOthers = visits.columns.some((column) => varies(column) && isOther(column) && !isRank(column.name))
  const isRanked = hasDiagnoses && !hasOthers
  return {
    ofVisits,
    diagnoses: part(`${visits.name}_diagnoses`, (column) => isOfDiagnosis(column) || isRanked && isRank(column.name)),
    others: isRanked ? [] : part(`${visits.name}_rows`, isOther)
  }
}

/** The columns of what a visit has once in which rows of one visit differ: then nothing shows which row is right. */
const conflictsIn = (visits: TableProfile, patients: TableProfile | undefined): ReadonlyArray<string> => {
  const ofPeople = patients?.file === visits.file ? patients : visits
  const once = new Set([
    ...timesAndPatient(visits, patients),
    ...ofPeople.columns.filter((column) => isPersonColumn(column, ofPeople))
  ])
  const varying = new Set(visits.visitRows?.varying)
  return [...once].map(({ name }) => name).filter((name) => varying.has(name))
}

const isQuantity = (name: string): boolean => /^(?:qty|quantity|cantidad|quantite)$/u.test(columnWordsOf(name))

const holdsDiagnosis = ({ diagnoses, name, unique }: ColumnProfile): boolean =>
  diagnoses !== undefined && !unique && !namesThing(name) || namesDiagnosis(name)

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
    candidates.find(({ name }) => isIdentifier(name)) ??
    candidates.find(({ digits = 0, name, numbers }) => namesMember(name) && (numbers === 0 || digits > 6))
}

/** A column of another part of a wide table: this part has nothing of it. */
const emptied = (
  { conversion: _conversion, pressures: _pressures, size: _size, vital: _vital, ...column }: ColumnProfile
): ColumnProfile => ({
  ...column,
  kind: "empty",
  filled: 0,
  codes: [],
  withheld: 0,
  dates: []
})

const freeName = (expected: string, tables: ReadonlyArray<TableProfile>): string =>
  tables.some(({ name }) => name === expected) ? freeName(`${expected}_2`, tables) : expected
