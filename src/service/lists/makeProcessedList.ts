import { Effect, Ref } from "effect"
import type { ProcessedQuery } from "../Api.ts"
import type { Lane, Pace } from "../limits.ts"
import type { OperatorError } from "../OperatorError.ts"
import { unexpected } from "../responses/failures.ts"
import { readPages, withSmallerPages } from "../responses/readPage.ts"
import { facilityOf, readProcessed } from "../responses/readProcessed.ts"
import type { ServiceResponse } from "../responses/ServiceResponse.ts"
import { repeated } from "../retrySchedule.ts"
import type { OperatorConfig } from "../settings/OperatorConfig.ts"
import type { NotSent, ResponseLost } from "../transport.ts"
import { pageParameter } from "../wire.ts"
import { incomplete, readListPage } from "./readListPage.ts"

/** Reads the visits that the service lists between two admission dates. `request` requests one page. */
export const makeProcessedList = Effect.fnUntraced(function*(
  config: OperatorConfig,
  listPace: Pace,
  request: (
    lane: Lane,
    query: ProcessedQuery
  ) => Effect.Effect<ServiceResponse, NotSent | ResponseLost | OperatorError>
) {
  const list = config.lists.processed
  /** Large pages need fewer requests (§8). A service that rejects this number then gets the size that it accepts. */
  const pageSize = yield* Ref.make(list.perPage)
  /** Some services fail with 500 or 501 if they cannot sort by a field. A list is not sorted again after it was read without an order. */
  const sortField = yield* Ref.make(list.sortBy)

  return Effect.fnUntraced(function*(from: string, to: string, lane: Lane = "bulk") {
    /** The field to sort by. The sortable fields are not shown; a list can be read unsorted. */
    let sortBy = yield* Ref.get(sortField)
    const requestPage = (page: number, perPage: number) =>
      repeated(
        request(lane, {
          per_page: perPage,
          [pageParameter]: page,
          admitted_at_from: from,
          admitted_at_to: to,
          ...(sortBy === null ? {} : { sort_by: sortBy, sort_direction: "asc" } as const)
        }),
        config
      )
    const readPage = Effect.fnUntraced(function*(page: number, perPage: number) {
      if (lane === "bulk") {
        const entered = yield* listPace.enter("bulk").pipe(
          Effect.mapError(() => unexpected(0, "the requests for lists are used up"))
        )
        yield* listPace.leave(entered, null)
      }
      const requestUnsorted = Effect.suspend(() => {
        sortBy = null
        return requestPage(page, perPage)
      })
      // Only for the first page: pages in two orders can lack rows.
      const canBeUnsorted = page === 1 && sortBy !== null
      let response = yield* requestPage(page, perPage).pipe(
        Effect.catchIf(
          ({ reason }) => canBeUnsorted && reason._tag === "ServiceFailed" && failsToSort.has(reason.status),
          () => requestUnsorted
        )
      )
      if (canBeUnsorted && (response.status === 422 || response.status === 400)) response = yield* requestUnsorted
      return yield* readListPage(response, "the processed list", config)
    })
    const read = (perPage: number) =>
      Effect.suspend(() => {
        sortBy = Ref.getUnsafe(sortField)
        return Effect.tap(readPages(readPage, perPage), () => Ref.set(sortField, sortBy))
      })
    const whole = yield* withSmallerPages(yield* Ref.get(pageSize), read, (size) => Ref.set(pageSize, size))
    if (whole.lack !== null) return yield* incomplete("the processed list", whole.lack, list.pageParam)
    const rows = whole.items.filter((row) =>
      (facilityOf(row, list.fields) ?? config.facilityCode) === config.facilityCode
    )
    const found = rows.map((row) => readProcessed(row, list.fields))
    if (rows.length > 0 && found.every(({ visitCode }) => visitCode === null)) {
      return yield* unexpected(200, "the processed list shows no visit codes")
    }
    return found
  })
})

/** The statuses of services that cannot sort by a field. */
const failsToSort: ReadonlySet<number> = new Set([500, 501])
