import type { ColumnFacts } from "../columns/ColumnFacts.ts"
import {
  begins,
  born,
  columnWordsOf,
  ends,
  isIdentifier,
  isNumberOfYear,
  isVisitColumnName,
  isYear,
  namesPartOfVisits,
  namesPatient,
  otherTimes
} from "../words/columnWords.ts"
import type { TableProfiler } from "./TableProfiler.ts"

/** A table with its unique lower-case name and its possible keys. */
export interface KeyedTable {
  readonly profiler: TableProfiler
  readonly name: string
  readonly keys: ReadonlyArray<ColumnFacts>
  /** The only key, if a few rows have no value for it, or that of another. */
  readonly likely: ColumnFacts | undefined
  /** The only key numbers the visits, and some have several rows: the columns that differ between these. */
  readonly visitRows?: ReadonlySet<ColumnFacts>
  /** If it has no key: two columns that are unique together. */
  readonly pair: readonly [ColumnFacts, ColumnFacts] | undefined
}

/**
 * Keys that many rows repeat. In a table of people they are faults. In a table whose rows with one visit number have one patient and one
 * beginning, they are visits on several rows. Neither is a key if another table has these visits or people.
 */
export const withRepeatedKeys = (tables: ReadonlyArray<KeyedTable>): ReadonlyArray<KeyedTable> => {
  const isElsewhere = (column: ColumnFacts, table: KeyedTable, isOne: (other: KeyedTable) => boolean): boolean =>
    tables.some((other) =>
      other !== table && isOne(other) && other.keys.some((key) => {
        const { found, values } = column.values.within(key.values)
        return found > 0 && found * 10 >= values * 9
      })
    )
  const people = tables.some(({ keys, profiler }) => profiler.isPeople && keys.length > 0)
  const visits = tables.flatMap((table) => {
    const found = visitsOnRowsOf(table)
    return found === undefined || isElsewhere(found.column, table, isOfVisits) ? [] : [{ table, ...found }]
  }).toSorted((one, other) =>
    Number(isMainTable(other.table.profiler.label)) -
      Number(isMainTable(one.table.profiler.label)) ||
    other.column.values.different - one.column.values.different
  )[0]
  return tables.map((table) => {
    if (table === visits?.table) {
      const { pair: _pair, ...others } = table
      return { ...others, keys: [visits.column], likely: undefined, pair: undefined, visitRows: visits.varying }
    }
    const likely = people ? undefined : repeatedPersonOf(table)
    return likely === undefined || isElsewhere(likely, table, ({ profiler }) => profiler.isPeople)
      ? table
      : { ...table, keys: [likely], likely, pair: undefined }
  })
}

/** Whether a table is named after visits, or has their beginnings. */
const isOfVisits = ({ profiler: { columns, label } }: KeyedTable): boolean =>
  isMainTable(label) ||
  columns.some(({ datedCells, name }) => datedCells > 0 && begins.test(columnWordsOf(name)))

/** Finds the column that numbers the visits of a table with several rows for a visit, and the columns that differ in these. */
const visitsOnRowsOf = ({ keys, profiler }: KeyedTable): ReturnType<typeof profiledRows> => {
  if (keys.some(({ name }) => isVisitColumnName(name))) return undefined
  return profiledRows(profiler)
}

const profiledRows = (profiler: TableProfiler) =>
  profiler.visitsOnRows.find(({ column, varying }) => {
    const same = profiler.columns.filter((one) => one.filled > 0 && !varying.has(one))
    return column.filled === profiler.rows &&
      same.some(({ name }) => namesPatient(name) || isIdentifier(name)) &&
      same.some(({ datedCells, name }) => {
        const words = columnWordsOf(name)
        return datedCells > 0 && !born.test(words) &&
          (begins.test(words) || !ends.test(words) && !otherTimes.test(words))
      })
  })

/** Finds the column that numbers the people of a table that repeats many of them. */
const repeatedPersonOf = ({ keys, profiler }: KeyedTable): ColumnFacts | undefined =>
  keys.length > 0 || !profiler.isPeople || profiler.rows < 4 ||
    profiler.columns.some(({ name }) => isVisitColumnName(name) || begins.test(columnWordsOf(name)))
    ? undefined
    : profiler.columns.find((column) =>
      namesPatient(column.name) && column.datedCells === 0 && column.decimals === 0 &&
      faultsOf(column, profiler) * 2 <= profiler.rows
    )

/** About how many rows have no value in a column, or that of another row. */
export const faultsOf = ({ filled, values }: ColumnFacts, { rows }: TableProfiler): number =>
  rows - filled + Math.round(filled * values.repeats)

/** Whether two columns of a table of visits are the number of a visit and its year. */
export const isNumberAndYear = (
  pair: readonly [ColumnFacts, ColumnFacts],
  { label }: Pick<TableProfiler, "label">
): boolean =>
  isMainTable(label) && pair.some(({ name }) => isNumberOfYear(name)) && pair.some(({ name }) => isYear(name))

/** Whether a table has the name of a table of people or visits. */
export const isMainTable = (label: string): boolean => mainTable.test(columnWordsOf(label)) && !namesPartOfVisits(label)

const mainTable =
  /\b(?:patients?|persons?|visits?|encounters?|consultations?|appointments?|admissions?|attendances?|episodes?|ovst|opd|ipd|passages?|sejours?|visites?|hospitalisations?|atenciones|consultas|ingresos|kunjungan|luot kham)\b/u
