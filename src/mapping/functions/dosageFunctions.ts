import { valueOf } from "../../fhirpath/FhirPath.ts"
import { textArgument } from "./arguments.ts"
import { daysOf, schedule, slot } from "./dosages.ts"
import { dosageNote, dosageWords, interval, missingInText } from "./dosageWords.ts"
import type { LanguageFunction } from "./LanguageFunction.ts"
import { oneText, someOfInput } from "./results.ts"

/** Makes a function that returns one text for all `Dosage`s of its input. How such words are sent, a facility can decide itself. */
const dosageText = (of: (values: ReadonlyArray<unknown>, zone: string) => string | undefined): LanguageFunction => ({
  parameters: [],
  gives: oneText,
  replaceable: true,
  readsValues: true,
  ofInput: true,
  effect: "none",
  call: (input, _, { zone }) => {
    const text = of(input.map(valueOf), zone)
    return text === undefined ? [] : [text]
  }
})

/** Functions over `Dosage`s: how much of a medicine is taken, when, and for how long. */
export const dosageFunctions: Readonly<Record<string, LanguageFunction>> = {
  /** Returns how much of a medicine is taken in the morning, afternoon, evening or at night, from `Dosage`s. */
  slot: {
    parameters: ["time of day"],
    names: "timeOfDay",
    replaceable: true,
    readsValues: true,
    effect: "none",
    call: (input, [time]) => {
      const amount = slot(input.map(valueOf), textArgument(time) ?? "")
      return amount === undefined ? [] : [amount]
    }
  },
  /** Returns `Dosage`s that form one schedule; none if one follows another or holds for other days. */
  schedule: {
    parameters: [],
    gives: someOfInput,
    replaceable: true,
    chooses: true,
    effect: "none",
    call: (input) => schedule(input, valueOf)
  },
  /** Returns the text of `Dosage`s. */
  dosageWords: dosageText(dosageWords),
  /** Returns the text of `Dosage`s that follow each other, or have times of day that fit no four amounts. */
  unsaid: dosageText(missingInText),
  /** Returns what `Dosage`s state besides four daily amounts, frequency and days; everything if those are incomplete. */
  dosageNote: dosageText(dosageNote),
  /** Returns how often `Dosage`s are taken: `BID`, `2 x / 1 d`, `1 x / 4 - 6 h`, `1 x / 1 wk, Mon`. */
  howOften: dosageText(interval),
  /** Returns the number of days for which `Dosage`s with bounds hold, as `5 'd'`. */
  boundedFor: dosageText((values, zone) => {
    const days = daysOf(values, zone)
    return days === undefined ? undefined : `${days} 'd'`
  })
}
