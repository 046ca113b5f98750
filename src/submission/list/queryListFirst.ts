import { Effect } from "effect"
import { Operator } from "../../service/Operator.ts"
import type { OperatorError } from "../../service/OperatorError.ts"
import { Journal } from "../journal/Journal.ts"
import type { JournalError } from "../journal/JournalError.ts"
import type { JournalVisit } from "../journal/JournalVisit.ts"
import type { Recorded } from "../journal/JournalWriter.ts"
import type { Plan } from "../plan/plan.ts"
import { admissionDateOf } from "./AdmissionTime.ts"
import { byCode, codesIn, type ListedStatuses, readStoredList, rowsFor } from "./readStoredList.ts"
import { cluster, isSilent, listing } from "./reconcile.ts"

/** No further listing is requested after so many. */
export const maxListings = 24
/** The maximum of rows after which no further page of the list is requested. */
export const maxRows = 5000

interface ListedFirst {
  readonly listings: number
  /** Visits that were found at the service before their first attempt, in their current state. */
  readonly found: ReadonlyArray<JournalVisit>
  /** The service did not respond at all. */
  readonly silent: boolean
}

/**
 * Reads the processed list once before the first request of a run, for the admission dates of the visits to be sent (§4.6). A listed
 * visit is not sent blindly: our own record is stored (a journal was lost), another sender's is a duplicate. This saves requests and
 * makes doubt rare. Safety does not depend on it, so it is bounded and stops when it costs more than it shows.
 */
export const queryListFirst = Effect.fn("queryListFirst")(function*(
  plan: Plan,
  options: { readonly statuses?: ListedStatuses }
): Effect.fn.Return<ListedFirst, OperatorError | JournalError, Journal | Operator> {
  const journal = yield* Journal
  const found: Array<JournalVisit> = []
  let listings = 0
  let rowsRead = 0
  for (const { range } of cluster(admissionsToSend(plan), (admittedAt) => admittedAt)) {
    if (range === null) continue
    if (listings >= maxListings || rowsRead > maxRows) {
      return { listings, found, silent: false }
    }
    const { error, rows } = yield* listing(range)
    listings++
    // without a list, the next one will not help either
    if (rows === null) return { listings, found, silent: isSilent(error) }
    rowsRead += rows.length
    const rowsOf = byCode(rows)
    const unsent = (yield* journal.versions(codesIn(rowsOf))).filter(({ visit }) => visit.state === "READY")
    const events = unsent.map(({ versions, visit }): Recorded => {
      const { evidence, row } = readStoredList(versions, rowsFor(rowsOf, visit.code), options.statuses)
      return { code: visit.code, event: { _tag: "Looked", evidence }, listed: row }
    })
    found.push(...yield* journal.record(events))
  }
  return { listings, found, silent: false }
})

/** Returns one admission time for each date on which a visit to be sent was admitted. */
export const admissionsToSend = ({ visits }: Plan): ReadonlyArray<string> => {
  const ofDate = new Map<string | null, string>()
  for (const { admittedAt, decision } of visits) {
    if (decision._tag === "Send") ofDate.set(admissionDateOf(admittedAt), admittedAt)
  }
  return [...ofDate.values()]
}
