import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { days, drafted, initialized, rowsUnder, two, upTo } from "./drafted.ts"

/** The draft for charges, with what becomes of them, or of those of a later extract. */
const begun = (charges: Readonly<Record<string, string>>, later: typeof charges = {}) =>
  initialized({ ...people, ...charges }, { later, timezone: "Asia/Phnom_Penh" })

const people = {
  "patients.csv": rowsUnder(
    "patient_id,last_name,first_name,sex,dob",
    20,
    (at) => `P${two(at)},Sample${at},Ann,${"MF"[at % 2]},19${two(50 + at)}-02-03`
  ),
  "visits.csv": rowsUnder(
    "visit_id,patient_id,admitted,discharged,visit_type",
    20,
    (at) => `V${two(at)},P${two(at)},2026-03-${two(1 + at)} 08:00,2026-03-${two(1 + at)} 09:00,OPD`
  )
}

/** Two bills of two lines for each visit. */
const charges = (number: string): string =>
  rowsUnder(
    `${number},visit_id,billed_at,item_code,item_name,item_type,qty,unit_price`,
    80,
    (at) =>
      `B${two(Math.trunc(at / 2))},V${two(Math.trunc(at / 4))},2026-03-${two(1 + Math.trunc(at / 4))} 08:1${at % 4},C${
        at % 4
      },Item ${at % 4},${at % 4 === 1 ? "DRUG" : "SERVICE"},${1 + at % 3},1000`
  )

/** A table with one more column. */
const withColumn = (table: string, header: string, cell: (at: number) => string): string =>
  table.trim().split("\n").map((line, at) => `${line},${at === 0 ? header : cell(at - 1)}\n`).join("")

/** The codes and the totals of invoices, and the codes of the invoices that their lines name. */
const bills = (invoices: ReadonlyArray<Record<string, any>>) =>
  invoices.map(({ code, medications, services, total }) => [
    code,
    total,
    ...new Set([...services, ...medications].map(({ invoice_code }) => invoice_code))
  ])

describe("A draft for a table of charges", () => {
  for (const number of ["bill_no", "InvoiceID", "No Factura", "receipt_no"]) {
    it.effect(`sends the charges with one ${number} as one invoice`, () =>
      Effect.gen(function*() {
        const { mapping, text, visits } = yield* begun({ "charges.csv": charges(number) })
        assert.deepStrictEqual(bills(visits[3].invoices), [["B06", 3000, "B06"], ["B07", 4000, "B07"]])
        assert.strictEqual(mapping.visit.invoices.groupBy.length, 1)
        assert.strictEqual(/by the name of its column: verify it/u.test(text), number === "receipt_no")
      }).pipe(Effect.scoped))
  }

  it.effect("sends lines without a number of a bill as one invoice of their visit, and doubts it", () =>
    Effect.gen(function*() {
      const { text, visits } = yield* begun({ "charges.csv": charges("bill_no").replaceAll(/^B07,/gmu, ",") })
      assert.deepStrictEqual(bills(visits[3].invoices), [["B06", 3000, "B06"], ["V03", 4000, "V03"]])
      assert.include(text, "lines without a number are one invoice of their visit: verify it")
    }).pipe(Effect.scoped))

  it.effect("does not take the number of a bill for the key of its lines, although each has one line", () =>
    Effect.gen(function*() {
      const first = charges("bill_no").split("\n").filter((_, at) => at === 0 || at % 2 === 1).join("\n")
      const { mapping, text, visits } = yield* begun({ "charges.csv": first }, { "charges.csv": charges("bill_no") })
      assert.strictEqual(mapping.table.charges.key, undefined)
      assert.include(text, "each line has a number of its own: verify it")
      assert.deepStrictEqual(bills(visits[3].invoices), [["B06", 3000, "B06"], ["B07", 4000, "B07"]])
    }).pipe(Effect.scoped))

  for (const total of ["line_total", "total_linea", "Total ligne"]) {
    it.effect(`sends the amounts of lines, which are no part of a key: ${total}`, () =>
      Effect.gen(function*() {
        /** Two lines of a visit with one price, of which one is reduced, or neither. */
        const lines = (reduced: number): string =>
          `visit_id,billed_at,item_code,item_name,qty,unit_price,${total}\n${
            upTo(20).map((at) =>
              [9, reduced].map((amount, item) =>
                `V${two(at - 1)},2026-03-${two(at)} 08:10,C${item},Item ${item},3,3,${amount}\n`
              ).join("")
            ).join("")
          }`
        const { text, visits: [visit] } = yield* begun({ "charges.csv": lines(8) }, { "charges.csv": lines(9) })
        assert.notMatch(text, /key: .*(?:total|ligne)/u)
        assert.deepStrictEqual(visit.invoices.map((one: any) => [one.total, one.services.length]), [[18, 2]])
        const { visits: [first] } = yield* begun({ "charges.csv": lines(8) })
        assert.strictEqual(first.invoices[0].total, 17)
        assert.deepStrictEqual(first.invoices[0].services.map((one: any) => one.payment), [9, 8])
      }))
  }

  it.effect("takes no two columns for the key of lines, so that equal lines are sent and reported", () =>
    Effect.gen(function*() {
      const first = charges("bill_no")
      const line = first.split("\n")[1]
      const { mapping, told, visits } = yield* begun({ "charges.csv": first }, { "charges.csv": `${first}${line}\n` })
      assert.strictEqual(mapping.table.charges.key, undefined)
      assert.deepStrictEqual(bills(visits[0].invoices), [["B00", 4000, "B00"], ["B01", 4000, "B01"]])
      assert.include(told, "duplicate-record")
    }).pipe(Effect.scoped))

  for (
    const [header, value] of [
      ["discount", 500],
      ["Disc", 500],
      ["descuento", "50.50"],
      ["Desconto", 20],
      ["remise", 9],
      ["rebate", 1]
    ]
  ) {
    it.effect(`sends the discounts of the column ${header}`, () =>
      Effect.gen(function*() {
        const { text, visits } = yield* begun({
          "charges.csv": withColumn(charges("bill_no"), `${header}`, (at) => at % 2 === 0 ? "0" : `${value}`)
        })
        assert.notInclude(text, "discount-is-none")
        const [{ medications, services }] = visits[0].invoices
        assert.deepStrictEqual([services[0].discount, medications[0].discount], [0, Number(value)])
      }).pipe(Effect.scoped))
  }

  for (
    const [header, value, words] of [
      ["discount_pct", "5", "discount: \"unit_price * qty * discount_pct / 100\""],
      ["Disc %", "2.5", "discount: \"unit_price * qty * disc / 100\""],
      ["discount", "5%", "`discount` in `charges` has no amounts"]
    ] as const
  ) {
    it.effect(`asks about the discounts ${value} of the column ${header}, and sends none`, () =>
      Effect.gen(function*() {
        const { text, visits, words: told } = yield* begun({
          "charges.csv": withColumn(charges("bill_no"), header, () => value)
        })
        assert.notInclude(text, "discount-is-none")
        const plain = text.replaceAll("\\\"", "\"")
        assert.include(plain, "# QUESTION how much is the discount of a line?")
        assert.include(plain, words)
        assert.include(told, "QUESTION how much is the discount of a line?")
        assert.isNull(visits[0].invoices[0].services[0].discount)
      }).pipe(Effect.scoped))
  }

  for (const [header, truths] of [["Paid", [1, 0]], ["is_paid", [0, 1]], ["Paid", ["Y", "N"]]] as const) {
    it.effect(`sends ${truths.join(" and ")} of the column ${header} as truths, and never as an amount`, () =>
      Effect.gen(function*() {
        const { text, visits } = yield* initialized({
          ...days(4),
          "charges.csv": rowsUnder(
            `visit_no,item_code,item_name,amount,${header}`,
            4,
            (at) => `V-${at + 1},S${at},Service,25,${truths[at % 2]}`
          )
        })
        assert.match(text, /paid: .*boolean/u)
        assert.deepStrictEqual(
          visits.map(({ invoices }) => invoices[0].services[0]).map(({ paid, payment }) => [payment, paid]),
          [0, 1, 2, 3].map((at) => [25, truths[at % 2] === 1 || truths[at % 2] === "Y"])
        )
      }))
  }

  for (const header of ["currency_code", "ccy", "Curr"]) {
    it.effect(`finds the currencies in the column ${header}, so that visits in two of them are not sent together`, () =>
      Effect.gen(function*() {
        const { mapping, told, visits } = yield* begun({
          "charges.csv": withColumn(charges("bill_no"), header, (at) => at < 60 ? "KHR" : "USD")
        })
        assert.strictEqual(mapping.table.charges.column.currency.from, header)
        assert.strictEqual(visits.length, 15)
        assert.include(told, "other-currency")
      }).pipe(Effect.scoped))
  }

  it.effect("takes no codes of another kind for currencies", () =>
    Effect.gen(function*() {
      const { mapping, visits } = yield* begun({
        "charges.csv": withColumn(charges("bill_no"), "curr", (at) => ["W1", "W2"][at % 2] ?? "")
      })
      assert.strictEqual(mapping.table.charges.column.currency, undefined)
      assert.strictEqual(visits.length, 20)
    }).pipe(Effect.scoped))

  it.effect("sends no amounts of an insurance as types of payments", () =>
    Effect.gen(function*() {
      const insured = withColumn(charges("bill_no"), "Insurance", (at) => `${500 + at % 2}`)
      const { visits } = yield* begun({ "charges.csv": withColumn(insured, "PaymentMode", () => "Cash") })
      assert.strictEqual(visits[0].invoices[0].payment_type, "Cash")
      const { visits: others } = yield* begun({ "charges.csv": insured })
      assert.isNull(others[0].invoices[0].payment_type)
    }).pipe(Effect.scoped))

  for (const header of ["payment_method", "PayMode", "pay_mode", "paymode"]) {
    it.effect(`sends the column ${header} of invoices as the type of payment`, () =>
      Effect.gen(function*() {
        const { visits } = yield* begun({
          "bills.csv": rowsUnder(`bill_no,visit_id,billed_at,total,${header}`, 20, (at) =>
            `B${two(at)},V${two(at)},2026-03-${two(1 + at)} 08:30,20,${["CASH", "CARD"][at % 2]}`),
          "bill_lines.csv": rowsUnder("bill_no,line_no,item_code,item_name,qty,price", 40, (at) =>
            `B${two(at % 20)},${1 + Math.trunc(at / 20)},C${at % 3},Item ${at % 3},1,10`)
        })
        assert.deepStrictEqual(
          visits.slice(0, 2).map(({ invoices }) =>
            invoices[0].payment_type
          ),
          ["CASH", "CARD"]
        )
      }).pipe(Effect.scoped))
  }
})

describe("A draft for a table of prescriptions", () => {
  for (
    const [code, name] of [
      ["med_code", "medicine"],
      ["CodMed", "Medicamento"],
      ["cod_medicamento", "medicamento"],
      ["rxcui", "medicine"]
    ] as const
  ) {
    it.effect(`sends ${code} as the code of a medicine, and ${name} as its name`, () =>
      Effect.gen(function*() {
        const { visits } = yield* begun({
          "prescriptions.csv": rowsUnder(`visit_id,prescribed_at,${name},${code},strength,days`, 40, (at) =>
            `V${two(at % 20)},2026-03-${two(1 + at % 20)} 08:30,${["Paracetamol", "Amoxicillin"][at % 2]},M${
              at % 2
            },500 mg,5`)
        })
        const [{ code: sent, medicine_name }] = visits[1].prescriptions[0].medications
        assert.deepStrictEqual([sent, medicine_name], ["M1", "Amoxicillin"])
      }).pipe(Effect.scoped))
  }
})

describe("Fees in the rows of visits", () => {
  it.effect("are asked about, because no invoice has them", () =>
    Effect.gen(function*() {
      const { questions } = yield* drafted(days(8, { header: ",consult_fee,lab_fee", more: (at) => `,${at},5` }))
      assert.match(questions, /QUESTION what was charged, by `consult_fee`, `lab_fee` in `visit`\? No invoice has/u)
    }))
})

describe("A service that was charged several times in one row", () => {
  it.effect("is sent with the price of all, as an assumption, and taxes next to its amount are asked about", () =>
    Effect.gen(function*() {
      const { problems, questions, visits } = yield* drafted({
        ...days(8),
        "charges.csv": rowsUnder(
          "charge_id,visit_no,charge_date,item_code,item_name,item_group,qty,unit_price,amount,vat",
          16,
          (at) =>
            `${1000 + at},V-${1 + at % 8},2026-03-0${1 + at % 8},${
              at < 8 ? "ROOM,Room,Service,3,100.50,301.50,21.10" : "AMOX,Amoxicillin,Drug,10,0.50,5.00,0.00"
            }`
        )
      })
      assert.deepStrictEqual(
        visits.map(({ invoices: [{ medications, services, total }] }) => [
          total,
          services.map(({ payment, price }: any) => [price, payment]),
          medications.map(({ payment, price, quantity }: any) => [price, quantity, payment])
        ]),
        upTo(8).map(() => [306.5, [[301.5, 301.5]], [[0.5, 10, 5]]])
      )
      assert.match(problems, /8 visits +service-price-is-of-all-pieces/u)
      assert.include(
        questions.replaceAll(/\s+/gu, " "),
        "are taxes part of the amounts of `charges`? `vat` is not added to them"
      )
    }))
})
