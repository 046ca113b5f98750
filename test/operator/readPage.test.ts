import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type ReadPage, readPage, readPages } from "../../src/operator/readPage.ts"

const rows = (count: number) => Array.from({ length: count }, (_, at) => ({ code: `V${at}` }))

/** A list of a service with its habits: which numbers it shows, whether it knows `page`, how much it gives at most. */
const serve = (
  total: number,
  habits: { readonly pages?: boolean; readonly numbers?: boolean; readonly most?: number; readonly least?: number }
) => {
  const asked: Array<readonly [number, number]> = []
  const fetch = (page: number, perPage: number): Effect.Effect<ReadPage> =>
    Effect.sync(() => {
      asked.push([page, perPage])
      const size = Math.min(perPage, habits.most ?? perPage)
      const at = habits.pages === false ? 1 : page
      const items = rows(total).slice((at - 1) * size, at * size)
      return habits.numbers === false
        ? { items, currentPage: null, lastPage: null, total: null }
        : { items, currentPage: at, lastPage: Math.max(1, Math.ceil(total / size)), total }
    })
  return { fetch, asked }
}

describe("§4.6 a list is read to its end", () => {
  const cases: ReadonlyArray<readonly [string, number, Parameters<typeof serve>[1], boolean, number]> = [
    ["an empty list", 0, {}, true, 1],
    ["one page", 57, {}, true, 1],
    ["several pages", 250, {}, true, 3],
    ["seven rows a page, whatever is asked", 50, { most: 7 }, true, 8],
    ["no numbers: up to the empty page", 250, { numbers: false }, true, 4],
    ["no numbers, seven a page", 20, { numbers: false, most: 7 }, true, 4],
    ["the page is not understood, a larger one helps", 250, { pages: false }, true, 3],
    ["the page is not understood and ten is the most", 250, { pages: false, most: 10 }, false, 3],
    ["not paged at all", 57, { pages: false, numbers: false }, true, 2],
    ["not paged, and cut where a page would be", 1000, { pages: false, numbers: false, most: 10 }, false, 2]
  ]
  for (const [name, total, habits, complete, requests] of cases) {
    it.effect(name, () =>
      Effect.gen(function*() {
        const { asked, fetch } = serve(total, habits)
        const list = yield* readPages(fetch)
        assert.strictEqual(list.complete, complete)
        if (complete) assert.strictEqual(list.items.length, total)
        assert.strictEqual(asked.length, requests)
      }))
  }

  it.effect("a list that grows while it is read gives each row once", () =>
    Effect.gen(function*() {
      let total = 250
      const list = yield* readPages((page, perPage) =>
        Effect.sync(() => {
          total += 3
          const all = rows(total).toReversed()
          return {
            items: all.slice((page - 1) * perPage, page * perPage),
            currentPage: page,
            lastPage: Math.ceil(total / perPage),
            total
          }
        })
      )
      const codes = list.items.map((item) => (item as { code: string }).code)
      assert.strictEqual(new Set(codes).size, codes.length)
      assert.isTrue(rows(250).every(({ code }) => codes.includes(code)))
    }))
})

describe("§2.8 a page as far as it says what it is", () => {
  it("the documented shape", () => {
    assert.deepStrictEqual(
      readPage({ success: true, data: { current_page: 2, per_page: 100, total: 7, last_page: 3, data: [1] } }),
      { items: [1], currentPage: 2, lastPage: 3, total: 7 }
    )
  })
  it("an array, numbers in meta, numbers as text", () => {
    assert.deepStrictEqual(readPage({ data: [1], meta: { current_page: "2", last_page: 3 } }), {
      items: [1],
      currentPage: 2,
      lastPage: 3,
      total: null
    })
  })
  it("no list in it", () => {
    for (const envelope of [null, "x", [], {}, { data: null }, { data: {} }, { success: false, data: [] }]) {
      assert.isNull(readPage(envelope))
    }
  })
})
