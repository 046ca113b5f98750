import { Cause, Context, Effect, Exit, Layer } from "effect"
import { hostname } from "node:os"
import type { Database } from "../../service/Database.ts"
import { defaultSending } from "../../service/settings/SendingSettings.ts"
import { VisitCode } from "../../visit/values/Code.ts"
import type { RunSummary } from "../status/RunSummary.ts"
import type { VisitFacts } from "../Submission.ts"
import type { JournalError } from "./JournalError.ts"
import {
  heldBy,
  holdLock,
  isUntouched,
  type JournalOptions,
  onJournal,
  onOpening,
  openForRunning,
  openTemporary
} from "./JournalFile.ts"
import { type JournalQueries, JournalReader, lookupEnding, nowIso, queries } from "./JournalReader.ts"
import type { JournalVisit } from "./JournalVisit.ts"
import { type Intention, JournalWriter, type Recorded, type VisitPayload } from "./JournalWriter.ts"
import { isRunning, openRun } from "./OpenRun.ts"
import { type PendingVisit, pendingVisits, withVersions } from "./PendingVisit.ts"

/** The result of a run, stored with the run. */
type RunEnding = "done" | "stopped" | "interrupted" | "no-room" | "failed"

/** Returns the ending of a run that did not record its own. */
const endingOf = (exit: Exit.Exit<unknown, unknown>): RunEnding => {
  if (Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause)) return "interrupted"
  return isNoRoom(Cause.squash(exit.cause)) ? "no-room" : "failed"
}

/** Whether the disk is full: the journal's own, or that of an output file. */
const isNoRoom = (error: unknown): boolean => {
  if (typeof error !== "object" || error === null || !("reason" in error)) return false
  const { reason } = error
  return reason === "no room" ||
    (typeof reason === "object" && reason !== null && "_tag" in reason && reason._tag === "DiskFull")
}

/**
 * The program's only record of what it intended to send and of each outcome: one SQLite file for each facility, one run at a time.
 * Every call is durable when it returns. Errors: `JournalError`; an event that must not happen to a visit is a bug and a defect.
 */
export class Journal extends Context.Service<
  Journal,
  JournalQueries & {
    readonly run: number
    /** Whether no visit was known when the journal was opened. */
    readonly fresh: boolean
    /** Freezes the bytes of new and changed visits as READY, in one commit. */
    readonly receive: (receipts: ReadonlyArray<VisitPayload>) => Effect.Effect<void, JournalError>
    /** Notes that the source of these visits differs from the sent bytes. */
    readonly noteChanged: (codes: ReadonlyArray<VisitCode>) => Effect.Effect<void, JournalError>
    /** Notes that the source of these visits is as the sent bytes. */
    readonly noteUnchanged: (codes: ReadonlyArray<VisitCode>) => Effect.Effect<void, JournalError>
    /** Notes which visits the source no longer has as visits. All others are visits of the source. */
    readonly noteWithdrawn: (codes: ReadonlyArray<VisitCode>) => Effect.Effect<void, JournalError>
    /** Notes the encounters of visits whose bytes are known and whose encounters are not, because an earlier format had none. */
    readonly noteEncounters: (visits: ReadonlyArray<VisitFacts>) => Effect.Effect<void, JournalError>
    /**
     * W1: SENDING for all of these in one commit, with the attempt's id if it has one. Returns the frozen bytes to send, in the same
     * order. A visit whose earlier attempt may have been stored keeps the form of that attempt; every other visit takes the requested
     * form.
     */
    readonly intend: (
      codes: ReadonlyArray<VisitCode>,
      intention?: Partial<Intention>
    ) => Effect.Effect<ReadonlyArray<string>, JournalError>
    /** W2, or the evidence of the list: one commit for all. */
    readonly record: (
      events: ReadonlyArray<Recorded>
    ) => Effect.Effect<ReadonlyArray<JournalVisit>, JournalError>
    /**
     * Returns the visits to be looked up: without a response, in doubt, or with a verdict that an earlier attempt may contradict.
     * Partly stored visits are included if not looked up since `partialBefore` (an ISO time).
     */
    readonly pending: (partialBefore: string) => Effect.Effect<ReadonlyArray<PendingVisit>, JournalError>
    /** Returns how the visits with these codes may appear in the list. */
    readonly versions: (
      codes: ReadonlyArray<VisitCode>
    ) => Effect.Effect<ReadonlyArray<PendingVisit>, JournalError>
    /** Records how the run ended, its result, and the quality of its input. */
    readonly finish: (
      ending: RunEnding,
      counts: Readonly<Record<string, number>>,
      summary?: RunSummary
    ) => Effect.Effect<void, JournalError>
  }
>()("fhir2visit/submission/Journal") {
  /** The journal of a run. Fails with `InUse` while another run has it. It can also be queried as a `JournalReader`. */
  static readonly layer = (options: JournalOptions): Layer.Layer<Journal | JournalReader, JournalError> =>
    Layer.effectContext(Effect.gen(function*() {
      const { file } = options
      const isKept = options.isTemporary !== true
      if (isKept) {
        yield* Effect.acquireRelease(
          onOpening(file, () => holdLock(file)),
          (lock) => Effect.sync(lock.release)
        )
      }
      const opened = yield* nowIso
      const database = yield* Effect.acquireRelease(
        onOpening(file, () => (isKept ? openForRunning : openTemporary)(options, opened)),
        (database) => Effect.sync(() => database.close())
      )
      const fresh = yield* onJournal(file, () => isUntouched(database))
      const run = yield* onOpening(file, () => begin(options, database, opened))
      yield* Effect.addFinalizer((exit) =>
        Effect.ignore(Effect.flatMap(nowIso, (now) =>
          onJournal(file, () => {
            end(database, run, { at: now, ending: options.isLookup === true ? lookupEnding : endingOf(exit) })
            // frees a bounded part of the space of erased payloads
            database.exec("PRAGMA incremental_vacuum(50000); PRAGMA wal_checkpoint(TRUNCATE)")
          })))
      )
      const known = queries(options, database)
      const writing = new JournalWriter(options, database, run)
      const atNow = <A>(work: (now: string) => A) => Effect.flatMap(nowIso, (now) => onJournal(file, () => work(now)))
      return Context.make(
        Journal,
        Journal.of({
          ...known,
          run,
          fresh,
          receive: (receipts) => atNow((now) => writing.receive(receipts, now)),
          noteChanged: (codes) => onJournal(file, () => writing.noteChanged(codes)),
          noteUnchanged: (codes) => onJournal(file, () => writing.noteUnchanged(codes)),
          noteWithdrawn: (codes) => onJournal(file, () => writing.noteWithdrawn(codes)),
          noteEncounters: (visits) => onJournal(file, () => writing.noteEncounters(visits)),
          intend: (codes, intention) =>
            atNow((now) => writing.intend(codes, now, { form: defaultSending, ...intention })),
          record: (events) => atNow((now) => writing.record(events, now)),
          pending: (partialBefore) => onJournal(file, () => pendingVisits(database, options.facility, partialBefore)),
          versions: (codes) =>
            Effect.flatMap(
              known.find(codes),
              (visits) => onJournal(file, () => withVersions(database, options.facility, [...visits.values()]))
            ),
          finish: (ending, counts, summary) =>
            atNow((now) => end(database, run, { at: now, ending, counts: JSON.stringify({ ...counts, summary }) }))
        })
      ).pipe(Context.add(
        JournalReader,
        JournalReader.of({ ...known, exists: true, inUse: Effect.succeed(true) })
      ))
    }))
}

/**
 * Takes over the state of the last run, and starts a new one. The lock may have been deleted while a run held it: then the journal
 * itself identifies the run in progress.
 */
const begin = (options: JournalOptions, database: Database, now: string): number =>
  database.transaction(() => {
    const other = openRun(database)
    if (other !== null && isRunning(other, now)) throw heldBy(options.file, other)
    database.run("UPDATE run SET ended_at = ?, ending = coalesce(ending, 'killed') WHERE ended_at IS NULL", now)
    const ending = options.isLookup === true ? lookupEnding : null
    database.run(
      "INSERT INTO run (pid, host, started_at, ending) VALUES (?, ?, ?, ?)",
      process.pid,
      hostname(),
      now,
      ending
    )
    const run = Number(database.get("SELECT max(id) AS id FROM run")?.id)
    const left = database.all(
      "SELECT visit_code FROM visit WHERE facility_code = ? AND state IN ('SENDING', 'UNKNOWN')",
      options.facility
    )
    const writing = new JournalWriter(options, database, run)
    for (const row of left) writing.apply({ code: VisitCode(String(row.visit_code)), event: { _tag: "Reopened" } }, now)
    return run
  })

const end = (
  database: Database,
  run: number,
  { at, counts = null, ending }: {
    readonly at: string
    readonly ending: RunEnding | typeof lookupEnding
    readonly counts?: string | null
  }
): void => {
  database.run(
    "UPDATE run SET ended_at = ?, ending = ?, counts = ? WHERE id = ? AND ended_at IS NULL",
    at,
    ending,
    counts,
    run
  )
}
