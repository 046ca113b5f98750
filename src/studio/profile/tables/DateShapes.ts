/** One way in which a column's dates are written, with its statistics. */
interface Shape {
  /** Contains `1` and `2` for day and month if either may come first. */
  readonly pattern: string
  count: number
  /** The largest number in the first and in the second position. */
  first: number
  second: number
  /** Some day or month, some hour has one digit. */
  short: boolean
  shortHour: boolean
  fromYear: number
  toYear: number
}

/** The format of dates in the notation of the mapping language. */
export interface DateShape {
  /** `DD/MM/YYYY HH:mm`, `ISO 8601`. */
  readonly format: string
  readonly count: number
  /** The format includes a time of day. */
  readonly timed: boolean
  readonly calendar: "gregorian" | "buddhist"
  /** The order of day and month is unknown: no number is larger than 12. */
  readonly ambiguous: boolean
  /** Both orders occur: some dates have a 13 in the first position, some in the second. */
  readonly mixed: boolean
  readonly offset: "Z" | "offset" | "none"
}

const time = "(?:[ T]+(\\d{1,2})([:.])(\\d{2})(?:[:.](\\d{2})(\\.\\d+)?)?(?:\\s*([AaPp]\\.?[Mm]\\.?))?)?"
const iso = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?\s?(Z|[+-]\d\d:?\d\d)?)?$/u
const twoFirst = new RegExp(`^(\\d{1,2})([/.-])(\\d{1,2})\\2(\\d{4}|\\d{2})${time}$`, "u")
const yearFirst = new RegExp(`^(\\d{4})([/.])(\\d{1,2})\\2(\\d{1,2})${time}$`, "u")
const monthNamed = new RegExp(`^(\\d{1,2})([ -])([A-Za-z]{3,9})\\2(\\d{4})${time}$`, "u")

const maxShapes = 12

/** The dates of one column. */
export class DateShapes {
  readonly #shapes = new Map<string, Shape>()

  /** Counts a text if it is a date. Returns whether it is. */
  add(text: string): boolean {
    const code = text.charCodeAt(0)
    if (code < 48 || code > 57 || text.length < 6 || text.length > 40) return false
    return this.#iso(text) || this.#twoFirst(text) || this.#yearFirst(text) || this.#monthNamed(text)
  }

  /** The number of years between its first and last date without a time. Birth dates span decades. */
  get spanInYears(): number {
    const days = [...this.#shapes.values()].filter(({ pattern }) => !pattern.includes(" "))
    return days.length === 0
      ? 0
      : Math.max(...days.map(({ toYear }) => toYear)) - Math.min(...days.map(({ fromYear }) => fromYear))
  }

  /** The formats that occur, the most frequent first. */
  forms(): ReadonlyArray<DateShape> {
    const shapes = [...this.#shapes.values()].toSorted((a, b) => b.count - a.count)
    const reported = shapes.map((shape) => formOf(shape))
    // The order of day and month in one shape applies to the others too.
    const sure = reported.find(({ ambiguous, format, mixed }) =>
      !ambiguous && !mixed && /^[DM]+[/.-][DM]/u.test(format)
    )
    return sure === undefined
      ? reported
      : shapes.map((shape) => {
        const form = formOf(shape)
        return form.ambiguous ? { ...formOf(shape, sure.format.startsWith("M")), ambiguous: false } : form
      })
  }

  #iso(text: string): boolean {
    const found = iso.exec(text)
    if (found === null || !isDay(Number(found[2]), Number(found[3]))) return false
    const offset = found[7] === undefined ? "" : found[7] === "Z" ? "Z" : "±"
    const pattern = found[4] === undefined ? "ISO" : `ISO time${offset}`
    this.#count(pattern, { first: 0, second: 0, short: false, shortHour: false, year: Number(found[1]) })
    return true
  }

  #twoFirst(text: string): boolean {
    const found = twoFirst.exec(text)
    if (found === null) return false
    const [, a = "", sign, b = "", year = ""] = found
    const first = Number(a)
    const second = Number(b)
    if (!(isDay(first, second) || isDay(second, first))) return false
    this.#count(`1${sign}2${sign}${year.length === 2 ? "YY" : "YYYY"}${timeOf(found, 5)}`, {
      first,
      second,
      short: a.length < 2 || b.length < 2,
      shortHour: found[5]?.length === 1,
      year: Number(year)
    })
    return true
  }

  #yearFirst(text: string): boolean {
    const found = yearFirst.exec(text)
    if (found === null || !isDay(Number(found[3]), Number(found[4]))) return false
    const [, year, sign, month = "", day = ""] = found
    const short = month.length < 2 || day.length < 2
    this.#count(`YYYY${sign}MM${sign}DD${timeOf(found, 5)}`, {
      first: 0,
      second: 0,
      short,
      shortHour: found[5]?.length === 1,
      year: Number(year)
    })
    return true
  }

  #monthNamed(text: string): boolean {
    const found = monthNamed.exec(text)
    if (found === null || !/^(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)/iu.test(found[3] ?? "")) return false
    this.#count(`D${found[2]}MMM${found[2]}YYYY${timeOf(found, 5)}`, {
      first: 0,
      second: 0,
      short: true,
      shortHour: found[5]?.length === 1,
      year: Number(found[4])
    })
    return true
  }

  #count(
    pattern: string,
    { first, second, short, shortHour, year }: {
      readonly first: number
      readonly second: number
      readonly short: boolean
      readonly shortHour: boolean
      readonly year: number
    }
  ): void {
    let shape = this.#shapes.get(pattern)
    if (shape === undefined) {
      if (this.#shapes.size >= maxShapes) return
      shape = { pattern, count: 0, first: 0, second: 0, short: false, shortHour: false, fromYear: year, toYear: year }
      this.#shapes.set(pattern, shape)
    }
    shape.count++
    shape.first = Math.max(shape.first, first)
    shape.second = Math.max(shape.second, second)
    shape.short ||= short
    shape.shortHour ||= shortHour
    shape.fromYear = Math.min(shape.fromYear, year)
    shape.toYear = Math.max(shape.toYear, year)
  }
}

const isDay = (month: number, day: number): boolean => month >= 1 && month <= 12 && day >= 1 && day <= 31

/** The tokens of the time of day of a match, from a group on. */
const timeOf = (found: RegExpExecArray, from: number): string => {
  const [hour, sign, , second, fraction, half] = found.slice(from)
  if (hour === undefined) return ""
  return ` ${half === undefined ? "HH" : "hh"}${sign}mm${second === undefined ? "" : `${sign}ss`}${
    fraction === undefined ? "" : ".SSS"
  }${half === undefined ? "" : " A"}`
}

const formOf = (
  { count, first, fromYear, pattern, second, short, shortHour, toYear }: Shape,
  months = false
): DateShape => {
  const either = pattern.startsWith("1")
  const monthFirst = either && first <= 12 && (second > 12 || months)
  const tokens = short ? { day: "D", month: "M" } : { day: "DD", month: "MM" }
  const format = either
    ? pattern.replace("1", monthFirst ? tokens.month : tokens.day).replace("2", monthFirst ? tokens.day : tokens.month)
    : pattern.startsWith("ISO")
    ? "ISO 8601"
    : short
    ? pattern.replace("MM/", "M/").replace("MM.", "M.").replace("DD", "D")
    : pattern
  return {
    format: shortHour ? format.replace("HH", "H").replace("hh", "h") : format,
    count,
    timed: pattern.includes(" "),
    // Years from 2400 are Buddhist: 2400 is 1857 in the Gregorian calendar.
    calendar: fromYear >= 2400 && toYear < 2700 ? "buddhist" : "gregorian",
    ambiguous: either && first <= 12 && second <= 12,
    mixed: either && first > 12 && second > 12,
    offset: pattern.endsWith("Z") && pattern.startsWith("ISO") ? "Z" : pattern.endsWith("±") ? "offset" : "none"
  }
}
