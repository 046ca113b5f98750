import { getOrMake, getOrRemember } from "../../maps.ts"
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
  readonly days?: ZoneDays
}

/** The offsets of a zone at each midnight of many years. With them, most runs need not load the platform's time zone data. */
export interface ZoneDays {
  /** Days since 1970. */
  readonly first: number
  readonly end: number
  /** The days from which an offset applies, in order. The first one is `first`. */
  readonly changes: ReadonlyArray<readonly [dayNumber: number, offset: number]>
}

const zones = new Map<string, Zone>()

const fixed = /^([+-])(\d{2}):?(\d{2})$/

const openZone = (name: string): Zone => {
  if (name === "UTC") return { atMidnight: new Map(), ask: () => 0 }
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

const zoneOf = (name: string): Zone => getOrMake(zones, name, openZone)

/** The years of `zoneDays`: those of most visits. */
const daysOfYears = { first: daysFromCivil(1950, 1, 1), end: daysFromCivil(2070, 1, 1) }

/** Returns the offsets of a zone at each midnight of 120 years, which takes a tenth of a second. */
export const zoneDays = (name: string): ZoneDays => {
  const { ask } = openZone(name)
  const { end, first } = daysOfYears
  const changes: Array<readonly [number, number]> = []
  for (let dayNumber = first; dayNumber < end; dayNumber++) {
    const offset = ask(dayNumber * day)
    if (offset !== changes.at(-1)?.[1]) changes.push([dayNumber, offset])
  }
  return { first, end, changes }
}

/** Uses the offsets that `zoneDays` returned earlier. For other days and times, the platform's data is loaded when it is first needed. */
export const useZoneDays = (name: string, days: ZoneDays): void => {
  let opened: Zone | undefined
  zones.set(name, { atMidnight: new Map(), days, ask: (epochMillis) => (opened ??= openZone(name)).ask(epochMillis) })
}

const offsetOn = ({ changes, end, first }: ZoneDays, dayNumber: number): number | undefined => {
  if (dayNumber < first || dayNumber >= end) return undefined
  let [low, high] = [0, changes.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((changes[middle]?.[0] ?? Infinity) <= dayNumber) low = middle
    else high = middle - 1
  }
  return changes[low]?.[1]
}

const midnightOffset = ({ ask, atMidnight, days }: Zone, dayNumber: number): number =>
  getOrRemember(
    atMidnight,
    dayNumber,
    () => (days === undefined ? undefined : offsetOn(days, dayNumber)) ?? ask(dayNumber * day),
    maxRemembered
  )

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

interface LocalTime {
  readonly epochMillis: number
  /** How often the clocks show it: `twice` if they go back over it, `never` if they go forward past it. */
  readonly shown: "once" | "twice" | "never"
}

/**
 * Reads a zone's local time, which is passed as if it were UTC. If clocks go back and show it twice, the first instant counts. If clocks go
 * forward and skip it, it moves forward by the gap (RFC 5545).
 */
export const localTime = (localMillis: number, zone: string): LocalTime => {
  const before = offsetAt(localMillis - day, zone)
  const after = offsetAt(localMillis + day, zone)
  const early = localMillis - Math.max(before, after)
  const late = localMillis - Math.min(before, after)
  const isLate = offsetAt(late, zone) === Math.min(before, after)
  if (offsetAt(early, zone) === Math.max(before, after)) {
    return { epochMillis: early, shown: isLate && late !== early ? "twice" : "once" }
  }
  return isLate ? { epochMillis: late, shown: "once" } : { epochMillis: localMillis - before, shown: "never" }
}

/** Returns the instant of a zone's local time: see {@link localTime}. */
export const fromLocal = (localMillis: number, zone: string): number => localTime(localMillis, zone).epochMillis

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
