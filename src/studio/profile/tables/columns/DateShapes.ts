import { calendars } from "../../../../source/tables/cells/dateFormat.ts"

/** One way in which a column's dates are written, with its statistics. */
interface Shape {
  /** Contains `1` and `2` for day and month if either may come first. */
  readonly pattern: string
  count: number
  /** Dates with a number above 12 in the first and in the second position. */
  first: number
  second: number
  /** Times from 01:00 to 06:59. */
  early: number
  /** Some hour is above 12, or is 0 in another time than 00:00: of a clock with 24 hours. */
  late: boolean
  /** Some day or month, some hour has one digit. */
  short: boolean
  shortHour: boolean
  fromYear: number
  toYear: number
  /** Dates with a year that can only be Buddhist. */
  buddhist: number
  /** Dates with two digits for a year that, of a visit, can only be Buddhist: 67 is 2024, and would be 2067. */
  shortBuddhist: number
  /** Each way to write ISO 8601 that occurs, as a format. */
  readonly written: Set<string>
}

/** The format of dates in the notation of the mapping language. */
export interface DateShape {
  /** `DD/MM/YYYY HH:mm`, `ISO 8601`. */
  readonly format: string
  readonly count: number
  /** The format includes a time of day. */
  readonly timed: boolean
  readonly calendar: "gregorian" | "buddhist"
  /** Every year has two digits that, of a visit, can only be Buddhist. */
  readonly shortBuddhist?: true
  /** Some years are Buddhist, some are not; or one year is of the other calendar, a typing error. */
  readonly eras?: "some" | "one"
  /** The order of day and month is unknown: no number is larger than 12. */
  readonly ambiguous: boolean
  /** Both orders occur: some dates have a 13 in the first position, some in the second. */
  readonly mixed: boolean
  /** One date has the other order: a typing error. */
  readonly stray?: true
  /** For ISO 8601: the formats that read its dates next to those of other formats. */
  readonly written?: ReadonlyArray<string>
  readonly offset: "Z" | "offset" | "none"
  /** The latest year, as the calendar of the format reads it. */
  readonly newestYear?: number
}

const time = "(?:[ T]+(\\d{1,2})([:.])(\\d{2})(?:[:.](\\d{2})(\\.\\d+)?)?(?:\\s*([AaPp]\\.?\\s?[Mm]\\.?))?)?"
const iso = /^(\d{4})-(\d\d)-(\d\d)(?:([T ])(\d\d):(\d\d)(?::(\d\d)([.,]\d+)?)?(\s?)(Z|[+-]\d\d:?\d\d)?)?$/u
const twoFirst = new RegExp(`^(\\d{1,2})([/.-])(\\d{1,2})\\2(\\d{4}|\\d{2})${time}$`, "u")
const yearFirst = new RegExp(`^(\\d{4})([/.-])(\\d{1,2})\\2(\\d{1,2})${time}$`, "u")
const monthNamed = new RegExp(`^(\\d{1,2})([ /-])([A-Za-z]{3,9})\\2(\\d{4}|\\d{2})${time}$`, "u")
const monthBefore = new RegExp(`^([A-Za-z]{3,9}) (\\d{1,2}), (\\d{4})${time}$`, "u")
const digitsOnly = /^(\d{4})(\d\d)(\d\d)(?:(?:[01]\d|2[0-3])[0-5]\d([0-5]\d)?)?$/u
const monthName =
  /^(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)$/iu

const maxShapes = 12

/** Dates of one order next to which one date of the other order is a typing error. */
const minBesideStray = 10

/** The dates of one column. */
export class DateShapes {
  readonly #shapes = new Map<string, Shape>()

  /** Counts a text if it is a date. Returns whether it is. */
  add(text: string): boolean {
    if (text.length < 6 || text.length > 40) return false
    const code = text.charCodeAt(0)
    if (code < 48 || code > 57) return this.#monthBefore(text)
    return this.#iso(text) || this.#twoFirst(text) || this.#yearFirst(text) || this.#monthNamed(text)
  }

  /**
   * Counts a text if it is a date, or a date and time, of 8, 12 or 14 digits. Returns whether it is. Other numbers look the same, so the
   * caller must know that the column is one of dates.
   */
  addDigits(text: string): boolean {
    const found = digitsOnly.exec(text)
    if (found === null || !isDate(found[1], Number(found[2]), Number(found[3]), text.slice(8))) return false
    const [, year, , , seconds] = found
    if (Number(year) < 1800 || Number(year) >= 2700) return false
    const time = text.length === 8 ? "" : seconds === undefined ? "HHmm" : "HHmmss"
    const clock = [text.slice(8, 10), "", text.slice(10, 12)]
    this.#count(`YYYYMMDD${time}`, { first: 0, second: 0, short: false, clock, year: Number(year) })
    return true
  }

  /** Counts a text if it is a year. Other numbers look the same, so the caller must know that the column is one of birth dates. */
  addYear(text: string): boolean {
    if (!/^(?:1[89]|2[0-6])\d\d$/u.test(text)) return false
    this.#count("YYYY", { first: 0, second: 0, short: false, clock: [], year: Number(text) })
    return true
  }

  /** The number of years between its first and last date without a time. Birth dates span decades. */
  get spanInYears(): number {
    const days = [...this.#shapes.values()].filter(({ pattern }) => !isTimed(pattern))
    return days.length === 0
      ? 0
      : Math.max(...days.map(({ toYear }) => toYear)) - Math.min(...days.map(({ fromYear }) => fromYear))
  }

  /** The times from 01:00 to 06:59 without AM, PM, and offset. 0 if an hour is of a clock with 24 hours. */
  get early(): number {
    const shapes = [...this.#shapes.values()].filter(({ pattern }) => !/ A$|[Z\u00B1]$/u.test(pattern))
    return shapes.some(({ late }) => late) ? 0 : shapes.reduce((sum, { early }) => sum + early, 0)
  }

  /** The formats that occur, the most frequent first. */
  forms(): ReadonlyArray<DateShape> {
    const shapes = [...this.#shapes.values()].toSorted((a, b) => b.count - a.count)
    const reported = shapes.map((shape) => formOf(shape))
    // The order of day and month in one shape applies to the others too.
    const all = reported.filter(({ ambiguous, format }) => !ambiguous && /^[DM]+[/.-][DM]+[/.-]/u.test(format))
    const [sure] = all
    const isOne = all.every(({ format, mixed }) => !mixed && format.startsWith("M") === sure?.format.startsWith("M"))
    return sure === undefined || !isOne
      ? reported
      : shapes.map((shape) => {
        const form = formOf(shape)
        return form.ambiguous ? { ...formOf(shape, sure.format.startsWith("M")), ambiguous: false } : form
      })
  }

  #iso(text: string): boolean {
    const found = iso.exec(text)
    if (found === null || !isDate(found[1], Number(found[2]), Number(found[3]), text.slice(10))) return false
    const [, year, , , between, hours, minutes, seconds, fraction = "", blank = "", zone] = found
    const offset = zone === undefined ? "" : zone === "Z" ? "Z" : "±"
    const pattern = minutes === undefined ? "ISO" : `ISO time${offset}`
    const time = minutes === undefined
      ? ""
      : `${between ?? " "}HH:mm${seconds === undefined ? "" : ":ss"}${
        fraction === "" ? "" : `${fraction.charAt(0)}SSS`
      }${zone === undefined ? "" : `${blank}Z`}`
    this.#count(
      pattern,
      { first: 0, second: 0, short: false, clock: [hours, ":", minutes], year: Number(year) },
      `YYYY-MM-DD${time}`
    )
    return true
  }

  #twoFirst(text: string): boolean {
    const found = twoFirst.exec(text)
    if (found === null) return false
    const [, a = "", sign, b = "", year = ""] = found
    const first = Number(a)
    const second = Number(b)
    const clock = clockOf(found, 5)
    if (!(isDate(year, first, second, clock) || isDate(year, second, first, clock))) return false
    this.#count(`1${sign}2${sign}${year.length === 2 ? "YY" : "YYYY"}${timeOf(found, 5)}`, {
      first,
      second,
      short: a.length < 2 || b.length < 2,
      clock: found.slice(5),
      year: fullYear(year)
    })
    return true
  }

  #yearFirst(text: string): boolean {
    const found = yearFirst.exec(text)
    if (found === null || !isDate(found[1], Number(found[3]), Number(found[4]), clockOf(found, 5))) return false
    const [, year, sign, month = "", day = ""] = found
    const short = month.length < 2 || day.length < 2
    this.#count(`YYYY${sign}MM${sign}DD${timeOf(found, 5)}`, {
      first: 0,
      second: 0,
      short,
      clock: found.slice(5),
      year: Number(year)
    })
    return true
  }

  #monthNamed(text: string): boolean {
    const found = monthNamed.exec(text)
    if (found === null || !monthName.test(found[3] ?? "") || !isDay(1, Number(found[1]))) return false
    const [, , sign, , year = ""] = found
    this.#count(`D${sign}MMM${sign}${year.length === 2 ? "YY" : "YYYY"}${timeOf(found, 5)}`, {
      first: 0,
      second: 0,
      short: true,
      clock: found.slice(5),
      year: fullYear(year)
    })
    return true
  }

  #monthBefore(text: string): boolean {
    const found = monthBefore.exec(text)
    if (found === null || !monthName.test(found[1] ?? "") || !isDay(1, Number(found[2]))) return false
    this.#count(`MMM D, YYYY${timeOf(found, 4)}`, {
      first: 0,
      second: 0,
      short: true,
      clock: found.slice(4),
      year: Number(found[3])
    })
    return true
  }

  #count(
    pattern: string,
    { clock: [hour, , minute], first, second, short, year }: {
      readonly first: number
      readonly second: number
      readonly short: boolean
      /** The hour, the sign after it, and the minute; empty without a time of day. */
      readonly clock: ReadonlyArray<string | undefined>
      readonly year: number
    },
    written?: string
  ): void {
    let shape = this.#shapes.get(pattern)
    if (shape === undefined) {
      if (this.#shapes.size >= maxShapes) return
      shape = {
        pattern,
        count: 0,
        first: 0,
        second: 0,
        early: 0,
        late: false,
        short: false,
        shortHour: false,
        fromYear: year,
        toYear: year,
        buddhist: 0,
        shortBuddhist: 0,
        written: new Set()
      }
      this.#shapes.set(pattern, shape)
    }
    shape.count++
    // Years from 2400 are Buddhist: 2400 is 1857 in the Gregorian calendar.
    if (year >= 2400 && year < 2700) shape.buddhist++
    if (/(?<!Y)YY(?!Y)/u.test(pattern) && (year >= 2045 || year >= 1969 && year < 1974)) shape.shortBuddhist++
    if (first > 12) shape.first++
    if (second > 12) shape.second++
    if (written !== undefined && shape.written.size < maxShapes) shape.written.add(written)
    shape.short ||= short
    shape.shortHour ||= hour?.length === 1
    if (isEarly(hour)) shape.early++
    shape.late ||= isLate(hour, minute)
    shape.fromYear = Math.min(shape.fromYear, year)
    shape.toYear = Math.max(shape.toYear, year)
  }
}

/** Two digits as a year, as `YY` reads them. */
const fullYear = (year: string): number =>
  year.length > 2 ? Number(year) : Number(year) + (Number(year) < 69 ? 2000 : 1900)

/** Whether an hour is from 1 to 6; and whether a time can only be of a clock with 24 hours. Many programs add 00:00 to a day. */
export const isEarly = (hour: string | undefined): boolean => Number(hour) >= 1 && Number(hour) <= 6
export const isLate = (hour: string | undefined, minute: string | undefined): boolean =>
  Number(hour) > 12 || Number(hour) === 0 && Number(minute) > 0

const isTimed = (pattern: string): boolean => /hh|ISO time/iu.test(pattern)

const isDay = (month: number, day: number): boolean => month >= 1 && month <= 12 && day >= 1 && day <= 31

/** Whether these are a month and a day. Zeros are an unknown day, or an unknown month and day, if the time of day is empty or midnight. */
const isDate = (year: string | undefined, month: number, day: number, clock: string): boolean =>
  isDay(month, day) || day === 0 && Number(year) > 0 && month >= 0 && month <= 12 && !/[1-9]/u.test(clock)

/** The time of day of a match, from a group on. */
const clockOf = (found: RegExpExecArray, from: number): string => found.slice(from).join("")

/**
 * The formats whose dates can be read. Where some dates have the day first and some the month, or some a Buddhist year and some not, none
 * of them can. One column has one calendar: that of most of its dates.
 */
export const readable = (dates: ReadonlyArray<DateShape>): ReadonlyArray<DateShape> => {
  const sure = dates.filter(({ eras, mixed }) => !mixed && eras !== "some")
  return sure.filter(({ calendar }) => calendar === sure[0]?.calendar)
}

/** The tokens of the time of day of a match, from a group on. */
const timeOf = (found: RegExpExecArray, from: number): string => {
  const [hour, sign, , second, fraction, half] = found.slice(from)
  if (hour === undefined) return ""
  return ` ${half === undefined ? "HH" : "hh"}${sign}mm${second === undefined ? "" : `${sign}ss`}${
    fraction === undefined ? "" : ".SSS"
  }${half === undefined ? "" : " A"}`
}

/** Whether one date differs from many others. */
const isOneOf = (one: number, other: number): boolean =>
  Math.min(one, other) === 1 && Math.max(one, other) >= minBesideStray

const formOf = (
  { buddhist, count, first, pattern, second, short, shortBuddhist, shortHour, toYear, written }: Shape,
  months = false
): DateShape => {
  const either = pattern.startsWith("1")
  const monthFirst = either && (first === second ? months : second > first)
  const isStray = isOneOf(first, second)
  const calendar = buddhist * 2 > count ? "buddhist" : "gregorian"
  const tokens = short ? { day: "D", month: "M" } : { day: "DD", month: "MM" }
  const format = either
    ? pattern.replace("1", monthFirst ? tokens.month : tokens.day).replace("2", monthFirst ? tokens.day : tokens.month)
    : pattern.startsWith("ISO")
    ? "ISO 8601"
    : short
    ? pattern.replace(/(?<!M)MM(?!M)/u, "M").replace("DD", "D")
    : pattern
  return {
    format: shortHour ? format.replace("HH", "H").replace("hh", "h") : format,
    count,
    timed: isTimed(pattern),
    calendar,
    ...(buddhist > 0 && buddhist < count ? { eras: isOneOf(buddhist, count - buddhist) ? "one" : "some" } : {}),
    ...(shortBuddhist === count ? { shortBuddhist: true as const } : {}),
    ambiguous: either && first === 0 && second === 0,
    mixed: either && first > 0 && second > 0 && !isStray,
    ...(isStray ? { stray: true as const } : {}),
    ...(written.size > 0 ? { written: [...written] } : {}),
    offset: pattern.endsWith("Z") && pattern.startsWith("ISO") ? "Z" : pattern.endsWith("±") ? "offset" : "none",
    newestYear: toYear - calendars[calendar]
  }
}
