import { getOrMake, increment } from "../../maps.ts"
import type { FaultWord } from "./Faults.ts"

/** Statistics of the embedded service since its start. */
export interface SandboxStats {
  /** By endpoint (`POST /api/v1/external/visits`) and by response: a status, or `dropped`. */
  readonly requests: Readonly<Record<string, Readonly<Record<string, number>>>>
  readonly faults: Readonly<Record<string, number>>
  readonly grants: { readonly password: number; readonly refresh: number }
  /** Visits in the store. */
  readonly visits: { readonly stored: number; readonly partlyStored: number }
  /** The most requests in any time range of a window's length: token requests by address, data requests by user (§8). */
  readonly peaks: {
    readonly token: Readonly<Record<string, number>>
    readonly data: Readonly<Record<string, number>>
  }
}

/** Counts what the embedded service does. */
export interface Counters {
  readonly request: (endpoint: string, response: string) => void
  readonly fault: (word: FaultWord) => void
  readonly grant: (kind: "password" | "refresh") => void
  readonly read: () => Pick<SandboxStats, "requests" | "faults" | "grants">
}

/** Returns counters that begin at 0. */
export const makeCounters = (): Counters => {
  const requests = new Map<string, Map<string, number>>()
  const faults = new Map<string, number>()
  const grants = { password: 0, refresh: 0 }
  return {
    request: (endpoint, response) => void increment(getOrMake(requests, endpoint, () => new Map()), response),
    fault: (word) => void increment(faults, word),
    grant: (kind) => {
      grants[kind]++
    },
    read: () => ({
      requests: Object.fromEntries(
        [...requests].map(([endpoint, responses]) => [endpoint, Object.fromEntries(responses)])
      ),
      faults: Object.fromEntries(faults),
      grants: { ...grants }
    })
  }
}
