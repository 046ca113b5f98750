import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { jsonObjectOf } from "../../src/json/JsonObject.ts"
import { OperatorError } from "../../src/service/OperatorError.ts"
import { type ReadPage, readPage, readPages, withSmallerPages } from "../../src/service/responses/readPage.ts"

const rows = (count: number) => Array.from({ length: count }, (_, at) => ({ code: `V${at}` }))

/** A list of a service with its habits: which numbers it shows, whether it knows `page`, how much it gives at most. */
const serve = (
  total: number,
  habits: { readonly pages?: boolean; readonly numbers?: boolean; readonly most?: number; readonly least?: number }
) => {
  const requested: Array<readonly [number, number]> = []
  const fetch = (page: number, perPage: number): Effect.Effect<ReadPage> =>
    Effect.sync(() => {
      requested.push([page, perPage])
      const size = Math.min(perPage, habits.most ?? perPage)
      const at = habits.pages === false ? 1 : page
      const items = rows(total).slice((at - 1) * size, at * size)
      return habits.numbers === false
        ? { items, currentPage: null, lastPage: null, total: null }
        : { items, currentPage: at, lastPage: Math.max(1, Math.ceil(total / size)), total }
    })
  return { fetch, asked: requested }
}

describe("§4.6 reading a list to its end", () => {
  const cases: ReadonlyArray<readonly [string, number, Parameters<typeof serve>[1], boolean, number]> = [
    ["an empty list", 0, {}, true, 1],
    ["one page", 57, {}, true, 1],
    ["several pages", 250, {}, true, 3],
    ["seven rows a page, whatever the request", 50, { most: 7 }, true, 8],
    ["no numbers: up to the empty page", 250, { numbers: false }, true, 4],
    ["no numbers, seven a page", 20, { numbers: false, most: 7 }, true, 4],
    ["the page parameter is ignored, and one larger page has all rows", 250, { pages: false }, true, 3],
    ["the page parameter is ignored, and a page has at most ten rows", 250, { pages: false, most: 10 }, false, 3],
    ["not paged at all", 57, { pages: false, numbers: false }, true, 2],
    ["not paged, and cut where a page would be", 1000, { pages: false, numbers: false, most: 10 }, false, 2]
  ]
  for (const [name, total, habits, complete, requests] of cases) {
    it.effect(name, () =>
      Effect.gen(function*() {
        const { asked: requested, fetch } = serve(total, habits)
        const list = yield* readPages(fetch)
        assert.strictEqual(list.lack === null, complete)
        if (complete) assert.strictEqual(list.items.length, total)
        assert.strictEqual(requested.length, requests)
      }))
  }

  /** A list that changes before each request: `change` gives all rows, newest first, at the nth of them. */
  const changing = (change: (nth: number) => ReadonlyArray<{ readonly code: string }>) => {
    let nth = 0
    const fetch = (page: number, perPage: number): Effect.Effect<ReadPage> =>
      Effect.sync(() => {
        const all = change(++nth)
        return {
          items: all.slice((page - 1) * perPage, page * perPage),
          currentPage: page,
          lastPage: Math.max(1, Math.ceil(all.length / perPage)),
          total: all.length
        }
      })
    return { fetch, asked: () => nth }
  }
  const codesOf = (items: ReadonlyArray<unknown>) => items.map((item) => jsonObjectOf(item).code)

  it.effect("reads a growing list again, and returns each row once", () =>
    Effect.gen(function*() {
      const { asked: requested, fetch } = changing((nth) => rows(250 + 3 * Math.min(nth, 4)).toReversed())
      const list = yield* readPages(fetch)
      assert.isNull(list.lack)
      assert.sameMembers(codesOf(list.items), rows(262).map(({ code }) => code))
      assert.isAbove(requested(), 3)
    }))

  it.effect("counts equal rows only if a list can have them, on one page or on two", () =>
    Effect.gen(function*() {
      for (const twice of [1, 249]) {
        const { fetch } = changing(() => [...rows(250), { code: `V${twice}` }])
        const list = yield* readPages(fetch, 100, true)
        assert.isNull(list.lack)
        assert.strictEqual(list.items.length, 250)
        // Each visit is listed once: another row is missing.
        assert.isNotNull((yield* readPages(fetch)).lack)
      }
    }))

  it.effect("finds rows that move to an earlier page because others are removed", () =>
    Effect.gen(function*() {
      // the first two rows go after the first page was read: rows 100 and 101 move to where was read already
      const { fetch } = changing((nth) => nth === 1 ? rows(250) : rows(250).slice(2))
      const list = yield* readPages(fetch)
      assert.isNull(list.lack)
      assert.sameMembers(codesOf(list.items), rows(250).slice(2).map(({ code }) => code))
    }))

  it.effect("reports a list whose pages shift every time as incomplete", () =>
    Effect.gen(function*() {
      const { fetch } = changing((nth) => rows(250 + nth * 7).slice(nth * 5))
      assert.include((yield* readPages(fetch)).lack, "shifted")
    }))

  it.effect("reports a list with fewer rows than it declares as incomplete", () =>
    Effect.gen(function*() {
      const lack = (rowsThere: number, page: Partial<ReadPage>) =>
        Effect.map(
          readPages((nth) => {
            const items = nth === 1 ? rows(rowsThere) : []
            return Effect.succeed({ items, currentPage: nth, lastPage: 1, total: null, ...page })
          }),
          (list) => list.lack
        )
      assert.include(yield* lack(57, { total: 58 }), "58 rows, and 57 came")
      assert.include(yield* lack(0, { total: 3, lastPage: null }), "3 rows, and 0 came")
      assert.isNull(yield* lack(57, { total: 57 }))
      assert.isNull(yield* lack(57, {}))
    }))

  it.effect("requests smaller pages if the service rejects ours, and keeps any other rejection", () =>
    Effect.gen(function*() {
      const requested: Array<number> = []
      const used: Array<number> = []
      const read = (most: number) => (perPage: number) => {
        requested.push(perPage)
        const reason = { _tag: "UnexpectedResponse", status: 422, detail: "" } as const
        return perPage > most ? Effect.fail(new OperatorError({ reason })) : Effect.succeed(perPage)
      }
      const use = (size: number) => Effect.sync(() => void used.push(size))
      assert.strictEqual(yield* withSmallerPages(500, read(60), use), 50)
      assert.deepStrictEqual([requested, used], [[500, 100, 50], [50]])
      requested.length = 0
      yield* Effect.flip(withSmallerPages(100, read(0), use))
      assert.deepStrictEqual([requested, used], [[100, 50, 10], [50]])
    }))
})

describe("§4.6 an empty page", () => {
  /** A list whose nth page is empty, with the numbers that its pages show. */
  const broken = (nth: number, numbers: Pick<ReadPage, "lastPage" | "total">) =>
    readPages((page) =>
      Effect.succeed({ items: page === nth ? [] : [{ code: `V${page}` }], currentPage: page, ...numbers })
    )
  it.effect("before the declared last page is no end of the list", () =>
    Effect.gen(function*() {
      for (const nth of [1, 2]) {
        const { lack } = yield* broken(nth, { lastPage: 3, total: null })
        assert.strictEqual(lack, "a page before the last one is empty")
      }
      assert.strictEqual((yield* broken(1, { lastPage: 3, total: 3 })).lack, "it declares 3 rows, and 0 came")
      assert.strictEqual((yield* broken(2, { lastPage: null, total: null })).lack, null)
      assert.strictEqual((yield* broken(1, { lastPage: 1, total: null })).lack, null)
    }))
})

describe("§2.8 reading one page", () => {
  it("reads the documented shape", () => {
    assert.deepStrictEqual(
      readPage({ success: true, data: { current_page: 2, per_page: 100, total: 7, last_page: 3, data: [1] } }),
      { items: [1], currentPage: 2, lastPage: 3, total: 7 }
    )
  })
  it("reads an array, numbers in meta, and numbers as text", () => {
    assert.deepStrictEqual(readPage({ data: [1], meta: { current_page: "2", last_page: 3 } }), {
      items: [1],
      currentPage: 2,
      lastPage: 3,
      total: null
    })
  })
  it("returns null without a list", () => {
    for (const envelope of [null, "x", [], {}, { data: null }, { data: {} }, { success: false, data: [] }]) {
      assert.isNull(readPage(envelope))
    }
  })
  it("returns null for a 200 that declares a failure, because an empty list would be evidence", () => {
    const empty = { success: true, http_code: 200, data: { data: [], total: 0 } }
    assert.deepStrictEqual(readPage(empty), { items: [], currentPage: null, lastPage: null, total: 0 })
    for (const more of [{ success: "false" }, { success: 0 }, { http_code: 500 }, { errors: "Try again later" }]) {
      assert.isNull(readPage({ ...empty, ...more }), JSON.stringify(more))
    }
    assert.isNotNull(readPage({ ...empty, http_code: "200", errors: null }))
  })
})
