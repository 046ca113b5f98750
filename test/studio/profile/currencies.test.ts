import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { amountIn } from "../../../src/studio/profile/tables/columns/currencySigns.ts"
import { days, drafted, table, upTo } from "./drafted.ts"

const count = 6

/** Bills in a file without commas between cells, so that they can be in the amounts. */
const bills = (amount: (at: number) => string) => ({
  "bills.csv": table(
    "bill_no;visit_no;item_code;item_name;amount",
    count,
    (at) => `B-${at};V-${at};S1;Service;${amount(at)}`
  )
})

describe("An amount with the sign of its currency", () => {
  for (
    const [cell, declared, total] of [
      ["R$ 1.250,00", "decimal: \",\", group: \".\", currency: \"R$\"", 1250],
      ["Rp 50.000,00", "decimal: \",\", group: \".\", currency: \"Rp\"", 50_000],
      ["₹1,200.50", "group: \",\", currency: \"₹\"", 1200.5],
      ["$12.00", "currency: \"$\"", 12],
      ["៛1,040,000", "group: \",\", currency: \"៛\"", 1_040_000],
      ["KHR 40000", "currency: \"KHR\"", 40_000],
      ["12.00 USD", "currency: \"USD\"", 12],
      ["€ 3,50", "decimal: \",\", currency: \"€\"", 3.5],
      ["Rs. 30.00", "currency: \"Rs.\"", 30],
      ["1 250,50 FCFA", "decimal: \",\", group: \" \", currency: \"FCFA\"", 1250.5],
      ["Rp 50.000,-", "decimal: \",\", group: \".\", currency: \"Rp\"", 50_000],
      ["Rp. 1.250.000,--", "decimal: \",\", group: \".\", currency: \"Rp.\"", 1_250_000],
      ["Rs 500/-", "currency: \"Rs\"", 500],
      ["Rs.1,25,000/-", "group: \",\", currency: \"Rs.\"", 125_000],
      ["20,000/=", "group: \",\"", 20_000],
      ["50.000,-", "decimal: \",\", group: \".\"", 50_000],
      ["CHF 50.–", "currency: \"CHF\"", 50],
      ["1,250.00 บาท", "group: \",\", currency: \"บาท\"", 1250],
      ["5000 រៀល", "currency: \"រៀល\"", 5000]
    ] as const
  ) {
    it.effect(`is read: ${cell}`, () =>
      Effect.gen(function*() {
        const { mapping, questions, visits } = yield* drafted({ ...days(count), ...bills(() => cell) })
        assert.include(mapping, `amount: {type: decimal, ${declared}}`)
        assert.notInclude(questions, "in which currency")
        assert.deepStrictEqual(visits.map(({ invoices }) => invoices[0].total), upTo(count).map(() => total))
      }))
  }

  it.effect("is read as thousands or decimals by the rules for amounts without a sign", () =>
    Effect.gen(function*() {
      const { mapping, visits } = yield* drafted({ ...days(count), ...bills(() => "Rp 50.000") })
      assert.match(mapping, /# .*three digits follow every point: read as thousands.*\n.*currency: "Rp"/u)
      assert.strictEqual(visits[0].invoices[0].total, 50_000)
    }))

  it.effect("is an error in a later export if it has another sign or none, and its visit is rejected", () =>
    Effect.gen(function*() {
      const { later, visits } = yield* drafted(
        { ...days(count), ...bills(() => "$12.00") },
        bills((at) => (at === 2 ? "៛12.00" : at === 3 ? "12.00" : "$12.00"))
      )
      assert.strictEqual(visits.length, count)
      assert.deepStrictEqual(later.visits.map(({ code }) => code), ["V-1", "V-4", "V-5", "V-6"])
      assert.include(later.problems, "it is not a number with the sign of its currency: `$`")
    }))

  it.effect("is asked about if others of the column have another sign or none, which are not read", () =>
    Effect.gen(function*() {
      const { mapping, questions, visits } = yield* drafted({
        ...days(count),
        ...bills((at) => (at === 2 ? "៛12.00" : at === 3 ? "12.00" : "$12.00"))
      })
      assert.include(mapping, "currency: \"$\"}")
      assert.include(
        questions,
        "in which currency are the amounts of `amount` in bills.csv? 4 have `$`, 1 has `៛`, 1 has no sign. Only those with `$` are read"
      )
      assert.include(questions, "currency: [\"$\", \"៛\", \"\"]")
      assert.deepStrictEqual(visits.map(({ code }) => code), ["V-1", "V-4", "V-5", "V-6"])
    }))
})

describe("Letters next to a number", () => {
  it("are a currency in a column of money, if they are a code or a common sign", () => {
    const signOf = (text: string, isMoney = true): string | undefined => amountIn(text, isMoney)?.sign
    assert.deepStrictEqual(["US$ 5", "C$5", "S/. 5", "5 kr", "RM5", "THB 5"].map((text) => signOf(text)), [
      "US$",
      "C$",
      "S/.",
      "kr",
      "RM",
      "THB"
    ])
    for (const text of ["5 CR", "5 mg", "Paid 5", "USD", "5", "A90", "$5 x 2", "5 / USD", "R$ A"]) {
      assert.isUndefined(signOf(text), text)
    }
    assert.isUndefined(signOf("5 ALL", false))
    assert.strictEqual(signOf("$5", false), "$")
  })
})
