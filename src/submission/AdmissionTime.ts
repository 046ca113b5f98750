import { DateTime } from "effect"

/** The calendar date as it is written, `YYYY-MM-DD`, or `null` when the text does not begin with one. */
export const admissionDateOf = (text: string): string | null => {
  const found = /^\d{4}-\d{2}-\d{2}/.exec(text)
  return found !== null && Number.isFinite(Date.parse(found[0])) ? found[0] : null
}

/** The date so many days later. */
export const addDays = (date: string, days: number): string =>
  DateTime.formatIsoDateUtc(DateTime.makeUnsafe(Date.parse(date) + days * day))

/** Days from one date to another. */
export const daysBetween = (from: string, to: string): number => Math.round((Date.parse(to) - Date.parse(from)) / day)

/** Whether two admission times have the same date, which is what an update may not change (§3): as written, or as one instant. */
export const sameAdmissionDate = (a: string, b: string): boolean =>
  (admissionDateOf(a) !== null && admissionDateOf(a) === admissionDateOf(b)) ||
  (Number.isFinite(Date.parse(a)) && Date.parse(a) === Date.parse(b))

/**
 * Whether a time that the list shows can be this admission time. The form of the list is not specified (§4.6), so each is taken
 * as far as it goes: a time with an offset to its last digit, one without an offset as local time or as UTC, a date alone as
 * that day or a day beside it. `null` when the text is no time at all.
 */
export const canBe = (listed: string, admittedAt: string): boolean | null => {
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
    // a service that keeps whole seconds cuts the rest off, or rounds it
    if (Number(fraction ?? 0) === 0) return difference > -1000 && difference <= 500
    return difference === 0
  })
}

const day = 86_400_000

/** Of the offset at the end of a text: `+07:00`, `+0700` or `Z`. */
const offsetMillis = (text: string): number => {
  const found = /([+-])(\d{2}):?(\d{2})$/.exec(text)
  if (found === null) return 0
  const minutes = Number(found[2]) * 60 + Number(found[3])
  return (found[1] === "-" ? -minutes : minutes) * 60_000
}
