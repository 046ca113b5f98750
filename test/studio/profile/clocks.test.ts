import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { days, initialized, table, two } from "./drafted.ts"

/** An extract with these beginnings and ends of visits. */
const visits = (admitted: (at: number) => string, discharged: (at: number) => string) => ({
  ...days(12),
  "visits.csv": table(
    "visit_no,patient_no,admitted,discharged,type",
    12,
    (at) => `V-${at},P-${at},${admitted(at)},${discharged(at)},OPD`
  )
})

const day = (at: number): string => `2026-03-${two(at)}`
const question = "are these times of a clock with 24 hours"

describe("Times of which none is in the afternoon", () => {
  for (
    const [name, admitted, discharged] of [
      ["in one column", (at: number) => `${day(at)} 02:15`, (at: number) => `${day(at)} 03:15`],
      ["only of the end", (at: number) => `${day(at)} 11:15`, (at: number) => `${day(at)} 01:05`],
      ["in digits", (at: number) => `202603${two(at)}0215`, (at: number) => `202603${two(at)}0315`]
    ] as const
  ) {
    it.effect(`are asked about if some are before 7: ${name}`, () =>
      Effect.gen(function*() {
        const { words } = yield* initialized(visits(admitted, discharged))
        assert.include(words.replaceAll(/\s+/gu, " "), question)
      }))
  }

  it.effect("are asked about in a column of their own", () =>
    Effect.gen(function*() {
      const { words } = yield* initialized({
        ...days(9),
        "visits.csv": table("visit_no,patient_no,visit_date,visit_time,type", 9, (at) =>
          `V-${at},P-${at},${day(at)},0${at}:15,OPD`)
      })
      assert.include(words, question)
      assert.include(words, "`visit.admitted_at` (6 of 9)")
    }))

  for (
    const [name, admitted, discharged] of [
      ["in the morning only", (at: number) => `${day(at)} 08:15`, (at: number) => `${day(at)} 12:05`],
      [
        "some in the afternoon",
        (at: number) => `${day(at)} ${two(at + 1)}:15`,
        (at: number) => `${day(at)} ${two(at + 2)}:15`
      ],
      ["with an offset", (at: number) => `${day(at)}T02:15:00Z`, (at: number) => `${day(at)}T03:15:00Z`],
      ["with AM and PM", (at: number) => `${day(at)} 02:15 AM`, (at: number) => `${day(at)} 03:15 AM`]
    ] as const
  ) {
    it.effect(`are not asked about: ${name}`, () =>
      Effect.gen(function*() {
        const { words } = yield* initialized(visits(admitted, discharged))
        assert.notInclude(words, question)
      }))
  }
})

describe("A column that is called after dates and is not read as dates", () => {
  const unread = "how are the dates of these columns written?"
  /** Ticks of no known clock: 9 digits. */
  const ticks = (at: number): number => Date.UTC(2026, 2, at, 2, 15) / 10_000

  it.effect("is asked about, and no other time is sent as the end", () =>
    Effect.gen(function*() {
      const { visits: sent, words } = yield* initialized(
        visits((at) => `${day(at)} 08:15`, (at) => String(ticks(at)))
      )
      assert.deepStrictEqual(sent, [])
      assert.include(words, unread)
      assert.include(words, "`visit.discharged` (12 of 12 cells)")
    }))

  it.effect("is asked about in a table of results, and where no table has visits", () =>
    Effect.gen(function*() {
      const { words } = yield* initialized({
        ...days(12),
        "lab_results.csv": table("request_no,visit_no,test_name,result,taken_at", 12, (at) =>
          `L-${at},V-${at},CRP,10.5,${ticks(at)}`)
      })
      assert.include(words, "`lab_results.taken_at` (12 of 12 cells)")
      const { words: others } = yield* initialized(visits((at) =>
        `${at} mars 2026 08:15`, (at) =>
        `${at} mars 2026 09:15`))
      assert.include(others, unread)
    }))
})

describe("Times after the day that Access writes before them", () => {
  for (const clock of ["30/12/1899 08:15:00", "12/30/1899 8:15:00 AM", "1899-12-30 08:15:00", "12/30/99 08:15:00"]) {
    it.effect(`are read without it: ${clock}`, () =>
      Effect.gen(function*() {
        const { visits: sent } = yield* initialized({
          ...days(9),
          "visits.csv": table("visit_no,patient_no,visit_date,visit_time,type", 9, (at) =>
            `V-${at},P-${at},${day(at)} 00:00:00,${clock},OPD`)
        })
        assert.deepStrictEqual(
          sent.map(({ admitted_at }) =>
            admitted_at.slice(0, 16)
          ),
          [1, 2, 3, 4, 5, 6, 7, 8, 9].map((at) => `${day(at)}T08:15`)
        )
      }))
  }
})

describe("Times of day with parts of a second", () => {
  for (const clock of ["08:15:00.0000000", "08:15:00.123"]) {
    it.effect(`are read: ${clock}`, () =>
      Effect.gen(function*() {
        const { visits: [sent], words } = yield* initialized({
          ...days(9),
          "visits.csv": table("visit_no,patient_no,visit_date,visit_time,type", 9, (at) =>
            `V-${at},P-${at},${day(at)},${clock},OPD`)
        })
        assert.strictEqual(sent.admitted_at.slice(0, 16), `${day(1)}T08:15`)
        assert.notInclude(words, "at which time of day do visits")
      }))
  }
})

describe("Dates without a doubt", () => {
  it.effect("get no question about midnight if a spreadsheet counted their days and hours", () =>
    Effect.gen(function*() {
      const { visits: [sent], words } = yield* initialized(
        visits((at) => (46_081 + at + 0.343_75).toFixed(5), (at) => (46_081 + at + 0.385_417).toFixed(5))
      )
      assert.strictEqual(sent.admitted_at.slice(0, 16), `${day(1)}T08:15`)
      assert.notInclude(words, "at which time of day do visits")
    }))

  it.effect("get no question about their calendar if their years are Buddhist and have two digits", () =>
    Effect.gen(function*() {
      const { visits: [sent], words } = yield* initialized(
        visits((at) => `${two(at)}/03/69 08:15`, (at) => `${two(at)}/03/69 09:15`)
      )
      assert.strictEqual(sent.admitted_at.slice(0, 16), `${day(1)}T08:15`)
      assert.notInclude(words, "of the Gregorian calendar")
    }))
})
