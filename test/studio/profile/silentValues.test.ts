import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { days, drafted, table, two } from "./drafted.ts"

const results = (header: string, cells: (at: number) => string) =>
  drafted({
    ...days(20),
    "lab_results.csv": table(
      `request_no,visit_no,test_name,${header},unit,taken`,
      20,
      (at) => `L-${at},V-${at},CRP,${cells(at)},mg/L,2026-03-${two(at)} 08:30`
    )
  })

describe("A sign of comparison in a column of its own", () => {
  it.effect("is sent with the result, which is then no number", () =>
    Effect.gen(function*() {
      const { visits } = yield* results("operator,result", (at) => at % 5 === 0 ? "<,5" : ",10.5")
      const sent = visits.map(({ laboratories: [{ results: [one] }] }) => [one.value, one.value_type])
      assert.deepStrictEqual(sent.slice(3, 5), [[10.5, "float"], ["<5", "string"]])
    }))

  it.effect("is sent with a result that stands among words", () =>
    Effect.gen(function*() {
      const { visits } = yield* results(
        "sign,result",
        (at) => at % 5 === 0 ? ">=,5" : at % 2 === 0 ? "=,7" : ",not seen"
      )
      const sent = visits.map(({ laboratories: [{ results: [one] }] }) => [one.value, one.value_type])
      assert.deepStrictEqual(sent.slice(2, 5), [["not seen", "string"], [7, "float"], [">=5", "string"]])
    }))
})

describe("Results of one digit", () => {
  it.effect("are asked about, because they can be codes", () =>
    Effect.gen(function*() {
      const { questions } = yield* results("result", (at) => String(at % 2))
      assert.include(questions, "are the results in `lab_results.result` codes, such as 1 for positive?")
    }))
})

describe("A birth date with a time of day", () => {
  const born = (birth: string) =>
    drafted({
      ...days(20),
      "patients.csv": table("patient_no,surname,birth_date,sex", 20, (at) =>
        `P-${at},Example,1990-04-${two(at)}${birth},F`)
    })

  it.effect("is asked about, because of the zone it can be the day before", () =>
    Effect.gen(function*() {
      const { questions } = yield* born("T17:00:00.000Z")
      assert.include(questions, "are the days of `birth_date` right? They have a time of day that is not 00:00")
    }))

  it.effect("is not asked about at 00:00", () =>
    Effect.gen(function*() {
      const { questions } = yield* born(" 00:00:00")
      assert.notInclude(questions, "are the days of `birth_date` right?")
    }))
})

describe("A net amount without a price", () => {
  it.effect("gives the price before the discount", () =>
    Effect.gen(function*() {
      const { visits } = yield* drafted({
        ...days(20),
        "charges.csv": table(
          "visit_no,item_code,item_name,qty,gross,discount,net,charged_at",
          20,
          (at) => `V-${at},S1,Consultation,2,100,10,90,2026-03-${two(at)} 09:00`
        )
      })
      const [{ services: [line], total }] = visits[0].invoices
      assert.deepStrictEqual([line.price, line.discount, line.payment, total], [100, 10, 90, 90])
    }))
})

describe("A single vital sign", () => {
  it.effect("with a short name is sent from a table of vital signs", () =>
    Effect.gen(function*() {
      const { visits } = yield* drafted({
        ...days(20),
        "vitals.csv": table("visit_no,taken,temp", 20, (at) => `V-${at},2026-03-${two(at)} 08:20,37.1`)
      })
      assert.strictEqual(visits[0].vital_signs[0].observations[0].value, 37.1)
    }))
})
