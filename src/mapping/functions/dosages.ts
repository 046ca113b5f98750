import type { ExactDecimal } from "../../fhirpath/FhirPath.ts"
import { exactDecimal, isExactDecimal } from "../../fhirpath/FhirPath.ts"
import type { Decimal } from "../../visit/Decimal.ts"
import { compare, fromText, multiply, sum, textOf } from "../../visit/Decimal.ts"
import { conceptText, nonEmpty } from "./concepts.ts"
import { isObject } from "./isObject.ts"

const slots = ["morning", "afternoon", "evening", "night"] as const
type Slot = (typeof slots)[number]

/** FHIR EventTiming to the four times of day the Visit knows; meals of no stated time have no place. */
const slotOfEvent: Readonly<Record<string, Slot>> = {
  "MORN": "morning",
  "MORN.early": "morning",
  "MORN.late": "morning",
  "WAKE": "morning",
  "ACM": "morning",
  "CM": "morning",
  "PCM": "morning",
  "NOON": "afternoon",
  "AFT": "afternoon",
  "AFT.early": "afternoon",
  "AFT.late": "afternoon",
  "ACD": "afternoon",
  "CD": "afternoon",
  "PCD": "afternoon",
  "EVE": "evening",
  "EVE.early": "evening",
  "EVE.late": "evening",
  "ACV": "evening",
  "CV": "evening",
  "PCV": "evening",
  "NIGHT": "night",
  "HS": "night"
}

const slotOfTime = (time: string): Slot => {
  const hour = Number(time.slice(0, 2))
  if (hour >= 4 && hour < 12) return "morning"
  if (hour >= 12 && hour < 17) return "afternoon"
  return hour >= 17 && hour < 21 ? "evening" : "night"
}

type Json = { readonly [key: string]: unknown }

const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

const repeatOf = (dosage: Json): Json => {
  const timing = isObject(dosage.timing) ? dosage.timing : {}
  return isObject(timing.repeat) ? timing.repeat : {}
}

/** The times of day that a dosage names, as often as it names them. */
const timesOf = (dosage: Json): ReadonlyArray<Slot> => {
  const repeat = repeatOf(dosage)
  const events = listOf(repeat.when)
  const named = events.length > 0
    ? events.map((event) => (typeof event === "string" ? slotOfEvent[event] : undefined))
    : listOf(repeat.timeOfDay).map((time) => (typeof time === "string" ? slotOfTime(time) : undefined))
  return named.flatMap((one) => one ?? [])
}

const quantityOf = (dosage: Json): Json | undefined => {
  const [first] = listOf(dosage.doseAndRate)
  return isObject(first) && isObject(first.doseQuantity) ? first.doseQuantity : undefined
}

const doseOf = (dosage: Json): Decimal | undefined => {
  const value = quantityOf(dosage)?.value
  return typeof value === "number" ? value : isExactDecimal(value) ? fromText(value.toString()) : undefined
}

const unitOf = (dosage: Json): string | undefined => {
  const quantity = quantityOf(dosage)
  return nonEmpty(quantity?.unit) ?? nonEmpty(quantity?.code)
}

/** It is taken when it is needed, and not because of the time. */
const isAsNeeded = (dosage: Json): boolean =>
  dosage.asNeededBoolean === true || isObject(dosage.asNeededCodeableConcept)

const boundsOf = (dosage: Json): string => {
  const { boundsDuration, boundsPeriod, boundsRange } = repeatOf(dosage)
  return JSON.stringify(
    [boundsDuration, boundsPeriod, boundsRange],
    (_, value: unknown) => isExactDecimal(value) ? value.toString() : value
  )
}

const areAlike = (dosages: ReadonlyArray<Json>, of: (dosage: Json) => unknown): boolean => {
  const [first, ...others] = dosages
  const wanted = first === undefined ? undefined : of(first)
  return others.every((dosage) => of(dosage) === wanted)
}

/**
 * Whether dosages hold together, all for the same days. FHIR says that those with different `sequence` follow each other, and those with
 * different bounds hold for different days.
 */
const isOneSchedule = (dosages: ReadonlyArray<Json>): boolean =>
  dosages.length < 2 || (areAlike(dosages, ({ sequence }) => sequence) && areAlike(dosages, boundsOf))

/** Whether four amounts, one for each time of day, can say what dosages say: together, in one unit, and whether needed or not. */
const fitsSlots = (dosages: ReadonlyArray<Json>): boolean =>
  isOneSchedule(dosages) && !dosages.some(isAsNeeded) &&
  areAlike(dosages.filter((dosage) => doseOf(dosage) !== undefined), unitOf)

const dosagesIn = (values: ReadonlyArray<unknown>): ReadonlyArray<Json> => values.filter(isObject)

/** The dosages that are one schedule; none where they are not. */
export const schedule = <A>(elements: ReadonlyArray<A>, valueOf: (element: A) => unknown): ReadonlyArray<A> =>
  elements.length < 2 || isOneSchedule(dosagesIn(elements.map(valueOf))) ? elements : []

/** The words of dosages of which something would be lost: they follow each other, or name times of day and fit no four amounts. */
export const unsaid = (values: ReadonlyArray<unknown>): string | undefined => {
  const dosages = dosagesIn(values)
  if (fitsSlots(dosages)) return undefined
  const isLost = !isOneSchedule(dosages) || dosages.some((dosage) => timesOf(dosage).length > 0)
  return isLost ? dosageWords(dosages) ?? "" : undefined
}

/**
 * The amount taken at a time of day, summed over the dosages of one schedule. A dosage counts when it says when (`timing.repeat.when`,
 * else `timeOfDay`) and how much (`doseQuantity`): a frequency such as "twice a day" names no time, and nothing is guessed. Doses that
 * follow each other, that are in several units or that are taken as needed are not summed.
 */
export const slot = (values: ReadonlyArray<unknown>, time: string): number | ExactDecimal | undefined => {
  const dosages = dosagesIn(values)
  const amounts: Array<{ readonly dose: Decimal; readonly times: number }> = []
  for (const dosage of dosages) {
    const times = timesOf(dosage).filter((name) => name === time).length
    const dose = times > 0 ? doseOf(dosage) : undefined
    if (dose !== undefined) amounts.push({ dose, times })
  }
  const [first] = amounts
  if (first === undefined || !fitsSlots(dosages)) return undefined
  // One dose keeps its digits; a sum is written as a number is, as long as that loses none.
  const single = amounts.length === 1 && first.times === 1
  const total = single ? first.dose : sum(amounts.map(({ dose, times }) => multiply(dose, times)))
  const digits = textOf(total)
  const number = Number(digits)
  return typeof total === "number" || (!single && Number.isFinite(number) && compare(number, total) === 0)
    ? number
    : exactDecimal(digits)
}

const amount = (quantity: unknown): string | undefined => {
  if (!isObject(quantity)) return undefined
  const { value } = quantity
  const digits = typeof value === "number" || isExactDecimal(value) ? value.toString() : undefined
  const unit = nonEmpty(quantity.unit) ?? nonEmpty(quantity.code)
  return digits === undefined ? undefined : unit === undefined ? digits : `${digits} ${unit}`
}

/** What a dosage says: its own words, else how much, when and for how long; and that it is taken as needed. */
const wordsOf = (dosage: Json): string => {
  const repeat = repeatOf(dosage)
  const timing = isObject(dosage.timing) ? dosage.timing : {}
  const { frequency, period, periodUnit } = repeat
  const times = slots.filter((name) => timesOf(dosage).includes(name)).join(", ")
  const rate = typeof frequency === "number" && period !== undefined
    ? `${frequency} x / ${String(period)} ${nonEmpty(periodUnit) ?? ""}`.trim()
    : undefined
  const bounds = amount(repeat.boundsDuration)
  const said = nonEmpty(dosage.text) ?? nonEmpty(dosage.patientInstruction) ?? [
    amount(quantityOf(dosage)),
    nonEmpty(times) ?? conceptText(timing.code) ?? rate,
    bounds === undefined ? undefined : `for ${bounds}`
  ].flatMap((part) => part ?? []).join(" ")
  if (!isAsNeeded(dosage) || /\b(?:needed|necessary|required|prn|sos)\b/iu.test(said)) return said
  const reason = conceptText(dosage.asNeededCodeableConcept)
  const asNeeded = reason === undefined ? "as needed" : `as needed: ${reason}`
  return said === "" ? asNeeded : `${said}, ${asNeeded}`
}

/** What dosages say, in words, in the order in which they follow each other. */
export const dosageWords = (values: ReadonlyArray<unknown>): string | undefined => {
  const rank = ({ sequence }: Json): number => (typeof sequence === "number" ? sequence : 0)
  const dosages = dosagesIn(values).toSorted((one, other) => rank(one) - rank(other))
  const separator = areAlike(dosages, ({ sequence }) => sequence) ? "; " : "; then "
  return nonEmpty(dosages.map(wordsOf).filter((words) => words !== "").join(separator))
}
