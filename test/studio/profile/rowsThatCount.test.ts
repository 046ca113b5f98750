import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { days, drafted, table, two } from "./drafted.ts"

const fifth = (one: string, others: string) => (at: number): string => `,${at % 5 === 0 ? one : others}`

describe("A column of yes and no that no line reads", () => {
  for (const [header, one, others] of [["attended", "0", "1"], ["is_training", "Y", "N"], ["billable", "no", "yes"]]) {
    it.effect(`is asked about: ${header}`, () =>
      Effect.gen(function*() {
        const { mapping, questions, visits } = yield* drafted(
          days(20, { header: `,${header}`, more: fifth(one ?? "", others ?? "") })
        )
        assert.include(
          questions,
          `are there rows that should not be sent, by \`visit.${header}\` (${others} 16, ${one} 4)? No line reads this column, and all rows are sent`
        )
        assert.include(mapping, `# - visit: ${header} 20`)
        assert.lengthOf(visits, 20)
      }))
  }

  it.effect("is asked about in patients and charges, too: test patients, and what was given back", () =>
    Effect.gen(function*() {
      const { "visits.csv": visits } = days(20)
      const { questions } = yield* drafted({
        "visits.csv": visits,
        "patients.csv": table(
          "patient_no,surname,birth_date,sex,is_test",
          20,
          (at) => `P-${at},Example,1990-04-12,F${fifth("1", "0")(at)}`
        ),
        "charges.csv": table(
          "visit_no,item_code,item_name,item_type,qty,unit_price,amount,is_return,charged_at",
          20,
          (at) => `V-${at},D1,Paracetamol,Drug,5,2,10${fifth("1", "0")(at)},2026-03-${two(at)} 09:00`
        )
      })
      assert.include(questions, "`charges.is_return` (0 16, 1 4)")
      assert.include(questions, "`patient.is_test` (0 16, 1 4)")
    }))

  it.effect("is not asked about if a line reads it, if no row has a yes, or if all rows have the same value", () =>
    Effect.gen(function*() {
      const { questions } = yield* drafted({
        ...days(20, { header: ",billed,voided,open", more: (at) => `,1${fifth("1", "0")(at)}${fifth("0", "")(at)}` }),
        "charges.csv": table(
          "visit_no,item_code,item_name,amount,paid,charged_at",
          20,
          (at) => `V-${at},S1,Consultation,10${fifth("N", "Y")(at)},2026-03-${two(at)} 09:00`
        )
      })
      assert.notInclude(questions, "are there rows that should not be sent")
    }))
})

describe("Visits without the patient", () => {
  for (const [header, one, others] of [["no_show", "Y", "N"], ["is_test", "1", "0"], ["remarks", "DNA", ""]]) {
    it.effect(`are not sent: ${header} ${one}`, () =>
      Effect.gen(function*() {
        const { visits } = yield* drafted(days(20, { header: `,${header}`, more: fifth(one ?? "", others ?? "") }))
        assert.lengthOf(visits, 16)
      }))
  }
})

describe("Rows that name another row of their table", () => {
  it.effect("are asked about: parts of a package, and merged patients", () =>
    Effect.gen(function*() {
      const { "visits.csv": visits } = days(20)
      const charge = (at: number): string => `V-${at}`
      const { questions } = yield* drafted({
        "visits.csv": visits,
        "patients.csv": table(
          "patient_no,surname,birth_date,sex,merged_into",
          20,
          (at) => `P-${at},Example,1990-04-12,F,${at === 5 ? "P-1" : ""}`
        ),
        "charges.csv": `${
          table(
            "charge_id,parent_charge_id,visit_no,item_code,item_name,amount,charged_at",
            20,
            (at) => `${at},,${charge(at)},PK,Package,500,2026-03-${two(at)} 09:00`
          )
        }${table("", 20, (at) => `${100 + at},${at},${charge(at)},S1,Test,40,2026-03-${two(at)} 09:00`).trim()}\n`
      })
      assert.include(questions, "`patient.merged_into` (")
      assert.include(questions, "`charges.parent_charge_id` (")
    }))
})

describe("Columns that are only searched for words of cancelled rows", () => {
  it.effect("are listed, because their values are not sent", () =>
    Effect.gen(function*() {
      const { mapping } = yield* drafted(days(20, { header: ",remarks", more: () => ",seen twice" }))
      assert.include(mapping, "# - only searched for words such as `Cancelled`, and not sent: `visit.remarks`")
    }))
})
