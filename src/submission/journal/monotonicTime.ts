import { Context, Effect } from "effect"
import { readFileSync } from "node:fs"
import { uptime } from "node:os"
import type { Database } from "../../service/Database.ts"

/** The uptime of this machine, and the identifier of its last start. */
interface Uptime {
  readonly boot: string
  /** Milliseconds. */
  readonly sinceBoot: number
}

/**
 * The one clock that is the same for every process on a machine and that no user sets. `null` if the system does not distinguish the
 * starts of the machine.
 */
export const Machine = Context.Reference<Effect.Effect<Uptime | null>>("fhir2visit/submission/Machine", {
  defaultValue: () =>
    Effect.sync(() => {
      try {
        const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()
        return { boot, sinceBoot: Math.floor(uptime() * 1000) }
      } catch {
        return null
      }
    })
})

/**
 * Returns the time by which requests are counted. It continues from the last process on this machine, or starts from the time of day
 * after a restart of the machine. `start` is set if the journal does not have this start of the machine yet.
 */
export const monotonicTime = (
  database: Database,
  timeOfDay: number,
  machine: Uptime | null
): { readonly now: number; readonly start: Uptime | null } => {
  if (machine === null) return { now: timeOfDay, start: null }
  const seen = database.get("SELECT boot, since_boot, at FROM request_clock")
  return seen !== undefined && seen.boot === machine.boot && Number(seen.since_boot) <= machine.sinceBoot
    ? { now: Number(seen.at) + machine.sinceBoot - Number(seen.since_boot), start: null }
    : { now: timeOfDay, start: machine }
}

/** Returns the same time, and stores it for later processes. */
export const continueTime = (database: Database, timeOfDay: number, machine: Uptime | null): number => {
  const { now, start } = monotonicTime(database, timeOfDay, machine)
  if (start !== null) {
    database.run("DELETE FROM request_clock")
    database.run("INSERT INTO request_clock (boot, since_boot, at) VALUES (?, ?, ?)", start.boot, start.sinceBoot, now)
  }
  return now
}
