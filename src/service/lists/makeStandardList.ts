import { Effect, Ref } from "effect"
import { isJsonObject } from "../../json/JsonObject.ts"
import { type ReferenceListType, referenceListTypes } from "../../visit/Field.ts"
import type { Pace } from "../limits.ts"
import { unexpected } from "../responses/failures.ts"
import { readPages, withSmallerPages } from "../responses/readPage.ts"
import { nonEmptyText } from "../responses/ServiceResponse.ts"
import { atPace, repeated } from "../retrySchedule.ts"
import type { OperatorConfig } from "../settings/OperatorConfig.ts"
import { type Call, exchange } from "../transport.ts"
import { pageParameter } from "../wire.ts"
import { incomplete, readListPage } from "./readListPage.ts"

/** The query of one page of the standard data (§4.3). */
interface StandardQuery {
  readonly type: ReferenceListType
  readonly per_page: number
  readonly page: number
}

/** Reads a list of the standard data; `call` asks for one page, at the short one of the two documented paths or at the long one. */
export const makeStandardList = Effect.fnUntraced(function*(
  config: OperatorConfig,
  publicPace: Pace,
  call: (query: StandardQuery, short: boolean) => Call
) {
  const standard = config.lists.reference
  /** Which of the two documented paths responds; it stays the same for the run. */
  const shortPath = yield* Ref.make(standard.path === "/v1")
  const standardPage = Effect.fnUntraced(function*(list: string, page: number, per_page: number) {
    const type = referenceListTypes.find((type) => type === list)
    if (type === undefined) return yield* unexpected(0, `the specification has no list ${JSON.stringify(list)}`)
    const query = { type, per_page, [pageParameter]: page }
    const ask = (short: boolean) =>
      repeated(
        atPace(
          publicPace,
          "front",
          exchange(call(query, short), config)
        ),
        config
      )
    const short = yield* Ref.get(shortPath)
    const answer = yield* ask(short)
    const mayBeElsewhere = answer.status === 404 && page === 1 && standard.path === "auto"
    if (!mayBeElsewhere) return yield* readListPage(answer, "the standard data", config)
    const other = yield* ask(!short)
    if (other.status === 200) yield* Ref.set(shortPath, !short)
    return yield* readListPage(other, "the standard data", config)
  })

  const standardPages = yield* Ref.make(standard.perPage)
  return Effect.fnUntraced(function*(type: string) {
    const whole = yield* withSmallerPages(
      yield* Ref.get(standardPages),
      (size) => readPages((page, perPage) => standardPage(type, page, perPage), size),
      (size) => Ref.set(standardPages, size)
    )
    if (whole.lack !== null) return yield* incomplete("the standard data", whole.lack, standard.pageParam)
    return whole.items.map(readItem)
  })
})

/** Reads one item. Some lists may hold plain texts, or rows with another key (§2.8 shows only the diagnoses). */
const readItem = (item: unknown): Readonly<Record<string, unknown>> => {
  if (!isJsonObject(item)) return { code: nonEmptyText(item), name: nonEmptyText(item) }
  if (typeof item["code"] === "string") return item
  return { ...item, code: nonEmptyText(item["code"]) ?? nonEmptyText(item["id"]) ?? nonEmptyText(item["name"]) }
}
