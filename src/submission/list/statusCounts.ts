import { getOrMake, increment } from "../../maps.ts"
import type { ProcessedVisit } from "../../service/Operator.ts"

/** The statuses in the list, with the number of rows of each. */
export type StatusCounts = Readonly<Record<string, number>>

/** Minimum of visits with a text to show it: a rarer text may be a fact about one patient. A visit may have several rows. */
const minVisits = 3
/** A list with more different statuses has something else in the status field. */
const maxStatuses = 12
const another = "another"

/**
 * Counts the statuses of a list, each with the row's processing status if it has both. §3 shows two statuses, and §4.6 no value of the
 * other. Numbers are therefore always counted, and texts when several visits have them.
 */
export const statusCounts = (rows: ReadonlyArray<ProcessedVisit>): StatusCounts => {
  const visits = new Map<string, Set<string | null>>()
  for (const row of rows) {
    for (const word of wordsOf(row)) getOrMake(visits, word, () => new Set()).add(row.visitCode)
  }
  const isShown = (word: string): boolean => /^\d{1,4}$/u.test(word) || (visits.get(word)?.size ?? 0) >= minVisits
  const counts = new Map<string, number>()
  for (const row of rows) {
    const all = wordsOf(row)
    const shown = all.filter(isShown).join(" ")
    const status = all.length === 0 ? "none" : shown === "" ? another : shown
    increment(counts, status)
  }
  const sorted = [...counts].toSorted(([, a], [, b]) => b - a)
  return Object.fromEntries(sorted.length > maxStatuses ? [[another, rows.length]] : sorted)
}

const wordsOf = ({ processing, status }: ProcessedVisit): ReadonlyArray<string> =>
  [status, processing].filter((word) => typeof word === "string" && word !== "").map((word) =>
    String(word).slice(0, 40)
  )
