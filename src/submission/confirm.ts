import { Clock, DateTime, Effect } from "effect"
import type { Operator } from "../operator/Operator.ts"
import { usualReconcile } from "../operator/ReconcileSettings.ts"
import { Journal } from "./Journal.ts"
import type { JournalError } from "./JournalError.ts"
import type { JournalQueries } from "./JournalReader.ts"
import { isContradicted, type JournalVisit } from "./JournalVisit.ts"
import type { Recorded } from "./JournalWriter.ts"
import { byCode, readList } from "./readList.ts"
import { cluster, listing, type ReconcileOptions } from "./reconcile.ts"
import { maxListings, mostRows } from "./takeListFirst.ts"

/** What was acknowledged longer ago is not asked about any more. */
const longestMillis = 30 * 86_400_000

/** The visits whose acknowledgement is to be confirmed by the list now. */
export const unconfirmed = (
  journal: Pick<JournalQueries, "unconfirmed">,
  afterMillis: number | null = usualReconcile.confirmAfterMillis
): Effect.Effect<ReadonlyArray<JournalVisit>, JournalError> =>
  Effect.gen(function*() {
    if (afterMillis === null) return []
    const now = yield* Clock.currentTimeMillis
    const iso = (millis: number) => DateTime.formatIso(DateTime.makeUnsafe(millis))
    return yield* journal.unconfirmed(iso(now - longestMillis), iso(now - afterMillis))
  })

/** What confirming came to. */
export interface Confirmed {
  readonly listings: number
  /** Visits about which the list says otherwise than the answer did. */
  readonly contradicted: ReadonlyArray<JournalVisit>
}

/**
 * Asks the list, once and some time after the answer, about visits that an answer alone says are stored: the service may take a visit
 * and find fault with it later (§4.6 shows a processing status). Nothing is sent again for it, and no state changes; what disagrees
 * is told. It is not needed for safety: a service or a list that cannot be had tells nothing, and is no failure.
 */
export const confirm = Effect.fn("confirm")(function*(
  options: ReconcileOptions = {}
): Effect.fn.Return<Confirmed, JournalError, Journal | Operator> {
  const journal = yield* Journal
  const visits = yield* unconfirmed(journal, options.confirmAfterMillis)
  const contradicted: Array<JournalVisit> = []
  let listings = 0
  let rowsRead = 0
  for (const { members, range } of cluster(visits, ({ admittedAt }) => admittedAt)) {
    if (range === null) continue
    // the rest is for the next run: what is open has more need of the list
    if (listings >= maxListings || rowsRead > mostRows) break
    const { rows } = yield* listing(range).pipe(
      Effect.catchTag("OperatorError", (error) => Effect.succeed({ rows: null, error }))
    )
    listings++
    if (rows === null) break
    rowsRead += rows.length
    const found = byCode(rows)
    for (let at = 0; at < members.length; at += 500) {
      const group = yield* journal.versions(members.slice(at, at + 500).map(({ code }) => code))
      const events = group.map(({ versions, visit }): Recorded => {
        const { evidence, row } = readList(versions, found.get(visit.code) ?? [], options.statuses)
        return { code: visit.code, event: { _tag: "Looked", evidence }, listed: row }
      })
      contradicted.push(...(yield* journal.record(events)).filter(isContradicted))
    }
  }
  return { listings, contradicted }
})
