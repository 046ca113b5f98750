import { Effect } from "effect"
import { setImmediate } from "node:timers/promises"

/** How long work continues before requests are served, in milliseconds. */
export const slice = 12

/** Yields so that requests can be served. */
export const pauseForRequests = Effect.promise(() => setImmediate())
