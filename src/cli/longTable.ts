import { type Cell, table } from "../page/page.ts"
import type { Making } from "./reportMaking.ts"

/** A table whose first rows stand in the open and the others below a fold, which stays closed on paper. */
export const longTable = (
  { texts }: Making,
  heads: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<Cell>>,
  caption: string,
  { fold = texts.moreRows, open = 50 }: { readonly open?: number; readonly fold?: (count: number) => string } = {}
): string => {
  const rest = rows.slice(open)
  const some = (rows: ReadonlyArray<ReadonlyArray<Cell>>) => table(heads, rows, caption, { number: texts.number })
  return `${some(rows.slice(0, open))}${
    rest.length === 0
      ? ""
      : `<details><summary>${fold(rest.length)}</summary>${some(rest)}</details>`
  }`
}
