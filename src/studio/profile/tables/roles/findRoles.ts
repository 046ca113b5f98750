import { isType } from "../../../../fhirpath/infer/Model.ts"
import { declareColumn, withTimes } from "../declareTable.ts"
import type { ColumnProfile, TableProfile } from "../facts/TableProfile.ts"
import { canonicalTables, type DateOrder, type Declared, type Role } from "../TableRole.ts"
import {
  born,
  columnWordsOf,
  isKeyName,
  namesCurrency,
  namesField,
  namesLess,
  namesOtherState,
  namesState,
  namesTimeOfDay,
  namesVoid,
  ownWordsOf
} from "../words/columnWords.ts"
import { columnsOfPatients, columnsOfVisits } from "./knownColumns.ts"

/** Returns whether the day or the month comes first in the dates of an export, and the calendar of years with two digits. */
export const dateOrderOf = (tables: ReadonlyArray<TableProfile>): DateOrder => {
  const sure = tables.flatMap(({ columns }) => columns.flatMap(({ dates }) => dates)).filter(({ ambiguous, mixed }) =>
    !ambiguous && !mixed
  )
  const of = (form: RegExp) => sure.filter(({ format }) => form.test(format)).length
  const days = of(/^DD?[/.-]/u)
  const months = of(/^MM?[/.-]/u)
  const shortBuddhist = tables.some(({ columns }) =>
    columns.some(({ dates, name }) =>
      !born.test(columnWordsOf(name)) && dates.some((form) => form.shortBuddhist === true)
    )
  )
  return { daysFirst: days >= months, sure: (days > 0) !== (months > 0), shortBuddhist }
}

interface Roles {
  readonly patients: TableProfile | undefined
  readonly visits: TableProfile | undefined
  readonly order: DateOrder
}

/** Names each table and each of its columns. */
export const rolesOf = (tables: ReadonlyArray<TableProfile>, roles: Roles): ReadonlyArray<Role> => {
  const taken = new Set(["visit", "patient"])
  const tableNames = tables.map((table) => {
    if (table === roles.visits) return { table, name: "visit" }
    if (table === roles.patients) return { table, name: "patient" }
    // The tables of the canonical extract have fixed columns, so another table gets a different name.
    let name = canonicalTables.has(table.name) || taken.has(table.name) || isType(table.name)
      ? `${table.name}_table`
      : table.name
    while (taken.has(name)) name += "_2"
    taken.add(name)
    return { table, name }
  })
  return tableNames.map(({ name, table }): Role => {
    const currency = currencyOf(table)
    const own = new Map<ColumnProfile, string>([
      // The check of currencies reads the column of this name.
      ...(currency === undefined ? [] : [[currency, "currency"] as const]),
      ...(name === "visit"
        ? columnsOfVisits(table, roles.patients, tables)
        : name === "patient"
        ? columnsOfPatients(table)
        : [])
    ])
    const links = linksOf(table, [name, ...own.values()], tableNames)
    const references = new Set(
      links.flatMap(({ foreignKey }) => (foreignKey.beside === undefined ? [foreignKey.column] : []))
    )
    const used = new Set([...own.values(), ...links.map((link) => link.name), name, "id", "row", "version"])
    const columns = table.columns.flatMap((column, at): ReadonlyArray<Declared> => {
      const known = own.get(column)
      const isRead = column.kind !== "empty" || known !== undefined || isOfSeries(column, table) ||
        name !== "patient" && (mayCancel(column) || isSignBesideOthers(column, table)) ||
        name !== "visit" && name !== "patient" && isComing(column)
      if (!isRead) return []
      // A column `id` is the key of its table; otherwise it is renamed.
      const isId = column.name === table.keys[0] && plainName(column.name) === "id" && !references.has(column.name)
      const called = known ?? (isId ? "id" : freeName(column.name, at, used))
      used.add(called)
      return [declareColumn({ name: called, column, at, table, order: roles.order })]
    })
    return { table, name, columns: withTimes(columns, roles.order), links }
  })
}

/** Finds the column of the currencies of amounts: one of that name, or of a similar name without other codes than those of currencies. */
const currencyOf = (table: TableProfile): ColumnProfile | undefined =>
  table.columns.find(({ filled, name }) => filled > 0 && plainName(name) === "currency") ??
    table.columns.find(({ codes, kind, name }) =>
      kind === "code" && namesCurrency(name) && codes.filter(([code]) => isCurrency(code)).length * 2 >= codes.length
    )

/** Whether a code is that of a currency (ISO 4217). */
const isCurrency = (code: string): boolean => Intl.supportedValuesOf("currency").includes(code.toUpperCase())

/**
 * Whether another column whose name differs only in its number is filled: `diag5` is empty until a visit has five diagnoses. Or it has the
 * doses of another time of day.
 */
const isOfSeries = ({ name }: ColumnProfile, { columns }: TableProfile): boolean => {
  if (namesTimeOfDay(name) && columns.some((other) => other.filled > 0 && namesTimeOfDay(other.name))) return true
  const series = /^(.*\D)\d{1,2}$/u.exec(name)?.[1]
  return series !== undefined &&
    columns.some((other) => other.name !== name && other.filled > 0 && other.name.replace(/\d{1,2}$/u, "") === series)
}

/** Whether a column without a value so far is named after a vital sign, or a size in a unit, next to others with values. */
const isSignBesideOthers = (column: ColumnProfile, { columns }: TableProfile): boolean =>
  column.filled === 0 && isMeasured(column) && column.assumedUnit === undefined &&
  columns.some((other) => other.filled > 0 && isMeasured(other))

const isMeasured = ({ pressures, size, vital }: ColumnProfile): boolean =>
  pressures === true || size !== undefined || vital !== undefined

/** Whether a column that has no value so far can have one that is sent, or that changes an amount. */
const isComing = ({ different, name }: ColumnProfile): boolean =>
  different === 0 && (namesLess(name) || namesField(name))

/** Whether a value of a column that has none so far can mean that its row is cancelled. */
const mayCancel = ({ different, name }: ColumnProfile): boolean =>
  different === 0 && (namesVoid(name) || namesState(name) && !namesOtherState(name))

/** Names links after their target. If two links have one target, or it has a name of `own`, the link is named after its column. */
const linksOf = (
  table: TableProfile,
  own: ReadonlyArray<string>,
  tableNames: ReadonlyArray<{ readonly table: TableProfile; readonly name: string }>
): Role["links"] => {
  const taken = new Set<string>()
  return table.links.flatMap((foreignKey) => {
    const target = tableNames.find(({ table }) => table.name === foreignKey.table)
    if (target === undefined || (target.table.keys[0] ?? target.table.pair?.[0]) !== foreignKey.key) return []
    let { name } = target
    if (taken.has(name) || own.includes(name)) name = `${plainName(foreignKey.column) ?? "row"}_of_${target.name}`
    if (taken.has(name)) return []
    taken.add(name)
    return [{ name, foreignKey, target: target.name }]
  })
}

const plainName = (name: string): string | undefined => {
  const plain = [ownWordsOf(name), columnWordsOf(name)].map((words) =>
    words.replaceAll(/[^a-z0-9 ]+/gu, "").trim().replaceAll(/ +/gu, "_")
  )
  return plain.find((one) => /^[a-z][a-z0-9_]*$/u.test(one))
}

const freeName = (name: string, at: number, used: ReadonlySet<string>): string => {
  const plain = plainName(name) ?? `column_${at + 1}`
  if (!used.has(plain)) return plain
  let free = `${plain}_${isKeyName(name) ? "no" : "id"}`
  while (used.has(free)) free += "_2"
  return free
}
