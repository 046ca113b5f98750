import { Clock, DateTime, Effect } from "effect"
import type { Operator } from "../service/Operator.ts"
import { defaultReconcile } from "../service/settings/ReconcileSettings.ts"
import { Journal } from "./journal/Journal.ts"
import type { JournalError } from "./journal/JournalError.ts"
import type { JournalQueries } from "./journal/JournalReader.ts"
import { isContradicted, isVerdict, type JournalVisit } from "./journal/JournalVisit.ts"
import type { Recorded } from "./journal/JournalWriter.ts"
import type { ListEvidence } from "./journal/VisitState.ts"
import { nextState } from "./nextState.ts"
import { maxListings, maxRows } from "./queryListFirst.ts"
import { byCode, readStoredList } from "./readStoredList.ts"
import { cluster, isSilent, listing, type ReconcileOptions } from "./reconcile.ts"

/** What was acknowledged longer ago is not asked about any more, unless the list disagreed. */
const maxMillis = 30 * 86_400_000

/**
 * The visits about which a run asks the list although their outcome is told: those that an answer alone says are stored, once; those
 * that the list contradicts, and those with a verdict against them, in every run until it is settled.
 */
export const toConfirm = (
  journal: Pick<JournalQueries, "unconfirmed" | "notAsSource" | "visits">,
  afterMillis: number | null = defaultReconcile.confirmAfterMillis
): Effect.Effect<ReadonlyArray<JournalVisit>, JournalError> =>
  Effect.gen(function*() {
    const contradicted = (yield* journal.notAsSource).filter(isContradicted)
    const verdicts = (yield* journal.visits(["REFUSED", "CONFLICT", "DUPLICATE"])).filter(isVerdict)
    const reported = [...contradicted, ...verdicts]
    if (afterMillis === null) return reported
    const now = yield* Clock.currentTimeMillis
    const iso = (millis: number) => DateTime.formatIso(DateTime.makeUnsafe(millis))
    const known = new Set(reported.map(({ code }) => code))
    const unconfirmed = yield* journal.unconfirmed(iso(now - maxMillis), iso(now - afterMillis))
    return [...reported, ...unconfirmed.filter(({ code }) => !known.has(code))]
  })

/** What confirming came to. */
export interface Confirmed {
  readonly listings: number
  /** Visits with a verdict against them that the list shows as ours, as they stand now. */
  readonly settled: ReadonlyArray<JournalVisit>
  /** Nothing was heard of the service at all. */
  readonly silent: boolean
}

/**
 * Asks the list about visits whose outcome is told: the service may take a visit and find fault with it later (§4.6 shows a processing
 * status), and an answer that refused one may not have been the service's. Nothing is sent again for it. It is not needed for safety: a
 * service or a list that cannot be had tells nothing, and is no failure.
 */
export const confirm = Effect.fn("confirm")(function*(
  options: ReconcileOptions = {}
): Effect.fn.Return<Confirmed, JournalError, Journal | Operator> {
  const journal = yield* Journal
  const visits = yield* toConfirm(journal, options.confirmAfterMillis)
  const settled: Array<JournalVisit> = []
  let listings = 0
  let rowsRead = 0
  let silent = false
  for (const { members, range } of cluster(visits, ({ admittedAt }) => admittedAt)) {
    if (range === null) continue
    // the rest is for the next run: what is open has more need of the list
    if (listings >= maxListings || rowsRead > maxRows) break
    const { error, rows } = yield* listing(range).pipe(
      Effect.catchTag("OperatorError", (error) => Effect.succeed({ rows: null, error }))
    )
    listings++
    silent = isSilent(error)
    if (rows === null) break
    rowsRead += rows.length
    const found = byCode(rows)
    for (let at = 0; at < members.length; at += 500) {
      const group = yield* journal.versions(members.slice(at, at + 500).map(({ code }) => code))
      const events = group.flatMap(({ versions, visit }): ReadonlyArray<Recorded> => {
        const { evidence, row } = readStoredList(versions, found.get(visit.code) ?? [], options.statuses)
        return hasMoreEvidence(visit, evidence)
          ? [{ code: visit.code, event: { _tag: "Looked", evidence }, listed: row }]
          : []
      })
      settled.push(...(yield* journal.record(events)).filter(({ state }) => state === "STORED" || state === "PARTIAL"))
    }
  }
  const before = new Map(visits.map(({ code, state }) => [code, state]))
  return { listings, settled: settled.filter(({ code }) => before.get(code) !== "STORED"), silent }
})

/**
 * Whether a look at the list is worth a row of the history. About a visit that is stored every look is, where it says something else than
 * before or is the first; about one with a verdict against it only our own record, as a list shows what is stored, is.
 */
export const hasMoreEvidence = (visit: JournalVisit, evidence: ListEvidence): boolean => {
  const after = nextState(visit, { _tag: "Looked", evidence })
  if (visit.state === "STORED") {
    const isFirst = visit.attemptedAt !== null && (visit.listedAt ?? "") < visit.attemptedAt
    return isFirst || after?.unlisted !== visit.unlisted ||
      (evidence._tag === "Ours" &&
        (visit.listedStatus !== null || evidence.status === "other" || evidence.status === "partial"))
  }
  return evidence._tag === "Ours" && evidence.status !== "other" && after?.state !== visit.state
}
