import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { days, drafted, table } from "./drafted.ts"

/** The state of a row: that of the second visit is cancelled. */
const state = (at: number): string => (at === 2 ? "Cancelled" : "Final")

const sections = [
  [
    "charges",
    "invoices",
    {
      "charges.csv": table("visit_no,item_code,item_name,amount,status", 8, (at) => `V-${at},S1,Service,5,${state(at)}`)
    }
  ],
  [
    "invoices_table",
    "invoices",
    {
      "invoices.csv": table(
        "invoice_no,visit_no,invoice_date,total,status",
        8,
        (at) => `I-${at},V-${at},2026-03-0${at} 08:30,5,${state(at)}`
      ),
      "invoice_lines.csv": table(
        "invoice_no,line,item_code,item_name,amount",
        8,
        (at) => [`I-${at},1,S1,Service,3`, `I-${at},2,S2,Service,2`].join("\n")
      )
    }
  ],
  [
    "lab_orders",
    "laboratories",
    {
      "lab_orders.csv": table(
        "order_no,visit_no,ordered_at,status",
        8,
        (at) => `O-${at},V-${at},2026-03-0${at} 08:30,${state(at)}`
      ),
      "lab_results.csv": table(
        "result_id,order_no,test_name,result,unit",
        8,
        (at) => `R-${at},O-${at},Haemoglobin,12.${at},g/dL`
      )
    }
  ],
  [
    "prescriptions_table",
    "prescriptions",
    {
      "prescriptions.csv": table(
        "prescription_no,visit_no,ordered_at,status",
        8,
        (at) => `O-${at},V-${at},2026-03-0${at} 08:30,${state(at)}`
      ),
      "prescription_items.csv": table(
        "prescription_no,line,drug_code,drug_name",
        8,
        (at) => [`O-${at},1,D1,Example`, `O-${at},2,D2,Other`].join("\n")
      )
    }
  ],
  [
    "triage",
    "vital_signs",
    {
      "triage.csv": table(
        "visit_no,taken_at,pulse,sbp,dbp,status",
        8,
        (at) => `V-${at},2026-03-0${at} 08:30,7${at},120,80,${state(at)}`
      )
    }
  ]
] as const

describe("Rows that did not take place", () => {
  for (const [role, section, files] of sections) {
    it.effect(`are not sent, and asked about: ${role}`, () =>
      Effect.gen(function*() {
        const { problems, questions, visits } = yield* drafted({ ...days(8), ...files })
        assert.deepStrictEqual(visits.map((visit) => visit[section].length), [1, 0, 1, 1, 1, 1, 1, 1])
        assert.include(questions, `which rows of \`${role}\` should be sent, by \`status\`?`)
        assert.include(problems, "dropped by its status")
      }))
  }

  it.effect("are no lines of an invoice, and no part of its sum", () =>
    Effect.gen(function*() {
      const { problems, visits: [visit] } = yield* drafted({
        ...days(8),
        "invoices.csv": table("invoice_no,visit_no,invoice_date", 8, (at) => `I-${at},V-${at},2026-03-0${at} 08:30`),
        "invoice_lines.csv": table("invoice_no,line,item_code,item_name,amount,status", 8, (at) =>
          [`I-${at},1,S1,Service,5,Final`, `I-${at},2,S2,Service,7,Cancelled`].join("\n"))
      })
      const [{ services, total }] = visit.invoices
      assert.deepStrictEqual([total, services.length], [5, 1])
      assert.include(problems, "dropped by its status")
    }))
})
