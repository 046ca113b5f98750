import { isCivil } from "../../../visit/values/CalendarDate.ts"

/** A format of dates and times, such as `DD/MM/YYYY HH:mm`. */
interface DateFormat {
  readonly text: string
  /** Returns the date or time in ISO 8601, or why there is none. */
  readonly read: (text: string) => { readonly iso: string } | { readonly reason: string }
  /** Returns a text that this format reads, moved by a number of days; all but the date stays as it is written. */
  readonly moved: (text: string, days: number) => string | undefined
}

/** A format as a mapping writes it. */
export interface WrittenFormat {
  readonly text: string
  /** If the mapping states it. */
  readonly calendar: Calendar | undefined
}

/** Calendars, by the number that is subtracted from a year to get the ISO 8601 year. */
export const calendars = { gregorian: 0, buddhist: 543 } as const
export type Calendar = keyof typeof calendars

const monthNames = "january february march april may june july august september october november december".split(" ")

/** What a token of a format matches. */
type DateUnit =
  | "year"
  | "shortYear"
  | "month"
  | "day"
  | "hour"
  | "halfDay"
  | "minute"
  | "second"
  | "fraction"
  | "offset"

/** The texts of a date by unit, as a format finds them. */
type DateTexts = { readonly [unit in DateUnit]?: string }

const number = "\\d{1,2}"
const name = "[A-Za-z]{3,9}"

/** The tokens of a format, longest first, each with its unit and its pattern. */
const tokens: ReadonlyArray<readonly [token: string, unit: DateUnit, pattern: string]> = [
  ["YYYY", "year", "\\d{4}"],
  ["YY", "shortYear", "\\d{2}"],
  ["MMMM", "month", name],
  ["MMM", "month", name],
  ["MM", "month", "\\d{2}"],
  ["M", "month", number],
  ["DD", "day", "\\d{2}"],
  ["D", "day", number],
  ["HH", "hour", "\\d{2}"],
  ["H", "hour", number],
  ["hh", "hour", "\\d{2}"],
  ["h", "hour", number],
  ["mm", "minute", "\\d{2}"],
  ["m", "minute", number],
  ["ss", "second", "\\d{2}"],
  ["s", "second", number],
  ["SSS", "fraction", "\\d{1,9}"],
  ["A", "halfDay", "[AaPp]\\.?\\s?[Mm]\\.?"],
  ["a", "halfDay", "[AaPp]\\.?\\s?[Mm]\\.?"],
  ["Z", "offset", "Z|[+-]\\d\\d:?\\d\\d"]
]

/** The tokens as they are written, for messages. */
const formatTokens = tokens.map(([token]) => token).join(" ")

/**
 * Parses a format. Between tokens it can have signs, `T`, or words in `[…]`; a space matches any white space. Two-digit years mean
 * 1969–2068, or 2500–2599 in the Buddhist calendar. For an invalid format, returns `undefined` and the reason.
 */
export const parseDateFormat = (
  text: string,
  calendar: Calendar | undefined
): DateFormat | { readonly fault: string } => {
  if (text === dayCount.text) return dayCount
  const perSecond = unixTimes.get(text)
  if (perSecond !== undefined) return unixTime(text, perSecond)
  const clock = /^excel +(.+)$/u.exec(text)?.[1]
  if (clock !== undefined) return dayCountWith(text, clock)
  const units = new Set<DateUnit>()
  let pattern = ""
  for (let at = 0; at < text.length;) {
    const token = tokens.find(([token]) => text.startsWith(token, at))
    if (token !== undefined) {
      const [letters, unit, form] = token
      const isYear = unit === "year" || unit === "shortYear"
      if (isYear ? units.has("year") || units.has("shortYear") : units.has(unit)) {
        return { fault: `it names the ${isYear ? "year" : unitNames[unit] ?? unit} twice` }
      }
      units.add(unit)
      pattern += `(?<${unit}>${form})${form === name ? "\\.?" : ""}`
      at += letters.length
      continue
    }
    const [whole, literal] = /^(?:\[([^\]]*)\]| +)/u.exec(text.slice(at)) ?? []
    const sign = text.charAt(at)
    if (whole === undefined && /[A-SU-Za-z]/u.test(sign)) {
      return { fault: `\`${sign}\` is not one of the tokens ${formatTokens}` }
    }
    // One repetition for adjacent spaces: several could be matched in many ways.
    pattern += literal !== undefined
      ? escaped(literal)
      : sign === " "
      ? `\\s{${(whole ?? sign).length},}`
      : escaped(sign)
    at += whole?.length ?? 1
  }
  const has = (unit: DateUnit): boolean => units.has(unit)
  if (!has("year") && !has("shortYear")) return { fault: "it has no year" }
  if (has("day") && !has("month")) return { fault: "it has a day and no month" }
  if (has("hour") && (!has("day") || !has("minute"))) return { fault: "a time needs a day, an hour and a minute" }
  if (has("minute") && !has("hour")) return { fault: "it has minutes and no hour" }
  const form = new RegExp(`^${pattern}$`, "u")
  const read: DateFormat["read"] = (cell) => {
    const found = form.exec(cell)
    return found === null ? { reason: `it is not written as ${text}` } : isoOf(found.groups ?? {}, calendar)
  }
  return {
    text,
    read,
    moved: (cell, days) => {
      const found = read(cell)
      const positions = new RegExp(form.source, "du").exec(cell)?.indices?.groups
      if (!("iso" in found) || found.iso.length < 10 || positions === undefined || !has("day")) return undefined
      const [year = "", month = "", day = ""] = movedDay(found.iso.slice(0, 10), days).split("-")
      const written = String(Number(year) + calendars[calendar ?? "gregorian"])
      const values: DateTexts = { year: written, shortYear: written.slice(-2), month, day }
      return Object.entries(values).flatMap(([unit, value]) => {
        const position = positions[unit]
        return position === undefined ? [] : [{ position, value }]
      })
        // From the end, so that the other positions stay valid.
        .toSorted((one, other) => other.position[0] - one.position[0])
        .reduce((text, { position: [from, to], value }) => {
          const old = text.slice(from, to)
          const next = /^\D/u.test(old)
            ? monthName(Number(value), old)
            : old.length === 1
            ? String(Number(value))
            : value
          return text.slice(0, from) + next + text.slice(to)
        }, cell)
    }
  }
}

/** Units whose names in messages differ. */
const unitNames: { readonly [unit in DateUnit]?: string } = { halfDay: "half-day" }

/**
 * Whether a year, of ISO 8601, cannot be one of the calendar that a column states. 2567 is a Buddhist year in a column of others. 2024 is
 * none in a column of Buddhist years, where it would be 1481.
 */
export const isOfOtherCalendar = (year: number, calendar: Calendar | undefined): boolean =>
  calendar === "buddhist" ? year < 1800 : calendar === "gregorian" && year >= 2400 && year < 2700

/** Why a date of another calendar is not read. */
export const otherCalendar = {
  gregorian: "its year is Buddhist, and the column has  calendar: gregorian",
  buddhist: "its year is not Buddhist, and the column has  calendar: buddhist"
} as const

/** Returns the date or time in ISO 8601, or why there is none. */
const isoOf = (
  { day, fraction, halfDay, hour, minute, month, offset, second, shortYear, year }: DateTexts,
  calendar: Calendar | undefined
): ReturnType<DateFormat["read"]> => {
  const years = shortYear === undefined
    ? Number(year) - calendars[calendar ?? "gregorian"]
    : fullYear(Number(shortYear), calendar)
  const months = month === undefined ? 1 : monthOf(month)
  const days = day === undefined ? 1 : Number(day)
  const isMidnight = [hour, minute, second, fraction].every((part) => part === undefined || Number(part) === 0)
  if (days === 0 && years > 0 && months !== undefined && isMidnight && isCivil(years, Math.max(months, 1), 1)) {
    return calendar !== undefined && isOfOtherCalendar(years, calendar)
      ? { reason: otherCalendar[calendar] }
      : { iso: knownPart(years, months) }
  }
  if (months === undefined || !isCivil(years, months, days)) return { reason: "the calendar has no such day" }
  if (calendar !== undefined && isOfOtherCalendar(years, calendar)) return { reason: otherCalendar[calendar] }
  const date = `${years < 1000 ? String(years).padStart(4, "0") : years}${
    month === undefined ? "" : `-${two(months)}`
  }${day === undefined ? "" : `-${two(days)}`}`
  if (hour === undefined) return { iso: date }
  const hours = hourOf(Number(hour), halfDay)
  const minutes = Number(minute)
  const seconds = Number(second ?? 0)
  if (hours === undefined || hours > 23 || minutes > 59 || seconds > 60) {
    return { reason: "there is no such time of day" }
  }
  return {
    iso: `${date}T${two(hours)}:${two(minutes)}:${two(seconds)}${fraction === undefined ? "" : `.${fraction}`}${
      offset === undefined ? "" : offsetOf(offset)
    }`
  }
}

/** The known part of a date without a known day, as FHIR writes it: `1990-04` for 00/04/1990, `1990` for 00/00/1990. */
export const knownPart = (year: number, month: number): string =>
  `${String(year).padStart(4, "0")}${month === 0 ? "" : `-${two(month)}`}`

/** Returns a day (`2026-03-02`) moved by a number of days. */
export const movedDay = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10)

/** Returns the name of a month (1 to 12) as another name is written: short or in full, in capitals or not. */
const monthName = (month: number, written: string): string => {
  const name = monthNames[month - 1] ?? ""
  const cut = written.length === 3 ? name.slice(0, 3) : name
  return written === written.toUpperCase()
    ? cut.toUpperCase()
    : /^[A-Z]/u.test(written)
    ? cut.charAt(0).toUpperCase() + cut.slice(1)
    : cut
}

/**
 * Days as spreadsheets count them: 1 is 1 January 1900, and the fraction is the time of day. Below 61 the count is one day off, because
 * spreadsheets have a 29 February 1900. A count with fewer than five decimals is exact only to the minute.
 */
const dayCount: DateFormat = {
  text: "excel",
  read: (cell) => {
    // The time of day can be in a column of its own: `46083 0.354`.
    const found = /^(\d{2,6})(?:\s+0)?(?:[.,](\d+))?$/u.exec(cell)
    if (found === null) return { reason: "it is not a count of days as spreadsheets write it" }
    const day = Number(found[1])
    if (day < 61 || day > 2_958_465) return { reason: "the calendar has no such day" }
    const fraction = found[2] ?? ""
    const step = fraction.length < 5 ? 60_000 : 1000
    const time = Math.round((Number(`0.${fraction === "" ? "0" : fraction}`) * 86_400_000) / step) * step
    const iso = new Date((day - 25_569) * 86_400_000 + time).toISOString()
    return { iso: fraction === "" ? iso.slice(0, 10) : iso.slice(0, 19) }
  },
  moved: (cell, days) => cell.replace(/^\d+/u, (day) => String(Number(day) + days))
}

/** Names of Unix time, with the number of its units in a second. */
const unixTimes: ReadonlyMap<string, number> = new Map([["unix", 1], ["unix ms", 1000]])

/** The first and the last second of Unix time that is read: those of the years 1900 and 2099. A number outside is of another unit. */
const unixSeconds = [Date.UTC(1900, 0, 1) / 1000, Date.UTC(2100, 0, 1) / 1000 - 1] as const

/** The time since the beginning of 1970 in UTC. */
const unixTime = (text: string, perSecond: number): DateFormat => ({
  text,
  read: (cell) => {
    const seconds = /^-?\d{1,15}$/u.test(cell) ? Number(cell) / perSecond : NaN
    return seconds >= unixSeconds[0] && seconds <= unixSeconds[1]
      ? { iso: new Date(seconds * 1000).toISOString().replace(".000Z", "Z") }
      : { reason: `it is not written as ${text}` }
  },
  moved: (cell, days) => /^-?\d+$/u.test(cell) ? String(Number(cell) + days * 86_400 * perSecond) : undefined
})

/** A count of days before a time of day of another column: `excel HH:mm`. */
const dayCountWith = (text: string, clock: string): ReturnType<typeof parseDateFormat> => {
  const format = parseDateFormat(`YYYY-MM-DD ${clock}`, undefined)
  return "fault" in format ? format : {
    text,
    read: (cell) => {
      const [, day = "", time = ""] = /^(\d+)(?:[.,]0+)?\s+(.+)$/u.exec(cell) ?? []
      const found = dayCount.read(day)
      return "iso" in found ? format.read(`${found.iso} ${time}`) : { reason: `it is not written as ${text}` }
    },
    moved: dayCount.moved
  }
}

export const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/gu, "\\$&")

const two = (value: number): string => value < 10 ? `0${value}` : String(value)

const fullYear = (year: number, calendar: Calendar | undefined): number =>
  calendar === "buddhist" ? 2500 + year - calendars.buddhist : year < 69 ? 2000 + year : 1900 + year

const monthOf = (text: string): number | undefined => {
  if (/^\d/u.test(text)) return Number(text)
  const index = monthNames.findIndex((month) => month.startsWith(text.toLowerCase()))
  return index < 0 ? undefined : index + 1
}

const hourOf = (hour: number, half: string | undefined): number | undefined => {
  if (half === undefined) return hour
  if (hour < 1 || hour > 12) return undefined
  return (hour % 12) + (/^p/iu.test(half) ? 12 : 0)
}

const offsetOf = (
  text: string
): string => (text === "Z" || text.includes(":") ? text : `${text.slice(0, 3)}:${text.slice(3)}`)
