import { numberIn } from "../../json/exactNumber.ts"
import { isJsonObject, type JsonObject, jsonObjectsIn } from "../../json/JsonObject.ts"
import { conceptText } from "./concepts.ts"

const sexes = ["male", "female"] as const
const wordsForSex: Readonly<Record<typeof sexes[number], ReadonlyArray<string>>> = {
  male: "248153007 m male males man men".split(" "),
  female: "248152002 f female females woman women".split(" ")
}

/** Returns the sex that a range is for; `undefined` if it is for both or for another group. */
const sexOf = (range: JsonObject): "male" | "female" | undefined => {
  for (const concept of jsonObjectsIn(range.appliesTo)) {
    const codes = jsonObjectsIn(concept.coding).flatMap(({ code }) => typeof code === "string" ? [code] : [])
    for (const word of [...codes, conceptText(concept) ?? ""]) {
      const sex = sexes.find((sex) => wordsForSex[sex].includes(word.trim().toLowerCase()))
      if (sex !== undefined) return sex
    }
  }
  return undefined
}

const isNormal = ({ type }: JsonObject): boolean =>
  !isJsonObject(type) || !Array.isArray(type.coding) ||
  type.coding.some((coding) => isJsonObject(coding) && coding.code === "normal")

/** Returns true if a range is also for a group that is not a sex: pregnant women, a race. */
const hasOtherGroup = (range: JsonObject): boolean => {
  const groups = jsonObjectsIn(range.appliesTo)
  return groups.length > (sexOf(range) === undefined ? 0 : 1)
}

/** The length of units of age in days. */
const days: Readonly<Record<string, number>> = {
  a: 365.25,
  year: 365.25,
  years: 365.25,
  mo: 30.4375,
  month: 30.4375,
  months: 30.4375,
  wk: 7,
  week: 7,
  weeks: 7,
  d: 1,
  day: 1,
  days: 1,
  h: 1 / 24,
  hour: 1 / 24,
  hours: 1 / 24
}

interface Limit {
  readonly amount: number
  readonly unit: number
}

/** A limit of an age; `undefined` if there is none, and `"unknown"` if it cannot be read. */
const limitOf = (quantity: unknown): Limit | "unknown" | undefined => {
  if (!isJsonObject(quantity)) return undefined
  const amount = numberIn(quantity.value)
  const [unit] = [quantity.code, quantity.unit].flatMap((word) =>
    typeof word === "string" ? days[word.trim().toLowerCase()] ?? [] : []
  )
  return amount !== undefined && Number.isFinite(amount) && unit !== undefined ? { amount, unit } : "unknown"
}

/** The least and the greatest age in days that a birth date and a time allow. */
export interface Age {
  readonly least: number
  readonly greatest: number
}

const day = 86_400_000

/** Returns the first and the last day of a date with a year, a month or a day. */
const spanOf = (text: unknown): readonly [first: number, last: number] | undefined => {
  const parts = typeof text === "string" ? /^(\d{4})(?:-(\d\d)(?:-(\d\d))?)?/u.exec(text) : null
  if (parts === null) return undefined
  const [, year, month, date] = parts
  const first = Date.UTC(Number(year), Number(month ?? 1) - 1, Number(date ?? 1))
  const last = date !== undefined
    ? first
    : month === undefined
    ? Date.UTC(Number(year), 11, 31)
    : Date.UTC(Number(year), Number(month), 0)
  return [first, last]
}

/** Returns the age at a time; `undefined` if it is not known. */
export const ageAt = (birth: unknown, time: unknown): Age | undefined => {
  const born = spanOf(birth)
  const then = spanOf(time)
  return born === undefined || then === undefined
    ? undefined
    : { least: (then[0] - born[1]) / day, greatest: (then[1] - born[0]) / day }
}

/**
 * Returns whether an age is in the ages of a range; `undefined` if this is not certain. An upper limit of `1 a` certainly includes the first
 * birthday, and certainly excludes the second; texts differ about the time between them. Months and years differ in length by a day or two.
 */
const isOfAge = ({ age: ages }: JsonObject, age: Age | undefined): boolean | undefined => {
  if (!isJsonObject(ages)) return true
  const low = limitOf(ages.low)
  const high = limitOf(ages.high)
  if (low === undefined && high === undefined) return true
  if (low === "unknown" || high === "unknown" || age === undefined) return undefined
  const slack = ({ unit }: Limit): number => unit > 7 ? 2 : 0
  const { greatest, least } = age
  if (low !== undefined && greatest < low.amount * low.unit - slack(low)) return false
  if (high !== undefined && least >= (Math.floor(high.amount) + 1) * high.unit + slack(high)) return false
  const begins = low === undefined || least >= low.amount * low.unit + slack(low)
  const ends = high === undefined || greatest <= high.amount * high.unit
  return begins && ends ? true : undefined
}

/** The patient for whom ranges are looked up. */
export interface RangeSubject {
  readonly gender: unknown
  /** The patient's age at the time of the result, if the mapping gives birth date and time; otherwise ages and groups are not compared. */
  readonly age?: { readonly birth: unknown; readonly time: unknown } | undefined
}

/**
 * Returns the reference ranges for a patient. Ranges for the other sex, or certainly for another age, are never returned. The best of the
 * others are chosen in three steps. Ranges that state the sex are better than those without one. Ranges that are certainly for the patient
 * are better than those for an age or group to which the patient may belong. Normal ranges are better than recommended ones and those for a
 * treatment. `uncertain` returns only ranges that may be for the patient, and only if no other fits.
 */
export const rangesFor = <A>(
  elements: ReadonlyArray<A>,
  { age: given, gender }: RangeSubject,
  valueOf: (element: A) => unknown,
  uncertain: boolean
): ReadonlyArray<A> => {
  const age = given === undefined ? undefined : ageAt(given.birth, given.time)
  const ranges = elements.flatMap((element) => {
    const value = valueOf(element)
    if (!isJsonObject(value)) return []
    const ofAge = given === undefined ? true : isOfAge(value, age)
    if (ofAge === false) return []
    const certain = given === undefined || (ofAge === true && !hasOtherGroup(value))
    return [{ element, sex: sexOf(value), normal: isNormal(value), certain }]
  })
  const isKnown = gender === "male" || gender === "female"
  const own = ranges.filter(({ sex }) => isKnown && sex === gender)
  const possible = isKnown ? ranges.filter(({ sex }) => sex === undefined || sex === gender) : ranges
  const certain = [own, possible].map((some) => some.filter((range) => range.certain)).find((some) => some.length > 0)
  if (uncertain && certain !== undefined) return []
  const fitting = certain ?? (uncertain ? own.length > 0 ? own : possible : [])
  const normal = fitting.filter((range) => range.normal)
  return (normal.length > 0 ? normal : fitting).map(({ element }) => element)
}
