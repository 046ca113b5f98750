import { compareTexts } from "../../compareTexts.ts"
import { compare as compareDecimals, isDecimal } from "../../json/Decimal.ts"
import { compareIds } from "../../source/records/compareRecords.ts"
import type { ComponentPlan } from "../MappingPlan.ts"
import type { RowProvenance } from "./scope/VisitContext.ts"

/** Compares rows of a component: by fields, by the ranks of their values, or by a path. `pathText` is the result of such a path for a row. */
export const rowOrder = (
  orderBy: ComponentPlan["orderBy"],
  pathText: (made: RowProvenance, index: number) => string
) =>
(one: RowProvenance, other: RowProvenance): number => {
  for (const [index, { descending, name, ranks }] of orderBy.entries()) {
    const order = name === undefined
      ? compareIds(pathText(one, index), pathText(other, index))
      : compareFields(one.row[name], other.row[name], ranks)
    if (order !== 0) return descending ? -order : order
  }
  return 0
}

/** A row without a value, or with one that has no rank, comes last. */
const compareFields = (one: unknown, other: unknown, ranks: ReadonlyMap<string, number> | undefined): number => {
  if (ranks !== undefined) return rankOf(one, ranks) - rankOf(other, ranks)
  const [lacksOne, lacksOther] = [one === undefined || one === null, other === undefined || other === null]
  if (lacksOne || lacksOther) return Number(lacksOne) - Number(lacksOther)
  return compare(one, other)
}

const rankOf = (value: unknown, ranks: ReadonlyMap<string, number>): number => ranks.get(orderText(value)) ?? ranks.size

const compare = (a: unknown, b: unknown): number => {
  if (isDecimal(a) && isDecimal(b)) return compareDecimals(a, b)
  return compareTexts(orderText(a), orderText(b))
}

const orderText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))
