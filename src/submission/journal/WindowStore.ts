import { Clock, Effect, type Scope } from "effect"
import {
  clearStatedWaits,
  copyCounts,
  makeWindowStore,
  monotonicClock,
  requestTables,
  type WindowStore
} from "../../service/countRequests.ts"
import { Database } from "../../service/Database.ts"
import type { JournalError } from "./JournalError.ts"
import {
  type JournalOptions,
  onJournal,
  onOpening,
  openForReading,
  openForWriting,
  toJournalError
} from "./JournalFile.ts"
import { nowIso } from "./JournalReader.ts"
import { continueTime, Machine } from "./monotonicTime.ts"

/**
 * Opens the counts in the journal's table `request_window`. They outlive the process, and a run, a card search and a `status --remote`
 * at the same time share one budget. It needs no lock of a run. Opening fails with `JournalError`; if the file cannot be written later,
 * the process reports that and counts by itself, from what the file has.
 *
 * The limit holds in every time range of a window's length, not only in windows that begin with ours, because the service's windows are
 * unknown. The cost is one part: a second of an hour.
 *
 * Its clock continues from the time of the last process on this machine, by the uptime of the machine. Setting the clock forward or
 * back between two runs therefore gives no requests back.
 */
export const openWindowStore = (options: JournalOptions): Effect.Effect<WindowStore, JournalError, Scope.Scope> =>
  Effect.gen(function*() {
    const now = yield* nowIso
    const close = (database: Database) => Effect.sync(() => database.close())
    const durable = yield* Effect.acquireRelease(
      onOpening(options.file, () => openForWriting(options, now)),
      close
    )
    const own = yield* Effect.acquireRelease(Effect.sync(() => new Database(":memory:")), close)
    own.exec(requestTables)
    let isAlone = false
    /** Begins to count in this process, from what was counted until now. */
    const beginAlone = Effect.suspend(() => {
      isAlone = true
      try {
        copyCounts(durable, own)
      } catch (cause) {
        if (toJournalError(options.file, cause) === null) throw cause
      }
      return Effect.logWarning(
        `${options.file} cannot be written: this process counts its requests by itself. Start no other run within an hour, or the limit of the service can be exceeded`
      )
    })
    const machine = yield* Effect.flatten(Machine)
    const timeOfDay = yield* Clock.currentTimeMillis
    const since = yield* Clock.monotonicTimeNanos
    const started = yield* onJournal(
      options.file,
      () => durable.transaction(() => continueTime(durable, timeOfDay, machine))
    )
    const count = <A>(work: (database: Database) => A): Effect.Effect<A> =>
      Effect.suspend(() => {
        try {
          const counted = durable.transaction(() => work(durable))
          isAlone = false
          return Effect.succeed(counted)
        } catch (cause) {
          if (toJournalError(options.file, cause) === null) throw cause
          return Effect.andThen(
            isAlone ? Effect.void : beginAlone,
            Effect.sync(() => own.transaction(() => work(own)))
          )
        }
      })
    return makeWindowStore(monotonicClock(started, since), count)
  })

/**
 * Clears the waits that the service requested, after the operator has confirmed that they are over. Returns their number; a missing
 * file has none.
 */
export const clearWaits = (options: JournalOptions): Effect.Effect<number, JournalError> =>
  Effect.flatMap(nowIso, (now) =>
    onJournal(options.file, () => {
      const known = openForReading(options)
      if (known === null) return 0
      known.close()
      const database = openForWriting(options, now)
      try {
        return database.transaction(() => clearStatedWaits(database))
      } finally {
        database.close()
      }
    }))
