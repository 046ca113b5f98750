import { headerNames } from "../wire.ts"
import type { ServiceResponse } from "./ServiceResponse.ts"

/** Whether headers signal that a limit is reached: a retry-after time, or nothing left in the window (§8). */
export const signalsRateLimit = (headers: ServiceResponse["headers"]): boolean =>
  headers[headerNames.retryAfter] !== undefined || /^0+$/u.test(headers[headerNames.remaining]?.trim() ?? "")

/**
 * Whether a response is 429, or 403 with headers that signal a reached limit. The service refused it unprocessed, so it may be sent
 * again after a wait (§8 does not show the status).
 */
export const isLimit = ({ headers, status }: Pick<ServiceResponse, "headers" | "status">): boolean =>
  status === 429 || (status === 403 && signalsRateLimit(headers))

/**
 * Returns the wait that a response requests, in milliseconds, or `null` if it states none. `Retry-After` takes precedence over
 * `X-RateLimit-Reset` (§8). Both may hold seconds, epoch seconds, epoch milliseconds or an HTTP date. An instant is compared with the
 * response's own `Date`, because either clock may be wrong; without one, `now` is used.
 */
export const readWait = (headers: ServiceResponse["headers"], now: number): number | null =>
  readMoment(headers[headerNames.retryAfter], headers, now) ?? readMoment(headers[headerNames.reset], headers, now)

/** Returns what is left in the window and when it ends (§8), or `null` if the response does not state both. */
export const readRemaining = (
  headers: ServiceResponse["headers"],
  now: number
): { readonly remaining: number; readonly waitMillis: number } | null => {
  const remaining = headers[headerNames.remaining]
  const waitMillis = readMoment(headers[headerNames.reset], headers, now)
  if (remaining === undefined || waitMillis === null || !/^\d{1,9}$/u.test(remaining.trim())) return null
  return { remaining: Number(remaining), waitMillis }
}

const readMoment = (value: string | undefined, headers: ServiceResponse["headers"], now: number): number | null => {
  if (value === undefined) return null
  const text = value.trim()
  if (/^\d{1,15}(?:\.\d{1,9})?$/u.test(text)) {
    const number = Number(text)
    if (number < 1e9) return Math.ceil(number * 1000)
    return waitUntil(number < 1e12 ? number * 1000 : number, headers, now)
  }
  // An HTTP date names a day and a month; `Date.parse` accepts almost any text.
  if (!/[A-Za-z]{3}/u.test(text)) return null
  const moment = Date.parse(text)
  return Number.isNaN(moment) ? null : waitUntil(moment, headers, now)
}

const waitUntil = (moment: number, headers: ServiceResponse["headers"], now: number): number => {
  const stated = Date.parse(headers[headerNames.date] ?? "")
  return Math.max(0, Math.ceil(moment - (Number.isNaN(stated) ? now : stated)))
}
