import { Effect } from "effect"
import { Operator } from "../service/Operator.ts"
import type { OperatorError } from "../service/OperatorError.ts"
import { admissionDateOf } from "./AdmissionTime.ts"
import { Journal } from "./journal/Journal.ts"
import type { JournalError } from "./journal/JournalError.ts"
import type { JournalVisit } from "./journal/JournalVisit.ts"
import type { Recorded } from "./journal/JournalWriter.ts"
import type { Plan } from "./plan.ts"
import { byCode, type ListedStatuses, readStoredList } from "./readStoredList.ts"
import { cluster, isSilent, listing } from "./reconcile.ts"

export interface ListFirstOptions {
  readonly statuses?: ListedStatuses
  /** No further listing is asked for after so many. */
  readonly maxListings?: number
  /** No further listing is asked for after so many rows. */
  readonly maxRows?: number
}

export const maxListings = 24
export const maxRows = 5000

export interface ListedFirst {
  readonly listings: number
  /** Visits that were found at the service before their first attempt, as they stand now. */
  readonly found: ReadonlyArray<JournalVisit>
  /** Whether the dates of every visit were listed. */
  readonly complete: boolean
  /** Nothing was heard of the service at all. */
  readonly silent: boolean
}

/**
 * Takes the processed list once before the first request of a run, for the admission dates of the visits that are to be sent
 * (§4.6). What it already shows is not sent blindly: our own record is stored (a journal was lost), somebody else's is a
 * duplicate. It saves requests and makes doubt rare; it is not needed for safety, so it is bounded and stops where it costs
 * more than it tells.
 */
export const queryListFirst = Effect.fn("queryListFirst")(function*(
  plan: Plan,
  options: ListFirstOptions = {}
): Effect.fn.Return<ListedFirst, OperatorError | JournalError, Journal | Operator> {
  const journal = yield* Journal
  const found: Array<JournalVisit> = []
  let listings = 0
  let rowsRead = 0
  for (const { range } of cluster(admissionsToSend(plan), (admittedAt) => admittedAt)) {
    if (range === null) continue
    if (listings >= (options.maxListings ?? maxListings) || rowsRead > (options.maxRows ?? maxRows)) {
      return { listings, found, complete: false, silent: false }
    }
    const { error, rows } = yield* listing(range)
    listings++
    // without a list there is nothing more to learn from the next one
    if (rows === null) return { listings, found, complete: false, silent: isSilent(error) }
    rowsRead += rows.length
    const rowsOf = byCode(rows)
    const unsent = (yield* journal.versions([...rowsOf.keys()])).filter(({ visit }) => visit.state === "READY")
    const events = unsent.map(({ versions, visit }): Recorded => {
      const { evidence, row } = readStoredList(versions, rowsOf.get(visit.code) ?? [], options.statuses)
      return { code: visit.code, event: { _tag: "Looked", evidence }, listed: row }
    })
    found.push(...yield* journal.record(events))
  }
  return { listings, found, complete: true, silent: false }
})

/** One admission time of each date on which a visit that is to be sent was admitted. */
export const admissionsToSend = ({ visits }: Plan): ReadonlyArray<string> => {
  const ofDate = new Map<string | null, string>()
  for (const { admittedAt, decision } of visits) {
    if (decision._tag === "Send") ofDate.set(admissionDateOf(admittedAt), admittedAt)
  }
  return [...ofDate.values()]
}
