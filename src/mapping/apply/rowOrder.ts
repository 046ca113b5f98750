import { compareIds } from "../../source/records/compareRecords.ts"
import { compare as compareDecimals, isDecimal } from "../../visit/values/Decimal.ts"
import type { ComponentPlan } from "../MappingPlan.ts"

type Row = Readonly<Record<string, unknown>>

/** Sorts the rows of a component: by fields, by the ranks of their values, or by a path (`pathValue` of a row). */
export const rowOrder = (
  orderBy: ComponentPlan["orderBy"],
  pathValue: (row: Row, index: number) => string
) =>
(one: Row, other: Row): number => {
  for (const [index, { name, descending, ranks }] of orderBy.entries()) {
    if (name === undefined) {
      const order = compareIds(pathValue(one, index), pathValue(other, index))
      if (order !== 0) return descending ? -order : order
      continue
    }
    const a = ranks === undefined ? one[name] : (ranks.get(orderText(one[name])) ?? ranks.size)
    const b = ranks === undefined ? other[name] : (ranks.get(orderText(other[name])) ?? ranks.size)
    const order = a === b || (a == null && b == null) ? 0 : a == null ? 1 : b == null ? -1 : compare(a, b)
    if (order !== 0) return descending ? -order : order
  }
  return 0
}

const compare = (a: unknown, b: unknown): number => {
  if (isDecimal(a) && isDecimal(b)) return compareDecimals(a, b)
  const one = orderText(a)
  const other = orderText(b)
  return one < other ? -1 : one > other ? 1 : 0
}

const orderText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))
