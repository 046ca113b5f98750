import type { Database } from "./journal/Database.ts"
import type { Uptime } from "./Machine.ts"

/**
 * Returns the time by which requests are counted. It continues from the last process on this machine, or starts from the time of day
 * after a restart of the machine. `isNew` if the journal does not have it yet.
 */
export const monotonicTime = (
  database: Database,
  timeOfDay: number,
  machine: Uptime | null
): { readonly now: number; readonly isNew: boolean } => {
  if (machine === null) return { now: timeOfDay, isNew: false }
  const seen = database.get("SELECT boot, since_boot, at FROM request_clock")
  return seen !== undefined && seen.boot === machine.boot && Number(seen.since_boot) <= machine.sinceBoot
    ? { now: Number(seen.at) + machine.sinceBoot - Number(seen.since_boot), isNew: false }
    : { now: timeOfDay, isNew: true }
}
