import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { parse } from "yaml"
import { noWords, yesWords } from "../../../src/studio/profile/tables/words/columnWords.ts"
import { days, drafted, table, two, upTo } from "./drafted.ts"

/** The state of a row: those of three visits are cancelled. */
const state = (at: number): string => ([2, 4, 6].includes(at) ? "Cancelled" : "Final")

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
  const histories = [
    ["allergies", "patient_no,allergen", "Penicillin", "Ruled Out"],
    ["vaccines", "patient_no,vaccine_name", "BCG", "Refused"]
  ] as const
  const draftOf = (...files: ReadonlyArray<Readonly<Record<string, string>>>) =>
    Effect.runSync(Effect.cached(drafted(Object.assign({}, days(8), ...files), {}, {}, { format: "line" })))
  /** One extract with all of these tables, but for the one that is another source of invoices. */
  const together = draftOf(
    ...sections.flatMap(([role, , files]) => (role === "invoices_table" ? [] : [files])),
    ...histories.map(([role, header, row, other]) => ({
      [`${role}.csv`]: table(`${header},status`, 8, (at) => `P-${at},${row},${at % 2 === 0 ? other : "Active"}`)
    }))
  )

  for (const [role, section, files] of sections) {
    it.effect(`are not sent, and asked about: ${role}`, () =>
      Effect.gen(function*() {
        const { problems, questions, visits } = yield* role === "invoices_table" ? draftOf(files) : together
        assert.deepStrictEqual(visits.map((visit) => visit[section].length), [1, 0, 1, 0, 1, 0, 1, 1])
        assert.include(questions, `which rows of \`${role}\` should be sent, by \`status\`?`)
        assert.match(problems, new RegExp(`dropped by its status .* V-2 › ${section}\\)`, "u"))
      }))
  }

  for (const [role, , row] of histories) {
    it.effect(`are no history of the patient, and asked about: ${role}`, () =>
      Effect.gen(function*() {
        const { questions, visits } = yield* together
        assert.deepStrictEqual(
          visits.map(({ medical_histories }) => medical_histories.filter((one: any) => one.value[0] === row).length),
          [1, 0, 1, 0, 1, 0, 1, 0]
        )
        assert.deepStrictEqual(visits.map(({ medical_histories }) => medical_histories.length), [
          2,
          0,
          2,
          0,
          2,
          0,
          2,
          0
        ])
        assert.include(questions, `which rows of \`${role}\` should be sent, by \`status\`?`)
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

describe("A column of outcomes", () => {
  const visitsWith = (header: string, value: (at: number) => string) =>
    drafted(days(12, { header: `,${header}`, more: (at) => `,${value(at)}` }))

  it.effect("is no state of the record, so that other words send their visits with a warning", () =>
    Effect.gen(function*() {
      const ends = ["Discharged", "Referred", "Admitted", "Died"]
      const { mapping, problems, questions } = yield* visitsWith("Outcome", (at) => ends[at % 4] ?? "")
      assert.notInclude(questions, "took place")
      assert.deepStrictEqual([...new Set(Object.values(parse(mapping).conceptMap.visit_visit_outcome.table))], ["yes"])
      assert.match(problems, /9 ready {6}3 rejected/u)
    }))

  it.effect("is one if a visit was cancelled: visits that ended in some way took place", () =>
    Effect.gen(function*() {
      const { mapping, questions, visits } = yield* visitsWith(
        "Outcome",
        (at) => at === 5 ? "Cancelled" : ["Cured", "Improved", "Died"][at % 3] ?? ""
      )
      assert.include(questions, "which rows of `visit` took place, by `visit_outcome`?")
      assert.deepStrictEqual(parse(mapping).conceptMap.visit_visit_outcome.table, {
        Cured: "yes",
        Improved: "yes",
        Died: "yes",
        Cancelled: "no"
      })
      assert.deepStrictEqual(visits.map(({ code }) => code), upTo(12).filter((at) => at !== 5).map((at) => `V-${at}`))
    }))

  it.effect("of arrivals is none: who was scheduled came", () =>
    Effect.gen(function*() {
      const { questions, visits } = yield* visitsWith("Arrival Mode", (at) =>
        ["Scheduled", "Referred", "Walk-in"][at % 3] ?? "")
      assert.notInclude(questions, "took place")
      assert.strictEqual(visits.length, 12)
    }))
})

describe("A word for a cancelled visit that only a later extract has", () => {
  const cancelled = ["Cancelled", "No show", "Entered in error"]
  for (
    const [header, ...values] of [
      ["Outcome", "Discharged", "Improved"],
      ["Outcome", "1", "2"],
      ["Disposition", "Completed", "Discharged"],
      ["Remarks", "Completed", "Discharged"],
      ["Result", "Cured", "Improved"],
      ["Visit Category", "New", "Follow up"],
      ["Payment Status", "Paid", "Unpaid"],
      ["visit_status,Outcome", "Closed,Improved", "Closed,Cured"],
      ["visit_status,record_status", "Closed,Active", "Closed,Active"],
      ["visit_status", "", ""]
    ] as const
  ) {
    it.effect(`does not send it: ${header} with ${values.join(" and ")}`, () =>
      Effect.gen(function*() {
        const rows = (words: ReadonlyArray<string>) =>
          days(8, {
            header: `,${header}`,
            more: (at) => {
              const value = values[at % 2] ?? ""
              return `,${words[at - 1] === undefined ? value : value.replace(/[^,]*$/u, words[at - 1] ?? "")}`
            }
          })
        const { later, visits } = yield* drafted(rows([]), rows(cancelled))
        assert.deepStrictEqual(visits.map(({ code }) => code), upTo(8).map((at) => `V-${at}`))
        assert.deepStrictEqual(later.visits.map(({ code }) => code), upTo(8).slice(3).map((at) => `V-${at}`))
        assert.match(later.problems, /5 ready {6}3 rejected|not used: 3 patient, 3 visit/u)
      }))
  }

  for (
    const [header, before, after] of [
      ["voided_by", "", "U-7"],
      ["deleted_at", "", "2026-03-09 10:00"],
      ["status", "", "Cancelled"],
      ["payment_status", "Paid", "Voided"],
      ["billing_state", "Final", "Reversed"],
      ["remark", "Settled", "Cancelled"]
    ] as const
  ) {
    it.effect(`does not send a charge: ${header} with ${before === "" ? "nothing" : before}, then ${after}`, () =>
      Effect.gen(function*() {
        const charges = (first: string) => ({
          "charges.csv": table(
            `visit_no,item_code,item_name,amount,${header}`,
            8,
            (at) => `V-${at},S1,Service,5,${at === 1 ? first : before}`
          )
        })
        const { later, visits } = yield* drafted({ ...days(8), ...charges(before) }, charges(after))
        assert.deepStrictEqual(visits.map(({ invoices }) => invoices.length), upTo(8).map(() => 1))
        assert.deepStrictEqual(
          later.visits.flatMap(({ code, invoices }) => invoices.length === 0 ? [] : [code]),
          upTo(8).slice(1).map((at) => `V-${at}`)
        )
        assert.match(later.problems, /1 rejected|dropped/u)
      }))
  }
})

describe("A column about the cancellation of visits", () => {
  for (
    const [header, cancelled, other] of [
      ["anulado", "S", "N"],
      ["Annul\u00E9", "Oui", "Non"],
      ["sn_cancelado", "1", "0"],
      ["Void Flag", "Y", "N"],
      ["cancel_flag", "1", ""],
      ["deleted_at", "2026-03-05 10:00", ""],
      ["Cancelled On", "2026-03-05", ""]
    ] as const
  ) {
    it.effect(`excludes them: ${header}, ${cancelled}`, () =>
      Effect.gen(function*() {
        const { questions, visits } = yield* drafted(
          days(8, { header: `,${header}`, more: (at) => `,${at === 2 || at === 5 ? cancelled : other}` })
        )
        assert.deepStrictEqual(visits.map(({ code }) => code), ["V-1", "V-3", "V-4", "V-6", "V-7", "V-8"])
        assert.notInclude(questions, "cancelled or deleted")
      }))
  }

  for (
    const [header, cancelled, other] of [
      ["is_active", "0", "1"],
      ["Active", "", "Y"],
      ["Cancellation Reason", "Another patient", ""],
      ["cancelled_by", "U-7", ""],
      ["Void", "9", "N"]
    ] as const
  ) {
    it.effect(`is asked about, and they are not sent: ${header}, ${cancelled}`, () =>
      Effect.gen(function*() {
        const { questions, visits } = yield* drafted(
          days(8, { header: `,${header}`, more: (at) => `,${at === 2 || at === 5 ? cancelled : other}` })
        )
        assert.deepStrictEqual(visits.map(({ code }) => code), ["V-1", "V-3", "V-4", "V-6", "V-7", "V-8"])
        assert.match(questions, /QUESTION which rows of `visit` are cancelled or deleted, by `\w+`\?/u)
      }))
  }

  it.effect("drops the rows of a section, and is no time of theirs", () =>
    Effect.gen(function*() {
      const { problems, visits } = yield* drafted({
        ...days(8),
        "diagnoses.csv": table("visit_no,icd10_code,seq,deleted_at", 8, (at) =>
          [`V-${at},A09,1,2026-03-09 10:00`, `V-${at},I10,2,`].join("\n")),
        "triage.csv": table("visit_no,taken_at,pulse,sbp,dbp,entered_in_error", 8, (at) =>
          `V-${at},2026-03-0${at} 08:30,7${at},120,80,${at === 1 ? "Y" : "N"}`)
      })
      assert.deepStrictEqual(
        visits[0].diagnosis.map((one: any) =>
          one.diagnosis_code
        ),
        ["I10"]
      )
      assert.deepStrictEqual(
        visits.map(({ vital_signs }) =>
          vital_signs.length
        ),
        [0, 1, 1, 1, 1, 1, 1, 1]
      )
      assert.include(problems, "dropped: deleted_at")
    }))
})

describe("Codes of states that are no words", () => {
  it.effect("send only visits with the code of most rows, to be verified, until they are filled in", () =>
    Effect.gen(function*() {
      const { mapping, questions, visits } = yield* drafted(
        days(8, { header: ",status", more: (at) => `,${at > 5 ? 9 : 1}` })
      )
      assert.strictEqual(visits.length, 5)
      assert.deepStrictEqual(parse(mapping).conceptMap.visit_status.table, { "1": "yes" })
      assert.match(questions, /QUESTION which rows of `visit` took place, by `status`\? {2}1 5, 9 3/u)
    }))
})

describe("A result that corrects another", () => {
  it.effect("rejects its visit until the facility decides, because the earlier one may be in the export", () =>
    Effect.gen(function*() {
      const { problems, questions, visits } = yield* drafted({
        ...days(8),
        "lab_results.csv": table(
          "result_id,visit_no,test_name,result,unit,status",
          8,
          (at) => `R-${at},V-${at},Haemoglobin,12.${at},g/dL,${at > 5 ? "Corrigé" : "Validé"}`
        )
      })
      assert.strictEqual(visits.length, 5)
      assert.include(problems, "the concept map `lab_results_status` does not contain a code of the source")
      assert.include(questions.replaceAll(/\s+/gu, " "), "leave out the earlier one")
    }))
})

describe("A value that `init` did not see", () => {
  const count = 8
  const first = {
    ...days(count, { header: ",status,deleted", more: () => ",Closed,0" }),
    "charges.csv": table(
      "visit_no,item_code,item_name,category,row_type,amount,status",
      count,
      (at) => `V-${at},S1,Service,Lab,CHARGE,5,Paid\nV-${at},D1,Pill,Drug,CHARGE,7,Paid`
    ),
    "results.csv": table(
      "visit_no,test_name,section_type,result,done_at",
      count,
      (at) => `V-${at},Glucose,LAB,95,2026-03-0${at} 08:30\nV-${at},Chest,XRAY,2,2026-03-0${at} 08:30`
    )
  }
  const others = [
    ["the status of a visit", "Closed", "Settled", "visit_status"],
    ["no status of a visit", "Closed", "", "visit_status"],
    ["a flag", ",0\n", ",V\n", "yes_or_no"],
    ["the status of a row", "Paid", "Reversed", "charges_status"],
    ["the type of a visit", "OPD", "Casualty", "visit_emergency"],
    ["the kind of a row", "CHARGE", "PAYMENT", "charges_charge"],
    ["the category of an item", "Drug", "Medicine", "charges_medicine"],
    ["no category of an item", "Drug", "", "charges_medicine"],
    ["the category of a result", "LAB", "Haematology", "results_laboratory"]
  ] as const

  it.effect("rejects the visit and is listed among the unmapped codes", () =>
    Effect.gen(function*() {
      const { again, visits: before } = yield* drafted(first)
      assert.deepStrictEqual(
        before.map(({ invoices: [invoice], laboratories, outpatients }) =>
          [invoice.services, invoice.medications, laboratories[0].results, outpatients].map(({ length }) => length)
        ),
        upTo(count).map(() => [1, 1, 1, 1])
      )
      for (const [what, from, to, map] of others) {
        const { problems, visits } = yield* again({
          "visits.csv": first["visits.csv"].replace(from, to),
          "charges.csv": first["charges.csv"].replace(from, to),
          "results.csv": first["results.csv"].replace(from, to)
        })
        assert.deepStrictEqual(visits.map(({ code }) => code), upTo(count).slice(1).map((at) => `V-${at}`), what)
        assert.include(problems, `the concept map \`${map}\` does not contain a code of the source`, what)
        assert.include(problems, "8 visits      7 ready      1 rejected", what)
      }
    }))

  it.effect("rejects the visit: no amount of a row", () =>
    Effect.gen(function*() {
      const { later: { problems, visits } } = yield* drafted(first, {
        "charges.csv": first["charges.csv"].replace(",5,", ",,")
      })
      assert.strictEqual(visits.length, 7)
      assert.include(problems, "`payment` has no value")
    }))

  it.effect("is decided by a row with yes or no, and by no other word", () =>
    Effect.gen(function*() {
      const rows = { Settled: "yes", Abandoned: "no", Doubtful: "perhaps" }
      const words = Object.keys(rows)
      const lines = first["visits.csv"].split("\n")
      const { later: { problems, visits } } = yield* drafted(first, {
        "visits.csv": lines.map((line, at) => line.replace("Closed", words[at - 1] ?? "Closed")).join("\n")
      }, { "visit_status.csv": `code,value\n${Object.entries(rows).map((row) => row.join(",")).join("\n")}\n` })
      assert.deepStrictEqual(visits.map(({ code }) => code), ["V-1", "V-4", "V-5", "V-6", "V-7", "V-8"])
      assert.include(problems, "the concept map `yes_or_no` does not contain a code of the source")
      assert.include(problems, "7 visits      6 ready      1 rejected")
    }))
})

describe("The words for yes and no of the base mapping", () => {
  it("are those that `init` knows", () => {
    const source = readFileSync("mappings/csv/concept-maps.yaml", "utf8")
    const { conceptMap: { yes_or_no: { table } } } = parse(source)
    assert.deepStrictEqual(
      table,
      Object.fromEntries([...yesWords.map((word) => [word, "yes"]), ...noWords.map((word) => [word, "no"])])
    )
  })
})

describe("Rows that no section takes, in a table without a key", () => {
  it.effect("are listed under the name of their table", () =>
    Effect.gen(function*() {
      const { mapping, questions } = yield* drafted({
        ...days(8),
        "lab_results.csv": table(
          "visit_no,test,result,taken_at,status",
          8,
          (at) => `V-${at},Hb,12.5,2026-03-0${at} 08:30,${state(at)}`
        )
      })
      assert.include(mapping, "# - in a visit, and in no section of it: lab_results 3")
      assert.include(questions, "3 records that no line reads")
    }))
})

describe("A column that a later extract has, and no table declares", () => {
  const withState = (word: string) => days(6, { header: ",Status", more: (at) => at === 2 ? `,${word}` : ",Active" })

  it.effect("rejects the visits of rows with a word for what was cancelled", () =>
    Effect.gen(function*() {
      for (const word of ["Cancelled", "no show", "ANNULÉ"]) {
        const { later } = yield* drafted(days(6), withState(word))
        assert.deepStrictEqual(later.visits.map(({ code }) => code).toSorted(), ["V-1", "V-3", "V-4", "V-5", "V-6"])
        assert.include(later.problems, "a row may be cancelled: a column that no table reads has a word for it")
      }
    }))

  it.effect("rejects no visit with other words, or with words that can be a finding or a test", () =>
    Effect.gen(function*() {
      for (const word of ["Cancelled by mistake", "Absent", "DNA"]) {
        const { later } = yield* drafted(days(6), withState(word))
        assert.strictEqual(later.visits.length, 6, word)
      }
    }))

  it.effect("rejects the visit of a row of another table", () =>
    Effect.gen(function*() {
      const drugs = (header: string, more: (at: number) => string) =>
        table(
          `visit_no,prescribed_at,drug_name${header}`,
          6,
          (at) => `V-${at},2026-03-${two(at)} 08:30,Amoxicillin${more(at)}`
        )
      const { later, visits } = yield* drafted(
        { ...days(6), "prescriptions.csv": drugs("", () => "") },
        { "prescriptions.csv": drugs(",order_state", (at) => at === 3 ? ",Voided" : ",") }
      )
      assert.strictEqual(visits.length, 6)
      assert.deepStrictEqual(later.visits.map(({ code }) => code).toSorted(), ["V-1", "V-2", "V-4", "V-5", "V-6"])
    }))
})
