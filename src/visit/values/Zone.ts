import { civilFromDays, daysFromCivil } from "./CalendarDate.ts"

const day = 86_400_000
/** Before this instant every zone keeps its first offset; the calendar's year 1 starts here. */
const firstInstant = daysFromCivil(1, 1, 2) * day
/** Maximum number of memoized days per zone; a century has 36,525. */
const maxRemembered = 40_000

/**
 * The offsets of one time zone. The offset at each UTC midnight is memoized. On the few days with a transition, the platform's time zone
 * data is queried for the instant itself.
 */
interface Zone {
  readonly atMidnight: Map<number, number>
  readonly ask: (epochMillis: number) => number
}

const zones = new Map<string, Zone>()

const fixed = /^([+-])(\d{2}):?(\d{2})$/

const openZone = (name: string): Zone => {
  const parts = fixed.exec(name)
  if (parts !== null) {
    const offset = (parts[1] === "-" ? -1 : 1) * (Number(parts[2]) * 60 + Number(parts[3])) * 60_000
    return { atMidnight: new Map(), ask: () => offset }
  }
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: name,
    calendar: "gregory",
    numberingSystem: "latn",
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric"
  })
  return { atMidnight: new Map(), ask: (epochMillis) => offsetBy(format, Math.max(epochMillis, firstInstant)) }
}

const offsetBy = (format: Intl.DateTimeFormat, epochMillis: number): number => {
  const second = Math.floor(epochMillis / 1000) * 1000
  let [year, month, dayOfMonth, hour, minute, seconds] = [0, 0, 0, 0, 0, 0]
  for (const { type, value } of format.formatToParts(second)) {
    if (type === "year") year = Number(value)
    else if (type === "month") month = Number(value)
    else if (type === "day") dayOfMonth = Number(value)
    else if (type === "hour") hour = Number(value)
    else if (type === "minute") minute = Number(value)
    else if (type === "second") seconds = Number(value)
  }
  return daysFromCivil(year, month, dayOfMonth) * day + ((hour * 60 + minute) * 60 + seconds) * 1000 - second
}

const zoneOf = (name: string): Zone => {
  const known = zones.get(name)
  if (known !== undefined) return known
  const opened = openZone(name)
  zones.set(name, opened)
  return opened
}

const midnightOffset = (zone: Zone, dayNumber: number): number => {
  const known = zone.atMidnight.get(dayNumber)
  if (known !== undefined) return known
  if (zone.atMidnight.size >= maxRemembered) zone.atMidnight.clear()
  const offset = zone.ask(dayNumber * day)
  zone.atMidnight.set(dayNumber, offset)
  return offset
}

/** Returns true for an IANA zone that the platform supports (`Asia/Phnom_Penh`) and for a fixed offset (`+07:00`). */
export const isZone = (name: string): boolean => {
  const parts = fixed.exec(name)
  if (parts !== null) return Number(parts[2]) <= 23 && Number(parts[3]) <= 59
  if (/^[+-]/.test(name)) return false
  try {
    zoneOf(name)
    return true
  } catch {
    return false
  }
}

/**
 * Returns the milliseconds that local time is ahead of UTC at an instant, as exact as the zone's history (local mean times have seconds).
 * Throws a `RangeError` for a zone that `isZone` rejects.
 */
export const offsetAt = (epochMillis: number, zone: string): number => {
  const known = zoneOf(zone)
  const today = Math.floor(epochMillis / day)
  const offset = midnightOffset(known, today)
  return offset === midnightOffset(known, today + 1) ? offset : known.ask(epochMillis)
}

/**
 * Returns the instant of a zone's local time, which is passed as if it were UTC. If clocks go back and show the local time twice, the first
 * instant counts. If clocks go forward and skip it, it moves forward by the gap (RFC 5545).
 */
export const fromLocal = (localMillis: number, zone: string): number => {
  const before = offsetAt(localMillis - day, zone)
  const after = offsetAt(localMillis + day, zone)
  const early = localMillis - Math.max(before, after)
  const late = localMillis - Math.min(before, after)
  if (offsetAt(early, zone) === Math.max(before, after)) return early
  if (offsetAt(late, zone) === Math.min(before, after)) return late
  return localMillis - before
}

/** Returns the instant at which the next year, month or day begins in a zone's local time. */
export const startOfNext = (unit: "year" | "month" | "day", epochMillis: number, zone: string): number => {
  const today = Math.floor((epochMillis + offsetAt(epochMillis, zone)) / day)
  const [year, month] = civilFromDays(today)
  const next = unit === "day"
    ? today + 1
    : unit === "year" || month === 12
    ? daysFromCivil(year + 1, 1, 1)
    : daysFromCivil(year, month + 1, 1)
  return fromLocal(next * day, zone)
}
