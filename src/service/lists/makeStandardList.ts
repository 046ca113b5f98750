import { Effect, Ref } from "effect"
import { isJsonObject, type JsonObject } from "../../json/JsonObject.ts"
import { referenceListTypes } from "../../visit/Field.ts"
import type { StandardQuery } from "../Api.ts"
import type { Pace } from "../limits.ts"
import { unexpected } from "../responses/failures.ts"
import { readPages, withSmallerPages } from "../responses/readPage.ts"
import { nonEmptyText } from "../responses/ServiceResponse.ts"
import { atPace, repeated } from "../retrySchedule.ts"
import type { OperatorConfig } from "../settings/OperatorConfig.ts"
import { type Call, exchange } from "../transport.ts"
import { pageParameter } from "../wire.ts"
import { incomplete, readListPage } from "./readListPage.ts"

/** Reads a list of the standard data. `call` requests one page, under the short or the long of the two documented paths. */
export const makeStandardList = Effect.fnUntraced(function*(
  config: OperatorConfig,
  publicPace: Pace,
  call: (query: StandardQuery, isShort: boolean) => Call
) {
  const standard = config.lists.reference
  /** Which of the two documented paths responds; it stays the same for the run. */
  const shortPath = yield* Ref.make(standard.path === "/v1")
  const pageSize = yield* Ref.make(standard.perPage)

  const requestPage = (query: StandardQuery, isShort: boolean) =>
    repeated(atPace(publicPace, "front", exchange(call(query, isShort), config)), config)

  const readPage = Effect.fnUntraced(function*(query: StandardQuery) {
    const isShort = yield* Ref.get(shortPath)
    const response = yield* requestPage(query, isShort)
    const mayBeElsewhere = response.status === 404 && query.page === 1 && standard.path === "auto"
    if (!mayBeElsewhere) return yield* readListPage(response, "the standard data", config)
    const other = yield* requestPage(query, !isShort)
    if (other.status === 200) yield* Ref.set(shortPath, !isShort)
    return yield* readListPage(other, "the standard data", config)
  })

  return Effect.fnUntraced(function*(name: string) {
    const type = referenceListTypes.find((type) => type === name)
    if (type === undefined) return yield* unexpected(0, `the specification has no list ${JSON.stringify(name)}`)
    const whole = yield* withSmallerPages(
      yield* Ref.get(pageSize),
      (size) => readPages((page, per_page) => readPage({ type, per_page, [pageParameter]: page }), size, true),
      (size) => Ref.set(pageSize, size)
    )
    if (whole.lack !== null) return yield* incomplete("the standard data", whole.lack, standard.pageParam)
    return whole.items.map(readItem)
  })
})

/** Reads one item. Some lists may hold plain texts, or rows with another key (§2.8 shows only the diagnoses). */
const readItem = (item: unknown): JsonObject => {
  if (!isJsonObject(item)) return { code: nonEmptyText(item), name: nonEmptyText(item) }
  if (typeof item["code"] === "string") return item
  return { ...item, code: nonEmptyText(item["code"]) ?? nonEmptyText(item["id"]) ?? nonEmptyText(item["name"]) }
}
