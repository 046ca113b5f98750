import { Clock, Context, DateTime, Effect, Layer } from "effect"
import { objectWith } from "../../objects.ts"
import { dataRequestsOfTheHour, statedWait } from "../../service/countRequests.ts"
import { Database, type SqlRow } from "../../service/Database.ts"
import { serviceAddress } from "../../service/settings/OperatorConfig.ts"
import { EncounterCode, type FacilityCode, PatientCode, VisitCode } from "../../visit/values/Code.ts"
import type { SentVisit } from "../plan/plan.ts"
import type { RunSummary } from "../status/RunSummary.ts"
import type { JournalError } from "./JournalError.ts"
import {
  isLocked,
  isUntouched,
  type JournalOptions,
  onJournal,
  onOpening,
  openForReading,
  sharedCounts
} from "./JournalFile.ts"
import { type JournalVisit, stateIn, textIn, visitColumns, visitOf } from "./JournalVisit.ts"
import { migrations } from "./migrations.ts"
import { Machine, monotonicTime } from "./monotonicTime.ts"
import { isRunning, openRun } from "./OpenRun.ts"
import { selectPending } from "./PendingVisit.ts"
import { type VisitState, visitStates } from "./VisitState.ts"

/** One run in the journal. */
export interface JournalRun {
  readonly id: number
  readonly pid: number
  readonly host: string
  readonly startedAt: string
  /** `null` while it runs, or if it was killed and no run followed it. */
  readonly endedAt: string | null
  readonly ending: "done" | "stopped" | "interrupted" | "no-room" | "failed" | "killed" | null
}

/** One run that recorded its result: the states of the visits of its input at its end. */
export interface CountedRun extends Pick<JournalRun, "id" | "startedAt" | "endedAt" | "ending"> {
  readonly counts: Readonly<Record<string, number>>
  /** The quality of its input; runs of earlier versions did not record it. */
  readonly summary?: RunSummary
}

/** One row of the history of a visit. */
interface JournalEntry {
  readonly run: number
  readonly at: string
  readonly event: string
  readonly number: number
  readonly before: VisitState
  readonly after: VisitState
  readonly fingerprint: string
  readonly patientCode: PatientCode
  readonly admittedAt: string
  readonly detail: string | null
}

/** The queries on a journal, for the run itself and for any other process. */
export interface JournalQueries {
  readonly file: string
  readonly facility: FacilityCode
  readonly service: string
  readonly environment: string
  /** Returns the visits with these codes that the journal knows. */
  readonly find: (codes: ReadonlyArray<VisitCode>) => Effect.Effect<ReadonlyMap<VisitCode, JournalVisit>, JournalError>
  /** Returns the visits made from these root records. */
  readonly madeFrom: (sources: ReadonlySet<string>) => Effect.Effect<ReadonlyArray<JournalVisit>, JournalError>
  /** Returns the visits of these patients that the service holds, or may hold, according to the journal; by the patient's code. */
  readonly sentOf: (
    patients: ReadonlyArray<PatientCode>
  ) => Effect.Effect<ReadonlyMap<PatientCode, ReadonlyArray<SentVisit>>, JournalError>
  /** Returns the same visits by the codes of their encounters, each with the codes of all visits that have one. */
  readonly sentWith: (
    encounters: ReadonlyArray<EncounterCode>
  ) => Effect.Effect<ReadonlyMap<EncounterCode, ReadonlyArray<VisitCode>>, JournalError>
  /** Returns every visit in one of these states, by code. */
  readonly visits: (states: ReadonlyArray<VisitState>) => Effect.Effect<ReadonlyArray<JournalVisit>, JournalError>
  readonly counts: Effect.Effect<Readonly<Record<VisitState, number>>, JournalError>
  /** The visits that the source no longer had as visits when a run last had their records. */
  readonly withdrawn: Effect.Effect<ReadonlyArray<JournalVisit>, JournalError>
  /**
   * STORED visits whose source changed since or no longer has them, whose content at the service is unknown, or that the list contradicts.
   */
  readonly notAsSource: Effect.Effect<ReadonlyArray<JournalVisit>, JournalError>
  /** Returns the events of one visit, oldest first. */
  readonly history: (code: VisitCode) => Effect.Effect<ReadonlyArray<JournalEntry>, JournalError>
  readonly lastRun: Effect.Effect<JournalRun | null, JournalError>
  /** Whether nothing was sent and the list had evidence for nothing. The next run then reads the list before it sends. */
  readonly isUntouched: Effect.Effect<boolean, JournalError>
  /** Returns the last runs that recorded their result, oldest first, at most `limit`. */
  readonly countedRuns: (limit: number) => Effect.Effect<ReadonlyArray<CountedRun>, JournalError>
  /** Returns the visits that a new run looks up first; partly stored ones if not looked up since `partialBefore` (an ISO time). */
  readonly toLookUp: (partialBefore: string) => Effect.Effect<ReadonlyArray<JournalVisit>, JournalError>
  /**
   * Returns at most `limit` STORED visits that were acknowledged in this time range and are due for a lookup in the list. Visits not
   * looked up since come first. The others follow if their age at the last lookup is at most a quarter of their age at `now`. Times are
   * ISO.
   */
  readonly unconfirmed: (
    times: { readonly from: string; readonly to: string; readonly now: string },
    limit: number
  ) => Effect.Effect<ReadonlyArray<JournalVisit>, JournalError>
  /** Number of STORED visits that were looked up in the service's list after the response that acknowledged them. */
  readonly listedSince: Effect.Effect<number, JournalError>
  /** Returns the number of sent visits whose admission date, as written, is between these two. */
  readonly sentBetween: (from: string, to: string) => Effect.Effect<number, JournalError>
  /** Data requests of the last hour, by every process on this journal, or on the shared file of counts (§8). */
  readonly requestsOfTheHour: Effect.Effect<number, JournalError>
  /** The time (ISO) before which the service accepts no request: it requested a wait, or reported that nothing is left (§8). */
  readonly waitUntil: Effect.Effect<string | null, JournalError>
}

/**
 * A journal opened for reading: for `status` and `--dry-run`, also while a run is in progress. A missing journal reads as an empty one.
 */
export class JournalReader extends Context.Service<
  JournalReader,
  JournalQueries & {
    /** Whether there is a journal; `false` before the first run. */
    readonly exists: boolean
    /** Whether a run holds the journal now. */
    readonly inUse: Effect.Effect<boolean, JournalError>
  }
>()("fhir2visit/submission/JournalReader") {
  static readonly layer = (options: JournalOptions): Layer.Layer<JournalReader, JournalError> =>
    Layer.effect(
      JournalReader,
      Effect.gen(function*() {
        const opened = yield* Effect.acquireRelease(
          onOpening(options.file, () => openForReading(options)),
          (database) => Effect.sync(() => database?.close())
        )
        const database = opened ?? (yield* Effect.acquireRelease(
          onJournal(options.file, emptyJournal),
          (database) => Effect.sync(() => database.close())
        ))
        return JournalReader.of({
          ...queries(options, database),
          exists: opened !== null,
          inUse: Effect.flatMap(nowIso, (now) =>
            onJournal(options.file, () => {
              if (isLocked(options.file)) return true
              const run = openRun(database)
              return run !== null && isRunning(run, now)
            }))
        })
      })
    )
}

/**
 * Selects the visits that the service holds, or may hold: acknowledged, possibly stored, or partly stored whatever the outcome of an
 * update.
 */
const maybeHeld = "(state IN ('SENDING', 'UNKNOWN', 'VERIFY', 'DOUBT', 'STORED', 'PARTIAL') OR held = 1 OR open = 1)"

/**
 * The column to sort by. The `+` disables its index: otherwise SQLite would scan all visits in order instead of using the index of the
 * condition.
 */
const unindexed = "+visit_code"

/** Returns the queries on an open database. */
export const queries = (options: JournalOptions, database: Database): JournalQueries => {
  const { facility, file } = options
  const visits = (rows: ReadonlyArray<SqlRow>) => rows.map(visitOf)
  /** Queries the file of request counts, by its own clock; `null` when nothing was counted yet. */
  const onCounts = <A>(query: (counts: Database, now: number) => A): Effect.Effect<A | null, JournalError> =>
    Effect.gen(function*() {
      const machine = yield* Effect.flatten(Machine)
      const timeOfDay = yield* Clock.currentTimeMillis
      const queryNow = (counts: Database) => query(counts, monotonicTime(counts, timeOfDay, machine).now)
      const shared = options.counts
      if (shared === undefined) return yield* onJournal(file, () => queryNow(database))
      return yield* onJournal(shared, () => {
        const counts = openForReading(sharedCounts(shared))
        try {
          return counts === null ? null : queryNow(counts)
        } finally {
          counts?.close()
        }
      })
    })
  return {
    file,
    facility,
    service: serviceAddress(options.service),
    environment: options.environment ?? "",
    find: (codes) =>
      onJournal(file, () =>
        new Map(
          database.all(
            `SELECT ${visitColumns} FROM visit
             WHERE facility_code = ? AND visit_code IN (SELECT value FROM json_each(?))`,
            facility,
            JSON.stringify(codes)
          ).map((row) => {
            const visit = visitOf(row)
            return [visit.code, visit]
          })
        )),
    madeFrom: (sources) =>
      onJournal(file, () =>
        visits(database.all(
          `SELECT ${visitColumns} FROM visit
           WHERE facility_code = ? AND source IN (SELECT value FROM json_each(?)) ORDER BY visit_code`,
          facility,
          // A record without an id has only the name of its type.
          JSON.stringify([...sources].filter((source) => source.includes("/")))
        ))),
    sentOf: (patients) =>
      onJournal(file, () =>
        Map.groupBy(
          database.all(
            `SELECT visit_code, patient_code, admitted_at, held_admitted_at, held FROM visit
             WHERE facility_code = ? AND patient_code IN (SELECT value FROM json_each(?)) AND ${maybeHeld}
             ORDER BY ${unindexed}`,
            facility,
            JSON.stringify(patients)
          ).flatMap((row): ReadonlyArray<SentVisit> => {
            const sent = {
              code: VisitCode(String(row.visit_code)),
              patientCode: PatientCode(String(row.patient_code)),
              admittedAt: String(row.admitted_at)
            }
            // an update may have another time than the record that it updates
            return row.held === 1 && row.held_admitted_at !== null
              ? [sent, { ...sent, admittedAt: String(row.held_admitted_at) }]
              : [sent]
          }),
          ({ patientCode }) => patientCode
        )),
    sentWith: (encounters) =>
      onJournal(file, () => {
        const rows = database.all(
          `SELECT encounter_code, visit_code FROM encounter JOIN visit USING (facility_code, visit_code)
           WHERE facility_code = ? AND encounter_code IN (SELECT value FROM json_each(?)) AND ${maybeHeld}
           ORDER BY encounter_code, visit_code`,
          facility,
          JSON.stringify(encounters)
        )
        const found = Map.groupBy(rows, (row) => EncounterCode(String(row.encounter_code)))
        return new Map(
          Array.from(found, ([code, rows]) => [code, rows.map((row) => VisitCode(String(row.visit_code)))])
        )
      }),
    visits: (states) =>
      onJournal(file, () =>
        visits(database.all(
          `SELECT ${visitColumns} FROM visit
           WHERE facility_code = ? AND state IN (SELECT value FROM json_each(?)) ORDER BY ${unindexed}`,
          facility,
          JSON.stringify(states)
        ))),
    counts: onJournal(file, () => {
      const rows = database.all(
        "SELECT state, count(*) AS n FROM visit WHERE facility_code = ? GROUP BY state",
        facility
      )
      const counts = new Map(rows.map((row) => [row.state, Number(row.n)]))
      return objectWith(visitStates, (state) => counts.get(state) ?? 0)
    }),
    withdrawn: onJournal(file, () =>
      visits(database.all(
        `SELECT ${visitColumns} FROM visit WHERE facility_code = ? AND withdrawn = 1 ORDER BY visit_code`,
        facility
      ))),
    notAsSource: onJournal(file, () =>
      visits(database.all(
        `SELECT ${visitColumns} FROM visit WHERE facility_code = ? AND state = 'STORED'
           AND (changed_since = 1 OR withdrawn = 1 OR unseen = 1 OR unlisted = 1 OR listed_status IS NOT NULL)
         ORDER BY visit_code`,
        facility
      ))),
    history: (code) =>
      onJournal(file, () =>
        database.all(
          "SELECT * FROM attempt WHERE facility_code = ? AND visit_code = ? ORDER BY id",
          facility,
          code
        ).map(entryOf)),
    toLookUp: (partialBefore) =>
      onJournal(file, () =>
        // visits that the run before looked up are looked up again
        visits(database.all(selectPending("state IN ('SENDING', 'UNKNOWN')"), facility, partialBefore))),
    unconfirmed: ({ from, now, to }, limit) =>
      onJournal(file, () =>
        visits(database.all(
          `SELECT ${visitColumns} FROM visit WHERE facility_code = ? AND state = 'STORED' AND attempted_at > ? AND attempted_at <= ?
             AND (coalesce(listed_at, '') < attempted_at
               OR julianday(?) - julianday(attempted_at) >= 4 * (julianday(listed_at) - julianday(attempted_at)))
           ORDER BY coalesce(listed_at, '') >= attempted_at, admitted_at, visit_code LIMIT ?`,
          facility,
          from,
          to,
          now,
          limit
        ))),
    listedSince: onJournal(file, () =>
      Number(
        database.get(
          "SELECT count(*) AS n FROM visit WHERE facility_code = ? AND state = 'STORED' AND listed_at >= coalesce(attempted_at, '')",
          facility
        )?.n
      )),
    sentBetween: (from, to) =>
      onJournal(file, () =>
        Number(
          database.get(
            `SELECT count(*) AS n FROM visit
             WHERE facility_code = ? AND attempts > 0 AND substr(admitted_at, 1, 10) BETWEEN ? AND ?`,
            facility,
            from,
            to
          )?.n
        )),
    requestsOfTheHour: onCounts(dataRequestsOfTheHour).pipe(Effect.map((used) => used ?? 0)),
    waitUntil: Effect.gen(function*() {
      const wait = yield* onCounts(statedWait)
      if (wait === null || wait === 0) return null
      return DateTime.formatIso(DateTime.makeUnsafe((yield* Clock.currentTimeMillis) + wait))
    }),
    isUntouched: onJournal(file, () => isUntouched(database)),
    countedRuns: (limit) =>
      onJournal(file, () => {
        const rows = database.all("SELECT * FROM run WHERE counts IS NOT NULL ORDER BY id DESC LIMIT ?", limit)
        return rows.map(countedOf).toReversed()
      }),
    lastRun: onJournal(file, () => {
      const row = database.get("SELECT * FROM run WHERE ending IS NOT ? ORDER BY id DESC LIMIT 1", lookupEnding)
      return row === undefined ? null : runOf(row)
    })
  }
}

/** The current time in the journal's format. */
export const nowIso: Effect.Effect<string> = Effect.map(
  Clock.currentTimeMillis,
  (millis) => DateTime.formatIso(DateTime.makeUnsafe(millis))
)

/** The ending of a session that is not a run: `status --remote`, `release`. It is set from the start. */
export const lookupEnding = "asked"

const emptyJournal = (): Database => {
  const database = new Database(":memory:")
  for (const migration of migrations) database.exec(migration)
  return database
}

const runOf = (row: SqlRow): JournalRun => ({
  id: Number(row.id),
  pid: Number(row.pid),
  host: String(row.host),
  startedAt: String(row.started_at),
  endedAt: textIn(row.ended_at),
  // Only Journal.ts writes this column, and only with endings.
  ending: row.ending as JournalRun["ending"]
})

const countedOf = (row: SqlRow): CountedRun => {
  // `finish` of the journal stores the counts and the summary as one object.
  const { summary, ...counts } = JSON.parse(String(row.counts)) as CountedRun["counts"] & { summary?: RunSummary }
  return { ...runOf(row), counts, ...(summary === undefined ? {} : { summary }) }
}

const entryOf = (row: SqlRow): JournalEntry => ({
  run: Number(row.run),
  at: String(row.at),
  event: String(row.event),
  number: Number(row.number),
  before: stateIn(row.state_before),
  after: stateIn(row.state_after),
  fingerprint: String(row.fingerprint),
  patientCode: PatientCode(String(row.patient_code)),
  admittedAt: String(row.admitted_at),
  detail: textIn(row.detail)
})
