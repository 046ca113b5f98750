import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { days, drafted, table, two } from "./drafted.ts"

const day = (at: number) => `2026-03-${two(at)}`

/** Invoices of an accounting program, with a second one for the third visit. */
const invoiced = (type: string, taken: string) =>
  drafted({
    ...days(6),
    "invoices.csv": `${
      table(
        "invoice_no,visit_no,move_type,invoice_date,write_date,amount_untaxed,amount_tax,amount_total",
        6,
        (at) => `I-${at},V-${at},${type},${day(at)},${day(at)} 12:00,18,2,20`
      )
    }I-9,V-3,${taken},${day(3)},${day(3)} 12:00,18,2,20\n`,
    "invoice_lines.csv": `${
      table("invoice_no,item_code,item_name,qty,unit_price,price_subtotal", 6, (at) => `I-${at},C1,Example,2,9,18`)
    }I-9,C1,Example,2,9,18\n`
  })

describe("An invoice that takes back another", () => {
  for (const [type, taken] of [["Invoice", "Credit note"], ["out_invoice", "out_refund"]] as const) {
    it.effect(`is asked about and rejects its visit: ${taken}`, () =>
      Effect.gen(function*() {
        const { questions, visits } = yield* invoiced(type, taken)
        assert.deepStrictEqual(visits.map(({ code }) => code), ["V-1", "V-2", "V-4", "V-5", "V-6"])
        assert.include(questions, "which rows of `invoices_table` are charges, by `move_type`?")
        const [{ invoice_date, services, total, updated_at }] = visits[0].invoices
        assert.deepStrictEqual([invoice_date, updated_at].map((time: string) => time.slice(11, 16)), ["00:00", "12:00"])
        assert.deepStrictEqual([total, services[0].payment], [20, 18])
        assert.include(questions, "are taxes part of the amounts of `invoices_table`? `amount_tax` is not added")
      }))
  }
})

describe("A negative quantity of a medicine", () => {
  it.effect("is not sent as a prescription, with a warning and a question", () =>
    Effect.gen(function*() {
      const { problems, questions, visits: [visit] } = yield* drafted({
        ...days(6),
        "pharmacy_sales.csv": table("visit_no,sold_at,drug_code,drug_name,qty", 6, (at) =>
          `V-${at},${day(at)} 08:50,D1,Example,20\nV-${at},${day(at)} 08:50,D2,Other,${at === 1 ? "-" : ""}10`)
      })
      assert.strictEqual(visit.prescriptions[0].medications.length, 1)
      assert.include(problems, "dropped: a negative quantity")
      assert.match(questions.replaceAll(/\s+/gu, " "), /were the medicines returned that a negative `qty`/u)
    }))
})

describe("Who made a diagnosis, and when a result was verified", () => {
  it.effect("are read in columns of their own", () =>
    Effect.gen(function*() {
      const { visits: [visit] } = yield* drafted({
        ...days(6),
        "diagnoses.csv": table("visit_no,icd10_code,diagnosed_by", 6, (at) => `V-${at},A90,Example`),
        "lab_results.csv": table("visit_no,test,result,unit,result_datetime,verified_datetime", 6, (at) =>
          `V-${at},Glucose,5.${at},mmol/L,${day(at)} 08:30,${day(at)} 08:40`)
      })
      assert.strictEqual(visit.diagnosis[0].diagnosed_by, "Example")
      const [{ recorded_at, verified_at }] = visit.laboratories[0].results
      assert.deepStrictEqual(
        [recorded_at, verified_at].map((time: string) =>
          time.slice(11, 16)
        ),
        ["08:30", "08:40"]
      )
    }))
})
