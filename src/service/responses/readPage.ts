import { Effect } from "effect"
import { isJsonObject } from "../../json/JsonObject.ts"
import type { OperatorError } from "../OperatorError.ts"
import { defaultPerPage } from "../wire.ts"
import { contradictsStatus, holdsErrors, successOf } from "./readEnvelope.ts"

/** A page of a list, with the numbers that it declares (§2.8; the page of §4.6 is not shown). */
export interface ReadPage {
  readonly items: ReadonlyArray<unknown>
  readonly currentPage: number | null
  readonly lastPage: number | null
  readonly total: number | null
}

/**
 * Reads a page from the envelope of a 200: the array under `data.data` or `data`, the numbers next to it or under `meta`. `null` if it is
 * no list, or declares a failure: an empty list would be evidence that a visit is not stored.
 */
export const readPage = (envelope: unknown): ReadPage | null => {
  if (!isJsonObject(envelope) || successOf(envelope) === false) return null
  if (contradictsStatus(envelope, 200) || holdsErrors(envelope)) return null
  const { data } = envelope
  const items = Array.isArray(data) ? data : isJsonObject(data) && Array.isArray(data["data"]) ? data["data"] : null
  if (items === null) return null
  const holders = [data, isJsonObject(data) ? data["meta"] : null, envelope["meta"], envelope]
  const number = (key: string): number | null => {
    for (const holder of holders) {
      const value = isJsonObject(holder) ? holder[key] : undefined
      if (typeof value === "number" || (typeof value === "string" && value !== "")) {
        const count = Number(value)
        if (Number.isSafeInteger(count) && count >= 0) return count
      }
    }
    return null
  }
  return { items, currentPage: number("current_page"), lastPage: number("last_page"), total: number("total") }
}

/** A list, complete or up to the point where reading ended. */
interface WholeList {
  readonly items: ReadonlyArray<unknown>
  /** Why it may be incomplete, or `null` when it is complete. */
  readonly lack: string | null
}

/** Page sizes to try when a service rejects a larger one: the defaults of §8, and one between them. */
const smallerPages = [defaultPerPage.standardData, 50, defaultPerPage.processed]
const maxPages = 5000
/** How often a list is read whose pages shift. */
const maxReadings = 5

/** The result of reading all pages once. */
interface PagesRead {
  readonly rows: ReadonlyMap<string, unknown>
  /** The number of rows that came, with those that came twice. */
  readonly came: number
  /** The total that the list declares at the beginning. */
  readonly total: number | null
  /** No row came twice, and the list declared the same total on every page. */
  readonly isSteady: boolean
  readonly end: "reached" | "unknown" | "does not move" | "breaks off"
}

/**
 * Reads a list to its end by page numbers (§4.3 and §4.6 list no page parameter). The end is where the list declares it, or an empty
 * page. The rows are compared with `total`. If pages shift meanwhile, the list is read again, until it has every row of the time before,
 * and as many rows as it declares. If the same page comes again, the service ignores the parameter: then one larger page is requested.
 *
 * `rowsCanBeEqual`: equal rows count as often as they come, and are returned once. If every row is different, one that came twice has taken
 * the place of another.
 */
export const readPages = Effect.fnUntraced(function*<R>(
  fetch: (page: number, perPage: number) => Effect.Effect<ReadPage, OperatorError, R>,
  perPage: number = defaultPerPage.standardData,
  rowsCanBeEqual = false
): Effect.fn.Return<WholeList, OperatorError, R> {
  let before: ReadonlyMap<string, unknown> | null = null
  for (let nth = 1; nth <= maxReadings; nth++) {
    const { came, end, rows, isSteady, total }: PagesRead = yield* readOnce(fetch, perPage)
    const items = [...rows.values()]
    if (end === "unknown") return { items, lack: "its end is not marked" }
    if (end === "does not move") return { items, lack: "the pages do not advance" }
    if (end === "breaks off") return { items, lack: "a page before the last one is empty" }
    if (isSteady && (total === null || rows.size === total)) return { items, lack: null }
    if (before?.keys().every((row) => rows.has(row)) === true) {
      const isWhole = total === null || rows.size >= total || (rowsCanBeEqual && came === total)
      return { items, lack: isWhole ? null : `it declares ${total} rows, and ${rows.size} came` }
    }
    before = rows
  }
  return { items: [...before?.values() ?? []], lack: `its pages shifted in each of ${maxReadings} readings` }
})

const readOnce = Effect.fnUntraced(function*<R>(
  fetch: (page: number, perPage: number) => Effect.Effect<ReadPage, OperatorError, R>,
  perPage: number
): Effect.fn.Return<PagesRead, OperatorError, R> {
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
  const read = (end: PagesRead["end"]): PagesRead => ({
    rows,
    came,
    total: first.total,
    isSteady: totals.size <= 1 && came === rows.size,
    end
  })
  add(first)
  if (first.items.length === 0) return read(emptyEnd(first, 1))
  if (first.lastPage !== null && first.lastPage <= 1) return read("reached")
  for (let page = 2; page <= maxPages; page++) {
    const next = yield* fetch(page, perPage)
    if (next.items.length === 0) return read(emptyEnd(next, page))
    const moved = (next.currentPage === null || next.currentPage === page) && add(next) > 0
    if (!moved) break
    if (next.lastPage !== null && page >= next.lastPage) return read("reached")
    if (next.lastPage === null && next.total !== null && rows.size >= next.total) return read("reached")
  }

  // The page did not move. A list without any numbers that is the same twice is not paged, unless it ends where a page would.
  const unpaged = (end: PagesRead["end"]): PagesRead => ({ rows, came, total: null, isSteady: true, end })
  if (first.total === null && first.lastPage === null && first.currentPage === null) {
    return unpaged(
      [perPage, defaultPerPage.standardData, defaultPerPage.processed].includes(first.items.length)
        ? "unknown"
        : "reached"
    )
  }
  if (first.total !== null && rows.size >= first.total) return unpaged("reached")
  const whole = yield* fetch(1, Math.min(10_000, Math.max(first.total ?? 0, 1000)))
  add(whole)
  const isWhole = (whole.total !== null && rows.size >= whole.total) ||
    (whole.total === null && whole.lastPage !== null && whole.lastPage <= 1)
  return unpaged(isWhole ? "reached" : "does not move")
})

/** Returns what an empty page means. A declared total is compared with the rows later; without one, the declared last page counts. */
const emptyEnd = ({ lastPage, total }: ReadPage, page: number): "reached" | "breaks off" =>
  total === null && lastPage !== null && page < lastPage ? "breaks off" : "reached"

/** Reads with pages of this size, and with smaller ones if the service rejects it; `use` receives the accepted size. */
export const withSmallerPages = <A, R>(
  perPage: number,
  read: (perPage: number) => Effect.Effect<A, OperatorError, R>,
  use: (perPage: number) => Effect.Effect<void>
): Effect.Effect<A, OperatorError, R> => {
  const smaller = smallerPages.find((size) => size < perPage)
  return read(perPage).pipe(
    Effect.tap(() => use(perPage)),
    Effect.catch((error) => {
      const { reason } = error
      const isRejected = reason._tag === "UnexpectedResponse" && (reason.status === 422 || reason.status === 400)
      return smaller === undefined || !isRejected
        ? Effect.fail(error)
        : Effect.mapError(withSmallerPages(smaller, read, use), () => error)
    })
  )
}
