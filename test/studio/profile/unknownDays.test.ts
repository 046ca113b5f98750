import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { days, drafted, table, two } from "./drafted.ts"

const count = 12

/** Patients with birth dates of one format, of whom the third and the ninth have a date with unknown parts. */
const bornOn = (known: (day: string) => string, unknown: string) => ({
  ...days(count),
  "patients.csv": table(
    "patient_no,surname,birth_date,sex",
    count,
    (at) => `P-${at},Example,${at === 3 || at === 9 ? unknown : known(two(at + 8))},F`
  )
})

describe("A birth date with unknown parts", () => {
  for (
    const [unknown, known, gives] of [
      ["1990-00-00", (day: string) => `1990-04-${day}`, "a year"],
      ["1990-04-00", (day: string) => `1990-04-${day}`, "a month"],
      ["19900000", (day: string) => `199004${day}`, "a year"],
      ["199000000000", (day: string) => `199004${day}0000`, "a year"],
      ["00/00/1990", (day: string) => `${day}/04/1990`, "a year"],
      ["00/04/1990", (day: string) => `${day}/04/1990`, "a month"],
      ["00/00/2533", (day: string) => `${day}/04/2533`, "a year"],
      ["1990", (day: string) => `${day}/04/1990`, "a year"],
      ["1990", (day: string) => `1990-04-${day}`, "a year"]
    ] as const
  ) {
    it.effect(`rejects its visit as a partial date, and no other visit: ${unknown} among ${known("12")}`, () =>
      Effect.gen(function*() {
        const { problems, visits } = yield* drafted(bornOn(known, unknown))
        assert.deepStrictEqual(visits.map(({ code }) => code), [1, 2, 4, 5, 6, 7, 8, 10, 11, 12].map((at) => `V-${at}`))
        assert.strictEqual(visits[0].patient.birthdate, "1990-04-09")
        assert.include(problems, `needs a day and the source gives ${gives}`)
        assert.include(problems, "partialDate: first-day")
      }))
  }
})
