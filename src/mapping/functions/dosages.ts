import type { Decimal } from "../../json/Decimal.ts"
import { compare, decimalText, fromText, multiply, sum, toNumber } from "../../json/Decimal.ts"
import { type ExactNumber, exactNumber, isExactNumber, numberIn } from "../../json/exactNumber.ts"
import { isJsonObject, jsonListOf, type JsonObject, jsonObjectOf } from "../../json/JsonObject.ts"
import { nonEmpty } from "./concepts.ts"
import { localText } from "./localText.ts"

export const slots = ["morning", "afternoon", "evening", "night"] as const
type Slot = (typeof slots)[number]

/** FHIR EventTiming to the four times of day of the visit; meals without a fixed time have no slot. */
const eventsOfSlot: Readonly<Record<Slot, ReadonlyArray<string>>> = {
  morning: "MORN MORN.early MORN.late WAKE ACM CM PCM".split(" "),
  afternoon: "NOON AFT AFT.early AFT.late ACD CD PCD".split(" "),
  evening: "EVE EVE.early EVE.late ACV CV PCV".split(" "),
  night: "NIGHT HS".split(" ")
}

const slotOfTime = (time: string): Slot => {
  const hour = Number(time.slice(0, 2))
  if (hour >= 4 && hour < 12) return "morning"
  if (hour >= 12 && hour < 17) return "afternoon"
  return hour >= 17 && hour < 21 ? "evening" : "night"
}

export const timingOf = (dosage: JsonObject): JsonObject => jsonObjectOf(dosage.timing)

export const repeatOf = (dosage: JsonObject): JsonObject => jsonObjectOf(timingOf(dosage).repeat)

/** Returns when a dosage is taken: events of the day; without them, clock times. */
export const momentsOf = (
  dosage: JsonObject
): ReadonlyArray<{ readonly written: string; readonly slot: Slot | undefined }> => {
  const repeat = repeatOf(dosage)
  const events = jsonListOf(repeat.when).filter((event) => typeof event === "string")
  return events.length > 0
    ? events.map((written) => ({ written, slot: slots.find((slot) => eventsOfSlot[slot].includes(written)) }))
    : jsonListOf(repeat.timeOfDay).filter((time) => typeof time === "string")
      .map((written) => ({ written, slot: slotOfTime(written) }))
}

/** Returns the times of day of a dosage, with repeats. */
export const timesOf = (dosage: JsonObject): ReadonlyArray<Slot> =>
  momentsOf(dosage).flatMap((moment) => moment.slot ?? [])

const isCalculated = ({ type }: JsonObject): boolean =>
  isJsonObject(type) && jsonListOf(type.coding).some((coding) => isJsonObject(coding) && coding.code === "calculated")

/** Returns how much is taken, and how fast: what was ordered before what was calculated. */
export const ratesOf = (dosage: JsonObject): ReadonlyArray<JsonObject> => {
  const rates = jsonListOf(dosage.doseAndRate).filter(isJsonObject)
  return [...rates.filter((rate) => !isCalculated(rate)), ...rates.filter(isCalculated)]
}

/** Returns the first of `ratesOf`, whose amounts fill the fields of the visit. */
export const rateOf = (dosage: JsonObject): JsonObject => ratesOf(dosage)[0] ?? {}

export const quantityOf = (dosage: JsonObject): JsonObject | undefined => {
  const { doseQuantity } = rateOf(dosage)
  return isJsonObject(doseQuantity) ? doseQuantity : undefined
}

const doseOf = (dosage: JsonObject): Decimal | undefined => {
  const { comparator, value } = quantityOf(dosage) ?? {}
  // "Less than 5" is no amount.
  if (comparator !== undefined) return undefined
  return typeof value === "number"
    ? value
    : isExactNumber(value)
    ? fromText(value.toString())
    : typeof value === "string"
    ? fromText(value.trim())
    : undefined
}

/** Returns a number of a timing. Some systems write it as a string. */
export const timingNumber = (value: unknown): number | undefined => {
  const decimal = typeof value === "string" ? fromText(value.trim()) : undefined
  return decimal === undefined ? numberIn(value) : toNumber(decimal)
}

/** Returns whether there is no value, or one that is a number. */
const canBeRead = (value: unknown): boolean => value === undefined || timingNumber(value) !== undefined

const unitOf = (dosage: JsonObject): string | undefined => {
  const quantity = quantityOf(dosage)
  return nonEmpty(quantity?.unit) ?? nonEmpty(quantity?.code)
}

/** Returns whether a dosage is taken as needed instead of by time. */
export const isAsNeeded = (dosage: JsonObject): boolean =>
  dosage.asNeededBoolean === true || isJsonObject(dosage.asNeededCodeableConcept)

const daysIn: Readonly<Record<string, number>> = {
  s: 1 / 86_400,
  min: 1 / 1440,
  h: 1 / 24,
  d: 1,
  wk: 7,
  mo: 30,
  a: 365
}

/** Timing codes that do not apply to every day. */
const rarely: ReadonlySet<unknown> = new Set(["QOD", "WK", "MO"])

/** Returns whether a dosage is taken daily. False if it states days of the week, every other day or once a month. */
export const isEachDay = (dosage: JsonObject): boolean => {
  const { dayOfWeek, frequency, period, periodMax, periodUnit } = repeatOf(dosage)
  const weekdays = new Set(jsonListOf(dayOfWeek))
  if (weekdays.size > 0 && weekdays.size < 7) return false
  const { code } = timingOf(dosage)
  if (isJsonObject(code) && jsonListOf(code.coding).some((coding) => isJsonObject(coding) && rarely.has(coding.code))) {
    return false
  }
  if (![frequency, period, periodMax].every(canBeRead)) return false
  const unit = typeof periodUnit === "string" ? daysIn[periodUnit] : undefined
  const maxLength = timingNumber(periodMax) ?? timingNumber(period)
  return unit === undefined || maxLength === undefined || (timingNumber(frequency) ?? 1) >= maxLength * unit - 1e-9
}

const boundsOf = (dosage: JsonObject): string => {
  const { boundsDuration, boundsPeriod, boundsRange } = repeatOf(dosage)
  return JSON.stringify(
    [boundsDuration, boundsPeriod, boundsRange],
    (_, value: unknown) => isExactNumber(value) ? value.toString() : value
  )
}

export const areAlike = (dosages: ReadonlyArray<JsonObject>, of: (dosage: JsonObject) => unknown): boolean => {
  const [first, ...others] = dosages
  const expected = first === undefined ? undefined : of(first)
  return others.every((dosage) => of(dosage) === expected)
}

/**
 * Returns whether dosages form one schedule for the same days. In FHIR, dosages with different `sequence` follow each other, and
 * dosages with different bounds hold for different days.
 */
const isOneSchedule = (dosages: ReadonlyArray<JsonObject>): boolean =>
  dosages.length < 2 || (areAlike(dosages, ({ sequence }) => sequence) && areAlike(dosages, boundsOf))

/** Returns whether the frequency of a dosage agrees with its number of times a day: each time once, or all of them together. */
const isAsOftenAs = (dosage: JsonObject, times: number): boolean => {
  const { frequency, frequencyMax } = repeatOf(dosage)
  if (!canBeRead(frequencyMax)) return false
  const [often, most] = [timingNumber(frequency) ?? 1, timingNumber(frequencyMax)]
  return (often === 1 || often === times) && (most === undefined || most === often)
}

/** Returns whether one amount at each time of day can represent a dosage with times: it is daily and at no other times. */
const fitsDay = (dosage: JsonObject): boolean => {
  const moments = momentsOf(dosage)
  return moments.length === 0 || (
    isEachDay(dosage) && isAsOftenAs(dosage, moments.length) && moments.every(({ slot }) => slot !== undefined) &&
    !isJsonObject(rateOf(dosage).doseRange)
  )
}

/** Returns whether four amounts, one per time of day, can represent all dosages: one schedule, daily, one unit, none taken as needed. */
const fitsSlots = (dosages: ReadonlyArray<JsonObject>): boolean =>
  isOneSchedule(dosages) && !dosages.some(isAsNeeded) && dosages.every(fitsDay) &&
  areAlike(dosages.filter((dosage) => doseOf(dosage) !== undefined), unitOf)

export const dosagesIn = (values: ReadonlyArray<unknown>): ReadonlyArray<JsonObject> => values.filter(isJsonObject)

/** Returns the dosages if they form one schedule; otherwise none. */
export const schedule = <A>(elements: ReadonlyArray<A>, valueOf: (element: A) => unknown): ReadonlyArray<A> =>
  elements.length < 2 || isOneSchedule(dosagesIn(elements.map(valueOf))) ? elements : []

/** Returns whether daily amounts are lost: the dosages follow each other, or have times of day that fit no four amounts. */
export const isLost = (dosages: ReadonlyArray<JsonObject>): boolean =>
  !fitsSlots(dosages) && (!isOneSchedule(dosages) || dosages.some((dosage) => timesOf(dosage).length > 0))

/** Returns whether four amounts state how much of a dosage is taken, and when. */
export const isInSlots = (dosage: JsonObject, dosages: ReadonlyArray<JsonObject>): boolean => {
  return timesOf(dosage).length > 0 && doseOf(dosage) !== undefined && fitsSlots(dosages)
}

/**
 * Returns the amount for a time of day, summed over dosages of one schedule. A dosage counts if it states when (`timing.repeat.when`,
 * or `timeOfDay` without it) and how much (`doseQuantity`). A frequency such as "twice a day" states no time, and no time is guessed.
 * Doses that follow each other, are not daily, have several units or are taken as needed are not summed.
 */
export const slot = (values: ReadonlyArray<unknown>, time: string): number | ExactNumber | undefined => {
  const dosages = dosagesIn(values)
  const amounts: Array<{ readonly dose: Decimal; readonly times: number }> = []
  for (const dosage of dosages) {
    const times = timesOf(dosage).filter((name) => name === time).length
    const dose = times > 0 ? doseOf(dosage) : undefined
    if (dose !== undefined) amounts.push({ dose, times })
  }
  const [first] = amounts
  if (first === undefined || !fitsSlots(dosages)) return undefined
  // A single dose keeps its digits. A sum is written as a number unless digits would be lost.
  const single = amounts.length === 1 && first.times === 1
  const total = single ? first.dose : sum(amounts.map(({ dose, times }) => multiply(dose, times)))
  const digits = decimalText(total)
  const number = Number(digits)
  return typeof total === "number" || (!single && Number.isFinite(number) && compare(number, total) === 0)
    ? number
    : exactNumber(digits)
}

/** Returns the days for which dosages with bounds hold, first and last included. Clock times are rounded up to whole days. */
export const daysOf = (values: ReadonlyArray<unknown>, zone: string): number | undefined => {
  const dosages = dosagesIn(values)
  if (!isOneSchedule(dosages)) return undefined
  for (const dosage of dosages) {
    const { boundsPeriod } = repeatOf(dosage)
    const [start, end] = isJsonObject(boundsPeriod) ? [nonEmpty(boundsPeriod.start), nonEmpty(boundsPeriod.end)] : []
    if (start === undefined || end === undefined || start.length < 10 || end.length < 10) continue
    const isClock = start.length > 10 && end.length > 10
    const instantOf = (text: string): number =>
      Date.parse(isClock ? text : (localText(text, zone) ?? text).slice(0, 10))
    const days = (instantOf(end) - instantOf(start)) / 86_400_000 + (isClock ? 0 : 1)
    if (days > 0) return Math.ceil(days)
  }
  return undefined
}
