import { Context, Effect } from "effect"
import { readFileSync } from "node:fs"
import { uptime } from "node:os"

/** How long this machine has been up, and which of its starts that was. */
export interface Uptime {
  readonly boot: string
  /** Milliseconds. */
  readonly sinceBoot: number
}

/**
 * The one clock that every process on a machine sees alike and nobody sets. `null` where the system does not tell one start of
 * the machine from another.
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
