import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { days, drafted, table, two } from "./drafted.ts"

/** The beginnings that are sent for visits with the day and the time of day in two columns. */
const begun = (time: (at: number) => string) =>
  drafted({
    "visits.csv": table("visit_no,patient_no,visit_date,visit_time,type", 9, (at) =>
      `V-${at},P-${at},2026-03-${two(at)},${time(at)},OPD`),
    "patients.csv": days(9)["patients.csv"]
  }).pipe(Effect.map(({ mapping, visits }) => ({
    mapping,
    sent: visits.map(({ admitted_at }) =>
      admitted_at.slice(8, 16)
    )
  })))

describe("Times of day in a column of their own", () => {
  it.effect("are read with morning and afternoon", () =>
    Effect.gen(function*() {
      const { sent } = yield* begun((at) => at % 2 ? `0${at}:05 AM` : `${at}:30 pm`)
      assert.deepStrictEqual(
        sent,
        [1, 2, 3, 4, 5, 6, 7, 8, 9].map((at) => `${two(at)}T${at % 2 ? `${two(at)}:05` : `${12 + at}:30`}`)
      )
    }))

  it.effect("are read as six digits, also those before ten", () =>
    Effect.gen(function*() {
      const { mapping, sent } = yield* begun((at) => `${two(at + 4)}3015`)
      assert.deepStrictEqual(sent, [1, 2, 3, 4, 5, 6, 7, 8, 9].map((at) => `${two(at)}T${two(at + 4)}:30`))
      assert.notMatch(mapping, /^# - visit: .*visit_time/mu)
    }))
})

/** The prices and the total that are sent for charges with these amounts. */
const charged = (...amounts: ReadonlyArray<string>) =>
  drafted({
    ...days(6),
    "charges.csv": table(
      "visit_no,bill_no,item_code,item_name,amount",
      6,
      (at) => amounts.map((amount, item) => `V-${at},B-${at},S${item},Service,"${amount}"`).join("\n")
    )
  }).pipe(Effect.map(({ visits: [visit] }) => [
    visit.invoices[0].total,
    ...visit.invoices[0].services.map(({ price }: { readonly price: unknown }) => price)
  ]))

describe("Amounts with separated thousands", () => {
  it.effect("are read with blanks, also those that do not break a line, next to decimal commas", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* charged("2 000", "500", "12\u00A0500,50"), [15_000.5, 2000, 500, 12_500.5])
      assert.deepStrictEqual(yield* charged("2 000", "1\u202F012 500"), [1_014_500, 2000, 1_012_500])
    }))

  it.effect("are read in groups of two digits above the thousands, as in India", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* charged("1,25,000.00", "950.50"), [125_950.5, 125_000, 950.5])
    }))
})

describe("Rows of totals and notes below a table", () => {
  it.effect("do not hide that a column is filled in every row, and are no visits", () =>
    Effect.gen(function*() {
      const { problems, visits } = yield* drafted({
        "report.csv": `${
          table(
            "hn,surname,first_name,sex,birth_date,visit_date,type,icd10,fee,payer",
            14,
            (at) => `HN-${at},Example,Ann,F,1990-04-12,2026-03-${two(at)} 08:15,OPD,A09,100,cash`
          )
        },,,,,,,Total,1400,\n,,,,,,,Printed on 2026-04-01,,\n`
      })
      assert.strictEqual(visits.length, 14)
      assert.include(problems, "a row of totals was ignored")
      assert.include(problems, "a note below the rows was ignored")
    }))
})

/** What is asked about charges with this correction of a line, and the visits that are sent. */
const corrected = (correction: string) =>
  drafted({
    ...days(6),
    "charges.csv": `${
      table("visit_no,item_code,item_name,qty,unit_price,amount", 6, (at) => `V-${at},S1,Service,1,30.00,30.00`)
    }V-1,S1,Service,1,30.00,${correction}\n`
  })

describe("A correction that is not written as a number", () => {
  for (const correction of ["(30.00)", "30.00-", "30.00 CR", "\u221230.00"]) {
    it.effect(`is asked about, and no price is sent in its place: ${correction}`, () =>
      Effect.gen(function*() {
        const { problems, questions, visits } = yield* corrected(correction)
        assert.include(questions, "how should 1 cell that is not a plain number be read in `amount` in charges.csv?")
        assert.deepStrictEqual(
          visits.map(({ code, invoices }) => [code, invoices[0].total]),
          ["V-2", "V-3", "V-4", "V-5", "V-6"].map((code) => [code, 30])
        )
        assert.include(problems, "invalid-cell")
      }))
  }

  it.effect("is sent if it is a negative number", () =>
    Effect.gen(function*() {
      const { questions, visits } = yield* corrected("-30.00")
      assert.notInclude(questions, "plain number")
      assert.strictEqual(visits[0].invoices[0].total, 0)
    }))

  it.effect("is asked about where no amount is a number", () =>
    Effect.gen(function*() {
      const { questions } = yield* drafted({
        ...days(6),
        "charges.csv": table(
          "visit_no,item_code,item_name,qty,unit_price,amount",
          6,
          (at) => `V-${at},S1,Service,1,30.00,30.00 CR`
        )
      })
      assert.include(questions, "what was charged, `amount` in `charges`, which has no numbers")
    }))
})

/** What is asked about charges with these columns, and the price and the payment of the first line. */
const priced = (columns: Readonly<Record<string, string>>) =>
  drafted({
    ...days(6),
    "charges.csv": table(
      `visit_no,item_code,item_name,qty,${Object.keys(columns).join(",")}`,
      6,
      (at) => `V-${at},S1,Service,2,${Object.values(columns).join(",")}`
    )
  }).pipe(Effect.map(({ questions, visits: [visit] }) => {
    const [{ services: [line] = [] } = {}] = visit.invoices
    return { questions, sent: [line?.price, line?.payment] }
  }))

describe("Several columns with amounts of money", () => {
  for (
    const [columns, price, payment] of [
      [{ unit_price: "30.00", vat_amount: "4.20", line_amount: "64.20" }, 60, 64.2],
      [{ vat_rate: "0.07", amount: "64.20" }, 64.2, 64.2],
      [{ unit_price: "30.00", insurance_amount: "40.00", patient_amount: "20.00" }, 60, 60],
      [{ rate: "30.00", tax: "4.20", refund_amount: "0.00", net_amount: "64.20", patient_share: "9.00" }, 60, 64.2],
      [{ unit_price: "30.00", amount_incl_vat: "64.20", amount_paid: "0.00" }, 60, 64.2]
    ] as const
  ) {
    it.effect(`are distinguished: ${Object.keys(columns).join(", ")}`, () =>
      Effect.gen(function*() {
        const { questions, sent } = yield* priced(columns)
        assert.deepStrictEqual(sent, [price, payment])
        assert.notInclude(questions, "which column of")
      }))
  }

  it.effect("are asked about if several can be what was charged", () =>
    Effect.gen(function*() {
      const { questions } = yield* priced({ unit_price: "30.00", total: "60.00", net_amount: "54.00" })
      assert.include(questions, "which column of `charges` is what was charged: `total`, `net_amount`?")
    }))

  it.effect("are asked about if several can be the price", () =>
    Effect.gen(function*() {
      const { questions } = yield* priced({ price: "30.00", night_rate: "36.00" })
      assert.include(questions, "which column of `charges` is the price of one unit: `price`, `night_rate`?")
    }))

  it.effect("are asked about, and no invoice is sent, if all are shares", () =>
    Effect.gen(function*() {
      const { questions, sent } = yield* priced({ insurance_amount: "40.00", patient_amount: "20.00" })
      assert.deepStrictEqual(sent, [undefined, undefined])
      assert.include(questions, "what was charged for the rows of `charges`?")
    }))
})

describe("Amounts whose column is called after the hundredth of a currency", () => {
  const charges = (column: string) =>
    drafted({
      ...days(6),
      "charges.csv": table(
        `visit_no,bill_no,item_code,item_name,${column}`,
        6,
        (at) => `V-${at},B-${at},S1,Service,${at}2050`
      )
    })
  const question = "are amounts in hundredths of the currency, by `charges.amount_cents`?"

  it.effect("are asked about, because they are sent unchanged", () =>
    Effect.gen(function*() {
      assert.include((yield* charges("amount_cents")).questions, question)
    }))

  it.effect("are not asked about under another name", () =>
    Effect.gen(function*() {
      assert.notInclude((yield* charges("amount")).questions, "hundredths")
    }))
})
