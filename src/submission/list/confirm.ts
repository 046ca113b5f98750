import { Clock, DateTime, Effect, Iterable } from "effect"
import type { Operator } from "../../service/Operator.ts"
import { defaultReconcile } from "../../service/settings/ReconcileSettings.ts"
import { Journal } from "../journal/Journal.ts"
import type { JournalError } from "../journal/JournalError.ts"
import type { JournalQueries } from "../journal/JournalReader.ts"
import { isContradicted, isVerdict, type JournalVisit } from "../journal/JournalVisit.ts"
import type { Recorded } from "../journal/JournalWriter.ts"
import { type ListEvidence, verdictStates } from "../journal/VisitState.ts"
import { nextState } from "../nextState.ts"
import { maxListings, maxRows } from "./queryListFirst.ts"
import { byCode, readStoredList, rowsFor } from "./readStoredList.ts"
import { cluster, isSilent, listing, type ReconcileOptions } from "./reconcile.ts"

/** Visits that were acknowledged earlier than this are no longer looked up, unless the list contradicted them. */
const maxMillis = 30 * 86_400_000

/** Maximum of acknowledged visits that one run looks up. */
const maxVisits = 2 * maxRows

/**
 * Returns the visits that a run looks up in the list although their outcome is known. A visit that a response acknowledged is looked up
 * `afterMillis` later. It is looked up again whenever its age is four times its age at the last lookup. With an hour, that is in the
 * first night, after some days, and after some weeks. Visits that the list contradicts, and those with a verdict against them, are
 * looked up in every run until they are resolved.
 */
export const toConfirm = (
  journal: Pick<JournalQueries, "unconfirmed" | "notAsSource" | "visits">,
  afterMillis: number | null = defaultReconcile.confirmAfterMillis
): Effect.Effect<ReadonlyArray<JournalVisit>, JournalError> =>
  Effect.gen(function*() {
    const contradicted = (yield* journal.notAsSource).filter(isContradicted)
    const verdicts = (yield* journal.visits(verdictStates)).filter(isVerdict)
    const reported = [...contradicted, ...verdicts]
    if (afterMillis === null) return reported
    const now = yield* Clock.currentTimeMillis
    const iso = (millis: number) => DateTime.formatIso(DateTime.makeUnsafe(millis))
    const known = new Set(reported.map(({ code }) => code))
    const times = { from: iso(now - maxMillis), now: iso(now), to: iso(now - afterMillis) }
    const unconfirmed = yield* journal.unconfirmed(times, maxVisits)
    return [...reported, ...unconfirmed.filter(({ code }) => !known.has(code))]
  })

/** The result of a confirmation. */
interface Confirmed {
  readonly listings: number
  /** Visits with a verdict against them that the list shows as ours, in their current state. */
  readonly settled: ReadonlyArray<JournalVisit>
  /** The service did not respond at all. */
  readonly silent: boolean
}

/**
 * Looks up visits whose outcome is known. The service may accept a visit and find an error in it later: §4.6 shows a processing status.
 * A refusal may not have come from the service. Nothing is sent again because of it. Safety does not depend on it: an unavailable
 * service or list is no evidence, and no failure.
 */
export const confirm = Effect.fn("confirm")(function*(
  options: ReconcileOptions
): Effect.fn.Return<Confirmed, JournalError, Journal | Operator> {
  const journal = yield* Journal
  const visits = yield* toConfirm(journal, options.confirmAfterMillis)
  const settled: Array<JournalVisit> = []
  let listings = 0
  let rowsRead = 0
  let silent = false
  for (const { members, range } of cluster(visits, ({ admittedAt }) => admittedAt)) {
    if (range === null) continue
    // the rest is left to the next run: visits with an unknown outcome need the list more
    if (listings >= maxListings || rowsRead > maxRows) break
    const { error, rows } = yield* listing(range).pipe(
      Effect.catchTag("OperatorError", (error) => Effect.succeed({ rows: null, error }))
    )
    listings++
    silent = isSilent(error)
    if (rows === null) break
    rowsRead += rows.length
    const found = byCode(rows)
    for (const group of Iterable.chunksOf(members, 500)) {
      const pending = yield* journal.versions(group.map(({ code }) => code))
      const events = pending.flatMap(({ versions, visit }): ReadonlyArray<Recorded> => {
        const { evidence, row } = readStoredList(versions, rowsFor(found, visit.code), options.statuses)
        const isDue = visit.state === "STORED" && !isContradicted(visit)
        return isDue || hasMoreEvidence(visit, evidence)
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
 * Whether a lookup in the list is worth a row of the history. For a stored visit, that is the first lookup, and every one that differs
 * from the last. For a visit with a verdict against it, only our own record counts, because a list shows what is stored.
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
