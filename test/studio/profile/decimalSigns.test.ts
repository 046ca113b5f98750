import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Profile } from "../../../src/studio/profile/Profile.ts"
import { present } from "../../present.ts"
import { temporaryFolder, written } from "../../run/converted.ts"
import { days, drafted, table, type } from "./drafted.ts"

const visits = "visit_no;patient_no;admitted;discharged;type\n"
  + "V-1;P-1;2026-03-01 08:15;2026-03-01 09:15;OPD\nV-2;P-1;2026-03-02 08:15;2026-03-02 09:15;OPD\n"
const patients = "patient_no;surname;birth_date;sex\nP-1;Example;1990-04-12;F\n"

/** What of a bill its profile says, and the line of its price. */
const bill = (cells: ReadonlyArray<string>, more: Readonly<Record<string, string>> = {}, header = "price") =>
  Effect.gen(function*() {
    const folder = yield* temporaryFolder
    written(folder, {
      "bills.csv": `bill_no;visit_no;item_code;${header}\n${
        cells.map((cell, at) => `B-${at};V-1;X${at};${cell}\n`).join("")
      }`,
      ...more
    })
    const { stdout } = yield* type("profile", folder, "--format", "json")
    const { suggestions, tables }: Profile = JSON.parse(stdout)
    const bills = present(tables.find(({ name }) => name === "bills"))
    const column = bills.columns.find(({ name }) => name === header.split(";")[0])
    const line = new RegExp(`(?:# (.*)\\n\\s*)?${header.split(";")[0]}: (.*)`, "u").exec(suggestions.overlay)
    return { column, why: line?.[1] ?? "", line: line?.[2] }
  })

const doubt = /verify it/u

describe("Numbers with exactly three digits after their sign", () => {
  it.effect("are read as thousands if they are money, and the line is marked as a guess", () =>
    Effect.gen(function*() {
      const point = yield* bill(["15.000", "5.500", "500"])
      assert.strictEqual(point.line, "{type: decimal, decimal: \",\", group: \".\"}")
      assert.match(point.why, doubt)
      assert.deepInclude(point.column, { either: ".", grouped: true })
      const comma = yield* bill(["15,000", "5,500"])
      assert.strictEqual(comma.line, "{type: decimal, group: \",\"}")
      assert.match(comma.why, doubt)
    }))

  it.effect("are read as decimals if they are not money or other columns of the file show it, and are marked as well", () =>
    Effect.gen(function*() {
      const dose = yield* bill(["1.000", "2.500"], {}, "quantity")
      assert.strictEqual(dose.line, "decimal")
      assert.match(dose.why, doubt)
      const beside = yield* bill(["1.000;2.5", "2.500;1.25"], {}, "price;quantity")
      assert.strictEqual(beside.line, "decimal")
      assert.match(beside.why, doubt)
    }))

  it.effect("are read as the amounts of other files are; a measurement elsewhere does not decide about money", () =>
    Effect.gen(function*() {
      const amounts = yield* bill(["15.000", "5.500"], { "costs.csv": "id;cost\n1;12.5\n2;8.25\n" })
      assert.strictEqual(amounts.line, "decimal")
      const fever = yield* bill(["15.000", "5.500"], { "vitals.csv": "id;temp\n1;36.5\n2;38.25\n" })
      assert.strictEqual(fever.line, "{type: decimal, decimal: \",\", group: \".\"}")
    }))

  it.effect("are read by their own column if one of its cells is unambiguous", () =>
    Effect.gen(function*() {
      for (
        const [cells, line] of [
          [["15.000", "0.500"], "decimal"],
          [["15.000", "1500.000"], "decimal"],
          [["15.000", "1.500.000"], "{type: decimal, decimal: \",\", group: \".\"}"],
          [["15.000", "500,50"], "{type: decimal, decimal: \",\", group: \".\"}"],
          [["15,000", "1,500.50"], "{type: decimal, group: \",\"}"],
          [["15,000", "0,5"], "{type: decimal, decimal: \",\"}"]
        ] as const
      ) {
        const reported = yield* bill(cells)
        assert.strictEqual(reported.line, line, cells.join(" "))
        assert.isUndefined(reported.why?.match(doubt) ?? undefined)
      }
    }))

  it.effect("are sent as thousands by what `init` writes, which lists them to verify", () =>
    Effect.gen(function*() {
      const { questions, visits: sent } = yield* drafted({
        "visits.csv": visits,
        "patients.csv": patients,
        "bills.csv": "bill_no;visit_no;billed;total\nB-1;V-1;2026-03-01 09:00;20.000\nB-2;V-2;2026-03-02 09:00;5.500\n",
        "bill_items.csv":
          "bill_no;item_code;item_name;price;amount\nB-1;CONS;Consultation;15.000;15.000\nB-1;LAB;Lab;5.000;5.000\nB-2;CONS;Consultation;5.500;5.500\n"
      })
      assert.include(
        questions,
        "verify numbers such as 15.000 or 15,000, read as thousands: bill_items.price, bill_items.amount, bills.total"
      )
      assert.deepStrictEqual(sent.map((one: Sent) => one.invoices[0]?.total), [20000, 5500])
      assert.deepStrictEqual(
        sent.slice(0, 1).flatMap((one: Sent) => one.invoices[0]?.services.map(({ price }) => price)),
        [15000, 5000]
      )
    }))
})

/** What `init` drafts for results, or for measures, and what is sent by the draft. */
const sentBy = (name: string, rows: ReadonlyArray<string>) =>
  drafted({
    "visits.csv": visits,
    "patients.csv": patients,
    [`${name}.csv`]: `visit_no;taken_at;name;value;unit\n${rows.map((row) => `V-1;2026-03-01 08:30;${row}\n`).join("")}`
  }).pipe(Effect.map(({ visits: [first], ...others }) => {
    const visit: Measured = present(first)
    const results = visit.laboratories.flatMap((one) => one.results)
    return {
      ...others,
      values: results.map(({ value }) => value),
      types: results.map(({ value_type }) => value_type),
      weights: visit.triages.map(({ weight }) => weight)
    }
  }))

const asksAboutSign = (sign: "comma" | "point") =>
  new RegExp(`QUESTION does the ${sign} in results such as 5[,.]100 separate thousands or decimals`, "u")

describe("Results with exactly three digits after their sign", () => {
  it.effect("are sent as text, with a question, if no result shows what the sign means", () =>
    Effect.gen(function*() {
      const comma = yield* sentBy("labs", ["Glucose;95;mg/dL", "WBC;5,100;/uL", "Platelets;150,000;/uL"])
      assert.deepStrictEqual(comma.values, [95, "5,100", "150,000"])
      assert.deepStrictEqual(comma.types, ["float", "string", "string"])
      assert.match(comma.questions, asksAboutSign("comma"))
      const point = yield* sentBy("labs", ["Glucose;95;mg/dL", "WBC;5.100;/uL", "Malaria;negative;"])
      assert.deepStrictEqual(point.values, [95, "5.100", "negative"])
      assert.match(point.questions, asksAboutSign("point"))
    }))

  it.effect("are thousands if the other sign is that of decimals in other results", () =>
    Effect.gen(function*() {
      const comma = yield* sentBy("labs", [
        "Glucose;5,0;mmol/L",
        "CRP;12,35;mg/L",
        "Platelets;150.000;/uL",
        "X;1.500,5;"
      ])
      assert.deepStrictEqual(comma.values, [5, 12.35, 150_000, 1500.5])
      assert.notMatch(comma.questions, asksAboutSign("point"))
      const point = yield* sentBy("labs", ["Glucose;5.0;mmol/L", "WBC;5,100;/uL", "Malaria;negative;"])
      assert.deepStrictEqual(point.values, [5, 5100, "negative"])
      assert.notMatch(point.questions, asksAboutSign("comma"))
    }))

  it.effect("are sent as text if some results have a decimal point and others a decimal comma", () =>
    Effect.gen(function*() {
      const commas = yield* sentBy("labs", ["A;5,0;", "B;6,1;", "C;7.5;", "D;5.100;", "E;5,100;"])
      assert.deepStrictEqual(commas.values, [5, 6.1, 7.5, "5.100", 5.1])
      assert.match(commas.questions, asksAboutSign("point"))
      const points = yield* sentBy("labs", ["A;5.0;", "B;6.1;", "C;7,5;", "D;5,100;", "E;5.100;"])
      assert.deepStrictEqual(points.values, [5, 6.1, "7,5", "5,100", 5.1])
      assert.match(points.questions, asksAboutSign("comma"))
    }))

  it.effect("are decimals among vital signs, which are small, and the line is marked as a guess", () =>
    Effect.gen(function*() {
      const { mapping, weights } = yield* sentBy("vitals", ["Weight;3,250;kg", "Height;50;cm"])
      assert.deepStrictEqual(weights, [3.25])
      assert.match(mapping, /three digits follow every comma: read as decimals: verify it/u)
      const sure = yield* sentBy("vitals", ["Weight;3,250;kg", "Height;50,5;cm"])
      assert.deepStrictEqual(sure.weights, [3.25])
      assert.notMatch(sure.mapping, /three digits/u)
    }))
})

interface Measured {
  readonly laboratories: ReadonlyArray<{
    readonly results: ReadonlyArray<{ readonly value: unknown; readonly value_type: string }>
  }>
  readonly triages: ReadonlyArray<{ readonly height: unknown; readonly weight: unknown }>
}

interface Sent {
  readonly invoices: ReadonlyArray<{
    readonly total: number
    readonly services: ReadonlyArray<{ readonly price: number }>
  }>
}

describe("A result of a later extract", () => {
  const labs = (result: (at: number) => string) =>
    table("visit_no,taken_at,test,result", 8, (at) => `V-${at},2026-03-0${at} 08:30,Test,"${result(at)}"`)

  for (
    const [first, later, sent] of [
      ["12.5", "0012", "0012"],
      ["12.5", "007.5", "007.5"],
      ["12.5", "0.5", 0.5],
      ["12.5", "0", 0],
      ["12.5", "1.234", 1.234],
      ["12.5", "1,234", "1,234"],
      ["12.5", ">100", ">100"],
      ["12.5", "1 200", "1 200"],
      ["125", "1.234", "1.234"],
      ["125", "12.5", 12.5],
      ["12,5", "1,234", 1.234],
      ["12,5", "1.234", "1.234"],
      ["12,5", "1.5", 1.5],
      ["12,5", "0012", "0012"]
    ] as const
  ) {
    it.effect(`is never another number: ${later} after ${first}`, () =>
      Effect.gen(function*() {
        const { later: { visits } } = yield* drafted({ ...days(8), "labs.csv": labs(() => first) }, {
          "labs.csv": labs(() => later)
        })
        const [{ value, value_type }] = visits[0].laboratories[0].results
        assert.deepStrictEqual([value, value_type], [sent, typeof sent === "number" ? "float" : "string"])
      }))
  }
})
