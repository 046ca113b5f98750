import { Clock, Context, Effect } from "effect"
import { Database } from "./Database.ts"
import type { Limit } from "./wire.ts"

/** The time at which a request was counted, and the time at which it counts instead. */
interface Move {
  readonly from: number
  readonly to: number
}

/**
 * Counts requests by time. No time range of a window's length holds more of them than the limit, wherever the service's windows begin
 * (§8). Times are milliseconds of its own clock. An implementation may share its counts between runs.
 */
export interface WindowStore {
  /** The time by which requests are counted: changes of the system clock do not move it. */
  readonly now: Effect.Effect<number>
  /** Takes one request of `key` and returns 0, or takes none and returns the milliseconds until the next attempt is useful. */
  readonly take: (key: string, limit: Limit, now: number) => Effect.Effect<number>
  /** Notes that a request taken at `from` was still on its way: the service may have counted it as late as `to`. */
  readonly delay: (key: string, windowMs: number, move: Move) => Effect.Effect<void>
  /** The service's own count: until `until`, at most `remaining` further requests of `key`. */
  readonly correct: (key: string, remaining: number, until: number) => Effect.Effect<void>
  /** Applies a wait that the service requests: until `until` no request of `key` is taken, whatever its later counts. */
  readonly pause: (key: string, until: number) => Effect.Effect<void>
  /** Whether the service itself accepts no request of `key` now: it requested a wait, or reported that nothing is left. */
  readonly isStated: (key: string, now: number) => Effect.Effect<boolean>
}

/**
 * The longest wait that is accepted: a time in an unexpected unit must not block everything for years. After it, the next response
 * states the wait again.
 */
export const maxPauseMillis = 24 * 3_600_000

/** Returns a monotonic clock that starts at `start`, its value at `since`, and is independent of the time of day. */
export const monotonicClock = (start: number, since: bigint): Effect.Effect<number> =>
  Effect.map(Clock.monotonicTimeNanos, (nanos) => start + Number((nanos - since) / 1_000_000n))

/** The tables of the counts. A journal has them among its own. */
export const requestTables = `
  -- recent requests, counted by short parts of a window, for all processes that share this database
  CREATE TABLE request_window (
    key TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    taken INTEGER NOT NULL,
    PRIMARY KEY (key, started_at)
  ) STRICT, WITHOUT ROWID;

  -- the remaining requests according to the service
  CREATE TABLE request_cap (
    key TEXT PRIMARY KEY,
    remaining INTEGER NOT NULL,
    until_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
`

/** Counts in a database with `requestTables`. `count` runs each piece of work, in a transaction if the database is shared. */
export const makeWindowStore = (
  now: Effect.Effect<number>,
  count: <A>(work: (database: Database) => A) => Effect.Effect<A>
): WindowStore => ({
  now,
  take: (key, limit, now) => count((database) => take(database, key, limit, Math.floor(now))),
  delay: (key, windowMs, move) => count((database) => delay(database, key, windowMs, move)),
  correct: (key, remaining, until) => count((database) => correct(database, key, remaining, Math.floor(until))),
  pause: (key, until) => count((database) => pause(database, key, Math.ceil(until))),
  isStated: (key, now) => count((database) => isStated(database, key, Math.floor(now)))
})

/** Counts in the memory of one process. */
export const makeMemoryWindows = (): WindowStore => {
  const database = new Database(":memory:")
  database.exec(requestTables)
  return makeWindowStore(monotonicClock(0, 0n), (work) => Effect.sync(() => work(database)))
}

/** The store that counts the requests. `null`, the default, counts in the memory of one client. */
export const Windows = Context.Reference<WindowStore | null>("fhir2visit/service/Windows", {
  defaultValue: () => null
})

/**
 * Returns the milliseconds of one part of a window: a second, or less for windows below a minute. A part leaves the count when its end
 * is a whole window ago.
 */
const partOf = (windowMs: number): number => Math.max(1, Math.min(1000, Math.ceil(windowMs / 60)))

const dataPrefix = "data "

/** The key of the data requests that one user may send to a host (§8). */
export const dataKey = (host: string, user: string): string => `${dataPrefix}${host} ${user}`

/** Returns the number of data requests of the hour before a time. */
export const dataRequestsOfTheHour = (database: Database, now: number): number =>
  sum(database, "substr(key, 1, ?) = ? AND started_at > ?", dataPrefix.length, dataPrefix, now - 3_600_000)

/** Returns the milliseconds until the service accepts requests again, by its own words; 0 if it accepts them. */
export const statedWait = (database: Database, now: number): number => {
  const until = database.get(`SELECT max(until_at) AS at FROM request_cap WHERE ${isSpent}`)?.at ?? null
  return until === null ? 0 : Math.max(0, Math.min(Number(until) - now, maxPauseMillis))
}

/** Clears the waits that the service requested, and returns their number. */
export const clearStatedWaits = (database: Database): number => {
  const waits = Number(database.get(`SELECT count(*) AS n FROM request_cap WHERE ${isSpent}`)?.n)
  database.run(`DELETE FROM request_cap WHERE ${isSpent}`)
  return waits
}

/** Replaces the counts of a database by those of another, which can be read and no longer written. */
export const copyCounts = (from: Database, to: Database): void => {
  for (const table of ["request_window", "request_cap"]) to.run(`DELETE FROM ${table}`)
  for (const { key, started_at, taken } of from.all("SELECT key, started_at, taken FROM request_window")) {
    add(to, String(key), Number(started_at), Number(taken))
  }
  for (const { key, remaining, until_at } of from.all("SELECT key, remaining, until_at FROM request_cap")) {
    correct(to, String(key), Number(remaining), Number(until_at))
  }
}

/** The service accepts no request: by its response, or because its count is used up. */
const isSpent = "remaining <= 0"

/** Returns the key of a pause: a cap with nothing remaining. It has its own name, so that no later count ends it. */
const pauseOf = (key: string): string => `pause ${key}`

const take = (database: Database, key: string, { count, windowMillis: windowMs }: Limit, now: number): number => {
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
    `SELECT max(until_at) AS at FROM request_cap WHERE key IN (?, ?) AND ${isSpent}`,
    ...names
  )?.at
  if (until !== undefined && until !== null) return Number(until) - now
  if (sum(database, "key = ?", key) >= count) {
    const oldest = database.get("SELECT min(started_at) AS at FROM request_window WHERE key = ?", key)?.at
    return Math.max(1, Number(oldest ?? now) + part + windowMs - now)
  }
  add(database, key, started, 1)
  database.run("UPDATE request_cap SET remaining = remaining - 1 WHERE key = ?", key)
  return 0
}

const delay = (database: Database, key: string, windowMs: number, { from, to }: Move): void => {
  const part = partOf(windowMs)
  const startOf = (time: number): number => Math.floor(time) - (Math.floor(time) % part)
  const [was, is] = [startOf(from), startOf(to)]
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

const isStated = (database: Database, key: string, now: number): boolean =>
  database.get(
    `SELECT 1 AS one FROM request_cap WHERE key IN (?, ?) AND ${isSpent} AND until_at > ?`,
    key,
    pauseOf(key),
    now
  ) !== undefined
