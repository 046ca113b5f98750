import { isExactDecimal } from "../../fhirpath/FhirPath.ts"

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
  readonly timing?: {
    readonly repeat?: { readonly when?: ReadonlyArray<string>; readonly timeOfDay?: ReadonlyArray<string> }
  }
  readonly doseAndRate?: ReadonlyArray<{ readonly doseQuantity?: { readonly value?: unknown } }>
}

/**
 * The amount taken at a time of day, summed over dosages. A dosage counts when it says when (`timing.repeat.when`, else
 * `timeOfDay`) and how much (`doseQuantity`): a frequency such as "twice a day" names no time, and nothing is guessed.
 */
export const slot = (dosages: ReadonlyArray<unknown>, time: string): number | undefined => {
  let total: number | undefined
  for (const dosage of dosages as ReadonlyArray<Dosage | null>) {
    const repeat = dosage?.timing?.repeat
    const slots = repeat?.when?.map((event) => slotOfEvent[event]) ?? repeat?.timeOfDay?.map(slotOfTime) ?? []
    const times = slots.filter((name) => name === time).length
    const dose = dosage?.doseAndRate?.[0]?.doseQuantity?.value
    const amount = typeof dose === "number" ? dose : isExactDecimal(dose) ? Number(dose.toString()) : undefined
    if (times > 0 && amount !== undefined) total = (total ?? 0) + times * amount
  }
  return total
}
