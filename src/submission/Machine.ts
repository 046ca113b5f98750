import { Context, Effect } from "effect"
import { readFileSync } from "node:fs"
import { uptime } from "node:os"

/** The uptime of this machine, and the identifier of its last start. */
export interface Uptime {
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
