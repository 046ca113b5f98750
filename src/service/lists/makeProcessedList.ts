import { Effect, Ref } from "effect"
import type { Pace } from "../limits.ts"
import type { OperatorError } from "../OperatorError.ts"
import { unexpected } from "../responses/failures.ts"
import { type ReadPage, readPages, withSmallerPages } from "../responses/readPage.ts"
import { facilityOf, readProcessed } from "../responses/readProcessed.ts"
import type { ServiceResponse } from "../responses/ServiceResponse.ts"
import { repeated } from "../retrySchedule.ts"
import type { OperatorConfig } from "../settings/OperatorConfig.ts"
import type { Lost, NotSent } from "../transport.ts"
import { pageParameter } from "../wire.ts"
import { incomplete, readListPage } from "./readListPage.ts"

/** The query of one page of the processed list (§4.6). */
interface ProcessedQuery {
  readonly per_page: number
  readonly page: number
  readonly admitted_at_from: string
  readonly admitted_at_to: string
  readonly sort_by?: string
  readonly sort_direction?: "asc"
}

/** Reads the visits that the service lists between two admission dates, with a function that asks for one page. */
export const makeProcessedList = Effect.fnUntraced(function*(
  config: OperatorConfig,
  listPace: Pace,
  ask: (
    lane: "bulk" | "front",
    query: ProcessedQuery
  ) => Effect.Effect<ServiceResponse, NotSent | Lost | OperatorError>
) {
  const list = config.lists.processed
  const processedPage = Effect.fnUntraced(function*(
    from: string,
    to: string,
    sorted: Ref.Ref<boolean>,
    page: number,
    per_page: number,
    lane: "bulk" | "front"
  ): Effect.fn.Return<ReadPage, OperatorError> {
    if (lane === "bulk") {
      const entered = yield* listPace.enter("bulk").pipe(
        Effect.mapError(() => unexpected(0, "the share of the requests for lists is used up"))
      )
      yield* listPace.leave(entered, null)
    }
    const askPage = (sort: boolean) =>
      repeated(
        ask(lane, {
          per_page,
          [pageParameter]: page,
          admitted_at_from: from,
          admitted_at_to: to,
          ...(sort && list.sortBy !== null ? { sort_by: list.sortBy, sort_direction: "asc" } as const : {})
        }),
        config
      )
    const sort = yield* Ref.get(sorted)
    let answer = yield* askPage(sort)
    // The sortable fields are not shown; a list can be read unsorted.
    if (sort && (answer.status === 422 || answer.status === 400)) {
      yield* Ref.set(sorted, false)
      answer = yield* askPage(false)
    }
    return yield* readListPage(answer, "the processed list", config)
  })

  /** Large pages need fewer requests (§8). A service that rejects this number then gets the size that it accepts. */
  const listPages = yield* Ref.make(list.perPage)

  return Effect.fnUntraced(function*(
    from: string,
    to: string,
    lane: "bulk" | "front" = "bulk"
  ) {
    const read = (perPage: number) =>
      Effect.flatMap(
        Ref.make(list.sortBy !== null),
        (sorted) => readPages((page, perPage) => processedPage(from, to, sorted, page, perPage, lane), perPage)
      )
    const whole = yield* withSmallerPages(yield* Ref.get(listPages), read, (size) => Ref.set(listPages, size))
    if (whole.lack !== null) return yield* incomplete("the processed list", whole.lack, list.pageParam)
    const rows = whole.items.filter((row) =>
      (facilityOf(row, list.fields) ?? config.facilityCode) === config.facilityCode
    )
    const found = rows.flatMap((row) => readProcessed(row, list.fields) ?? [])
    if (rows.length > 0 && found.length === 0) {
      return yield* unexpected(200, "the processed list shows no visit codes")
    }
    return found
  })
})
