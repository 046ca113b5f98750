import { printable } from "../../../../diagnostic/render/printable.ts"
import type { ColumnProfile, TableProfile } from "../facts/TableProfile.ts"
import { isNamedAfterVisits } from "../roles/findTables.ts"
import { columnWordsOf, isDiscount, isMoney, isResult, namesDiagnosis } from "./columnWords.ts"

/** What rows with amounts of money look like. */
export const moneyRows = "charges or payments"
/** What rows with results look like. */
export const labRows = "laboratory results"

/** Returns what the rows of a table look like by its name and its columns, if they look like a part of visits. */
export const looksLike = ({ columns, links, name }: TableProfile): string | undefined => {
  const filled = columns.filter((column) => column.filled > 0)
  const has = (fits: (column: ColumnProfile) => boolean): boolean => filled.some(fits)
  return filled.filter(({ vital }) => vital !== undefined).length > 1 || has(({ signs }) => (signs?.length ?? 0) > 1)
    ? "vital signs"
    // A table of the names of tests refers to nothing.
    : has((column) => isResult(column.name)) ||
        links.length > 0 && /\b(?:lab\w*|lis|patholog\w*)\b/u.test(columnWordsOf(name))
    ? labRows
    : /\b(?:procedures?|operations?|surger\w*)\b/u.test(columnWordsOf(name))
    ? "procedures, such as surgeries and services on an invoice"
    : has(isOfMoney)
    ? moneyRows
    : isNamedAfterVisits(name)
    ? "visits"
    : has((column) => namesDiagnosis(column.name))
    ? "diagnoses"
    : /\b(?:drugs?|medic(?:ine|ation|ament)s?|prescri\w*|dispens\w*)\b/u.test(columnWordsOf(name))
    ? "medicines"
    : undefined
}

/** Whether a column has amounts of money, also with the sign of a currency. */
export const isOfMoney = ({ filled, kind, name, numbers }: ColumnProfile): boolean =>
  (isMoney(name) || /\b(?:debit|credit|debe|haber|saldo)\b/u.test(columnWordsOf(name))) && !isDiscount(name) &&
  (numbers * 2 >= filled || kind === "text" || kind === "code") &&
  !/\b(?:types?|status|codes?|modes?|methods?|date|at|by|no|id|names?|descriptions?|desc|text|labels?|reasons?)\b/u
    .test(columnWordsOf(name))

/** The columns of money whose cells are no numbers, such as `5.00 CR`. */
export const unreadMoney = ({ columns }: TableProfile): ReadonlyArray<string> =>
  columns.filter((column) => column.filled > 0 && isOfMoney(column) && column.numbers * 2 < column.filled)
    .map(({ name }) => `\`${printable(name)}\``)
