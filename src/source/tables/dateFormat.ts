import { isCivil } from "../../visit/values/CalendarDate.ts"

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
  readonly calendar: Calendar
}

/** Calendars, by the number that is subtracted from a year to get the ISO 8601 year. */
export const calendars = { gregorian: 0, buddhist: 543 } as const
export type Calendar = keyof typeof calendars

const months = "january february march april may june july august september october november december".split(" ")

interface FormatToken {
  readonly pattern: string
  readonly of:
    | "year"
    | "short-year"
    | "month"
    | "day"
    | "hour"
    | "half-day"
    | "minute"
    | "second"
    | "fraction"
    | "offset"
}

const number = "(\\d{1,2})"
const name = "([A-Za-z]{3,9})\\.?"

/** The tokens of a format, longest first. */
const tokens: ReadonlyArray<readonly [token: string, FormatToken]> = [
  ["YYYY", { pattern: "(\\d{4})", of: "year" }],
  ["YY", { pattern: "(\\d{2})", of: "short-year" }],
  ["MMMM", { pattern: name, of: "month" }],
  ["MMM", { pattern: name, of: "month" }],
  ["MM", { pattern: "(\\d{2})", of: "month" }],
  ["M", { pattern: number, of: "month" }],
  ["DD", { pattern: "(\\d{2})", of: "day" }],
  ["D", { pattern: number, of: "day" }],
  ["HH", { pattern: "(\\d{2})", of: "hour" }],
  ["H", { pattern: number, of: "hour" }],
  ["hh", { pattern: "(\\d{2})", of: "hour" }],
  ["h", { pattern: number, of: "hour" }],
  ["mm", { pattern: "(\\d{2})", of: "minute" }],
  ["m", { pattern: number, of: "minute" }],
  ["ss", { pattern: "(\\d{2})", of: "second" }],
  ["s", { pattern: number, of: "second" }],
  ["SSS", { pattern: "(\\d{1,9})", of: "fraction" }],
  ["A", { pattern: "([AaPp]\\.?[Mm]\\.?)", of: "half-day" }],
  ["a", { pattern: "([AaPp]\\.?[Mm]\\.?)", of: "half-day" }],
  ["Z", { pattern: "(Z|[+-]\\d\\d:?\\d\\d)", of: "offset" }]
]

/** The tokens as they are written, for messages. */
const formatTokens = tokens.map(([token]) => token).join(" ")

/**
 * Parses a format. Between tokens it can have signs, `T`, or words in `[…]`; a space matches any white space. Two-digit years mean
 * 1969–2068, or 2500–2599 in the Buddhist calendar. For an invalid format, returns `undefined` and the reason.
 */
export const parseDateFormat = (
  text: string,
  calendar: Calendar
): DateFormat | { readonly fault: string } => {
  if (text === dayCount.text) return dayCount
  const parts: Array<FormatToken["of"]> = []
  let pattern = ""
  for (let at = 0; at < text.length;) {
    const [token, part] = tokens.find(([one]) => text.startsWith(one, at)) ?? []
    if (token !== undefined && part !== undefined) {
      const unit = part.of === "short-year" ? "year" : part.of
      if (parts.some((one) => one === unit || (one === "short-year" && unit === "year"))) {
        return { fault: `it names the ${unit} twice` }
      }
      parts.push(part.of)
      pattern += part.pattern
      at += token.length
      continue
    }
    const literal = /^\[([^\]]*)\]/u.exec(text.slice(at))
    if (literal !== null) {
      pattern += escaped(literal[1]!)
      at += literal[0].length
    } else if (text[at] === " ") {
      pattern += "\\s+"
      at++
    } else if (/[A-SU-Za-z]/u.test(text[at]!)) {
      return { fault: `\`${text[at]}\` is not one of the tokens ${formatTokens}` }
    } else {
      pattern += escaped(text[at]!)
      at++
    }
  }
  const has = (of: FormatToken["of"]): boolean => parts.includes(of)
  if (!has("year") && !has("short-year")) return { fault: "it has no year" }
  if (has("day") && !has("month")) return { fault: "it has a day and no month" }
  if (has("hour") && (!has("day") || !has("minute"))) return { fault: "a time needs a day, an hour and a minute" }
  if (has("minute") && !has("hour")) return { fault: "it has minutes and no hour" }
  const form = new RegExp(`^${pattern}$`, "u")
  const index = (of: FormatToken["of"]): number => parts.indexOf(of) + 1
  const places = {
    year: index("year"),
    shortYear: index("short-year"),
    month: index("month"),
    day: index("day"),
    hour: index("hour"),
    half: index("half-day"),
    minute: index("minute"),
    second: index("second"),
    fraction: index("fraction"),
    offset: index("offset")
  }
  const behind = calendars[calendar]
  const read: DateFormat["read"] = (cell) => {
    const found = form.exec(cell)
    if (found === null) return { reason: `it is not written as ${text}` }
    const year = places.year > 0 ? Number(found[places.year]) - behind : shortYear(found[places.shortYear]!, calendar)
    const month = places.month === 0 ? 1 : monthOf(found[places.month]!)
    const day = places.day === 0 ? 1 : Number(found[places.day])
    if (month === undefined || !isCivil(year, month, day)) return { reason: "the calendar has no such day" }
    const date = `${String(year).padStart(4, "0")}${places.month === 0 ? "" : `-${two(month)}`}${
      places.day === 0 ? "" : `-${two(day)}`
    }`
    if (places.hour === 0) return { iso: date }
    const hour = hourOf(Number(found[places.hour]), places.half === 0 ? undefined : found[places.half])
    const minute = Number(found[places.minute])
    const second = places.second === 0 ? undefined : Number(found[places.second])
    if (hour === undefined || hour > 23 || minute > 59 || (second ?? 0) > 60) {
      return { reason: "there is no such time of day" }
    }
    const fraction = places.fraction === 0 ? "" : `.${found[places.fraction]}`
    return {
      iso: `${date}T${two(hour)}:${two(minute)}:${two(second ?? 0)}${fraction}${
        places.offset === 0 ? "" : offsetOf(found[places.offset]!)
      }`
    }
  }
  return {
    text,
    read,
    moved: (cell, days) => {
      const found = read(cell)
      const indices = new RegExp(form.source, "du").exec(cell)?.indices
      if (!("iso" in found) || indices === undefined || places.day === 0) return undefined
      const [year = "", month = "", day = ""] = movedDay(found.iso.slice(0, 10), days).split("-")
      const written = String(Number(year) + behind)
      const values = [
        [places.year, written],
        [places.shortYear, written.slice(-2)],
        [places.month, month],
        [places.day, day]
      ] as const
      return values.flatMap(([place, value]) => (place === 0 ? [] : [{ at: indices[place]!, value }]))
        .toSorted((one, other) => other.at[0] - one.at[0])
        .reduce((text, { at: [from, to], value }) => {
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

/** Returns a day (`2026-03-02`) moved by a number of days. */
export const movedDay = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10)

/** Returns the name of a month in the form of another one: short or in full, in capitals or not. */
const monthName = (month: number, form: string): string => {
  const name = months[month - 1]!
  const cut = form.length === 3 ? name.slice(0, 3) : name
  return form === form.toUpperCase()
    ? cut.toUpperCase()
    : /^[A-Z]/u.test(form)
    ? cut[0]!.toUpperCase() + cut.slice(1)
    : cut
}

/**
 * Days as spreadsheets count them: 1 is 1 January 1900, and the fraction is the time of day. Below 61 the count is one day off, because
 * spreadsheets have a 29 February 1900. A count with fewer than five decimals is exact only to the minute.
 */
const dayCount: DateFormat = {
  text: "excel",
  read: (cell) => {
    const found = /^(\d{2,6})(?:[.,](\d+))?$/u.exec(cell)
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

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/gu, "\\$&")

const two = (value: number): string => String(value).padStart(2, "0")

const shortYear = (text: string, calendar: Calendar): number => {
  const year = Number(text)
  return calendar === "buddhist" ? 2500 + year - calendars.buddhist : year < 69 ? 2000 + year : 1900 + year
}

const monthOf = (text: string): number | undefined => {
  if (/^\d/u.test(text)) return Number(text)
  const index = months.findIndex((month) => month.startsWith(text.toLowerCase()))
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
