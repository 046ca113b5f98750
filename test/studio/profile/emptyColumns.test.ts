import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { days, drafted, table, two } from "./drafted.ts"

const results = (cells: string) =>
  table(
    "request_no,visit_no,test_name,result,unit,reference_range,taken",
    20,
    (at) => `L-${at},V-${at},CRP,${at}.5,${cells},2026-03-${two(at)} 08:30`
  )
const medicines = (cells: string) =>
  table(
    "rx_no,visit_no,drug_code,drug_name,strength,route,frequency,ordered",
    20,
    (at) => `X-${at},V-${at},PARA,paracetamol,${cells},2026-03-${two(at)} 08:40`
  )
const charges = (cells: (at: number) => string) =>
  table(
    "bill_no,visit_no,item_code,item,qty,price,discount,return_qty,amount",
    20,
    (at) => `B-${at},V-${at},REG,Registration,2,1500,${cells(at)}`
  )

describe("Columns that are empty in the sample", () => {
  it.effect("are read in a later extract if a field is known for them", () =>
    Effect.gen(function*() {
      const { later: { visits } } = yield* drafted(
        { ...days(20), "lab_results.csv": results(","), "prescriptions.csv": medicines(",,") },
        { "lab_results.csv": results("mg/L,0-5"), "prescriptions.csv": medicines("500 mg,oral,BID") }
      )
      const [{ laboratories: [{ results: [result] }], prescriptions: [{ medications: [dose] }] }] = visits
      assert.deepStrictEqual([result.value_unit, result.reference_range], ["mg/L", "0-5"])
      assert.deepStrictEqual([dose.strength, dose.method, dose.interval], ["500 mg", "oral", "BID"])
    }))

  it.effect("change the amounts of a later extract if they are discounts or returned items", () =>
    Effect.gen(function*() {
      const { later: { problems, visits } } = yield* drafted(
        { ...days(20), "charges.csv": charges(() => ",,3000") },
        { "charges.csv": charges((at) => at === 3 ? ",1,3000" : "100,,2900") }
      )
      assert.strictEqual(visits.length, 19)
      assert.include(problems, "`payment` has no value")
      const [{ invoices: [{ services: [service], total }] }] = visits
      assert.deepStrictEqual([total, service.payment, service.discount], [2900, 2900, 100])
    }))

  it.effect("are the ways a visit ended, whose unknown words reject their visits", () =>
    Effect.gen(function*() {
      const ended = (word: (at: number) => string) =>
        days(20, { header: ",discharge_type", more: (at) => `,${word(at)}` })
      const { later: { problems, visits } } = yield* drafted(
        ended(() => ""),
        ended((at) => at === 2 ? "Zzz" : at === 1 ? "Absconded" : "")
      )
      assert.strictEqual(visits.length, 19)
      assert.include(problems, "the concept map `discharge_type` does not contain a code of the source")
      assert.strictEqual(visits[0].discharge_type, "Absconded")
    }))

  it.effect("are asked about if no field is known for them", () =>
    Effect.gen(function*() {
      const { questions } = yield* drafted(days(20, { header: ",ward,seen_by", more: () => ",," }))
      assert.include(
        questions,
        "can these columns have values in another extract?  visits.csv: `ward`, `seen_by`. They are empty"
      )
    }))

  it.effect("are not those of a file of visits and patients that are filled in its other rows", () =>
    Effect.gen(function*() {
      const { questions } = yield* drafted({
        "all.csv": table(
          "visit_no,patient_no,surname,birth_date,sex,admitted,discharged,icd10",
          20,
          (at) => `V-${at},P-${at},Example,1990-04-12,F,2026-03-${two(at)} 08:15,2026-03-${two(at)} 09:15,A09`
        )
      })
      assert.notInclude(questions, "can these columns have values in another extract?")
    }))

  it.effect("have no value in a day of zeros, also with a time of zeros", () =>
    Effect.gen(function*() {
      const people = (died: (at: number) => string) =>
        table("patient_no,surname,birth_date,sex,deceased_date", 6, (at) => `P-${at},Example,1990-04-12,F,${died(at)}`)
      const none = "0000-00-00 00:00:00"
      const { later: { visits }, visits: [first] } = yield* drafted(
        { ...days(6), "patients.csv": people(() => none) },
        { "patients.csv": people((at) => at === 2 ? "2026-03-02 09:00:00" : none) }
      )
      assert.strictEqual(first.patient.death_at, null)
      assert.strictEqual(visits[1].patient.death_at, "2026-03-02T09:00:00.000+07:00")
    }))
})

describe("Files without rows", () => {
  it.effect("are asked about, because no table reads them", () =>
    Effect.gen(function*() {
      const { questions } = yield* drafted(
        { ...days(6), "allergies_list.csv": "patient_no,allergen,noted\n" },
        {},
        {},
        { code: 1 }
      )
      assert.include(questions, "what will the rows of allergies_list.csv be? There is none so far")
    }))

  it.effect("are asked about if each row has another number of cells than the header", () =>
    Effect.gen(function*() {
      const { questions } = yield* drafted(
        { ...days(6), "costs.csv": table("bill_no,visit_no,item,amount", 6, (at) => `B-${at},V-${at},Visit,1,500`) },
        {},
        {},
        { code: 1 }
      )
      assert.include(questions, "how are the rows of costs.csv (6 rows) written? None of them can be read")
    }))
})

describe("A table of charges that no line reads", () => {
  it.effect("is asked about, also next to a question about one of its columns", () =>
    Effect.gen(function*() {
      const { questions } = yield* drafted({
        ...days(20),
        "billing.csv": table("id,visit_no,code_type,code,units,fee,justify", 20, (at) =>
          `${at},V-${at},CPT4,99213,1,75.00,J06.9|`)
      })
      assert.include(
        questions,
        "how should the rows of `billing` (20 rows) be sent? They look like charges or payments"
      )
    }))
})
