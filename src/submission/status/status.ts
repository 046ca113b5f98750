import { Effect, type Redacted } from "effect"
import type { Operator } from "../../service/Operator.ts"
import type { OperatorError } from "../../service/OperatorError.ts"
import type { FacilityCode, VisitCode } from "../../visit/values/Code.ts"
import type { Journal } from "../journal/Journal.ts"
import type { JournalError } from "../journal/JournalError.ts"
import { JournalReader, type JournalRun } from "../journal/JournalReader.ts"
import type { JournalVisit } from "../journal/JournalVisit.ts"
import { type VisitState, visitStates } from "../journal/VisitState.ts"
import { compareStored, type Comparison } from "../list/compareStored.ts"
import { reconcile, type Reconciled, type ReconcileOptions } from "../list/reconcile.ts"
import { forecastStatus, type StatusForecast } from "../plan/forecast.ts"
import { describeJournalVisit } from "./describeJournalVisit.ts"
import type { OpenSummary, RunSummary } from "./RunSummary.ts"

/** The contents of the journal, summarised. */
export interface JournalStatus {
  readonly file: string
  readonly exists: boolean
  readonly facility: FacilityCode
  readonly service: string
  readonly environment: string
  readonly counts: Readonly<Record<VisitState, number>>
  readonly total: number
  /** Stored visits that were looked up in the service's list after its response: a later rejection is known of these only. */
  readonly listedSince: number
  /** Whether a run holds the journal now. */
  readonly inUse: boolean
  readonly lastRun: JournalRun | null
  /** The visits that the last run with a result rejected, which are not in the journal; `null` if there were none. */
  readonly rejected: (Pick<RunSummary, "blockers"> & { readonly visits: number; readonly startedAt: string }) | null
  /** The visits that this run found still open; `null` if there were none. */
  readonly stillOpen: OpenSummary | null
  /** The time (ISO) before which nothing is sent, because the service requested a wait. */
  readonly waitUntil: string | null
  /** Every visit that is not resolved, or differs from its source. Visits that need a lookup come first. */
  readonly visits: ReadonlyArray<StatusVisit>
}

/** One reported visit: codes and fields. Only the service's message may identify the patient, and it is redacted. */
export interface StatusVisit {
  readonly code: VisitCode
  readonly state: VisitState
  readonly changedSince: boolean
  /** The source no longer has it as a visit. */
  readonly withdrawn: boolean
  /** The reason, in one clause. */
  readonly why: string
  /** Field of the visit that the service named. */
  readonly field: string | null
  readonly httpStatus: number | null
  /** The service's message for a refusal; it may name the patient. */
  readonly said: Redacted.Redacted<string> | null
  readonly attempts: number
  readonly source: string | null
  /** Time of the last change of state. */
  readonly since: string
  /** The next step for the user. */
  readonly next: string
}

/** Reads the journal's state, also while a run is in progress. */
export const journalStatus: Effect.Effect<JournalStatus, JournalError, JournalReader> = Effect.gen(function*() {
  const reader = yield* JournalReader
  const counts = yield* reader.counts
  const visits = [
    ...yield* reader.visits(visitStates.filter((state) => state !== "STORED")),
    ...yield* reader.notAsSource
  ]
  const [counted] = yield* reader.countedRuns(1)
  const summary = counted?.summary
  return {
    file: reader.file,
    exists: reader.exists,
    facility: reader.facility,
    service: reader.service,
    environment: reader.environment,
    counts,
    total: Object.values(counts).reduce((sum, count) => sum + count, 0),
    listedSince: yield* reader.listedSince,
    inUse: yield* reader.inUse,
    lastRun: yield* reader.lastRun,
    rejected: counted === undefined || summary === undefined || summary.rejected === 0
      ? null
      : { visits: summary.rejected, blockers: summary.blockers, startedAt: counted.startedAt },
    stillOpen: summary?.open ?? null,
    waitUntil: yield* reader.waitUntil,
    visits: visits.map(statusOf).toSorted((a, b) => visitStates.indexOf(a.state) - visitStates.indexOf(b.state))
  }
})

/**
 * Looks up all pending and partly stored visits, compares the whole journal with the service's list, and then reads the state. This is
 * `status --remote`.
 */
export const statusRemote = (
  options: ReconcileOptions & {
    /** Rows requested per page of the list. */
    readonly perPage?: number
    /** Called with the number of requests before the first. */
    readonly onForecast?: (forecast: StatusForecast) => Effect.Effect<void>
  } = {}
): Effect.Effect<
  { readonly status: JournalStatus; readonly reconciled: Reconciled; readonly comparison: Comparison },
  JournalError | OperatorError,
  Journal | JournalReader | Operator
> =>
  Effect.gen(function*() {
    const { onForecast, perPage } = options
    if (onForecast !== undefined) yield* onForecast(yield* forecastStatus(yield* JournalReader, perPage))
    const reconciled = yield* reconcile({ ...options, partialAfterMillis: 0, lane: "front" })
    const comparison = yield* compareStored(options)
    return { status: yield* journalStatus, reconciled, comparison }
  })

const statusOf = (visit: JournalVisit): StatusVisit => ({
  code: visit.code,
  state: visit.state,
  changedSince: visit.changedSince,
  withdrawn: visit.withdrawn,
  ...describeJournalVisit(visit),
  field: visit.field,
  httpStatus: visit.status,
  said: visit.said,
  attempts: visit.attempts,
  source: visit.source,
  since: visit.updatedAt
})
