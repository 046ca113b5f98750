import { readFileSync } from "node:fs"
import { hostname } from "node:os"
import type { Database } from "../../service/Database.ts"

/** The run that has no end in the journal: it is in progress, or was killed. */
export interface OpenRun {
  readonly pid: number
  readonly host: string
  readonly since: string
}

export const openRun = (database: Database): OpenRun | null => {
  const row = database.get("SELECT pid, host, started_at FROM run WHERE ended_at IS NULL ORDER BY id DESC LIMIT 1")
  return row === undefined ? null : { pid: Number(row.pid), host: String(row.host), since: String(row.started_at) }
}

/**
 * Whether another process of this machine executes that run, even if the lock file is gone. Process ids are reused: a process that
 * started after the run is a different one. For other machines, and without `/proc`, only the lock shows it.
 */
export const isRunning = (run: OpenRun, now: string): boolean => {
  if (run.host !== hostname() || run.pid === process.pid) return false
  const age = ageOf(run.pid)
  return age !== null && age + tolerance >= Date.parse(now) - Date.parse(run.since)
}

/** Milliseconds by which the ages of a process and of its run may differ. */
const tolerance = 2000

/** Returns the milliseconds since a process was started; `null` if there is none, or if it is a zombie. */
const ageOf = (pid: number): number | null => {
  const [other, self] = [startOf(pid), startOf(process.pid)]
  return other === null || self === null ? null : process.uptime() * 1000 + self - other
}

/** Returns when a process was started, in milliseconds since the machine's start. */
const startOf = (pid: number): number | null => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1")
    // the program's name comes before, in parentheses, and may hold any character
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    const ticks = Number(fields[19])
    return fields[0] === "Z" || fields[0] === "X" || !Number.isFinite(ticks) ? null : ticks * 10
  } catch {
    return null
  }
}
