import { parseDateFormat } from "./dateFormat.ts"

/** Date formats of exports, the most common first; days before months if both are possible. */
const days = [
  ...["/", "-", "."].flatMap((sign) => [`DD${sign}MM${sign}YYYY`, `MM${sign}DD${sign}YYYY`]),
  "YYYY-MM-DD",
  "YYYY/MM/DD",
  "YYYYMMDD",
  ...["/", "-", "."].flatMap((sign) => [`D${sign}M${sign}YYYY`, `M${sign}D${sign}YYYY`]),
  ...["/", "-", " "].map((sign) => `D${sign}MMM${sign}YYYY`),
  "MMM D, YYYY",
  ...["/", "-", "."].flatMap((sign) => [`D${sign}M${sign}YY`, `M${sign}D${sign}YY`]),
  ...["/", "-", " "].map((sign) => `D${sign}MMM${sign}YY`)
]

const times = ["", " HH:mm", " HH:mm:ss", " H:mm", " H:mm:ss", " h:mm A", " h:mm:ss A", " HH.mm", " H.mm"]

/**
 * Returns the format that all of these cells have. It returns two formats if days and months cannot be distinguished, and none if no
 * common format fits. The cells do not show their calendar.
 */
export const suggestFormat = (cells: ReadonlyArray<string>): ReadonlyArray<string> => {
  const fits = (text: string): boolean => {
    const format = parseDateFormat(text, "gregorian")
    return "read" in format && cells.every((cell) => "iso" in format.read(cell.trim()))
  }
  if (cells.length === 0) return []
  if (cells.every((cell) => /^\d{5}(?:[.,]\d+)?$/u.test(cell.trim()))) return ["excel"]
  for (const time of times) {
    for (const day of days) {
      const format = `${day}${time}`
      if (!fits(format)) continue
      const other = `${exchanged(day)}${time}`
      return other !== format && fits(other) ? [format, other] : [format]
    }
  }
  return []
}

/** Whether one format begins with the day and the other with the month: each reads some of the other's dates as another day. */
export const areExchanged = (one: string, other: string): boolean =>
  one.startsWith("D") ? isMonthFirst(other) : isMonthFirst(one) && other.startsWith("D")

const isMonthFirst = (format: string): boolean => format.startsWith("M") && !format.startsWith("MMM")

/** The same format with day and month swapped. */
const exchanged = (day: string): string =>
  day.includes("MMM") || day.startsWith("Y") ? day : day.replace(/^([DM]+)(.)([DM]+)/u, "$3$2$1")
