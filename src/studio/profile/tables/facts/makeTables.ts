import { mostFrequentFirst } from "../../../../maps.ts"
import { foldedName } from "../../../../source/tables/rows/findDialect.ts"
import { kindOfLine } from "../../../../visit/rules/kindOfLine.ts"
import { mayBeName } from "../../mayBeShown.ts"
import type { ColumnFacts } from "../columns/ColumnFacts.ts"
import type { DateShape } from "../columns/DateShapes.ts"
import { signsIn, withSigns } from "../columns/decimalSigns.ts"
import { isKnownMeaning, isSide } from "../columns/guessColumn.ts"
import { measureOf, stonesOf } from "../columns/measureOf.ts"
import { isNamedAfterVisits } from "../roles/findTables.ts"
import { namesEnd } from "../roles/knownColumns.ts"
import {
  born,
  columnWordsOf,
  comparisons,
  isAmount,
  isCalledCoded,
  isCommonCode,
  isComparison,
  isIdentifier,
  isKeyName,
  isMeasure,
  isNoWord,
  isPersonal,
  isRank,
  isRowNumber,
  isVisitColumnName,
  isYesWord,
  mentionsVisit,
  namesComparison,
  namesDate,
  namesHospital,
  namesNameOfPerson,
  namesPartOfVisits,
  namesPatient,
  namesPressures,
  namesVoid,
  ownWordsOf,
  paidWords,
  sizeNamed,
  vitalSignNamed
} from "../words/columnWords.ts"
import { isWordForCancelled, isWordOfCertainty, isWordOfDoubt } from "../words/statusWords.ts"
import { filesOf } from "./alikeFiles.ts"
import {
  columnLinksOf,
  isCalledExactly,
  isLongNumber,
  ownReferencesOf,
  pairLinksOf,
  type RankedTable,
  throughKey
} from "./findLinks.ts"
import { faultsOf, isMainTable, isNumberAndYear, type KeyedTable, withRepeatedKeys } from "./repeatedKeys.ts"
import type { ColumnKind, ColumnProfile, ForeignKey, TableProfile } from "./TableProfile.ts"
import type { TableProfiler } from "./TableProfiler.ts"

const topCodes = 20

/** Returns the profiles of the table files, with the links between them. */
export const makeTables = (
  profilers: ReadonlyArray<TableProfiler>,
  { everything }: { readonly everything: boolean }
): ReadonlyArray<TableProfile> => {
  const tables = joined(profilers)
  // Names of people are in columns of letters that nothing marks as codes.
  const nameColumns = tables.filter(({ profiler }) => profiler.isPeople).flatMap(({ profiler: { columns } }) =>
    columns.filter((column) => column.letters * 2 > column.filled && !isCalledCoded(column.name))
  )
  const wholeNames = tables.filter(({ profiler }) => profiler.isPeople).flatMap(({ profiler: { columns } }) =>
    columns.filter(({ filled, letters, name }) =>
      letters * 2 > filled && (namesNameOfPerson(name) || /^names?$/u.test(columnWordsOf(name)))
    )
  )
  const ownLinks = new Map(tables.map((table) => [table, columnLinksOf(table, tables)]))
  const allLinks = new Map(
    tables.map((table) => [
      table,
      [...(ownLinks.get(table) ?? []).map((link) => throughKey(link, table, ownLinks)), ...pairLinksOf(table, tables)]
    ])
  )
  /** Whether a pair is a key: it counts rows, or other rows refer to it. Otherwise two equal rows can both be right. */
  const isKey = (pair: NonNullable<KeyedTable["pair"]>, { name, profiler }: KeyedTable): boolean =>
    pair.some((column) => isRank(column.name)) || isNumberAndYear(pair, profiler) ||
    [...allLinks.values()].some((links) => links.some((link) => link.table === name && link.beside !== undefined))
  return withSigns(tables.map((table): TableProfile => {
    const { keys, likely, name, profiler, visitRows } = table
    const pair = table.pair !== undefined && isKey(table.pair, table) ? table.pair : undefined
    const { columns, file, parts, repeatedAmounts, rows, sniffed, unreadable } = profiler
    const read = new Set(
      sniffed.declared.flatMap((layout) =>
        layout.columns.flatMap(({ from }) =>
          from.map((one) => typeof one === "number" ? String(one - 1) : foldedName(one))
        )
      )
    )
    const links = allLinks.get(table) ?? []
    const linked = new Set(links.flatMap(({ beside, column }) => (beside === undefined ? [column] : [])))
    const own = keys.map((key) => key.name)
    const ownReferences = ownReferencesOf(table).filter((column) => !linked.has(column))
    // A reference to another table is a key here only if no other column is. The key that others refer to comes first.
    const referring = (key: string): number =>
      [...allLinks.values()].filter((links) => links.some((link) => link.table === name && link.key === key)).length
    const better = own.filter((name) => !linked.has(name)).toSorted((one, other) => referring(other) - referring(one))
    return {
      file,
      ...(parts.length === 0
        ? {}
        : { several: { count: parts.length, names: filesOf(profiler, tables.flatMap(filesIn)) } }),
      name,
      declared: sniffed.declared.length > 0,
      rows,
      unreadable,
      encoding: sniffed.encoding,
      guessed: sniffed.guessed,
      delimiter: sniffed.delimiter,
      ...(sniffed.headerRow > 1 ? { headerRow: sniffed.headerRow } : {}),
      ...(profiler.head.length === 0 ? {} : { head: profiler.head }),
      keys: better.length > 0 ? better : own,
      ...(likely === undefined || faultsOf(likely, profiler) === 0 ? {} : { keyFaults: faultsOf(likely, profiler) }),
      ...(visitRows === undefined || keys[0] === undefined ? {} : {
        visitRows: {
          repeats: faultsOf(keys[0], profiler),
          varying: [...visitRows].map((column) => column.name),
          ...(profiler.patterns === undefined ? {} : { patterns: profiler.patterns })
        }
      }),
      ...(pair === undefined ? {} : { pair: [pair[0].name, pair[1].name] as const }),
      links,
      ...(ownReferences.length === 0 ? {} : { ownReferences }),
      columns: columns.map((column, at) => ({
        ...columnOf(column, profiler, {
          everything,
          linked: linked.has(column.name),
          likeNames: nameColumns.some((names) => names !== column && isAmong(column, names)),
          ofPeople: !profiler.isPeople && wholeNames.some((names) => isWithin(column, names))
        }),
        ...withBill(repeatedAmounts.get(column)),
        ...withNames(links.find((link) => link.beside === undefined && link.column === column.name), tables),
        ...(sniffed.declared.length === 0 ? {} : { read: read.has(foldedName(column.name)) || read.has(String(at)) })
      }))
    }
  }))
}

/**
 * Returns the tables of the files. Files with the same columns are one table, unless they number their rows alike. Then nothing shows
 * which row another table refers to, so tables with such references are not joined either.
 */
const joined = (profilers: ReadonlyArray<TableProfiler>): ReadonlyArray<RankedTable> => {
  const whole = rankedTables(profilers)
  const apart = new Set(
    whole.filter((table) => repeatsKeys(table, columnLinksOf(table, whole))).map(({ profiler }) => profiler)
  )
  for (;;) {
    const all = rankedTables(profilers.flatMap((one) => apart.has(one) ? one.parts : [one]))
    const ambiguous = new Set(
      all.filter(({ profiler }) => [...apart].some(({ parts }) => parts.includes(profiler))).map(({ name }) => name)
    )
    const more = all.filter((table) =>
      table.profiler.parts.length > 0 && columnLinksOf(table, all).some((link) => ambiguous.has(link.table))
    )
    if (more.length === 0) return all
    for (const { profiler } of more) apart.add(profiler)
  }
}

/** Whether a key of each of a table's files is no key of the whole. A reference to another table may occur in several files. */
const repeatsKeys = ({ keys, profiler }: KeyedTable, links: ReadonlyArray<ForeignKey>): boolean => {
  const [first = [], ...others] = profiler.parts.filter(({ rows }) => rows > 0).map((part) =>
    foundKeysOf(part).keys.map(({ name }) => name)
  )
  const key = first.find((name) =>
    others.every((names) => names.includes(name)) && !links.some(({ column }) => column === name)
  )
  return key !== undefined && !keys.some(({ name }) => name === key)
}

const filesIn = ({ profiler }: KeyedTable): ReadonlyArray<TableProfiler> =>
  profiler.parts.length === 0 ? [profiler] : profiler.parts

/** Whether a column contains the values of another. */
const isAmong = (column: ColumnFacts, other: ColumnFacts): boolean => {
  const { found, values } = column.values.within(other.values)
  return found > 0 && found * 2 >= values
}

/** Whether nearly all values of a column, and several, are values of another. */
const isWithin = (column: ColumnFacts, other: ColumnFacts): boolean => {
  const { found, values } = column.values.within(other.values)
  return found > 2 && found * 10 >= values * 9
}

const rankedTables = (profilers: ReadonlyArray<TableProfiler>): ReadonlyArray<RankedTable> => {
  const keyed = withRepeatedKeys(withKeys(profilers))
  return keyed.map((table) => ({ ...table, keys: sharedFirst(table, keyed), rank: rankOf(table, keyed) }))
}

/**
 * Returns the keys of a table. In a table of visits, a key with values that columns of the same name have comes first. A key that no other
 * table has, such as `hos_guid`, comes after it.
 */
const sharedFirst = ({ keys, profiler }: KeyedTable, all: ReadonlyArray<KeyedTable>): KeyedTable["keys"] => {
  const others = all.flatMap((other) => other.profiler === profiler ? [] : other.profiler.columns)
  const [first] = keys
  if (
    first === undefined || keys.length < 2 || !isNamedAfterVisits(profiler.label) ||
    others.some((column) => isAmong(column, first))
  ) return keys
  const isShared = (key: ColumnFacts): boolean =>
    others.some((column) => isCalledExactly(column.name, key.name) && isAmong(column, key))
  return keys.toSorted((one, other) => Number(isShared(other)) - Number(isShared(one)))
}

const withKeys = (profilers: ReadonlyArray<TableProfiler>): ReadonlyArray<KeyedTable> => {
  const taken = new Set<string>()
  return profilers.map((profiler, at) => {
    const [declared] = profiler.sniffed.declared
    const plain = ownWordsOf(profiler.label).replaceAll(/[^a-z0-9 ]+/gu, "").replaceAll(/(?: \d+)+$/gu, "").trim()
      .replaceAll(" ", "_").replace(/^[^a-z]+/u, "")
    const expected = declared?.name ?? (plain === "" ? `table_${at + 1}` : plain)
    let name = expected
    for (let more = 2; taken.has(name); more++) name = `${expected}_${more}`
    taken.add(name)
    const { keys: all, likely } = foundKeysOf(profiler)
    // A number that each of several rows has is not that of the visit above them.
    const keys = isMainTable(profiler.label) && profiler.head.length > 0
      ? all.filter((key) => profiler.head.includes(key.name))
      : all
    return { profiler, name, keys, likely, pair: keys.length > 0 ? undefined : pairOf(profiler) }
  })
}

const foundKeysOf = (profiler: TableProfiler): Pick<KeyedTable, "keys" | "likely"> => {
  const unique = keysOf(profiler)
  const likely = unique.length > 0 ? undefined : likelyKeyOf(profiler)
  return { keys: likely === undefined ? unique : [likely], likely }
}

/** Whether at least 49 of 50 values match. */
const nearlyAll = (some: number, all: number): boolean => all > 0 && some * 50 >= all * 49

const kindOf = (column: ColumnFacts): ColumnKind => {
  const { clocks, datedCells, decimals, filled, integers, truths, values, zeros } = column
  if (filled === 0) return "empty"
  if (unixFormat(column) !== undefined) return "timestamp"
  if (isDayCount(column)) return decimals > 0 || column.dates.forms().some(({ timed }) => timed) ? "timestamp" : "date"
  if (nearlyAll(datedCells, filled)) return column.dates.forms().some(({ timed }) => timed) ? "timestamp" : "date"
  if (nearlyAll(clocks, filled)) return "clock"
  if (truths === filled && values.different <= 2) return "boolean"
  // As an amount, the 1 of a line that is paid would be what it costs.
  if (integers === filled && column.least >= 0 && column.most <= 1 && paidWords.test(columnWordsOf(column.name))) {
    return "boolean"
  }
  // A measure with typing errors among its numbers is still a measure.
  if (nearlyAll(integers + decimals, filled) || (isMeasure(column.name) && (integers + decimals) * 5 >= filled * 4)) {
    if (decimals > 0) return "decimal"
    return zeros > 0 || !isAmount(column.name) && looksCoded(column) ? "code" : "integer"
  }
  return looksCoded(column) ? "code" : "text"
}

/** Dates as spreadsheet day numbers, in all or some cells: only the column's name distinguishes them from numbers. */
const isDayCount = ({ datedCells, decimals, filled, integers, least, most, name }: ColumnFacts): boolean =>
  filled > 0 && integers + decimals > 0 && nearlyAll(integers + decimals + datedCells, filled) && least >= 7_000 &&
  most <= 80_000 && namesDate(name) && !isKeyName(name)

/**
 * Returns the format of a column of times since 1970: its name and its numbers of this century show it. A day of birth depends on the zone in which
 * it was midnight, which the number does not show.
 */
const unixFormat = ({ filled, integers, least, most, name }: ColumnFacts): "unix" | "unix ms" | undefined => {
  if (filled === 0 || integers !== filled || !namesDate(name) || isKeyName(name) || born.test(columnWordsOf(name))) {
    return undefined
  }
  const isWithin = (perSecond: number): boolean => least >= 946_684_800 * perSecond && most < 4_102_444_800 * perSecond
  return isWithin(1) ? "unix" : isWithin(1000) ? "unix ms" : undefined
}

/** Whether the column has few distinct, short values that repeat. */
const looksCoded = ({ filled, hasManyValues, values, wordy }: ColumnFacts): boolean =>
  !hasManyValues && values.isWhole && !(filled > 2 && values.isUnique) && wordy * 2 < filled &&
  values.different <= Math.max(12, filled / 4)

const formsOf = (column: ColumnFacts): ReadonlyArray<DateShape> => {
  const number = { calendar: "gregorian", ambiguous: false, mixed: false } as const
  const unix = unixFormat(column)
  return unix !== undefined
    ? [{ ...number, format: unix, count: column.integers, timed: true, offset: "Z" }]
    : isDayCount(column)
    ? [
      {
        ...number,
        format: "excel",
        count: column.integers + column.decimals,
        timed: column.decimals > 0,
        offset: "none"
      },
      ...column.dates.forms()
    ]
    : column.datedCells * 2 >= column.filled
    ? column.dates.forms()
    : []
}

interface Showing {
  readonly everything: boolean
  /** The column refers to rows of another table, so its values are not codes. */
  readonly linked: boolean
  /** Its values also occur among people's names in a table of people. */
  readonly likeNames: boolean
  /** Its values are names in a table of people. */
  readonly ofPeople: boolean
}

/** Minimum number of years that births span; visits of one export span fewer. */
const decades = 30

/** The names of the rows to which a column refers, if they are few. */
const withNames = (link: ForeignKey | undefined, tables: ReadonlyArray<KeyedTable>): Pick<ColumnProfile, "names"> => {
  const target = tables.find(({ name }) => name === link?.table)
  const key = target?.profiler.columns.find(({ name }) => name === link?.key)
  const names = key === undefined ? undefined : target?.profiler.namesBy(key)
  return names === undefined || names.size === 0 ? {} : { names }
}

const withBill = (ofBill: ColumnProfile["ofBill"]): Pick<ColumnProfile, "ofBill"> =>
  ofBill === undefined ? {} : { ofBill }

const columnOf = (column: ColumnFacts, table: TableProfiler, showing: Showing): ColumnProfile => {
  const { decimals, guarded, integers, name, padded, scripts, values, zeros } = column
  const minus = minusIn(column)
  const filled = column.filled + minus
  const found = minus > 0 && column.filled === 0 ? "code" : kindOf(column)
  const kind = showing.linked && found === "code" ? "text" : found
  const numbers = integers + decimals
  const mayNameThings = !showing.linked && !isPersonal(name, table)
  const signs = mayNameThings ? namesIn(column, vitalSignNamed) : []
  const sizes = mayNameThings ? namesIn(column, sizeNamed) : []
  const kinds = mayNameThings ? namesIn(column, kindOfLine) : []
  const measured = filled > 0 && nearlyAll(column.stones, filled)
    ? stonesOf(name)
    : numbers * 5 >= filled * 4
    ? measureOf(name, column)
    : undefined
  return {
    name,
    kind,
    filled,
    share: table.rows === 0 ? 0 : Math.round((filled / table.rows) * 1000) / 1000,
    different: values.different,
    estimated: !values.isWhole,
    unique: filled > 0 && values.isUnique,
    dates: formsOf(column),
    ...(column.dates.spanInYears >= decades ? { decades: true as const } : {}),
    ...(column.undated > 0 && !/^(?:date|timestamp|clock)$/u.test(kind)
      ? { unreadDates: column.undated + column.datedCells }
      : {}),
    ...(column.early > 0 ? { early: column.early } : {}),
    ...(kind !== "timestamp" || column.midnights === 0
      ? {}
      : column.midnights === column.datedCells
      ? { midnight: true as const }
      // Of 1,440 minutes, one is hardly that of one row in twenty.
      : column.midnights > 2 && column.midnights * 20 >= column.datedCells
      ? { midnights: column.midnights }
      : {}),
    ...signsIn(column),
    ...(column.least === 0 || column.least === 1 ? { first: column.least } : {}),
    ...(column.least < 0 ? { negative: true as const } : {}),
    numbers,
    leadingZeros: zeros,
    ...(column.floated > 0 ? { floated: column.floated } : {}),
    ...(filled > 0 && column.numbered === filled ? { numbered: true as const } : {}),
    nulls: nullsIn(column).filter(([word]) => minus === 0 || word !== "-"),
    ...(column.otherDigits > 0 ? { otherDigits: column.otherDigits } : {}),
    padded,
    guarded,
    ...withMinus(codesOf(column, table, kind, showing), minus),
    ...(showing.ofPeople ? { ofPeople: true as const } : {}),
    scripts: [...scripts].toSorted(([, a], [, b]) => b - a),
    ...(column.diagnoses * 2 > filled ? { diagnoses: column.diagnoses, ...listSignsOf(column) } : {}),
    ...(filled > 0 && integers === filled && column.shortest === column.longest ? { digits: column.longest } : {}),
    ...measured,
    ...((filled > 0 && nearlyAll(column.pressures, filled)) ||
        (namesPressures(name) && (column.pressures + column.shortPressures) * 2 >= filled)
      ? {
        pressures: true as const,
        ...(column.shortPressures > 0 && namesPressures(name) ? { shortPressures: true as const } : {})
      }
      : {}),
    ...(column.clocks > 0 ? { clockFormats: [...column.clockFormats].toSorted() } : {}),
    ...(signs.length === 0 ? {} : { signs }),
    ...(sizes.length === 0 ? {} : { sizes }),
    ...(kinds.length === 0 ? {} : { kinds })
  }
}

const nullsIn = ({ nulls }: ColumnFacts): ColumnProfile["nulls"] =>
  [...nulls.entries()].map(([word, { count }]) => [word, count] as const).toSorted(([, a], [, b]) => b - a)

/** How often `-` is a value: next to `+`, `++` …, or in a column that is called after signs and has nothing else. Otherwise it means no value. */
const minusIn = (column: ColumnFacts): number => {
  const nulls = nullsIn(column)
  return [...column.codes.entries()].some(([code]) => /^\++$/u.test(code)) ||
      column.filled === 0 && nulls.length === 1 && /\bsign/u.test(columnWordsOf(column.name))
    ? nulls.find(([word]) => word === "-")?.[1] ?? 0
    : 0
}

const withMinus = (
  { codes, withheld }: Pick<ColumnProfile, "codes" | "withheld">,
  minus: number
): Pick<ColumnProfile, "codes" | "withheld"> => ({
  codes: minus === 0 ? codes : mostFrequentFirst([...codes, ["-", minus] as const]),
  withheld
})

/** The values that are standard names or codes, which identify no person, each with what it names. */
const namesIn = <A>(
  { codes }: ColumnFacts,
  named: (value: string) => A | undefined
): ReadonlyArray<readonly [value: string, named: A]> =>
  [...codes.entries()].flatMap(([value]) => {
    const found = named(value)
    return found === undefined ? [] : [[value, found] as const]
  })

/** Whether a value can be a code. Surnames repeat and are short too, so letters only count in a column that is named after codes. */
const mayBeCode = (code: string, name: string, { isPeople }: TableProfiler): boolean =>
  isCalledCoded(name) || namesHospital(name)
    ? code.length <= (isPeople ? 16 : 40)
    : !isPeople && !mayBeName(code) && !/\d{6}|\d[/.-]\d{4}/u.test(code)

const listSignsOf = ({ listSigns }: ColumnFacts): Pick<ColumnProfile, "listSigns"> =>
  listSigns.size === 0 ? {} : { listSigns: [...listSigns].toSorted() }

/** Codes that occur for several people, from columns that are not about one person. */
const codesOf = (
  column: ColumnFacts,
  table: TableProfiler,
  kind: ColumnKind,
  { everything, likeNames }: Showing
): Pick<ColumnProfile, "codes" | "withheld"> => {
  if (kind !== "code" && kind !== "boolean") return { codes: [], withheld: 0 }
  const all = [...column.codes.entries()]
  const hidden = isPersonal(column.name, table) || isKeyName(column.name) && column.values.isUnique
  const isOfDoubts = all.some(([code]) => isWordOfDoubt(code))
  const visible = everything
    ? all
    : hidden
    ? all.filter(([code]) => isComparison(code))
    : all.filter(([code, { met }]) =>
      isCommonCode(code) || isSide(code) || namesComparison(column.name) && comparisons.has(code) ||
      (isCalledCoded(column.name) || namesEnd(column.name)) && isKnownMeaning(code) ||
      (namesEnd(column.name) || !isCalledCoded(column.name)) && isWordForCancelled(code) ||
      isOfDoubts && isWordOfCertainty(code) ||
      namesVoid(column.name) && (isYesWord(code) || isNoWord(code)) ||
      !likeNames && met.areEnough && mayBeCode(code, column.name, table)
    )
  return {
    codes: mostFrequentFirst(visible.map(([code, { count }]) => [code, count] as const)).slice(0, topCodes),
    withheld: all.length - visible.length
  }
}

/** Columns that may be keys: filled in every row, each value once, no date, no amount, no long text. */
const keysOf = (table: TableProfiler): ReadonlyArray<ColumnFacts> =>
  table.columns.filter((column) => {
    const { datedCells, decimals, filled, longest: maxLength, name, values, wordy } = column
    return table.rows > 0 && filled === table.rows && values.isUnique && datedCells === 0 && decimals === 0 &&
      maxLength <= 64 && wordy === 0 && (!isAmount(name) || isLongNumber(column)) && !isPatientOfVisit(name, table) &&
      (isKeyName(name) || isVisitColumnName(name) || table.isPeople && namesPatient(name) || isLongNumber(column) ||
        (!isPersonal(name, table) && !isMeasured(column, table) &&
          (table.rows >= 20 || (table.rows > 1 && column.numbered === filled))))
  }).toSorted((one, other) => keyRank(table, one) - keyRank(table, other))

/**
 * Whether a column of a table of visits names the patient, who can return. Next to a number of the visit, other numbers do so, too. A table
 * such as `patient_visits` has visits or other events. So has a table with a long number of its rows, such as `SEQ`.
 */
const isPatientOfVisit = (name: string, { columns, isPeople, label, rows }: TableProfiler): boolean => {
  const isNumbered = (fits: (one: ColumnFacts) => boolean): boolean =>
    columns.some((one) => one.name !== name && one.filled === rows && one.values.isUnique && fits(one))
  const isOfVisits = isNamedAfterVisits(label) &&
    (!isPeople || isNumbered((one) => isKeyName(one.name) && mentionsVisit(one.name)))
  return columns.some(({ datedCells }) => datedCells > 0) &&
    (isOfVisits && (namesPatient(name) || isIdentifier(name) && columns.some((one) => isVisitColumnName(one.name))) ||
      !isPeople && namesPatient(name) && isNumbered(isLongNumber))
}

/**
 * Finds the key of a table of people or visits if a few rows have no value for it, or that of another row. In other tables, a column whose
 * values repeat is not a key: a visit can have two rows of measurements.
 */
const likelyKeyOf = (table: TableProfiler): ColumnFacts | undefined =>
  table.columns.filter((column) => {
    const { datedCells, decimals, longest, name } = column
    return table.rows > 3 && faultsOf(column, table) <= Math.max(1, table.rows / 20) &&
      datedCells === 0 && decimals === 0 && longest <= 64 && isKeyName(name) && !isAmount(name) && !isRowNumber(name) &&
      (table.isPeople || isMainTable(table.label) && !namesPatient(name))
  }).toSorted((one, other) => keyRank(table, one) - keyRank(table, other))[0]

/** Whether a column after the first holds plain numbers, which can be different in a few rows by chance. */
const isMeasured = (column: ColumnFacts, { columns }: TableProfiler): boolean =>
  columns[0] !== column && column.integers + column.clocks > 0 && column.zeros === 0

/**
 * Finds two columns that are unique only together: in many rows, or if one is a counter, or the year of a visit's number. A number of
 * the patient is the last choice: rows that are counted within a visit are counted from the start when the patient returns.
 */
const pairOf = (table: TableProfiler): readonly [ColumnFacts, ColumnFacts] | undefined => {
  const pairs = table.pairs.filter(([one, other]) => one.values.different > 1 && other.values.different > 1)
  return table.rows < 2 ? undefined : pairs.find((pair) => isNumberAndYear(pair, table)) ??
    pairs.filter(([one, other]) =>
      table.rows >= 20 || isRank(one.name) || isRank(other.name) ||
      isKeyName(one.name) && /\bversion\b/u.test(columnWordsOf(other.name))
    ).toSorted((one, other) =>
      Number(isRank(other[1].name)) - Number(isRank(one[1].name)) || Number(hasPatient(one)) - Number(hasPatient(other))
    )[0]
}

const hasPatient = (pair: readonly [ColumnFacts, ColumnFacts]): boolean => pair.some(({ name }) => namesPatient(name))

/** Ranks a key, the lowest first: the first column and names of keys before numbers of identity papers and of the patient. */
const keyRank = (table: TableProfiler, column: ColumnFacts): number =>
  (isKeyName(column.name) ? 0 : 4) + (table.columns[0] === column ? 0 : 2) +
  (isPersonal(column.name, { isPeople: false }) ? 8 : 0) +
  // A list is numbered again each time it is printed.
  (isRowNumber(column.name) && column.integers === column.filled ? 32 : 0) +
  // A patient with one visit so far may return, also if the rows of visits have the columns of people.
  (namesPatient(column.name) && (!table.isPeople || table.columns.some((one) => isNumberOfVisits(one, table))) ? 16 : 0)

const isNumberOfVisits = ({ filled, name, values }: ColumnFacts, { rows }: TableProfiler): boolean =>
  isVisitColumnName(name) && filled === rows && values.isUnique

/**
 * Ranks tables by how likely others refer to them. First are tables named after people or visits, then tables of people, then tables
 * with a key that also refer to people. The others follow by their number of columns.
 */
const rankOf = (table: KeyedTable, all: ReadonlyArray<KeyedTable>): number => {
  const { columns, isPeople, label, measures } = table.profiler
  const namesPeople = (): boolean =>
    columns.some((column) =>
      column.filled > 0 && column !== table.keys[0] && column.decimals === 0 &&
      all.some((other) => {
        const [key] = other.keys
        if (other === table || !other.profiler.isPeople || key === undefined) return false
        const { found, values } = column.values.within(key.values)
        return found > 1 && found * 10 >= values * 9
      })
    )
  return (isMainTable(label) ? 1_000 : 0) - (measures.length > 1 ? 500 : 0) -
    (namesPartOfVisits(label) ? 700 : 0) +
    (table.keys.length === 0 ? 0 : isPeople ? 460 : namesPeople() ? 450 : 0) + columns.length
}
