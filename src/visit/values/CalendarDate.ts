/** Returns the days since 1970-01-01 of a date in the proleptic Gregorian calendar; the month counts from 1. */
export const daysFromCivil = (year: number, month: number, day: number): number => {
  const y = month <= 2 ? year - 1 : year
  const era = Math.floor(y / 400)
  const yearOfEra = y - era * 400
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear
  return era * 146_097 + dayOfEra - 719_468
}

/** Returns the date that lies this number of days after 1970-01-01. */
export const civilFromDays = (days: number): readonly [year: number, month: number, day: number] => {
  const z = days + 719_468
  const era = Math.floor(z / 146_097)
  const dayOfEra = z - era * 146_097
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365
  )
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const m = Math.floor((5 * dayOfYear + 2) / 153)
  const month = m < 10 ? m + 3 : m - 9
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  return [year, month, dayOfYear - Math.floor((153 * m + 2) / 5) + 1]
}

const lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** Returns the number of days of a month, with leap years; the month counts from 1. */
const daysInMonth = (year: number, month: number): number =>
  month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : lengths[month - 1] ?? 0

/** Returns true if the day is in the calendar: years 1 to 9999, and no 30 February. */
export const isCivil = (year: number, month: number, day: number): boolean =>
  year >= 1 && year <= 9999 && month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month)

/** Returns the number in `text` from `start` to `end`, or `NaN` if it contains other characters than digits. */
export const digitsAt = (text: string, start: number, end: number): number => {
  let value = 0
  for (let i = start; i < end; i++) {
    const digit = text.charCodeAt(i) - 48
    if (!(digit >= 0 && digit <= 9)) return Number.NaN
    value = value * 10 + digit
  }
  return value
}

/**
 * Returns true for a date in the specification's form (§2): `YYYY-MM-DD`, a real day of the calendar. A birth date remains such a text: it
 * never passes through a time zone.
 */
export const isCalendarDate = (text: string): boolean =>
  text.length === 10 && text.charCodeAt(4) === 45 && text.charCodeAt(7) === 45 &&
  isCivil(digitsAt(text, 0, 4), digitsAt(text, 5, 7), digitsAt(text, 8, 10))

/** Returns the day with which a time begins; `undefined` if it is not in the calendar. */
export const dayOf = (time: unknown): string | undefined => {
  const day = typeof time === "string" ? /^[^T]+(?=T|$)/u.exec(time)?.[0] : undefined
  return day !== undefined && isCalendarDate(day) ? day : undefined
}
