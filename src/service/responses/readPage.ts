import { Effect } from "effect"
import type { OperatorError } from "../OperatorError.ts"
import { isRecord } from "./ServiceResponse.ts"

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

/** A list as far as it was read. */
export interface WholeList {
  readonly items: ReadonlyArray<unknown>
  /** Why it is not known to be whole, or `null` when it is. */
  readonly lack: string | null
}

/** Rows of a page: the default of §8. */
export const defaultPerPage = 100
/** Sizes of a page that are tried when a service refuses a larger one: the defaults of §8, and one between them. */
const smallerPages = [defaultPerPage, 50, 10]
const maxPages = 5000
/** A list whose pages shift is read so often at most. */
const maxReadings = 5

/** What one reading of all pages came to. */
interface Reading {
  readonly rows: ReadonlyMap<string, unknown>
  /** What the list says it holds, at the beginning. */
  readonly total: number | null
  /** No row came twice, and the list said the same number of rows all along. */
  readonly steady: boolean
  readonly end: "reached" | "not told" | "does not move"
}

/**
 * Reads a list to its end by page numbers (§4.3 and §4.6 list no page parameter). The end is where the list says so or where a page is
 * empty. What came is compared with `total`. Where pages shift while they are read, the list is read again until a reading has every row
 * of the one before and as many as the list says. A row that came twice is taken once. When the same page comes again, the parameter is not
 * understood: then one larger page is asked for.
 */
export const readPages = Effect.fnUntraced(function*<R>(
  fetch: (page: number, perPage: number) => Effect.Effect<ReadPage, OperatorError, R>,
  perPage = defaultPerPage
): Effect.fn.Return<WholeList, OperatorError, R> {
  let before: Reading | null = null
  for (let nth = 1; nth <= maxReadings; nth++) {
    const reading: Reading = yield* readOnce(fetch, perPage)
    const { end, rows, steady, total } = reading
    const items = [...rows.values()]
    if (end !== "reached") return { items, lack: end === "not told" ? noEnd : doesNotMove }
    if (steady && (total === null || rows.size === total)) return { items, lack: null }
    const agrees = before !== null && [...before.rows.keys()].every((row) => rows.has(row))
    if (agrees) return { items, lack: total === null || rows.size >= total ? null : lessThan(rows.size, total) }
    before = reading
  }
  return { items: [...before!.rows.values()], lack: `its pages shifted in each of ${maxReadings} readings` }
})

const noEnd = "nothing says where it ends"
const doesNotMove = "the pages do not go on"
const lessThan = (count: number, total: number): string => `it says that it holds ${total} rows, and ${count} came`

const readOnce = Effect.fnUntraced(function*<R>(
  fetch: (page: number, perPage: number) => Effect.Effect<ReadPage, OperatorError, R>,
  perPage: number
): Effect.fn.Return<Reading, OperatorError, R> {
  const rows = new Map<string, unknown>()
  const totals = new Set<number | null>()
  let came = 0
  const add = (page: ReadPage): number => {
    const before = rows.size
    for (const item of page.items) rows.set(JSON.stringify(item), item)
    came += page.items.length
    totals.add(page.total)
    return rows.size - before
  }
  const first = yield* fetch(1, perPage)
  const read = (end: Reading["end"]): Reading => ({
    rows,
    total: first.total,
    steady: totals.size <= 1 && came === rows.size,
    end
  })
  add(first)
  if (first.items.length === 0) return read("reached")
  if (first.lastPage !== null && first.lastPage <= 1) return read("reached")
  for (let page = 2; page <= maxPages; page++) {
    const next = yield* fetch(page, perPage)
    if (next.items.length === 0) return read("reached")
    const moved = (next.currentPage === null || next.currentPage === page) && add(next) > 0
    if (!moved) break
    if (next.lastPage !== null && page >= next.lastPage) return read("reached")
    if (next.lastPage === null && next.total !== null && rows.size >= next.total) return read("reached")
  }

  // The page did not move. A list without any numbers that is the same twice is not paged, unless it ends where a page would.
  const alone = (end: Reading["end"]): Reading => ({ rows, total: null, steady: true, end })
  if (first.total === null && first.lastPage === null && first.currentPage === null) {
    return alone([perPage, defaultPerPage, 10].includes(first.items.length) ? "not told" : "reached")
  }
  if (first.total !== null && rows.size >= first.total) return alone("reached")
  const whole = yield* fetch(1, Math.min(10_000, Math.max(first.total ?? 0, 1000)))
  add(whole)
  const isWhole = (whole.total !== null && rows.size >= whole.total) ||
    (whole.total === null && whole.lastPage !== null && whole.lastPage <= 1)
  return alone(isWhole ? "reached" : "does not move")
})

/** Reads with pages of this size, and with smaller ones where the service refuses it; `use` is told of the size that it took. */
export const withSmallerPages = <A, R>(
  perPage: number,
  read: (perPage: number) => Effect.Effect<A, OperatorError, R>,
  use: (perPage: number) => Effect.Effect<void>
): Effect.Effect<A, OperatorError, R> => {
  const smaller = smallerPages.find((size) => size < perPage)
  return read(perPage).pipe(
    Effect.tap(() => use(perPage)),
    Effect.catchIf(
      ({ reason }) =>
        smaller !== undefined && reason._tag === "UnexpectedAnswer" && (reason.status === 422 || reason.status === 400),
      (error) => Effect.mapError(withSmallerPages(smaller!, read, use), () => error)
    )
  )
}
