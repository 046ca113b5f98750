import { Clock, DateTime, Effect } from "effect"
import { at } from "../../at.ts"
import { compareTexts } from "../../compareTexts.ts"
import { Operator, type ProcessedVisit } from "../../service/Operator.ts"
import type { OperatorError } from "../../service/OperatorError.ts"
import { defaultReconcile, type ReconcileSettings } from "../../service/settings/ReconcileSettings.ts"
import { Journal } from "../journal/Journal.ts"
import type { JournalError } from "../journal/JournalError.ts"
import type { JournalVisit } from "../journal/JournalVisit.ts"
import type { Recorded } from "../journal/JournalWriter.ts"
import type { PendingVisit } from "../journal/PendingVisit.ts"
import type { ListEvidence } from "../journal/VisitState.ts"
import { addDays, admissionDateOf, daysBetween } from "./AdmissionTime.ts"
import { byCode, type ListedStatuses, readAbsence, readStoredList } from "./readStoredList.ts"

export interface ReconcileOptions {
  /** The meaning of the list's status texts (default: 1 and 3 of §3). */
  readonly statuses?: ListedStatuses
  /** Minimum time from the last attempt to a lookup in the list: the request may still be on its way. */
  readonly waitMillis?: number
  /** Partly stored visits are looked up again after this time without a lookup. */
  readonly partialAfterMillis?: number
  /** Time from a response until the list confirms visits that are stored only according to that response; `null` for never. */
  readonly confirmAfterMillis?: number | null
  /** Uploads use `bulk`, with its part of the requests; an interactive user uses `front`. */
  readonly lane?: "bulk" | "front"
}

/** Converts the facility's settings to options. */
export const reconcileOptions = (settings: ReconcileSettings): ReconcileOptions => ({
  waitMillis: settings.waitMillis,
  partialAfterMillis: settings.partialAfterMillis,
  confirmAfterMillis: settings.confirmAfterMillis
})

/** The result of a reconciliation. */
export interface Reconciled {
  /** Number of visits looked up. */
  readonly asked: number
  /** Number of listings requested; each may be several pages. */
  readonly listings: number
  /** Listings that were unavailable or unreadable. */
  readonly unreadable: number
  /** The error of the last such listing. */
  readonly error: OperatorError | null
  /** The visits that were looked up, in their current state. */
  readonly visits: ReadonlyArray<JournalVisit>
}

/** A range of admission dates, inclusive. */
interface DateRange {
  readonly from: string
  readonly to: string
}

/**
 * Looks up every visit whose outcome is unknown, before anything is sent again (§4.6). One listing serves all visits of near admission
 * dates. Each date is widened by a day on both sides, because the service's time zone is unknown. Fails only for an external error that
 * stops the run: an unavailable or unreadable list is no evidence, and no failure.
 */
export const reconcile = Effect.fn("reconcile")(function*(
  options: ReconcileOptions = {}
): Effect.fn.Return<Reconciled, OperatorError | JournalError, Journal | Operator> {
  const journal = yield* Journal
  const now = yield* Clock.currentTimeMillis
  const partialBefore = now - (options.partialAfterMillis ?? defaultReconcile.partialAfterMillis)
  const pending = yield* journal.pending(DateTime.formatIso(DateTime.makeUnsafe(partialBefore)))
  if (pending.length === 0) return { asked: 0, listings: 0, unreadable: 0, error: null, visits: [] }
  yield* waitForLateRequests(pending, now, options.waitMillis ?? defaultReconcile.waitMillis)

  const visits: Array<JournalVisit> = []
  let listings = 0
  let unreadable = 0
  let failure: OperatorError | null = null
  /** Failed listings in a row. */
  let failed = 0
  for (const { members, range } of cluster(pending, ({ visit }) => visit.admittedAt)) {
    const isListed = range !== null && failed < maxFailedListings
    const listed: Listed = isListed ? yield* listing(range, options.lane) : { error: failure, rows: null }
    const { error, rows } = listed
    listings += isListed ? 1 : 0
    unreadable += rows === null ? 1 : 0
    failure = error ?? failure
    if (isListed) failed = rows === null ? failed + (isSilent(error) ? maxFailedListings : 1) : 0
    const found = byCode(rows ?? [])
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
  return { asked: pending.length, listings, unreadable, error: failure, visits }
})

/** Returns the evidence of a list that could not be read. */
const noListOf = (error: OperatorError | null): ListEvidence => {
  if (error?.reason._tag === "UnexpectedResponse" && error.reason.incomplete === true) {
    return { _tag: "NoList", status: "incomplete" }
  }
  const status = error === null ? 0 : statusOf(error)
  return status === 0 ? { _tag: "NoList" } : { _tag: "NoList", status }
}

/** Returns the HTTP status of an error, or 0. */
const statusOf = ({ reason }: OperatorError): number => {
  switch (reason._tag) {
    case "AccessDenied":
      return 403
    case "ServiceFailed":
    case "UnexpectedResponse":
      return reason.status
    default:
      return 0
  }
}

/** Whether there was no response at all: the next list would cost the same wait. */
export const isSilent = (error: OperatorError | null): boolean =>
  error?.reason._tag === "Unreachable" && error.reason.silent === true

interface Listed {
  /** `null` if there is no list to read. */
  readonly rows: ReadonlyArray<ProcessedVisit> | null
  /** Why there is no list. */
  readonly error: OperatorError | null
}

/** Reads every visit that the service lists between two dates. An error that would also stop any other request stays an error. */
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
      UnexpectedResponse: noList,
      Unreachable: noList
    })
  )
})

/** A lookup without a response does not rule out a response to the next. Without a token or a connection no request can succeed. */
const noList = (reason: OperatorError["reason"], error: OperatorError): Effect.Effect<Listed, OperatorError> =>
  error.withoutToken === true || isLasting(reason) ? Effect.fail(error) : Effect.succeed({ rows: null, error })

/** After this many unreadable listings in a row, no more are requested: each costs several requests of the hour's limit. */
export const maxFailedListings = 2

/** Whether a retry cannot help: the certificate is not trusted, or the address is invalid. */
export const isLasting = (reason: OperatorError["reason"]): boolean => "lasting" in reason && reason.lasting === true

/** Maximum days of one listing, unless there are many dates. */
const maxRangeDays = 31

/** Items of near dates, and the dates of their listing; `null` if the dates are unreadable. */
export interface Cluster<A> {
  readonly range: DateRange | null
  readonly members: ReadonlyArray<A>
}

/**
 * Groups items of near admission dates, so that one listing serves them. An item with an unreadable date is in a cluster without a
 * range.
 */
export const cluster = <A>(
  items: ReadonlyArray<A>,
  admittedAt: (item: A) => string
): ReadonlyArray<Cluster<A>> => {
  const byDate = Map.groupBy(items, (item) => admissionDateOf(admittedAt(item)))
  const clusters: Array<Cluster<A>> = []
  let current: { range: DateRange; readonly members: Array<A> } | undefined
  for (const [date, members] of [...byDate].toSorted(([a], [b]) => compareTexts(a ?? "", b ?? ""))) {
    if (date === null) {
      clusters.push({ range: null, members })
      continue
    }
    const [from, to] = [addDays(date, -1), addDays(date, 1)]
    if (
      current !== undefined && daysBetween(current.range.to, from) <= 1 &&
      daysBetween(current.range.from, to) < maxRangeDays
    ) {
      current.range = { from: current.range.from, to }
      for (const member of members) current.members.push(member)
    } else {
      current = { range: { from, to }, members }
      clusters.push(current)
    }
  }
  return clusters
}

/**
 * Joins the nearest clusters until there are at most `most`. No item is in the gaps, so a joined listing has few more rows. Old visits of
 * many years then do not need a request for each date.
 */
export const joinClusters = <A>(
  clusters: ReadonlyArray<Cluster<A>>,
  most: number
): ReadonlyArray<Cluster<A>> => {
  const dated = clusters.flatMap(({ members, range }) => range === null ? [] : [{ members, range }])
  const gaps = dated.slice(1).map(({ range }, index) => daysBetween(at(dated, index).range.to, range.from))
  /** The gaps that stay, by the index of the cluster before them. */
  const kept = new Set(
    gaps.map((_, index) => index).toSorted((a, b) => at(gaps, b) - at(gaps, a)).slice(0, Math.max(0, most - 1))
  )
  const joined: Array<{ range: DateRange; readonly members: Array<A> }> = []
  for (const [index, { members, range }] of dated.entries()) {
    const last = joined.at(-1)
    if (last === undefined || kept.has(index - 1)) {
      joined.push({ range, members: [...members] })
      continue
    }
    last.range = { from: last.range.from, to: range.to }
    for (const member of members) last.members.push(member)
  }
  return [...clusters.filter(({ range }) => range === null), ...joined]
}

/** Waits before the lookup, because a request that timed out here may still arrive at the service. */
const waitForLateRequests = (
  pending: ReadonlyArray<PendingVisit>,
  now: number,
  waitMillis: number
): Effect.Effect<void> => {
  let last = 0
  for (const { visit } of pending) {
    if (visit.state === "UNKNOWN" || visit.state === "VERIFY") last = Math.max(last, Date.parse(visit.updatedAt))
  }
  const wait = Math.min(waitMillis, last + waitMillis - now)
  return wait > 0 ? Effect.sleep(wait) : Effect.void
}
