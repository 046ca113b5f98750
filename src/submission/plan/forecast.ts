import { Clock, DateTime, Effect } from "effect"
import { defaultLists } from "../../service/settings/ListSettings.ts"
import { defaultReconcile, type ReconcileSettings } from "../../service/settings/ReconcileSettings.ts"
import type { JournalError } from "../journal/JournalError.ts"
import type { JournalQueries } from "../journal/JournalReader.ts"
import { visitStates } from "../journal/VisitState.ts"
import { compareClusters } from "../list/compareStored.ts"
import { toConfirm } from "../list/confirm.ts"
import { admissionsToSend, maxListings, maxRows } from "../list/queryListFirst.ts"
import { cluster } from "../list/reconcile.ts"
import type { Plan } from "./plan.ts"

/** The requests of a run besides sending: the lookups, and what is left of the hour's limit. */
export interface Forecast {
  /** Visits of any input that are looked up before anything is sent. */
  readonly asked: number
  /** Requests for a list, at least. */
  readonly listings: number
  /** Requests of the last hour. */
  readonly used: number
  /** The time (ISO) before which the service accepts no request, or `null`. */
  readonly waitUntil: string | null
}

/** The facility's settings for lookups. */
interface ForecastSettings extends Pick<ReconcileSettings, "partialAfterMillis" | "confirmAfterMillis"> {
  /** Rows requested per page of the list. */
  readonly perPage: number
}

const defaultForecast: ForecastSettings = { ...defaultReconcile, perPage: defaultLists.processed.perPage }

/** The requests of `status --remote`: at least this many, and those of the last hour. */
export interface StatusForecast extends Pick<Forecast, "listings" | "used"> {
  /** Visits that are looked up or compared. */
  readonly visits: number
}

/** Predicts the requests of `status --remote`: lookups of all pending visits, and a comparison of the whole journal. */
export const forecastStatus = (
  journal: JournalQueries,
  perPage = defaultForecast.perPage
): Effect.Effect<StatusForecast, JournalError> =>
  Effect.gen(function*() {
    const now = yield* Clock.currentTimeMillis
    const pending = yield* journal.toLookUp(DateTime.formatIso(DateTime.makeUnsafe(now)))
    const all = yield* journal.visits(visitStates)
    let listings = 0
    for (const { range } of [...cluster(pending, ({ admittedAt }) => admittedAt), ...compareClusters(all)]) {
      if (range === null) continue
      listings += Math.max(1, Math.ceil((yield* journal.sentBetween(range.from, range.to)) / perPage))
    }
    return { visits: all.length, listings, used: yield* journal.requestsOfTheHour }
  })

/** Predicts the requests of a run with this plan. The plan is of the current journal, before any lookup. */
export const forecast = (
  plan: Plan,
  journal: JournalQueries,
  settings: ForecastSettings = defaultForecast
): Effect.Effect<Forecast, JournalError> =>
  Effect.gen(function*() {
    const now = yield* Clock.currentTimeMillis
    const pending = yield* journal.toLookUp(DateTime.formatIso(DateTime.makeUnsafe(now - settings.partialAfterMillis)))
    let listings = 0
    for (const { range } of cluster(pending, ({ admittedAt }) => admittedAt)) {
      if (range === null) continue
      listings += Math.max(1, Math.ceil((yield* journal.sentBetween(range.from, range.to)) / settings.perPage))
    }
    const acknowledged = yield* toConfirm(journal, settings.confirmAfterMillis)
    let rows = 0
    for (const { range } of cluster(acknowledged, ({ admittedAt }) => admittedAt).slice(0, maxListings)) {
      if (range === null || rows > maxRows) continue
      const sent = yield* journal.sentBetween(range.from, range.to)
      rows += sent
      listings += Math.max(1, Math.ceil(sent / settings.perPage))
    }
    if (yield* journal.isUntouched) {
      const clusters = cluster(admissionsToSend(plan), (admittedAt) => admittedAt).filter(({ range }) => range !== null)
      listings += Math.min(maxListings, clusters.length)
    }
    return {
      asked: pending.length + acknowledged.length,
      listings,
      used: yield* journal.requestsOfTheHour,
      waitUntil: yield* journal.waitUntil
    }
  })
