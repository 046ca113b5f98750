import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { days, drafted, table, two } from "./drafted.ts"

const day = (at: number) => `2026-03-${two(at)}`

describe("The times at which an invoice was recorded", () => {
  const charged = (header: string, more: (at: number) => string, bill = "") =>
    drafted({
      ...days(6),
      "charges.csv": table(`visit_no,item_code,item_name,amount${header}`, 6, (at) => `V-${at},S1,X-ray,5${more(at)}`),
      ...(bill === ""
        ? {}
        : { "bills.csv": table(bill, 6, (at) => `B-${at},V-${at},${day(at)} 09:00,${day(at)} 09:10,5`) })
    }).pipe(Effect.map(({ mapping, visits: [{ invoices: [{ created_at, invoice_date, updated_at }] }] }) => ({
      mapping,
      times: [invoice_date, created_at, updated_at].map((time: string) => time.slice(11, 16))
    })))
  const assumed = (field: string) => new RegExp(`${field}: .*path: charge_date, assume: recorded-when-it-happened`, "u")

  it.effect("are its date, as an assumption, if no column has them", () =>
    Effect.gen(function*() {
      const { mapping, times } = yield* charged(",charge_date", (at) => `,${day(at)} 08:40`)
      assert.deepStrictEqual(times, ["08:40", "08:40", "08:40"])
      assert.match(mapping, assumed("created_at"))
      assert.match(mapping, assumed("updated_at"))
    }))

  it.effect("are in columns of their own, of the lines or of the invoice", () =>
    Effect.gen(function*() {
      const lines = yield* charged(
        ",charge_date,created_at,updated_at",
        (at) => `,${day(at)} 08:40,${day(at)} 09:00,${day(at)} 09:10`
      )
      assert.deepStrictEqual(lines.times, ["08:40", "09:00", "09:10"])
      const bills = yield* charged(",bill_no", (at) => `,B-${at}`, "bill_no,visit_no,date_created,date_changed,total")
      assert.deepStrictEqual(bills.times, ["09:00", "09:00", "09:10"])
    }))
})

describe("The time of another step", () => {
  it.effect("is sent for that of a request, a sample, a verification or a prescription by an assumption", () =>
    Effect.gen(function*() {
      const { mapping, visits: [visit] } = yield* drafted({
        ...days(6),
        "lab_results.csv": table(
          "visit_no,test,result,unit,sample_time",
          6,
          (at) => `V-${at},Glucose,5.${at},mmol/L,${day(at)} 08:30`
        ),
        "drugs_dispensed.csv": table(
          "visit_no,drug_code,drug_name,dispensed_at",
          6,
          (at) => `V-${at},D1,Example,${day(at)} 08:50`
        )
      })
      assert.strictEqual(visit.laboratories[0].requested_at.slice(11, 16), "08:30")
      assert.strictEqual(visit.prescriptions[0].prescribed_at.slice(11, 16), "08:50")
      for (const field of ["requested_at", "verified_at", "recorded_at", "prescribed_at"]) {
        assert.match(mapping, new RegExp(` ${field}: .*assume: other-time-is-sent`, "u"))
      }
      assert.notMatch(mapping, /collected_at: .*other-time/u)
    }))
})

describe("Rows of one prescription with two prescribers", () => {
  it.effect("send the first with a warning", () =>
    Effect.gen(function*() {
      const { problems, visits: [visit] } = yield* drafted(
        {
          ...days(6),
          "prescriptions.csv": table(
            "visit_no,rx_no,drug_code,drug_name,prescribed_at,doctor",
            6,
            (at) =>
              [1, 2].map((row) =>
                `V-${at},R-${at},D${row},Example ${row},${day(at)} 08:50,Dr ${
                  at === 1 && row === 2 ? "Other" : "Example"
                }`
              ).join("\n")
          )
        },
        {},
        {},
        { format: "line" }
      )
      assert.strictEqual(visit.prescriptions[0].prescribed_by, "Dr Example")
      assert.match(
        problems,
        /the rows have several: the first is sent \(1×|the rows have several: the first is sent.*V-1 /u
      )
      assert.notMatch(problems, /the rows have several.*V-2 /u)
    }))
})
