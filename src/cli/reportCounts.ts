import { type Cell, linked } from "../page/page.ts"
import type { DayCounts, ListedVisit, Report } from "./Report.ts"
import { type Making, percentOf, share } from "./reportMaking.ts"

/** The anchors that the counts of a row lead to, where some of its visits are listed. */
export interface Anchors {
  readonly ready?: string | undefined
  readonly rejected?: string | undefined
}

/** Where the visits of a row are listed; nothing where none of them is. */
export const anchorsOf = (
  { readyVisits = [], rejectedVisits = [] }: Report,
  isOne: (visit: ListedVisit) => boolean,
  name: string
): Anchors => ({
  ready: readyVisits.some(isOne) ? `ready-${name}` : undefined,
  rejected: rejectedVisits.some(isOne) ? `rejected-${name}` : undefined
})

/** A count, and the anchor it leads to where there is one. */
export const countTo = (count: number, to: string | undefined): Cell => (to === undefined ? count : linked(count, to))

/** A count of this run that leads to its list, where the page has one. */
export const countOf = (
  { readyVisits = [], rejectedRecords = [], rejectedVisits = [] }: Report,
  list: "ready" | "rejected" | "records",
  number: number
): Cell =>
  countTo(
    number,
    ({ ready: readyVisits, rejected: rejectedVisits, records: rejectedRecords })[list].length > 0 ? list : undefined
  )

/** Visits of a day or a place: all, ready, rejected, and the share of those that are ready. */
export const countRow = (
  { texts }: Making,
  name: string,
  { ready, rejected }: DayCounts,
  to: Anchors = {}
): ReadonlyArray<Cell> => {
  const all = ready + rejected
  return [
    name,
    all,
    countTo(ready, to.ready),
    countTo(rejected, to.rejected),
    share(ready, all, percentOf(texts)(ready, all))
  ]
}

export const plus = (all: Iterable<DayCounts>): DayCounts => {
  let ready = 0
  let rejected = 0
  for (const one of all) {
    ready += one.ready
    rejected += one.rejected
  }
  return { ready, rejected }
}
