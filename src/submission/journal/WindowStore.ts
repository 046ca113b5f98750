import { Clock, Effect, type Scope } from "effect"
import { maxPauseMillis, monotonicClock, type WindowStore } from "../../service/limits.ts"
import { Database } from "./Database.ts"
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
import { migrations } from "./migrations.ts"
import { continueTime, Machine } from "./monotonicTime.ts"

/**
 * Returns the milliseconds of one part of a window: a second, or less for windows below a minute. A part leaves the count when its end
 * is a whole window ago.
 */
const partOf = (windowMs: number): number => Math.max(1, Math.min(1000, Math.ceil(windowMs / 60)))

/**
 * Opens the counts in the journal's table `request_window`. They outlive the process, and a run, a card search and a `status --remote`
 * at the same time share one budget. It needs no lock of a run. Opening fails with `JournalError`; if the file cannot be written later,
 * the process continues to count in memory.
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
    for (const migration of migrations) own.exec(migration)
    const machine = yield* Effect.flatten(Machine)
    const timeOfDay = yield* Clock.currentTimeMillis
    const since = yield* Clock.monotonicTimeNanos
    const started = yield* onJournal(
      options.file,
      () => durable.transaction(() => continueTime(durable, timeOfDay, machine))
    )
    const count = <A>(work: (database: Database) => A): Effect.Effect<A> =>
      Effect.sync(() => {
        try {
          return durable.transaction(() => work(durable))
        } catch (cause) {
          if (toJournalError(options.file, cause) === null) throw cause
          return own.transaction(() => work(own))
        }
      })
    return {
      now: monotonicClock(started, since),
      take: (key, limit, windowMs, now) => count((database) => take(database, key, limit, windowMs, Math.floor(now))),
      delay: (key, windowMs, from, to) => count((database) => delay(database, key, windowMs, from, to)),
      correct: (key, remaining, until) => count((database) => correct(database, key, remaining, Math.floor(until))),
      pause: (key, until) => count((database) => pause(database, key, Math.ceil(until))),
      isStated: (key, now) =>
        count((database) =>
          database.get(
            "SELECT 1 AS one FROM request_cap WHERE key IN (?, ?) AND remaining <= 0 AND until_at > ?",
            key,
            pauseOf(key),
            Math.floor(now)
          ) !== undefined
        )
    }
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
        return database.transaction(() => {
          const waits = Number(database.get("SELECT count(*) AS n FROM request_cap WHERE remaining <= 0")?.n)
          database.run("DELETE FROM request_cap WHERE remaining <= 0")
          return waits
        })
      } finally {
        database.close()
      }
    }))

/** Returns the key of a pause: a cap with nothing remaining. It has its own name, so that no later count ends it. */
const pauseOf = (key: string): string => `pause ${key}`

const take = (database: Database, key: string, limit: number, windowMs: number, now: number): number => {
  const part = partOf(windowMs)
  const started = now - (now % part)
  // after the clock was set back, counts in the future count as made now
  const ahead = sum(database, "key = ? AND started_at > ?", key, now)
  if (ahead > 0) {
    database.run("DELETE FROM request_window WHERE key = ? AND started_at > ?", key, now)
    add(database, key, started, ahead)
  }
  // a part [start, start + part) counts while start + part + windowMs > now
  database.run("DELETE FROM request_window WHERE key = ? AND started_at <= ?", key, now - windowMs - part)
  const names = [key, pauseOf(key)]
  database.run("DELETE FROM request_cap WHERE key IN (?, ?) AND until_at <= ?", ...names, now)
  // a later one comes from a clock that was set back with a restart of the machine
  database.run(
    // Node before 24.7 does not bind numbered parameters (?1) by their position.
    "UPDATE request_cap SET until_at = ? WHERE key IN (?, ?) AND until_at > ?",
    now + maxPauseMillis,
    ...names,
    now + maxPauseMillis
  )
  const until = database.get(
    "SELECT max(until_at) AS at FROM request_cap WHERE key IN (?, ?) AND remaining <= 0",
    ...names
  )?.at
  if (until !== undefined && until !== null) return Number(until) - now
  if (sum(database, "key = ?", key) >= limit) {
    const oldest = database.get("SELECT min(started_at) AS at FROM request_window WHERE key = ?", key)?.at
    return Math.max(1, Number(oldest ?? now) + part + windowMs - now)
  }
  add(database, key, started, 1)
  database.run("UPDATE request_cap SET remaining = remaining - 1 WHERE key = ?", key)
  return 0
}

const delay = (database: Database, key: string, windowMs: number, from: number, to: number): void => {
  const part = partOf(windowMs)
  const [was, is] = [Math.floor(from), Math.floor(to)].map((at) => at - (at % part)) as [number, number]
  if (was === is) return
  database.run("UPDATE request_window SET taken = taken - 1 WHERE key = ? AND started_at = ?", key, was)
  database.run("DELETE FROM request_window WHERE key = ? AND started_at = ? AND taken <= 0", key, was)
  add(database, key, is, 1)
}

const correct = (database: Database, key: string, remaining: number, until: number): void => {
  const known = database.get("SELECT remaining, until_at FROM request_cap WHERE key = ?", key)
  // a response that is older than the last one must not give back what was used since
  const same = known !== undefined && Math.abs(Number(known.until_at) - until) < 2000
  database.run(
    `INSERT INTO request_cap (key, remaining, until_at) VALUES (?, ?, ?)
     ON CONFLICT (key) DO UPDATE SET remaining = excluded.remaining, until_at = excluded.until_at`,
    key,
    Math.floor(same ? Math.min(Number(known.remaining), remaining) : remaining),
    until
  )
}

const pause = (database: Database, key: string, until: number): void =>
  database.run(
    `INSERT INTO request_cap (key, remaining, until_at) VALUES (?, 0, ?)
     ON CONFLICT (key) DO UPDATE SET until_at = max(until_at, excluded.until_at)`,
    pauseOf(key),
    until
  )

const sum = (database: Database, where: string, ...parameters: ReadonlyArray<string | number>): number =>
  Number(database.get(`SELECT coalesce(sum(taken), 0) AS n FROM request_window WHERE ${where}`, ...parameters)?.n)

const add = (database: Database, key: string, started: number, taken: number): void =>
  database.run(
    `INSERT INTO request_window (key, started_at, taken) VALUES (?, ?, ?)
     ON CONFLICT (key, started_at) DO UPDATE SET taken = taken + excluded.taken`,
    key,
    started,
    taken
  )
