import { getOrMake } from "../../maps.ts"
import type { Limit } from "../wire.ts"

/** The result of a window for one request. */
export interface Hit {
  readonly allowed: boolean
  readonly limit: number
  readonly remaining: number
  /** Epoch milliseconds. */
  readonly resetAt: number
}

/** Counts requests in windows that begin with the first request and end as a whole (§8). */
export interface FixedWindow {
  readonly hit: (key: string, now: number) => Hit
  /** Returns the maximum of requests in any time range of a window's length, for each key. */
  readonly peaks: () => Readonly<Record<string, number>>
}

export const makeFixedWindow = (limit: Limit): FixedWindow => {
  const windows = new Map<string, { readonly start: number; count: number }>()
  const spans = new Map<string, { times: Array<number>; first: number; peak: number }>()

  const count = (key: string, now: number): void => {
    const span = getOrMake(spans, key, () => ({ times: [], first: 0, peak: 0 }))
    span.times.push(now)
    while ((span.times[span.first] ?? now) <= now - limit.windowMillis) span.first++
    span.peak = Math.max(span.peak, span.times.length - span.first)
    if (span.first > 4096) {
      span.times = span.times.slice(span.first)
      span.first = 0
    }
  }

  return {
    hit: (key, now) => {
      count(key, now)
      let window = windows.get(key)
      if (window === undefined || now >= window.start + limit.windowMillis) {
        window = { start: now, count: 0 }
        windows.set(key, window)
      }
      const allowed = window.count < limit.count
      if (allowed) window.count++
      return {
        allowed,
        limit: limit.count,
        remaining: limit.count - window.count,
        resetAt: window.start + limit.windowMillis
      }
    },
    peaks: () => Object.fromEntries([...spans].map(([key, span]) => [key, span.peak]))
  }
}
