import { Clock, Context, DateTime, Effect, Layer } from "effect"
import { maxPauseMillis } from "../../service/limits.ts"
import { Machine } from "../Machine.ts"
import { monotonicTime } from "../monotonicTime.ts"
import type { SentVisit } from "../plan.ts"
import type { RunSummary } from "../RunSummary.ts"
import { Database, type SqlRow } from "./Database.ts"
import type { JournalError } from "./JournalError.ts"
import { isLocked, type JournalOptions, onJournal, openForReading, originOf, sharedCounts } from "./JournalFile.ts"
import { type JournalVisit, visitColumns, visitOf } from "./JournalVisit.ts"
import { migrations } from "./migrations.ts"
import { isRunning, openRun } from "./OpenRun.ts"
import { selectAsked } from "./PendingVisit.ts"
import { type VisitState, visitStates } from "./VisitState.ts"

/** One run as the journal knows it. */
export interface JournalRun {
  readonly id: number
  readonly pid: number
  readonly host: string
  readonly startedAt: string
  /** `null` while it runs, or when it was killed and no run came after it. */
  readonly endedAt: string | null
  readonly ending: "done" | "stopped" | "interrupted" | "no-room" | "failed" | "killed" | null
}

/** One run that told what it came to: the visits of its input, and where they stood at its end. */
export interface CountedRun extends Pick<JournalRun, "id" | "startedAt" | "endedAt" | "ending"> {
  readonly counts: Readonly<Record<string, number>>
  /** What its input was worth; runs of earlier versions did not say. */
  readonly summary?: RunSummary
}

/** One row of the history of a visit. */
export interface JournalEntry {
  readonly run: number
  readonly at: string
  readonly event: string
  readonly number: number
  readonly before: VisitState
  readonly after: VisitState
  readonly fingerprint: string
  readonly patientCode: string
  readonly admittedAt: string
  readonly detail: string | null
}

/** What may be asked of a journal, by the run itself or by anybody beside it. */
export interface JournalQueries {
  readonly file: string
  readonly facility: string
  readonly service: string
  readonly environment: string
  /** The visits among these codes that the journal knows. */
  readonly find: (codes: ReadonlyArray<string>) => Effect.Effect<ReadonlyMap<string, JournalVisit>, JournalError>
  /** The visits of these patients that the service holds, or may hold, as far as the journal knows; by the patient's code. */
  readonly sentOf: (
    patients: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyMap<string, ReadonlyArray<SentVisit>>, JournalError>
  /** The same visits, by the codes of their encounters; as many codes of visits as have one of these. */
  readonly sentWith: (
    encounters: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyMap<string, ReadonlyArray<string>>, JournalError>
  /** Every visit in one of these states, by code. */
  readonly visits: (states: ReadonlyArray<VisitState>) => Effect.Effect<ReadonlyArray<JournalVisit>, JournalError>
  /** How many visits are in each state. */
  readonly counts: Effect.Effect<Readonly<Record<VisitState, number>>, JournalError>
  /** STORED visits whose source has changed since, whose content at the service is not known, or about which the list disagrees. */
  readonly notAsSource: Effect.Effect<ReadonlyArray<JournalVisit>, JournalError>
  /** What happened to one visit, oldest first. */
  readonly history: (code: string) => Effect.Effect<ReadonlyArray<JournalEntry>, JournalError>
  readonly lastRun: Effect.Effect<JournalRun | null, JournalError>
  /** The last runs that told what they came to, at most as many, oldest first. */
  readonly countedRuns: (most: number) => Effect.Effect<ReadonlyArray<CountedRun>, JournalError>
  /** The visits a run that begins now asks the service about first; partial ones if nobody asked since `partialBefore` (an ISO time). */
  readonly toBeAsked: (partialBefore: string) => Effect.Effect<ReadonlyArray<JournalVisit>, JournalError>
  /** STORED visits that an answer of a time alone says are so: the list was not asked about them. Times are ISO. */
  readonly unconfirmed: (from: string, to: string) => Effect.Effect<ReadonlyArray<JournalVisit>, JournalError>
  /** How many visits that were sent have an admission date, as it is written, between these two. */
  readonly sentBetween: (from: string, to: string) => Effect.Effect<number, JournalError>
  /** Data requests of the last hour, of every process on this journal, or on whatever counts for it (§8). */
  readonly requestsOfTheHour: Effect.Effect<number, JournalError>
  /** The time (ISO) before which the service wants no request: it asked for a wait, or said that nothing is left (§8). */
  readonly waitUntil: Effect.Effect<string | null, JournalError>
}

/** A journal that is only read: for `status` and `--dry-run`, also while a run goes on. A missing journal reads as an empty one. */
export class JournalReader extends Context.Service<
  JournalReader,
  JournalQueries & {
    /** There is a journal; `false` before the first run. */
    readonly exists: boolean
    /** A run holds the journal just now. */
    readonly inUse: Effect.Effect<boolean, JournalError>
  }
>()("fhir2visit/submission/JournalReader") {
  static readonly layer = (options: JournalOptions): Layer.Layer<JournalReader, JournalError> =>
    Layer.effect(
      JournalReader,
      Effect.gen(function*() {
        const opened = yield* Effect.acquireRelease(
          onJournal(options.file, () => openForReading(options)),
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

/** Which visits the service holds, or may hold: those it acknowledged or may have stored, and those it holds in part whatever became of an update. */
const maybeHeld = "(state IN ('SENDING', 'UNKNOWN', 'VERIFY', 'DOUBT', 'STORED', 'PARTIAL') OR held = 1 OR open = 1)"

/** Sorts what was found; by the bare name SQLite would rather read all visits in their order than use the index of what is asked for. */
const unindexed = "+visit_code"

/** The questions, put to an open database. */
export const queries = (options: JournalOptions, database: Database): JournalQueries => {
  const { facility, file } = options
  const visits = (rows: ReadonlyArray<SqlRow>) => rows.map(visitOf)
  /** Asks what counts the requests, by its own clock; `null` when nothing was counted yet. */
  const onCounts = <A>(ask: (counts: Database, now: number) => A): Effect.Effect<A | null, JournalError> =>
    Effect.gen(function*() {
      const machine = yield* Effect.flatten(Machine)
      const timeOfDay = yield* Clock.currentTimeMillis
      const answer = (counts: Database) => ask(counts, monotonicTime(counts, timeOfDay, machine).now)
      const shared = options.counts
      if (shared === undefined) return yield* onJournal(file, () => answer(database))
      return yield* onJournal(shared, () => {
        const counts = openForReading(sharedCounts(shared))
        try {
          return counts === null ? null : answer(counts)
        } finally {
          counts?.close()
        }
      })
    })
  return {
    file,
    facility,
    service: originOf(options.service),
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
              code: String(row.visit_code),
              patientCode: String(row.patient_code),
              admittedAt: String(row.admitted_at)
            }
            // an update may give another time than the record that waits for it
            return row.held === 1 && row.held_admitted_at !== null
              ? [sent, { ...sent, admittedAt: String(row.held_admitted_at) }]
              : [sent]
          }),
          ({ patientCode }) => patientCode
        )),
    sentWith: (encounters) =>
      onJournal(file, () => {
        const found = new Map<string, Array<string>>()
        const rows = database.all(
          `SELECT encounter_code, visit_code FROM encounter JOIN visit USING (facility_code, visit_code)
           WHERE facility_code = ? AND encounter_code IN (SELECT value FROM json_each(?)) AND ${maybeHeld}
           ORDER BY encounter_code, visit_code`,
          facility,
          JSON.stringify(encounters)
        )
        for (const row of rows) {
          const codes = found.get(String(row.encounter_code))
          if (codes === undefined) found.set(String(row.encounter_code), [String(row.visit_code)])
          else codes.push(String(row.visit_code))
        }
        return found
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
      const counts = Object.fromEntries(visitStates.map((state) => [state, 0])) as Record<VisitState, number>
      for (
        const row of database.all(
          "SELECT state, count(*) AS n FROM visit WHERE facility_code = ? GROUP BY state",
          facility
        )
      ) {
        counts[row.state as VisitState] = Number(row.n)
      }
      return counts
    }),
    notAsSource: onJournal(file, () =>
      visits(database.all(
        `SELECT ${visitColumns} FROM visit WHERE facility_code = ? AND state = 'STORED' AND (changed_since = 1 OR unseen = 1 OR unlisted = 1 OR listed_status IS NOT NULL)
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
    toBeAsked: (partialBefore) =>
      onJournal(file, () =>
        // one that was asked about in the run before is asked about again
        visits(database.all(selectAsked("state IN ('SENDING', 'UNKNOWN')"), facility, partialBefore))),
    unconfirmed: (from, to) =>
      onJournal(file, () =>
        visits(database.all(
          `SELECT ${visitColumns} FROM visit WHERE facility_code = ? AND state = 'STORED' AND coalesce(listed_at, '') < attempted_at
             AND attempted_at > ? AND attempted_at <= ? ORDER BY admitted_at, visit_code`,
          facility,
          from,
          to
        ))),
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
    requestsOfTheHour: onCounts((counts, now) =>
      Number(
        counts.get(
          "SELECT coalesce(sum(taken), 0) AS n FROM request_window WHERE key LIKE 'data %' AND started_at > ?",
          now - 3_600_000
        )?.n
      )
    ).pipe(Effect.map((used) => used ?? 0)),
    waitUntil: Effect.gen(function*() {
      const wait = yield* onCounts((counts, now) => {
        const until = counts.get("SELECT max(until_at) AS at FROM request_cap WHERE remaining <= 0")?.at ?? null
        return until === null ? 0 : Math.min(Number(until) - now, maxPauseMillis)
      })
      if (wait === null || wait <= 0) return null
      return DateTime.formatIso(DateTime.makeUnsafe((yield* Clock.currentTimeMillis) + wait))
    }),
    countedRuns: (most) =>
      onJournal(
        file,
        () =>
          database.all("SELECT * FROM run WHERE counts IS NOT NULL ORDER BY id DESC LIMIT ?", most).map(countedOf)
            .toReversed()
      ),
    lastRun: onJournal(file, () => {
      const row = database.get("SELECT * FROM run WHERE ending IS NOT ? ORDER BY id DESC LIMIT 1", asked)
      return row === undefined ? null : runOf(row)
    })
  }
}

/** The time as the journal writes it. */
export const nowIso: Effect.Effect<string> = Effect.map(
  Clock.currentTimeMillis,
  (millis) => DateTime.formatIso(DateTime.makeUnsafe(millis))
)

/** How something ends that is no run: `status --remote`, `release`. It says so from its beginning. */
export const asked = "asked"

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
  endedAt: row.ended_at as string | null,
  ending: row.ending as JournalRun["ending"]
})

/** The summary stands among the counts, so that a journal of any format has room for it. */
const countedOf = (row: SqlRow): CountedRun => {
  const { summary, ...counts } = JSON.parse(String(row.counts)) as CountedRun["counts"] & { summary?: RunSummary }
  return { ...runOf(row), counts, ...(summary === undefined ? {} : { summary }) }
}

const entryOf = (row: SqlRow): JournalEntry => ({
  run: Number(row.run),
  at: String(row.at),
  event: String(row.event),
  number: Number(row.number),
  before: row.state_before as VisitState,
  after: row.state_after as VisitState,
  fingerprint: String(row.fingerprint),
  patientCode: String(row.patient_code),
  admittedAt: String(row.admitted_at),
  detail: row.detail as string | null
})
