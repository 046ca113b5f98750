/** The time range of a text, in milliseconds since 1970; both ends are equal if the text is an instant. */
export interface TimeRange {
  readonly from: number
  readonly to: number
}

const hour = 3_600_000
const day = 24 * hour

/** A FHIR dateTime, without the spellings that readers interpret differently. */
const form =
  /^([1-9]\d{3})(?:-(0[1-9]|1[0-2])(?:-(0[1-9]|[12]\d|3[01])(T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{3})?)?(Z|\+(?:0\d|1[0-3]):[0-5]\d|-(?:0[1-9]|1[0-3]):[0-5]\d)?)?)?$/u

const known = new Map<string, TimeRange | undefined>()

/** Returns the possible time range of a text in any time zone; `undefined` if the text is not a common dateTime. */
export const timeRangeOf = (text: string): TimeRange | undefined => {
  const span = known.get(text)
  if (span !== undefined || known.has(text)) return span
  if (known.size > 10_000) known.clear()
  const found = read(text)
  known.set(text, found)
  return found
}

const read = (text: string): TimeRange | undefined => {
  const [, year, month, dayOfMonth, time, offset] = form.exec(text) ?? []
  if (year === undefined || (offset !== undefined && time === undefined)) return undefined
  const first = Date.UTC(Number(year), Number(month ?? 1) - 1, Number(dayOfMonth ?? 1))
  if (dayOfMonth !== undefined && new Date(first).getUTCDate() !== Number(dayOfMonth)) return undefined
  if (offset !== undefined) {
    const moment = Date.parse(text)
    return { from: moment, to: moment }
  }
  const next = dayOfMonth !== undefined
    ? first + day
    : month === undefined
    ? Date.UTC(Number(year) + 1)
    : Date.UTC(Number(year), Number(month))
  // A day begins in other time zones before it begins in UTC.
  return { from: first - day, to: next + day }
}

/** Returns the order of two dateTimes, if it is the same in every time zone. */
export const compareSpans = (one: TimeRange, other: TimeRange): number | undefined => {
  if (one.from === one.to && other.from === other.to) return one.from - other.from
  return one.to < other.from ? -1 : one.from > other.to ? 1 : undefined
}
