import { civilFromDays, daysFromCivil } from "../../visit/values/CalendarDate.ts"
import { formatTimestamp, toFhirTime } from "../../visit/values/Timestamp.ts"
import { fromLocal, offsetAt } from "../../visit/values/Zone.ts"
import type { ZoneScope } from "../FhirPath.ts"

/**
 * The dates and times of FHIRPath, in the facility's zone. The library computes with them in the zone of the process, so none of these
 * operations is left to it.
 */

/** The types of FHIRPath, and FHIR's `instant`. A `Date` or an `Instant` is also a `DateTime`. */
export type TimeKind = "Date" | "DateTime" | "Instant" | "Time"

/** A date or time with the components that its text has. */
export interface Time {
  readonly kind: TimeKind
  /** The last component: 0 for the year, then month, day, hour, minute, and 5 for the second with its fraction. */
  readonly precision: number
  /** The components as if they were UTC, in milliseconds since 1970. */
  readonly local: number
  /** Milliseconds ahead of UTC; `undefined` for a local time, and for every date. */
  readonly offset: number | undefined
}

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour
const unitMillis: Readonly<Record<string, number>> = { hour, minute, second, millisecond: 1 }

const clock = String.raw`([01]\d|2[0-3])(?::([0-5]\d)(?::([0-5]\d|60)(\.\d+)?)?)?`
const dateTimeForm = new RegExp(
  String
    .raw`^(\d{4})(?:-(0[1-9]|1[0-2])(?:-(0[1-9]|[12]\d|3[01])(?:T${clock}(Z|[+-](?:(?:0\d|1[0-3]):[0-5]\d|14:00))?|T)?)?)?$`,
  "u"
)
const timeForm = new RegExp(`^T?${clock}$`, "u")

const known: Readonly<Record<TimeKind, Map<string, Time | undefined>>> = {
  Date: new Map(),
  DateTime: new Map(),
  Instant: new Map(),
  Time: new Map()
}

/** Reads a text as a time of one kind; `undefined` if it is invalid. Memoized. */
export const readTime = (kind: TimeKind, text: string): Time | undefined => {
  const memoized = known[kind]
  const time = memoized.get(text)
  if (time !== undefined || memoized.has(text)) return time
  if (memoized.size > 10_000) memoized.clear()
  const read = kind === "Time" ? readClock(text) : readDateTime(kind, text)
  memoized.set(text, read)
  return read
}

/**
 * Reads a time of a record. It can be in a form that fields tolerate, such as `2026-03-02 08:00:00+0700`. An instant without an offset is a
 * local time.
 */
export const readRecordedTime = (kind: TimeKind, text: string): Time | undefined => {
  const time = readTime(kind, text)
  if (time !== undefined || kind === "Date" || kind === "Time") return time
  const written = toFhirTime(text) ?? text
  return readTime(kind, written) ?? readTime("DateTime", written)
}

const readDateTime = (kind: TimeKind, text: string): Time | undefined => {
  const [, year, month, dayOfMonth, hours, minutes, seconds, fraction, offset] = dateTimeForm.exec(text) ?? []
  if (year === undefined) return undefined
  if (kind === "Date" && text.includes("T")) return undefined
  if (kind === "Instant" && (seconds === undefined || offset === undefined)) return undefined
  const precision = [month, dayOfMonth, hours, minutes, seconds].filter((one) => one !== undefined).length
  const days = daysFromCivil(Number(year), Number(month ?? 1), Number(dayOfMonth ?? 1))
  // The month does not have this day.
  if (dayOfMonth !== undefined && civilFromDays(days)[2] !== Number(dayOfMonth)) return undefined
  const local = days * day + clockMillis(hours, minutes, seconds, fraction)
  return { kind, precision, local, offset: offset === undefined ? undefined : offsetMillis(offset) }
}

/** Reads a time of day. It is in no scope, so it is treated as UTC. */
const readClock = (text: string): Time | undefined => {
  const [, hours, minutes, seconds, fraction] = timeForm.exec(text) ?? []
  if (hours === undefined) return undefined
  const precision = seconds !== undefined ? 5 : minutes !== undefined ? 4 : 3
  return { kind: "Time", precision, local: clockMillis(hours, minutes, seconds, fraction), offset: 0 }
}

/** A leap second counts as the second before it, as in the library; digits after the third of a second are dropped. */
const clockMillis = (hours = "0", minutes = "0", seconds = "0", fraction = ""): number =>
  Number(hours) * hour + Number(minutes) * minute + Math.min(Number(seconds), 59) * second +
  Number(fraction.slice(1, 4).padEnd(3, "0"))

const offsetMillis = (text: string): number => {
  if (text === "Z") return 0
  const millis = Number(text.slice(1, 3)) * hour + Number(text.slice(4)) * minute
  return text.startsWith("-") ? -millis : millis
}

/** Returns the instant at which a time begins, in milliseconds since 1970. */
const instantOf = ({ local, offset }: Time, scope: ZoneScope): number =>
  offset === undefined ? fromLocal(local, scope.zone) : local - offset

/** Returns the start of the year, month, day, hour or minute. */
const startOf = (millis: number, precision: number): number => {
  if (precision === 5) return millis
  if (precision > 1) {
    const unit = precision === 4 ? minute : precision === 3 ? hour : day
    return Math.floor(millis / unit) * unit
  }
  const [year, month] = civilFromDays(Math.floor(millis / day))
  return daysFromCivil(year, precision === 0 ? 1 : month, 1) * day
}

/** Returns the instant at which a time begins if only the components up to `precision` are read, in the facility's zone. */
const instantAt = (time: Time, precision: number, scope: ZoneScope): number => {
  const instant = instantOf(time, scope)
  if (precision === time.precision) return instant
  if (time.kind === "Time") return startOf(instant, precision)
  return fromLocal(startOf(instant + offsetAt(instant, scope.zone), precision), scope.zone)
}

/** Returns whether two times can be compared: a time of day only with another. */
export const areComparable = (one: Time, other: Time): boolean => (one.kind === "Time") === (other.kind === "Time")

/** Returns the sign of the order of two comparable times; `null` if one has fewer components and the others are equal. */
export const compareTimes = (one: Time, other: Time, scope: ZoneScope): number | null => {
  const precision = Math.min(one.precision, other.precision)
  const order = instantAt(one, precision, scope) - instantAt(other, precision, scope)
  return order === 0 && one.precision !== other.precision ? null : order
}

/** Returns whether two times are equal (`=`); `undefined` if one has fewer components and the others are equal. */
export const equalTimes = (one: Time, other: Time, scope: ZoneScope): boolean | undefined => {
  if (one.kind !== other.kind && one.kind !== "DateTime" && other.kind !== "DateTime") return false
  if (!areComparable(one, other)) return false
  if (one.precision === other.precision) return instantOf(one, scope) === instantOf(other, scope)
  const precision = Math.min(one.precision, other.precision)
  // The library compares the components of times in UTC, and those of dates as they are written.
  const inUtc = (time: Time): number => startOf(time.precision > 2 ? instantOf(time, scope) : time.local, precision)
  return inUtc(one) === inUtc(other) ? undefined : false
}

/** Returns whether the second time is equivalent to the first (`~`). A `Date` is equivalent to a `DateTime`, but not the reverse. */
export const equivalentTimes = (one: Time, other: Time, scope: ZoneScope): boolean =>
  (one.kind === other.kind || (one.kind === "DateTime" && areComparable(one, other))) &&
  one.precision === other.precision && instantOf(one, scope) === instantOf(other, scope)

/**
 * Adds a duration to a time with an hour, and returns the text of the result. Years, months, weeks and days are added in the calendar of
 * the facility's zone, smaller units on the timeline. The library adds to dates, which are in no zone.
 */
export const addDuration = (time: Time, amount: number, unit: string, scope: ZoneScope): string => {
  const isOfDay = time.kind === "Time"
  const zoneName = isOfDay ? "UTC" : scope.zone
  const instant = instantOf(time, scope)
  const millis = unitMillis[unit]
  const result = millis === undefined
    ? fromLocal(addCalendar(instant + offsetAt(instant, zoneName), Math.trunc(amount), unit), zoneName)
    : instant + wholeMillis(millis < minute ? amount : Math.trunc(amount), millis, time.precision)
  const text = formatTimestamp(isOfDay ? ((result % day) + day) % day : result, zoneName)
  const end = time.precision === 3 ? 13 : time.precision === 4 ? 16 : text.startsWith("000", 20) ? 19 : 23
  return isOfDay ? text.slice(11, end) : text.slice(0, end) + text.slice(23)
}

/** Returns a duration in milliseconds. If it is finer than the time, only whole hours or minutes of it count. */
const wholeMillis = (amount: number, millis: number, precision: number): number => {
  const unit = precision === 3 ? hour : precision === 4 ? minute : 1
  return millis < unit ? Math.trunc((amount * millis) / unit) * unit : Math.trunc(amount * millis)
}

/** Adds to the components of a local time. A day that the month does not have becomes its last one. */
const addCalendar = (local: number, amount: number, unit: string): number => {
  if (unit === "day" || unit === "week") return local + amount * (unit === "day" ? day : 7 * day)
  const days = Math.floor(local / day)
  const [year, month, dayOfMonth] = civilFromDays(days)
  const months = year * 12 + month - 1 + amount * (unit === "year" ? 12 : 1)
  const firstDay = (one: number): number => daysFromCivil(Math.floor(one / 12), (one % 12) + 1, 1)
  return (Math.min(firstDay(months) + dayOfMonth, firstDay(months + 1)) - 1) * day + (local - days * day)
}
