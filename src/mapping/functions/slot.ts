import type { ExactDecimal } from "../../fhirpath/FhirPath.ts"
import { exactDecimal, isExactDecimal } from "../../fhirpath/FhirPath.ts"
import type { Decimal } from "../../visit/Decimal.ts"
import { compare, fromText, multiply, sum, textOf } from "../../visit/Decimal.ts"

type Slot = "morning" | "afternoon" | "evening" | "night"

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

interface Dosage {
  readonly timing?: { readonly repeat?: { readonly when?: unknown; readonly timeOfDay?: unknown } }
  readonly doseAndRate?: unknown
}

interface Dose {
  readonly doseQuantity?: { readonly value?: unknown }
}

/**
 * The amount taken at a time of day, summed over dosages. A dosage counts when it says when (`timing.repeat.when`, else
 * `timeOfDay`) and how much (`doseQuantity`): a frequency such as "twice a day" names no time, and nothing is guessed.
 */
export const slot = (dosages: ReadonlyArray<unknown>, time: string): number | ExactDecimal | undefined => {
  const amounts: Array<{ readonly dose: Decimal; readonly times: number }> = []
  for (const dosage of dosages as ReadonlyArray<Dosage | null>) {
    const repeat = dosage?.timing?.repeat
    const slots = listOf(repeat?.when).map((event) => typeof event === "string" ? slotOfEvent[event] : undefined)
    const times = (slots.length > 0
      ? slots
      : listOf(repeat?.timeOfDay).map((one) => typeof one === "string" ? slotOfTime(one) : undefined))
      .filter((name) => name === time).length
    const value = (listOf(dosage?.doseAndRate)[0] as Dose | undefined | null)?.doseQuantity?.value
    const dose = typeof value === "number" ? value : isExactDecimal(value) ? fromText(value.toString()) : undefined
    if (times > 0 && dose !== undefined) amounts.push({ dose, times })
  }
  const [first] = amounts
  if (first === undefined) return undefined
  // One dose keeps its digits; a sum is written as a number is, as long as that loses none.
  const single = amounts.length === 1 && first.times === 1
  const total = single ? first.dose : sum(amounts.map(({ dose, times }) => multiply(dose, times)))
  const digits = textOf(total)
  const number = Number(digits)
  return typeof total === "number" || (!single && Number.isFinite(number) && compare(number, total) === 0)
    ? number
    : exactDecimal(digits)
}

const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])
