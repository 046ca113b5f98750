import { Clock, DateTime, Effect } from "effect"
import { Operator, type ProcessedVisit } from "../service/Operator.ts"
import type { OperatorError } from "../service/OperatorError.ts"
import { defaultReconcile, type ReconcileSettings } from "../service/settings/ReconcileSettings.ts"
import { addDays, admissionDateOf, daysBetween } from "./AdmissionTime.ts"
import { Journal } from "./journal/Journal.ts"
import type { JournalError } from "./journal/JournalError.ts"
import type { JournalVisit } from "./journal/JournalVisit.ts"
import type { Recorded } from "./journal/JournalWriter.ts"
import type { PendingVisit } from "./journal/PendingVisit.ts"
import type { ListEvidence } from "./journal/VisitState.ts"
import { byCode, type ListedStatuses, readAbsence, readStoredList } from "./readStoredList.ts"

export interface ReconcileOptions {
  /** What the list's status texts mean; 1 and 3 of §3 unless the operator says otherwise. */
  readonly statuses?: ListedStatuses
  /** How long after the last attempt the list is asked at the earliest: the request may still be on its way. */
  readonly settleMillis?: number
  /** Visits stored in part are asked about when nobody asked for this long. */
  readonly partialAfterMillis?: number
  /** So long after the answer the list is asked about visits that an answer alone says are stored; `null` for never. */
  readonly confirmAfterMillis?: number | null
  /** Uploads ask in `bulk`, with their share of the requests; somebody who waits asks in `front`. */
  readonly lane?: "bulk" | "front"
}

/** The facility's settings, as they are taken here. */
export const reconcileOptions = (settings: ReconcileSettings): ReconcileOptions => ({
  settleMillis: settings.waitMillis,
  partialAfterMillis: settings.partialAfterMillis,
  confirmAfterMillis: settings.confirmAfterMillis
})

/** What asking the service came to. */
export interface Reconciled {
  /** How many visits were asked about. */
  readonly asked: number
  /** How many requests for a listing it took; each may be several pages. */
  readonly listings: number
  /** Listings that could not be had or not be read. */
  readonly unreadable: number
  /** Why the last of them could not. */
  readonly error: OperatorError | null
  /** The visits that were asked about, as they stand now. */
  readonly visits: ReadonlyArray<JournalVisit>
}

/** A stretch of admission dates, inclusive. */
export interface DateRange {
  readonly from: string
  readonly to: string
}

/**
 * Asks the service about every visit whose outcome is open, before anything is sent again (§4.6). One listing serves all
 * visits of near admission dates; each visit's date is taken a day wider on both sides, for the service's day is not known.
 * Fails when the world stops us; a list that cannot be had or read is no failure, it only tells nothing.
 */
export const reconcile = Effect.fn("reconcile")(function*(
  options: ReconcileOptions = {}
): Effect.fn.Return<Reconciled, OperatorError | JournalError, Journal | Operator> {
  const journal = yield* Journal
  const now = yield* Clock.currentTimeMillis
  const partialBefore = now - (options.partialAfterMillis ?? defaultReconcile.partialAfterMillis)
  const open = yield* journal.openVisits(DateTime.formatIso(DateTime.makeUnsafe(partialBefore)))
  if (open.length === 0) return { asked: 0, listings: 0, unreadable: 0, error: null, visits: [] }
  yield* waitForStragglers(open, now, options.settleMillis ?? defaultReconcile.waitMillis)

  const visits: Array<JournalVisit> = []
  let listings = 0
  let unreadable = 0
  let failure: OperatorError | null = null
  let dead = 0
  for (const { members, range } of cluster(open, ({ visit }) => visit.admittedAt)) {
    const asks = range !== null && dead < maxFailedListings
    const listed: Listed = asks ? yield* listing(range, options.lane) : { error: failure, rows: null }
    const { error, rows } = listed
    listings += asks ? 1 : 0
    unreadable += rows === null ? 1 : 0
    failure = error ?? failure
    if (asks) dead = rows === null ? dead + (isSilent(error) ? maxFailedListings : 1) : 0
    const found = rows === null ? new Map<string, ReadonlyArray<ProcessedVisit>>() : byCode(rows)
    const events = members.map(({ versions, visit }): Recorded => {
      if (rows === null) return { code: visit.code, event: { _tag: "Looked", evidence: noListOf(error) } }
      const own = found.get(visit.code)
      const { evidence, row } = own === undefined
        ? readAbsence(visit.problem, versions, rows)
        : readStoredList(versions, own, options.statuses)
      return { code: visit.code, event: { _tag: "Looked", evidence }, listed: row }
    })
    visits.push(...yield* journal.record(events))
  }
  return { asked: open.length, listings, unreadable, error: failure, visits }
})

/** What is known of a list that could not be read. */
const noListOf = (error: OperatorError | null): ListEvidence => {
  const status = error === null ? 0 : statusOf(error)
  return status === 0 ? { _tag: "NoList" } : { _tag: "NoList", status }
}

/** The HTTP status that an error tells of, or 0. */
const statusOf = ({ reason }: OperatorError): number => {
  switch (reason._tag) {
    case "AccessDenied":
      return 403
    case "ServiceFailed":
    case "UnexpectedAnswer":
      return reason.status
    default:
      return 0
  }
}

/** Nothing was heard at all: to ask for the next list would be to wait as long again. */
export const isSilent = (error: OperatorError | null): boolean =>
  error?.reason._tag === "Unreachable" && error.reason.silent === true

/** What asking for a list came to. */
export interface Listed {
  /** `null` when there is no list to read. */
  readonly rows: ReadonlyArray<ProcessedVisit> | null
  /** Why not. */
  readonly error: OperatorError | null
}

/** Every visit the service lists between two dates. An error that would stop any other request, too, stays an error. */
export const listing = Effect.fnUntraced(function*(
  range: DateRange,
  lane: "bulk" | "front" = "bulk"
): Effect.fn.Return<Listed, OperatorError, Operator> {
  const operator = yield* Operator
  return yield* operator.processed(range.from, range.to, lane).pipe(
    Effect.map((rows): Listed => ({ rows, error: null })),
    Effect.catchReasons("OperatorError", {
      AccessDenied: noList,
      ServiceFailed: noList,
      UnexpectedAnswer: noList,
      Unreachable: noList
    })
  )
})

/** No answer to this question need not mean none to the next; without a token, or where nothing can be reached, there is none to any. */
const noList = (reason: OperatorError["reason"], error: OperatorError): Effect.Effect<Listed, OperatorError> =>
  error.withoutToken === true || isLasting(reason) ? Effect.fail(error) : Effect.succeed({ rows: null, error })

/** When so many listings in a row could not be read, no more are asked for: each costs several requests of the hour's. */
export const maxFailedListings = 2

/** Whether trying again cannot help: the certificate is not trusted, the address is not one. */
export const isLasting = (reason: OperatorError["reason"]): boolean => "lasting" in reason && reason.lasting === true

/** A listing is never wider than this. */
const maxRangeDays = 31

/**
 * Puts things of near admission dates together, so that one listing serves them. A thing whose date cannot be read is in a
 * cluster without a range.
 */
export const cluster = <A>(
  things: ReadonlyArray<A>,
  admittedAt: (thing: A) => string
): ReadonlyArray<{ readonly range: DateRange | null; readonly members: ReadonlyArray<A> }> => {
  const dated = things.map((thing) => ({ thing, date: admissionDateOf(admittedAt(thing)) }))
  const clusters: Array<{ range: DateRange | null; members: Array<A> }> = []
  let current: { range: DateRange; members: Array<A> } | undefined
  for (const { date, thing } of dated.toSorted((a, b) => compare(a.date ?? "", b.date ?? ""))) {
    if (date === null) {
      const undated = clusters.find(({ range }) => range === null)
      if (undated === undefined) clusters.push({ range: null, members: [thing] })
      else undated.members.push(thing)
      continue
    }
    const [from, to] = [addDays(date, -1), addDays(date, 1)]
    if (
      current !== undefined && daysBetween(current.range.to, from) <= 1 &&
      daysBetween(current.range.from, to) < maxRangeDays
    ) {
      current.range = { from: current.range.from, to }
      current.members.push(thing)
    } else {
      current = { range: { from, to }, members: [thing] }
      clusters.push(current)
    }
  }
  return clusters
}

const compare = (a: string, b: string): number => a < b ? -1 : a > b ? 1 : 0

/** A request that timed out here may still arrive there: the list is not asked in the same breath. */
const waitForStragglers = (
  open: ReadonlyArray<PendingVisit>,
  now: number,
  settleMillis: number
): Effect.Effect<void> => {
  let last = 0
  for (const { visit } of open) {
    if (visit.state === "UNKNOWN" || visit.state === "VERIFY") last = Math.max(last, Date.parse(visit.updatedAt))
  }
  const wait = Math.min(settleMillis, last + settleMillis - now)
  return wait > 0 ? Effect.sleep(wait) : Effect.void
}
