import { foldedName } from "../../../../source/tables/rows/findDialect.ts"
import type { ColumnFacts } from "../columns/ColumnFacts.ts"
import { isNamedAfterVisits } from "../roles/findTables.ts"
import { plainestFirst } from "../words/addsToName.ts"
import {
  born,
  columnWordsOf,
  isAmount,
  isRank,
  isVisitColumnName,
  listsStaff,
  namesPartOfVisits,
  namesPatient,
  namesStaff
} from "../words/columnWords.ts"
import { isMainTable, isNumberAndYear, type KeyedTable } from "./repeatedKeys.ts"
import type { ForeignKey } from "./TableProfile.ts"

/** A table with its keys, and how likely others refer to it. */
export interface RankedTable extends KeyedTable {
  readonly rank: number
}

/** Whether a column named after ranks has numbers of one length: `SEQ` can also number the visits. A list begins with short numbers. */
export const isLongNumber = ({ filled, integers, longest, name, shortest, zeros }: ColumnFacts): boolean =>
  isRank(name) && (integers === filled || zeros * 2 > filled) && filled > 0 && shortest === longest && longest >= 6

/** Finds for each column the key of another table that contains its values. */
export const columnLinksOf = (table: RankedTable, all: ReadonlyArray<RankedTable>): ReadonlyArray<ForeignKey> =>
  plainestFirst(foundLinks(table, all))

const foundLinks = (table: RankedTable, all: ReadonlyArray<RankedTable>): ReadonlyArray<ForeignKey> =>
  table.profiler.columns.flatMap((column): ReadonlyArray<ForeignKey> => {
    const { datedCells, decimals, filled } = column
    if (filled === 0 || datedCells > 0 || decimals > 0 || isAmount(column.name) && !isLongNumber(column)) return []
    const [best, next] = all.filter((other) => other !== table).flatMap((other) =>
      other.keys.slice(0, 3).flatMap((key, at) => {
        const seen = column.values.within(key.values)
        if (seen.values === 0 || seen.found === 0) return []
        const { label } = other.profiler
        const isOwn = isCalled(column.name, label)
        // A bill has the number of its visit, too: rows with this number are of the visit.
        const isOfVisit = isVisitColumnName(column.name) && namesPartOfVisits(label) && !isOwn &&
          all.some(({ profiler }) => profiler !== table.profiler && isNamedAfterVisits(profiler.label))
        if (isOfVisit) return []
        const byName = isOwn || isCalledExactly(column.name, key.name) ||
          (namesPatient(column.name) && /\b(?:patients?|persons?)\b/u.test(columnWordsOf(label)) &&
            !parts.test(columnWordsOf(label)))
        // The numbers of patients and of visits can both run from 000001 on.
        if (!byName && namesPatient(column.name) && !other.profiler.isPeople) return []
        // A table such as `patient_visits` has the words of both.
        if (
          namesPatient(column.name) && isNamedAfterVisits(label) && !namesPatient(key.name) &&
          !isCalledExactly(column.name, key.name)
        ) return []
        const share = seen.found / seen.values
        // Small numbers occur everywhere, so only a column with a similar name or long values is a link.
        const isLong = key.longest >= 5 || key.integers < key.filled
        const isAlike = byName ? share >= 0.3 : share >= 0.98 && isLong && seen.found >= 3
        // Staff mostly has small numbers, and few of them are in one column.
        if (!isAlike && !(share >= 0.98 && namesStaff(column.name) && listsStaff(label))) return []
        const orphans = seen.rows === 0 ? 0 : Math.round((seen.lost / seen.rows) * 1000) / 1000
        const link: ForeignKey = { column: column.name, table: other.name, key: key.name, orphans, byName }
        return [{ link, isAlike, isOwn, isFirst: at === 0, rank: other.rank, share }]
      })
    ).toSorted((a, b) =>
      Number(b.isOwn) - Number(a.isOwn) || Number(b.isAlike) - Number(a.isAlike) ||
      Number(b.link.byName) - Number(a.link.byName) ||
      Number(b.isFirst) - Number(a.isFirst) ||
      b.rank - a.rank || b.share - a.share
    )
    // The small numbers of staff can be those of two tables.
    if (best?.isAlike === false && next !== undefined && next.link.table !== best.link.table) return []
    // Of two tables with the same key, the one with the higher rank does not refer to the other.
    return best === undefined ||
        ((table.keys[0] === column || table.keys.includes(column) && !best.isFirst) && best.rank <= table.rank)
      ? []
      : [best.link]
  })

/**
 * Returns where a link leads if its key is in turn a reference. Example: in a table with one identifier of each patient, the number of the
 * patient leads to the table of patients.
 */
export const throughKey = (
  link: ForeignKey,
  table: RankedTable,
  links: ReadonlyMap<RankedTable, ReadonlyArray<ForeignKey>>
): ForeignKey => {
  const all = [...links.keys()]
  const via = all.find(({ name }) => name === link.table)
  const onward = via === undefined ? undefined : links.get(via)?.find(({ column }) => column === link.key)
  const beyond = all.find(({ name }) => name === onward?.table)
  // A table of patients can have no more than the numbers of people, whose births another table has.
  const isList = namesPatient(link.key) && via !== undefined && !hasBirths(via) && beyond !== undefined &&
    hasBirths(beyond)
  const next = via?.keys[0]?.name === link.key && !isList ? undefined : onward
  const target = next === undefined ? undefined : beyond
  const key = target?.keys.find(({ name }) => name === next?.key)
  const column = table.profiler.columns.find(({ name }) => name === link.column)
  if (next === undefined || target === table || key === undefined || column === undefined) return link
  const { lost, rows } = column.values.within(key.values)
  return {
    ...link,
    table: next.table,
    key: next.key,
    orphans: rows === 0 ? 0 : Math.round((lost / rows) * 1000) / 1000
  }
}

const hasBirths = ({ profiler: { columns } }: KeyedTable): boolean =>
  columns.some(({ filled, name }) => filled > 0 && born.test(columnWordsOf(name)))

/** Finds two columns of a table with the names and the values of the two-column key of another. */
export const pairLinksOf = ({ profiler }: KeyedTable, all: ReadonlyArray<KeyedTable>): ReadonlyArray<ForeignKey> =>
  all.flatMap((other): ReadonlyArray<ForeignKey> => {
    // If two tables have the same pair, the shorter one is the table of names.
    const isOfVisit = other.pair !== undefined && isNumberAndYear(other.pair, other.profiler) &&
      !isMainTable(profiler.label)
    if (other.pair === undefined || other.profiler.rows >= profiler.rows && !isOfVisit) return []
    const own = other.pair.flatMap((key) => {
      const column = profiler.columns.find(({ name }) => foldedName(name) === foldedName(key.name))
      if (column === undefined || column.filled === 0) return []
      const { found, values } = column.values.within(key.values)
      return values === 0 || found < values ? [] : [column]
    })
    const [one, two] = own
    return one === undefined || two === undefined ? [] : [{
      column: one.name,
      beside: [two.name],
      table: other.name,
      key: other.pair[0].name,
      orphans: 0,
      byName: true
    }]
  })

/** Finds the columns in which some rows of a table name another of its rows. */
export const ownReferencesOf = ({ keys: [key], profiler: { columns, rows } }: KeyedTable): ReadonlyArray<string> =>
  columns.flatMap((column) => {
    const { datedCells, decimals, filled, integers, name } = column
    if (key === undefined || column === key || filled === 0 || filled === rows || datedCells + decimals > 0) return []
    const { found, values } = column.values.within(key.values)
    // Small numbers occur everywhere.
    const isNamed = integers < filled || /\b(?:parent|package|merged?|replac\w*|revers\w*|origin\w*|duplicate)\b/u
      .test(columnWordsOf(name))
    return isNamed && found > 0 && found === values ? [name] : []
  })

const plainWordsOf = (name: string): string => columnWordsOf(name).replaceAll(" ", "")

/** Whether a column has the name of a key that is more than "id" or "code": HN of HN. */
export const isCalledExactly = (column: string, key: string): boolean => {
  const name = plainWordsOf(key)
  return plainWordsOf(column) === name && name !== "id" && name !== "code"
}

/** Matches tables of parts of people or things, which have numbers of their own: `patient_id` is not a number of `patient_identifier`. */
const parts = /\b(?:identifiers?|names?|address(?:es)?|attributes?|contacts?|relationships?)\b/u

/** Whether a column is named after a table: PATIENT of patients. */
const isCalled = (column: string, other: string): boolean => {
  if (parts.test(columnWordsOf(other)) && !parts.test(columnWordsOf(column))) return false
  const base = plainWordsOf(column).replace(/(?:id|no|nr|num|number|code|key|uuid|guid)$/u, "")
    .replace(/^dept$/u, "department")
  const words = columnWordsOf(other).split(" ").map(singularsOf)
  const together = words.reduce((starts, ends) => starts.flatMap((start) => ends.map((end) => start + end)), [""])
  return base.length >= 3 && (words.some((one) => one.includes(base)) || together.includes(base))
}

/** The words that may be the singular of a word: in English, Spanish and Portuguese. */
const singularsOf = (word: string): ReadonlyArray<string> => [
  word.replace(/ies$/u, "y").replace(/s$/u, ""),
  ...(/(?:[nrlzdsx]|[cs]h)es$/u.test(word) ? [word.slice(0, -2)] : []),
  ...(/(?:oes|aes)$/u.test(word) ? [`${word.slice(0, -3)}ao`] : [])
]
