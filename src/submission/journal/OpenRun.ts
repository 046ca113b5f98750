import { readFileSync } from "node:fs"
import { hostname } from "node:os"
import { pid as own, uptime } from "node:process"
import type { Database } from "./Database.ts"

/** The run that a journal says is going on: it has not ended, or was killed. */
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
 * Whether another process of this machine is at work on that run, whatever became of the lock's file. Numbers of processes are used
 * again: one that was started after the run began is another. Of other machines, and where the system has no `/proc`, the lock alone
 * tells.
 */
export const isRunning = (run: OpenRun, now: string): boolean => {
  if (run.host !== hostname() || run.pid === own) return false
  const age = ageOf(run.pid)
  return age !== null && age + inexact >= Date.parse(now) - Date.parse(run.since)
}

/** Milliseconds by which the ages of a process and of a run may differ. */
const inexact = 2000

/** Milliseconds since a process was started; `null` when there is none, or what is left of it only waits to be buried. */
const ageOf = (pid: number): number | null => {
  const [process, self] = [startOf(pid), startOf(own)]
  return process === null || self === null ? null : uptime() * 1000 + self - process
}

/** When a process was started, in milliseconds since the machine was. */
const startOf = (pid: number): number | null => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1")
    // the program's name stands in parentheses before, and may hold any character
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    const ticks = Number(fields[19])
    return fields[0] === "Z" || fields[0] === "X" || !Number.isFinite(ticks) ? null : ticks * 10
  } catch {
    return null
  }
}
