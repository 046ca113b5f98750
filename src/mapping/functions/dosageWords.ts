import { isExactNumber } from "../../json/exactNumber.ts"
import { isJsonObject, jsonListOf, type JsonObject, jsonObjectOf, oneOrMore } from "../../json/JsonObject.ts"
import { conceptText, nonEmpty } from "./concepts.ts"
import {
  areAlike,
  dosagesIn,
  isAsNeeded,
  isEachDay,
  isInSlots,
  isLost,
  momentsOf,
  quantityOf,
  rateOf,
  ratesOf,
  repeatOf,
  slots,
  timesOf,
  timingNumber,
  timingOf
} from "./dosages.ts"
import { localText } from "./localText.ts"

/** Returns a number as written. A text in its place, such as `few`, is not lost. */
const digitsOf = (value: unknown): string | undefined =>
  typeof value === "number" || isExactNumber(value) ? value.toString() : nonEmpty(value)

const amountOf = (quantity: unknown): string | undefined => {
  if (!isJsonObject(quantity)) return undefined
  const number = digitsOf(quantity.value)
  if (number === undefined) return undefined
  const digits = (nonEmpty(quantity.comparator) ?? "") + number
  const unit = unitOf(quantity)
  return unit === undefined ? digits : `${digits} ${unit}`
}

const unitOf = (quantity: unknown): string | undefined =>
  isJsonObject(quantity) ? nonEmpty(quantity.unit) ?? nonEmpty(quantity.code) : undefined

/** Formats a range: `1 - 2 tablet`, `at least 1 tablet`. */
const rangeOf = (range: unknown): string | undefined => {
  if (!isJsonObject(range)) return undefined
  const [low, high] = [amountOf(range.low), amountOf(range.high)]
  if (low === undefined || high === undefined) {
    return low === undefined ? high && `up to ${high}` : `at least ${low}`
  }
  const [one, other] = [unitOf(range.low), unitOf(range.high)]
  const isSame = one === undefined || one === other
  return isSame ? `${digitsOf(jsonObjectOf(range.low).value)} - ${high}` : `${low} - ${high}`
}

/** Formats a ratio: `1000 mL / 8 h`, `6 tablet / d`. */
const ratioOf = (ratio: unknown): string | undefined => {
  if (!isJsonObject(ratio)) return undefined
  const [above, below] = [amountOf(ratio.numerator), amountOf(ratio.denominator)]
  if (above === undefined || below === undefined) return above
  return `${above} / ${below.startsWith("1 ") ? below.slice(2) : below}`
}

const spanOf = (least: unknown, max: unknown): string | undefined => {
  const [from, to] = [digitsOf(least), digitsOf(max)]
  return from === undefined ? to : to === undefined || to === from ? from : `${from} - ${to}`
}

const weekdays: Readonly<Record<string, string>> = {
  mon: "Mon",
  tue: "Tue",
  wed: "Wed",
  thu: "Thu",
  fri: "Fri",
  sat: "Sat",
  sun: "Sun"
}

const weekdaysOf = (dosage: JsonObject): string | undefined =>
  nonEmpty(
    jsonListOf(repeatOf(dosage).dayOfWeek).flatMap((day) => weekdays[String(day)] ?? nonEmpty(day) ?? []).join(", ")
  )

/** Formats how often in which time: `2 x / 1 d`, `1 x / 4 - 6 h`. In FHIR a missing number means once. */
const rateWords = (dosage: JsonObject): string | undefined => {
  const { frequency, frequencyMax, period, periodMax, periodUnit } = repeatOf(dosage)
  const [often, time] = [timesADay(dosage) ?? spanOf(frequency, frequencyMax), spanOf(period, periodMax)]
  if (time === undefined) return often === undefined ? undefined : `${often} x`
  return `${often ?? 1} x / ${time} ${nonEmpty(periodUnit) ?? ""}`.trim()
}

/** Returns the number of times of day of a dosage that is taken once a day at each of them. */
const timesADay = (dosage: JsonObject): string | undefined => {
  const { frequency, frequencyMax, period, periodMax, periodUnit } = repeatOf(dosage)
  const times = timesOf(dosage).length
  const isOnce = (frequency === undefined || timingNumber(frequency) === 1) && frequencyMax === undefined &&
    timingNumber(period) === 1 &&
    periodMax === undefined && periodUnit === "d"
  return isOnce && times > 1 && times === momentsOf(dosage).length ? times.toString() : undefined
}

/** Returns how often a dosage is taken, from its code or its numbers, and on which days of the week. */
const oftenOf = (dosage: JsonObject): string | undefined =>
  nonEmpty(
    [conceptText(timingOf(dosage).code) ?? rateWords(dosage), weekdaysOf(dosage)].flatMap((part) => part ?? []).join(
      ", "
    )
  )

/** Events of the day that are more precise than the time of day. */
const eventWords: Readonly<Record<string, string>> = {
  "MORN.early": "early morning",
  "MORN.late": "late morning",
  "AFT.early": "early afternoon",
  "AFT.late": "late afternoon",
  "EVE.early": "early evening",
  "EVE.late": "late evening",
  "PHS": "after going to sleep",
  "WAKE": "on waking",
  "C": "with meals",
  "CM": "with breakfast",
  "CD": "with lunch",
  "CV": "with dinner",
  "AC": "before meals",
  "ACM": "before breakfast",
  "ACD": "before lunch",
  "ACV": "before dinner",
  "PC": "after meals",
  "PCM": "after breakfast",
  "PCD": "after lunch",
  "PCV": "after dinner"
}

/** Returns whether a dosage states its timing more precisely than by time of day. */
const saysMore = (dosage: JsonObject): boolean =>
  repeatOf(dosage).offset !== undefined || momentsOf(dosage).some(({ written }) => written in eventWords)

/** Formats when a dosage is taken: its stated times, in the order of the day if nothing more precise is given. */
const whenOf = (dosage: JsonObject): string | undefined => {
  const moments = momentsOf(dosage)
  const offset = digitsOf(repeatOf(dosage).offset)
  const isClock = moments.some(({ written }) => /^\d\d:/u.test(written))
  const times = isClock
    ? [`at ${moments.map(({ written }) => written.slice(0, 5)).join(", ")}`]
    : saysMore(dosage) || moments.some((moment) => moment.slot === undefined)
    ? moments.map(({ slot, written }) => eventWords[written] ?? slot ?? written)
    : slots.filter((name) => timesOf(dosage).includes(name))
  const words = nonEmpty(times.join(", "))
  return words === undefined || offset === undefined ? words : `${offset} min ${words}`
}

/** Formats the period or duration for which a dosage holds. */
const boundsOf = (dosage: JsonObject, zone: string): string | undefined => {
  const { boundsDuration, boundsPeriod, boundsRange } = repeatOf(dosage)
  const length = amountOf(boundsDuration) ?? rangeOf(boundsRange)
  if (length !== undefined) return `for ${length}`
  if (!isJsonObject(boundsPeriod)) return undefined
  const [start, end] = [boundsPeriod.start, boundsPeriod.end].map((time) => localText(nonEmpty(time), zone))
  return nonEmpty([start && `from ${start}`, end && `until ${end}`].flatMap((part) => part ?? []).join(" "))
}

const doseWords = ({ doseQuantity, doseRange }: JsonObject): string | undefined =>
  amountOf(doseQuantity) ?? rangeOf(doseRange)

const speedWords = ({ rateQuantity, rateRange, rateRatio }: JsonObject): string | undefined =>
  amountOf(rateQuantity) ?? rangeOf(rateRange) ?? ratioOf(rateRatio)

/** Formats how much, how fast, when and for how long, from the numbers of a dosage. */
const numbersOf = (dosage: JsonObject, zone: string): string => {
  const [first = {}, ...others] = ratesOf(dosage)
  const { count, countMax, duration, durationMax, durationUnit } = repeatOf(dosage)
  const quantity = quantityOf(dosage)
  const dose = doseWords(first)
  const rate = speedWords(first)
  const [lasting, times] = [spanOf(duration, durationMax), spanOf(count, countMax)]
  const when = whenOf(dosage)
  const often = when === undefined
    ? oftenOf(dosage)
    : isEachDay(dosage) && !isOften(dosage)
    ? undefined
    : oftenOf(dosage)
  const hasUnit = quantity === undefined || unitOf(quantity) !== undefined
  return [
    dose === undefined || hasUnit ? dose : `dose ${dose},`,
    rate && `at ${rate}`,
    lasting && `over ${lasting} ${nonEmpty(durationUnit) ?? ""}`.trim(),
    when,
    often,
    boundsOf(dosage, zone),
    times && `${times} times in all`,
    nonEmpty(jsonListOf(timingOf(dosage).event).map((time) => `on ${localText(String(time), zone)}`).join(", ")),
    ...others.map((other) =>
      nonEmpty(
        `(${[conceptText(other.type), doseWords(other), speedWords(other)].flatMap((part) => part ?? []).join(" ")})`
      )
    )
  ].flatMap((part) => part ?? []).join(" ").replace(/,$/u, "")
}

/** Returns whether the frequency differs from the number of times of day that the dosage lists. */
const isOften = (dosage: JsonObject): boolean => {
  const { frequency } = repeatOf(dosage)
  return frequency !== undefined && frequency !== 1 && frequency !== momentsOf(dosage).length
}

/** Returns the other instructions of a dosage: site, additional and patient instructions, maximum doses. */
const instructionsOf = (dosage: JsonObject): ReadonlyArray<string> =>
  [
    conceptText(dosage.site),
    ...jsonListOf(dosage.additionalInstruction).map(conceptText),
    nonEmpty(dosage.patientInstruction),
    ...oneOrMore(dosage.maxDosePerPeriod).map((most) => maximum(ratioOf(most))),
    maximum(amountOf(dosage.maxDosePerAdministration), "at once"),
    maximum(amountOf(dosage.maxDosePerLifetime), "in a lifetime")
  ].flatMap((part) => part ?? [])

const maximum = (amount: string | undefined, when = ""): string | undefined =>
  amount && `at most ${amount} ${when}`.trim()

/** Joins texts without repeats. A text that is a whole phrase of an earlier one is omitted: `at night`, but not `5 mg` of `15 mg`. */
const joined = (texts: ReadonlyArray<string>): string => {
  const kept: Array<string> = []
  for (const text of texts) {
    const plain = text.trim()
    if (plain !== "" && !kept.some((other) => hasPhrase(other, plain))) kept.push(text)
  }
  const [only, ...others] = kept
  return only !== undefined && others.length === 0 ? only : kept.map((text) => text.trim()).join(", ")
}

const hasPhrase = (text: string, phrase: string): boolean =>
  new RegExp(
    String.raw`(?<![\p{L}\d.,/])${phrase.replaceAll(/[\\^$.*+?()[\]{}|/]/gu, String.raw`\$&`)}(?![\p{L}\d/]|[.,]\d)`,
    "iu"
  ).test(text)

/** `No dose adjustment required` is about something else. */
const asNeededWords = /\b(?:(?:as|if|when|whenever|where) +(?:needed|necessary|required)|prn|sos)\b/iu

/**
 * Returns the text of a dosage: its own text, its amounts in numbers, and "as needed". A number in the text does not prove that it is
 * the dose (`100 Units / mL - 10 mL Vial`, `10mg/5mL`). The amounts are omitted only if the text is equal to them.
 */
const wordsOf = (dosage: JsonObject, zone: string, withNumbers: boolean): string => {
  const text = nonEmpty(dosage.text)
  const numbers = withNumbers ? nonEmpty(numbersOf(dosage, zone)) : undefined
  const amounts = text !== undefined && numbers?.toLowerCase() === text.trim().toLowerCase() ? undefined : numbers
  const own = [text, amounts].flatMap((part) => part?.trim() ?? []).join(", ")
  const stated = joined([own, ...instructionsOf(dosage)])
  const reason = conceptText(dosage.asNeededCodeableConcept)
  if (!isAsNeeded(dosage) || (asNeededWords.test(stated) && (reason === undefined || hasPhrase(stated, reason)))) {
    return stated
  }
  const asNeeded = reason === undefined ? "as needed" : `as needed: ${reason}`
  return stated === "" ? asNeeded : `${stated}, ${asNeeded}`
}

const inWords = (
  dosages: ReadonlyArray<JsonObject>,
  zone: string,
  withNumbers: (dosage: JsonObject) => boolean
): string | undefined => {
  const rank = ({ sequence }: JsonObject): number => (typeof sequence === "number" ? sequence : 0)
  const ordered = dosages.toSorted((one, other) => rank(one) - rank(other))
  const separator = areAlike(dosages, ({ sequence }) => sequence) ? "; " : "; then "
  return nonEmpty(
    ordered.map((one) => wordsOf(one, zone, withNumbers(one))).filter((words) => words !== "").join(separator)
      .replaceAll(/; then (?=then\b)/giu, "; ")
  )
}

/** Returns the text of dosages, in their sequence, with local times of a zone. A `Timing` is read as a dosage without amounts. */
export const dosageWords = (values: ReadonlyArray<unknown>, zone: string): string | undefined =>
  inWords(dosagesIn(values).map((one) => isTiming(one) ? { timing: one } : one), zone, () => true)

const isTiming = ({ code, event, repeat }: JsonObject): boolean => (code ?? event ?? repeat) !== undefined

/** Returns the text of dosages whose daily amounts would be lost: sequential ones, or ones with times of day that fit no four amounts. */
export const missingInText = (values: ReadonlyArray<unknown>, zone: string): string | undefined => {
  const dosages = dosagesIn(values)
  return isLost(dosages) ? dosageWords(dosages, zone) ?? "" : undefined
}

/** Returns what dosages state besides the amounts at four times of day, frequency and days. If those are incomplete, returns everything. */
export const dosageNote = (values: ReadonlyArray<unknown>, zone: string): string | undefined => {
  const dosages = dosagesIn(values)
  const isInFields = dosages.every((dosage) =>
    !saysMore(dosage) && !hasLimits(dosage) &&
    (isInSlots(dosage, dosages) || (dosages.length === 1 && isInterval(dosage)))
  )
  return inWords(dosages, zone, () => !isInFields)
}

/** Returns whether a dosage states how often, but neither how much nor the time of day. */
const isInterval = (dosage: JsonObject): boolean => {
  const { doseQuantity, doseRange, rateQuantity, rateRange, rateRatio } = rateOf(dosage)
  return momentsOf(dosage).length === 0 &&
    [doseQuantity, doseRange, rateQuantity, rateRange, rateRatio].every((amount) => amount === undefined)
}

/**
 * Returns whether a dosage has something that no field holds. This is a rate, a duration of each dose, a total count, days by date, or a
 * second amount. Bounds that are not in days and an amount with a comparator count too.
 */
const hasLimits = (dosage: JsonObject): boolean => {
  const { boundsPeriod, boundsRange, count, duration } = repeatOf(dosage)
  return boundsRange !== undefined || count !== undefined || duration !== undefined ||
    timingOf(dosage).event !== undefined || ratesOf(dosage).length > 1 ||
    quantityOf(dosage)?.comparator !== undefined ||
    (isJsonObject(boundsPeriod) && (boundsPeriod.end === undefined || boundsPeriod.start === undefined)) ||
    ["rateQuantity", "rateRange", "rateRatio"].some((name) => rateOf(dosage)[name] !== undefined)
}

/**
 * Returns how often dosages of one schedule are taken: `BID`, `2 x / 1 d`, `1 x / 1 wk, Mon`. Of several that state it, a code is that of the
 * whole schedule, and the times of day are added. Otherwise nothing is known of the whole.
 */
export const interval = (values: ReadonlyArray<unknown>): string | undefined => {
  const dosages = dosagesIn(values)
  const stated = dosages.filter((dosage) => oftenOf(dosage) !== undefined)
  const [first] = stated
  if (first === undefined) return undefined
  const often = oftenOf(first)
  if (stated.length === 1) return often
  if (conceptText(timingOf(first).code) !== undefined) {
    return stated.every((dosage) => oftenOf(dosage) === often) ? often : undefined
  }
  return dosages.every((dosage) => isInSlots(dosage, dosages))
    ? `${dosages.flatMap(timesOf).length} x / 1 d`
    : undefined
}
