import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { days, drafted, table, two, upTo } from "./drafted.ts"

/** What `init` drafts for visits whose beginning is written by `writes`, and the beginnings that are sent by the draft. */
const begun = (writes: (day: number) => string, { count = 24, header = "admitted" } = {}) =>
  drafted({
    "visits.csv": table(`visit_no,patient_no,${header},type`, count, (day) => `V-${day},P-${day},${writes(day)},OPD`),
    "patients.csv": table("patient_no,surname,birth_date,sex", count, (day) => `P-${day},Example,1990-04-12,F`)
  }).pipe(Effect.map(({ visits, ...others }) => ({
    ...others,
    sent: visits.map(({ admitted_at, code }): string => `${code} ${admitted_at.slice(0, 16)}`)
  })))

/** Each day of March at a quarter past eight. */
const expected = (count: number): ReadonlyArray<string> =>
  upTo(count).map((day) => `V-${day} 2026-03-${two(day)}T08:15`)

describe("Dates of one column in several formats", () => {
  it.effect("are each read by their own format", () =>
    Effect.gen(function*() {
      const { mapping, sent } = yield* begun((day) =>
        [
          `2026-03-${two(day)} 08:15`,
          `${two(day)}/03/2026 08:15`,
          `${day} Mar 2026 08:15`,
          `2026-03-${two(day)}T08:15:00`,
          `2026-3-${day} 8:15`,
          `${two(day)}-MAR-26 08:15`,
          `"Mar ${day}, 2026 8:15 AM"`
        ][day % 7] ?? ""
      )
      assert.deepStrictEqual(sent, expected(24))
      assert.include(mapping, "\"YYYY-MM-DD HH:mm\"")
      assert.include(mapping, "years have two digits")
    }))

  it.effect("are each read with the time of day in another column", () =>
    Effect.gen(function*() {
      const { sent } = yield* begun(
        (day) => `${[`2026-03-${two(day)}`, `${two(day)}/03/2026`, `${day} Mar 2026`][day % 3]},08:15`,
        { header: "visit_date,visit_time" }
      )
      assert.deepStrictEqual(sent, expected(24))
    }))

  it.effect("are read with the day first in one and the month first in another, to be verified", () =>
    Effect.gen(function*() {
      const { mapping, sent } = yield* begun((day) =>
        `${day % 2 ? `${two(day)}/03/2026` : `03-${two(day)}-2026`} 08:15`
      )
      assert.deepStrictEqual(sent, expected(24))
      assert.include(mapping, "dates of one format have the day first, those of another the month: verify it")
    }))
})

describe("Dates and times in digits without separators", () => {
  it.effect("are read in a column that is called after dates, with and without seconds", () =>
    Effect.gen(function*() {
      for (const seconds of ["", "00"]) {
        const { sent } = yield* begun((day) => `202603${two(day)}0815${seconds}`, { header: "datetime_admit" })
        assert.deepStrictEqual(sent, expected(24), seconds)
      }
    }))

  it.effect("are read with Buddhist years, and with the time of day in another column", () =>
    Effect.gen(function*() {
      const { sent } = yield* begun((day) => `256903${two(day)}0815`, { header: "date_serv" })
      assert.deepStrictEqual(sent, expected(24))
      const apart = yield* begun((day) => `256903${two(day)},081500`, { header: "date_serv,time_serv" })
      assert.deepStrictEqual(apart.sent, expected(24))
    }))

  it.effect("are numbers if no month has their digits", () =>
    Effect.gen(function*() {
      const { sent } = yield* begun((day) => `202613${two(day)}0815`, { header: "date_serv" })
      assert.deepStrictEqual(sent, [])
    }))
})

describe("Dates of which some have the day first and some the month", () => {
  it.effect("are not read before the question is answered", () =>
    Effect.gen(function*() {
      const { problems, questions, sent } = yield* begun((day) =>
        `${day % 2 ? `${two(day)}/03` : `03/${two(day)}`}/2026 08:15`
      )
      assert.deepStrictEqual(sent, [])
      assert.match(questions, /QUESTION do the dates of `admitted` in visits\.csv begin with the day or the month\?/u)
      assert.match(problems, /wrong-format|invalid-cell/u)
    }))

  it.effect("are read without those of another format", () =>
    Effect.gen(function*() {
      const { sent } = yield* begun((day) =>
        day < 13 ? `2026-03-${two(day)} 08:15` : `${day % 2 ? `${two(day)}/03` : `03/${two(day)}`}/2026 08:15`
      )
      assert.deepStrictEqual(sent, expected(12))
    }))

  it.effect("are read if only one has the other order, without that one", () =>
    Effect.gen(function*() {
      const { mapping, problems, sent } = yield* begun(
        (day) => `${day === 13 ? "03/13" : `${two(day)}/03`}/2026 08:15`,
        { count: 31 }
      )
      assert.deepStrictEqual(sent, expected(31).filter((one) => !one.startsWith("V-13 ")))
      assert.include(mapping, "one date has day and month in the other order: it is not read: verify it")
      assert.include(problems, "invalid-cell")
    }))
})

describe("Dates of which some have Buddhist years", () => {
  it.effect("are not read in one format, which cannot have two calendars", () =>
    Effect.gen(function*() {
      const { questions, sent } = yield* begun((day) => `${two(day)}/03/${day % 2 ? 2026 : 2569} 08:15`)
      assert.deepStrictEqual(sent, [])
      assert.match(questions, /QUESTION in which calendar are the dates of `admitted` in visits\.csv\?/u)
    }))

  it.effect("are read in the calendar of most of them", () =>
    Effect.gen(function*() {
      const { questions, sent } = yield* begun((day) =>
        day < 17 ? `${two(day)}/03/2569 08:15` : `2026-03-${two(day)} 08:15`
      )
      assert.deepStrictEqual(sent, expected(16))
      assert.match(questions, /Some years are Buddhist, some are not: those of one calendar are read/u)
    }))

  it.effect("are rejected in ISO 8601, which says no calendar, and the others are read", () =>
    Effect.gen(function*() {
      const { problems, questions, sent } = yield* begun((day) => `${day % 4 ? 2026 : 2569}-03-${two(day)} 08:15`)
      assert.deepStrictEqual(sent, expected(24).filter((_, at) => at % 4 !== 3))
      assert.match(questions, /Some years are Buddhist, some are not: those with a Buddhist year are rejected/u)
      assert.include(problems, "its year is Buddhist, and the column has  calendar: gregorian")
    }))

  it.effect("are read as Buddhist with two digits, which no visit has in another calendar", () =>
    Effect.gen(function*() {
      const { mapping, visits } = yield* drafted({
        "visits.csv": table(
          "visit_no,patient_no,admitted,type",
          24,
          (day) => `V-${day},P-${day},${two(day)}/03/${day % 2 ? 69 : 67} 08:15,OPD`
        ),
        "patients.csv": table("patient_no,surname,birth_date,sex", 24, (day) => `P-${day},Example,${two(day)}/04/33,F`)
      })
      assert.deepStrictEqual(
        visits.slice(0, 2).map(({ admitted_at, patient }) => [admitted_at.slice(0, 10), patient.birthdate]),
        [["2026-03-01", "1990-04-01"], ["2024-03-02", "1990-04-02"]]
      )
      assert.include(mapping, "those of visits can only be Buddhist: 67 is read as 2024: verify it")
    }))
})

describe("Visits whose years are far from the present one", () => {
  for (const [calendar, year, sent] of [["Ethiopian", 2018, 8], ["Persian", 1404, 0], ["Nepali", 2082, 0]] as const) {
    it.effect(`are asked about: ${calendar} years`, () =>
      Effect.gen(function*() {
        const { "patients.csv": patients, "visits.csv": visits } = days(8)
        const made = yield* drafted({ "patients.csv": patients, "visits.csv": visits.replaceAll("2026-", `${year}-`) })
        assert.include(made.questions, "QUESTION are the years of `visit.admitted_at` of the Gregorian calendar?")
        assert.lengthOf(made.visits, sent)
      }))
  }

  it.effect("are not asked about where they are recent", () =>
    Effect.gen(function*() {
      assert.notInclude((yield* drafted(days(8))).questions, "Gregorian")
    }))
})

describe("A time of the end without a day", () => {
  it.effect("is on the day of the beginning, and a visit without this time has no end", () =>
    Effect.gen(function*() {
      const { "patients.csv": patients } = days(8)
      const { problems, visits } = yield* drafted({
        "patients.csv": patients,
        "visits.csv": table(
          "visit_no,patient_no,visit_date,visit_time,end_time,type",
          8,
          (at) => `V-${at},P-${at},2026-03-0${at},08:15,${at === 3 ? "" : "09:30"},OPD`
        )
      })
      assert.deepStrictEqual(
        visits.map(({ code, discharged_at }) => [code, discharged_at]).toSorted(),
        upTo(8).flatMap((at) => at === 3 ? [] : [[`V-${at}`, `2026-03-0${at}T09:30:00.000+07:00`]])
      )
      assert.include(problems, "error[required-field]: `discharged_at` is null")
    }))
})

describe("The day of the next visit", () => {
  for (const name of ["follow_up_date", "Next appointment", "fecha de control"]) {
    it.effect(`is sent as the follow-up: ${name}`, () =>
      Effect.gen(function*() {
        const { visits } = yield* drafted(
          days(8, { header: `,${name}`, more: (at) => at % 2 === 0 ? "," : `,2026-04-0${at}` })
        )
        assert.deepStrictEqual(
          visits.map(({ code, followup_at }) => [code, followup_at]).toSorted(),
          upTo(8).map((at) => [`V-${at}`, at % 2 === 0 ? null : `2026-04-0${at}T00:00:00.000+07:00`])
        )
      }))
  }
})

describe("Days with the time 00:00", () => {
  for (const day of [(at: number) => `2026-03-${two(at)} 00:00:00`, (at: number) => `${two(at)}/03/2026 00:00`]) {
    it.effect(`have the time of another column: ${day(1)}`, () =>
      Effect.gen(function*() {
        const { sent } = yield* begun((at) => `${day(at)},08:15`, { header: "visit_date,visit_time" })
        assert.deepStrictEqual(sent.toSorted(), [...expected(24)].toSorted())
      }))

    it.effect(`are asked about if no column has the time: ${day(1)}`, () =>
      Effect.gen(function*() {
        const { questions } = yield* begun(day, { header: "visit_date" })
        assert.include(questions, "at which time of day do visits begin? Each cell of `visit_date` has 00:00")
      }))
  }

  it.effect("are asked about next to other times, if they are too many to be by chance", () =>
    Effect.gen(function*() {
      const { questions } = yield* begun((at) => `2026-03-${two(at)} ${at === 9 ? "08:15" : "00:00"}:00`)
      assert.include(questions, "at which time of day do visits begin? 23 of 24 cells of `admitted` have 00:00")
      const few = yield* begun((at) => `2026-03-${two(at)} ${at > 2 ? "08:15" : "00:00"}:00`)
      assert.notInclude(few.questions, "at which time of day")
    }))
})

describe("Dates with no number above 12", () => {
  it.effect("are not read and asked about if nothing shows whether the day or the month is first", () =>
    Effect.gen(function*() {
      for (const header of ["admitted", "visit_date,visit_time"]) {
        const { mapping, questions, sent } = yield* begun(
          (day) => `${two(day)}/03/2026${header === "admitted" ? " " : ","}08:15`,
          { count: 12, header }
        )
        assert.deepStrictEqual(sent, [])
        assert.match(questions, /do the dates of `\w+` in visits.csv begin with the day or the month\? No number/u)
        assert.match(mapping, /# QUESTION do the dates .*\n {6}admitted_at:/u)
      }
    }))

  it.effect("are read with the day first if they have points or Buddhist years", () =>
    Effect.gen(function*() {
      const points = yield* begun((day) => `${two(day)}.03.2026 08:15`, { count: 12 })
      assert.deepStrictEqual(points.sent, expected(12))
      assert.notInclude(points.questions, "day or the month")
      assert.deepStrictEqual((yield* begun((day) => `${two(day)}/03/2569 08:15`, { count: 12 })).sent, expected(12))
    }))
})

describe("A column of states next to Buddhist years with two digits", () => {
  it.effect("decides which visits took place", () =>
    Effect.gen(function*() {
      const { sent } = yield* begun((day) => `${day}/3/69 08:15,${day === 3 ? "Cancelled" : "Completed"}`, {
        header: "admitted,status"
      })
      assert.deepStrictEqual(sent, expected(24).filter((one) => !one.startsWith("V-3 ")))
    }))
})
