import { footerOf } from "../../../../source/tables/rows/footer.ts"
import type { SniffedTable } from "../../../../source/tables/rows/sniffTable.ts"
import { columnWordsOf, isAmount, isMoney, isVisitColumnName, namesDate, namesPatient } from "../words/columnWords.ts"

/** Minimum number of rows with a head, and of rows without one. */
const fewest = 2

/** At least one in so many rows has no head. */
const maxRowsForOne = 20

/**
 * Returns the indexes of the columns that only the first of several rows has, such as the head of an invoice above its lines, or merged
 * cells. The other rows have no value that could name another visit: no patient, no date, and no number of a document. Amounts are not
 * among these columns, because each of several rows would have the sum of all.
 */
export const findHead = ({ header, headerRow, rows: all }: SniffedTable): ReadonlyArray<number> => {
  if (headerRow === 0) return []
  const rows = all.filter((row) =>
    row.some(isFilled) && footerOf(row, header.length) === undefined && !row.every((cell, at) => cell === header[at])
  )
  const owners = header.flatMap((name, at) => namesOwner(name) && rows.some((row) => isFilled(row[at])) ? [at] : [])
  const isBelow = (row: ReadonlyArray<string>): boolean => owners.every((at) => !isFilled(row[at]))
  const heads = rows.filter((row) => !isBelow(row))
  const below = rows.filter(isBelow)
  const [first] = rows
  if (
    owners.length === 0 || first === undefined || isBelow(first) || heads.length < fewest || below.length < fewest ||
    below.length * maxRowsForOne < rows.length || !heads.every((row) => owners.every((at) => isFilled(row[at])))
  ) return []
  const isOfBoth = (at: number): boolean => below.some((row) => isFilled(row[at]))
  const others = header.filter((_, at) => isOfBoth(at))
  if (others.some((name) => namesDate(name) || namesDocument(name))) return []
  return header.flatMap((name, at) =>
    isOfBoth(at) || isAmount(name) || isMoney(name) || !heads.some((row) => isFilled(row[at])) ? [] : [at]
  )
}

const isFilled = (cell: string | undefined): boolean => cell !== undefined && cell.trim() !== ""

const namesOwner = (name: string): boolean => isVisitColumnName(name) || namesPatient(name) || namesDocument(name)

/** Whether a column has the number of a document, such as a bill. */
const namesDocument = (name: string): boolean =>
  /^(?:invoice|bill|receipt|order|request|prescription|rx|voucher|factura|facture|hoa don)(?: (?:no|nr|num|number|id|code|ref|reference))?$/u
    .test(columnWordsOf(name))
