import { DateTime } from "effect"

/** Returns the calendar date as written, `YYYY-MM-DD`, or `null` when the text does not begin with one. */
export const admissionDateOf = (text: string): string | null => {
  const found = /^\d{4}-\d{2}-\d{2}/.exec(text)
  return found !== null && Number.isFinite(Date.parse(found[0])) ? found[0] : null
}

/** Returns the date this number of days later. */
export const addDays = (date: string, days: number): string =>
  DateTime.formatIsoDateUtc(DateTime.makeUnsafe(Date.parse(date) + days * day))

/** Returns the days from one date to another. */
export const daysBetween = (from: string, to: string): number => Math.round((Date.parse(to) - Date.parse(from)) / day)

/** Whether two admission times have the same date, which an update must not change (§3): as written, or as one instant. */
export const sameAdmissionDate = (a: string, b: string): boolean =>
  (admissionDateOf(a) !== null && admissionDateOf(a) === admissionDateOf(b)) ||
  (Number.isFinite(Date.parse(a)) && Date.parse(a) === Date.parse(b))

/**
 * Whether a time in the list can be this admission time. The form of the list is not specified (§4.6), so each time is compared at its
 * own precision. A time with an offset is compared to its last digit. A time without an offset is read as local time or as UTC. A date
 * without a time matches that day or an adjacent one. `null` when the text is not a time.
 */
export const mayBeAdmission = (listed: string, admittedAt: string): boolean | null => {
  const found = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?\s*(Z|[+-]\d{2}:?\d{2})?)?$/i
    .exec(listed.trim())
  if (found === null) return null
  const [, date = "", minute, second, fraction, offset] = found
  const ours = Date.parse(admittedAt)
  if (!Number.isFinite(Date.parse(date)) || !Number.isFinite(ours)) return null
  if (minute === undefined) return Math.abs(daysBetween(date, admissionDateOf(admittedAt) ?? date)) <= 1
  const millis = (fraction ?? "").slice(0, 3).padEnd(3, "0")
  const at = Date.parse(`${date}T${minute}:${second ?? "00"}.${millis}Z`)
  if (!Number.isFinite(at)) return null
  const offsets = offset === undefined ? [0, offsetMillis(admittedAt)] : [offsetMillis(offset)]
  return offsets.some((offset) => {
    const difference = at - offset - ours
    if (second === undefined) return difference > -60_000 && difference <= 0
    // a service that stores whole seconds truncates or rounds the fraction
    if (Number(fraction ?? 0) === 0) return difference > -1000 && difference <= 500
    return difference === 0
  })
}

const day = 86_400_000

/** Returns the milliseconds of the offset at the end of a text: `+07:00`, `+0700` or `Z`. */
const offsetMillis = (text: string): number => {
  const found = /([+-])(\d{2}):?(\d{2})$/.exec(text)
  if (found === null) return 0
  const minutes = Number(found[2]) * 60 + Number(found[3])
  return (found[1] === "-" ? -minutes : minutes) * 60_000
}
