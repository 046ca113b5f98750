import { Effect } from "effect"
import { isRecord } from "./Answer.ts"
import type { OperatorError } from "./OperatorError.ts"

/** A page of a list as far as it says what it is (§2.8; the page of §4.6 is not shown). */
export interface ReadPage {
  readonly items: ReadonlyArray<unknown>
  readonly currentPage: number | null
  readonly lastPage: number | null
  readonly total: number | null
}

/** Reads a page from an envelope: the array under `data.data` or `data`, the numbers beside it or under `meta`. */
export const readPage = (envelope: unknown): ReadPage | null => {
  if (!isRecord(envelope) || envelope["success"] === false) return null
  const { data } = envelope
  const items = Array.isArray(data) ? data : isRecord(data) && Array.isArray(data["data"]) ? data["data"] : null
  if (items === null) return null
  const places = [data, isRecord(data) ? data["meta"] : null, envelope["meta"], envelope]
  const number = (key: string): number | null => {
    for (const place of places) {
      const value = isRecord(place) ? place[key] : undefined
      if (typeof value === "number" || (typeof value === "string" && value !== "")) {
        const count = Number(value)
        if (Number.isSafeInteger(count) && count >= 0) return count
      }
    }
    return null
  }
  return { items, currentPage: number("current_page"), lastPage: number("last_page"), total: number("total") }
}

/** A whole list. `complete` is false when nothing proves that its end was reached. */
export interface WholeList {
  readonly items: ReadonlyArray<unknown>
  readonly complete: boolean
}

/** Rows of a page: the default of §8. */
export const usualPerPage = 100
const maxPages = 5000

/**
 * Reads a list to its end by page numbers (§4.3 and §4.6 list no page parameter). The end is where the list says so or where a page is
 * empty. When the same page comes again, the parameter is not understood: then one larger page is asked for. Rows that shifted between
 * two pages while the list grew are taken once.
 */
export const readPages = Effect.fnUntraced(function*<R>(
  fetch: (page: number, perPage: number) => Effect.Effect<ReadPage, OperatorError, R>,
  perPage = usualPerPage
): Effect.fn.Return<WholeList, OperatorError, R> {
  const rows = new Map<string, unknown>()
  const add = (page: ReadPage): number => {
    const before = rows.size
    for (const item of page.items) rows.set(JSON.stringify(item), item)
    return rows.size - before
  }
  const list = (complete: boolean): WholeList => ({ items: [...rows.values()], complete })

  const first = yield* fetch(1, perPage)
  add(first)
  if (first.items.length === 0) return list(true)
  if (first.lastPage !== null && first.lastPage <= 1) return list(true)
  for (let page = 2; page <= maxPages; page++) {
    const next = yield* fetch(page, perPage)
    if (next.items.length === 0) return list(true)
    const moved = (next.currentPage === null || next.currentPage === page) && add(next) > 0
    if (!moved) break
    if (next.lastPage !== null && page >= next.lastPage) return list(true)
    if (next.lastPage === null && next.total !== null && rows.size >= next.total) return list(true)
  }

  // The page did not move. A list without any numbers that is the same twice is not paged, unless it ends where a page would.
  if (first.total === null && first.lastPage === null && first.currentPage === null) {
    return list(![perPage, usualPerPage, 10].includes(first.items.length))
  }
  if (first.total !== null && rows.size >= first.total) return list(true)
  const whole = yield* fetch(1, Math.min(10_000, Math.max(first.total ?? 0, 1000)))
  add(whole)
  return list((whole.total !== null && rows.size >= whole.total) || (whole.lastPage !== null && whole.lastPage <= 1))
})
