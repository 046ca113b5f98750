import { Schema } from "effect"
import { getOrRemember } from "../../maps.ts"
import { civilFromDays, daysFromCivil, digitsAt, isCivil } from "./CalendarDate.ts"
import { localTime, offsetAt } from "./Zone.ts"

/** The form of every timestamp of a Visit (specification §2): milliseconds and an offset, never `Z`, never `-00:00`. */
export const timestampForm = "YYYY-MM-DDTHH:mm:ss.sss+HH:MM"

/** The form as a regular expression, for JSON Schema; the calendar is checked separately. */
export const timestampPattern =
  "^(?!0000)\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])T(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d\\.\\d{3}(?!-00:00)[+-](?:(?:0\\d|1[0-3]):[0-5]\\d|14:00)$"

/** Maximum offset from UTC, in minutes. */
const maxOffset = 14 * 60

const day = 86_400_000
const firstMillis = daysFromCivil(1, 1, 1) * day
const lastMillis = daysFromCivil(10_000, 1, 1) * day - 1

/** The instants of texts: many rows of a visit have one time, and several checks read each of them. */
const instants = new Map<string, number>()

/** Returns the instant of a timestamp in milliseconds since 1970, or `NaN` if the text is not a timestamp (form or calendar). */
export const toEpochMillis = (text: string): number => getOrRemember(instants, text, readTimestamp)

const readTimestamp = (text: string): number => {
  if (
    text.length !== 29 || text.charCodeAt(4) !== 45 || text.charCodeAt(7) !== 45 || text.charCodeAt(10) !== 84 ||
    text.charCodeAt(13) !== 58 || text.charCodeAt(16) !== 58 || text.charCodeAt(19) !== 46 || text.charCodeAt(26) !== 58
  ) return Number.NaN
  const sign = text.charCodeAt(23)
  if (sign !== 43 && sign !== 45) return Number.NaN
  const year = digitsAt(text, 0, 4)
  const month = digitsAt(text, 5, 7)
  const dayOfMonth = digitsAt(text, 8, 10)
  const hour = digitsAt(text, 11, 13)
  const minute = digitsAt(text, 14, 16)
  const second = digitsAt(text, 17, 19)
  const offsetHour = digitsAt(text, 24, 26)
  const offsetMinute = digitsAt(text, 27, 29)
  if (
    !isCivil(year, month, dayOfMonth) || !(hour <= 23 && minute <= 59 && second <= 59) ||
    !(offsetMinute <= 59 && offsetHour * 60 + offsetMinute <= maxOffset) ||
    (sign === 45 && offsetHour === 0 && offsetMinute === 0)
  ) return Number.NaN
  const local = daysFromCivil(year, month, dayOfMonth) * day + ((hour * 60 + minute) * 60 + second) * 1000 +
    digitsAt(text, 20, 23)
  const offset = (offsetHour * 60 + offsetMinute) * 60_000
  return sign === 43 ? local - offset : local + offset
}

/** Returns true for `YYYY-MM-DDTHH:mm:ss.sss+HH:MM` with a day that is in the calendar. */
export const isTimestamp = (text: string): boolean => !Number.isNaN(toEpochMillis(text))

/** A timestamp on the wire (§2); its text is kept unchanged. */
export const Timestamp = Schema.String.check(
  Schema.makeFilter(isTimestamp, {
    expected: `a timestamp ${timestampForm}`,
    toJsonSchema: () => ({ pattern: timestampPattern })
  })
)

/** The precision of an instant's text. Digits after the third of a second are dropped. */
type Precision = "year" | "month" | "day" | "minute" | "second" | "millisecond"

/** The instant of a date or time in the source, or the reason why it is invalid. */
type InstantReading =
  | {
    readonly _tag: "Instant"
    readonly epochMillis: number
    readonly precision: Precision
    /** False if the text has no offset and the facility's zone was used. */
    readonly hadOffset: boolean
    /** How often the clocks of the zone show a time without an offset. */
    readonly shown: "once" | "twice" | "never"
  }
  | { readonly _tag: "InvalidInstant"; readonly reason: InvalidInstant }

/**
 * `form`: not a date or time; `calendar`: no such day; `clock`: no such time of day. `offset`: no such offset; `year`: before the year 0001
 * or after 9999.
 */
type InvalidInstant = "form" | "calendar" | "clock" | "offset" | "year"

const readable =
  /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?([Zz]|[+-]\d\d(?::?\d\d)?)?)?)?)?$/

const no = (reason: InvalidInstant): InstantReading => ({ _tag: "InvalidInstant", reason })

/**
 * Reads any FHIR date, dateTime or instant: a year, month, day, or time with or without seconds, fraction (of any length), `Z` or offset.
 * Lower-case letters, a space for `T` and an offset without its colon are tolerated. A leap second becomes the second after it. A text of
 * lower precision gives the start of its time range; a local time is in `zone`. Throws a `RangeError` for a zone that `isZone` rejects.
 */
export const parseInstant = (text: string, options: { readonly zone: string }): InstantReading => {
  const parts = readable.exec(text)
  if (parts === null) return no("form")
  const year = Number(parts[1])
  const month = parts[2] === undefined ? 1 : Number(parts[2])
  const dayOfMonth = parts[3] === undefined ? 1 : Number(parts[3])
  if (year === 0) return no("year")
  if (!isCivil(year, month, dayOfMonth)) return no("calendar")
  const hour = Number(parts[4] ?? 0)
  const minute = Number(parts[5] ?? 0)
  const second = Number(parts[6] ?? 0)
  if (hour > 23 || minute > 59 || second > 60) return no("clock")
  const fraction = parts[7] === undefined ? 0 : digitsAt(parts[7].padEnd(3, "0"), 0, 3)
  const local = daysFromCivil(year, month, dayOfMonth) * day + ((hour * 60 + minute) * 60 + second) * 1000 + fraction
  const offset = parts[8] === undefined ? undefined : offsetMillis(parts[8])
  if (Number.isNaN(offset)) return no("offset")
  const { epochMillis, shown } = offset === undefined
    ? localTime(local, options.zone)
    : { epochMillis: local - offset, shown: "once" as const }
  if (epochMillis < firstMillis || epochMillis > lastMillis) return no("year")
  return { _tag: "Instant", epochMillis, precision: precisionOf(parts), hadOffset: offset !== undefined, shown }
}

/**
 * Writes a time that `parseInstant` tolerates in the form of FHIR, with the same precision: `2026-03-02 08:00:00+0700` as
 * `2026-03-02T08:00:00+07:00`. Returns `undefined` for other texts, and for dates, which have one form.
 */
export const toFhirTime = (text: string): string | undefined => {
  const [, , , , hour, minute, second, fraction, offset = ""] = readable.exec(text) ?? []
  if (hour === undefined || minute === undefined) return undefined
  const clock = [hour, minute, second].filter((one) => one !== undefined).join(":")
  const zone = offset.length > 1
    ? `${offset.slice(0, 3)}:${offset.slice(3).replace(":", "") || "00"}`
    : offset.toUpperCase()
  return `${text.slice(0, 10)}T${clock}${fraction === undefined ? "" : `.${fraction}`}${zone}`
}

const offsetMillis = (text: string): number => {
  if (text.length === 1) return 0
  const hours = digitsAt(text, 1, 3)
  const minutes = text.length === 3 ? 0 : digitsAt(text, text.length - 2, text.length)
  if (minutes > 59 || hours * 60 + minutes > maxOffset) return Number.NaN
  return (text.charCodeAt(0) === 45 ? -1 : 1) * (hours * 60 + minutes) * 60_000
}

const precisionOf = (parts: RegExpExecArray): Precision =>
  parts[7] !== undefined
    ? "millisecond"
    : parts[6] !== undefined
    ? "second"
    : parts[4] !== undefined
    ? "minute"
    : parts[3] !== undefined
    ? "day"
    : parts[2] !== undefined
    ? "month"
    : "year"

const two = Array.from({ length: 100 }, (_, n) => String(n).padStart(2, "0"))

const render = (epochMillis: number, offsetMinutes: number): string => {
  const local = epochMillis + offsetMinutes * 60_000
  const days = Math.floor(local / day)
  const [year, month, dayOfMonth] = civilFromDays(days)
  const inDay = local - days * day
  const millis = inDay % 1000
  const seconds = (inDay - millis) / 1000
  const minutes = Math.floor(seconds / 60)
  const absolute = Math.abs(offsetMinutes)
  return `${two[Math.floor(year / 100)]}${two[year % 100]}-${two[month]}-${two[dayOfMonth]}T${
    two[Math.floor(minutes / 60)]
  }:${two[minutes % 60]}:${two[seconds % 60]}.${millis < 100 ? "0" : ""}${millis < 10 ? "0" : ""}${millis}${
    offsetMinutes < 0 ? "-" : "+"
  }${two[Math.floor(absolute / 60)]}:${two[absolute % 60]}`
}

/**
 * Formats an instant in wire format, in the local time of a zone: an IANA name or a fixed offset. Offsets with seconds are rounded to the
 * minute; the instant is unchanged. The offset is `+00:00` if a historical one exceeds 14 hours, or if the zone's local time would show the
 * year 0 or 10000. Throws a `RangeError` for a number that is not an instant of the years 0001 to 9999, or for an unknown zone.
 */
export const formatTimestamp = (epochMillis: number, zone: string): string => {
  const millis = Math.floor(epochMillis)
  if (!(millis >= firstMillis && millis <= lastMillis)) throw new RangeError("not an instant of the years 0001 to 9999")
  const minutes = Math.round(offsetAt(millis, zone) / 60_000)
  const local = millis + minutes * 60_000
  const isShown = local >= firstMillis && local <= lastMillis && Math.abs(minutes) <= maxOffset
  return render(millis, isShown ? minutes : 0)
}
