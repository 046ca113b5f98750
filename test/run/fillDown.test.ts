import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { loadMapping } from "../../src/mapping/load/loadMapping.ts"
import { present } from "../present.ts"
import { bothWays } from "./converted.ts"

const folder = "samples/district-tables"
const { "bill_lines.csv": _, "bills.csv": __, ...tables } = Object.fromEntries(
  readdirSync(`${folder}/input`).map((name) => [name, readFileSync(`${folder}/input/${name}`, "utf8")])
)
const base = readFileSync(`${folder}/mapping.yaml`, "utf8")

/** The sample's mapping for one file of bills and lines; `fillDown` is the setting of the lines. */
const mappingWith = (fillDown: string) =>
  base.replace(/^( +)file: bills\.csv$/mu, "$1file: bills_and_lines.csv\n$1fillDown: [bill_no, vn, issued]").replace(
    /^( +)file: bill_lines\.csv$/mu,
    `$1file: bills_and_lines.csv\n$1fillDown: ${fillDown}`
  ).replace("order: line\n    column: {", "order: line\n    column: {hn: text, ")

const header = "bill_no;vn;hn;issued;cashier;payer;total;line;kind;item;name;qty;price;paid;state"
const first = "B-31;690302-01;;02/03/2569 09:38;C. Alder Sample;Full Pay;18.500,00;"
const second = "B-32;690302-02;;02/03/2569 10:03;C. Alder Sample;Full Pay;9.000,00;"
const third = "B-33;690302-03;;02/03/2569 12:55;C. Alder Sample;Full Pay;9.000,00;"
const none = ";;;;;;;"
const consultation = "1;S;CONS;Consultation;1;8.000,00;P;"
const count = "2;S;LAB;Blood count;1;9.600,00;P;"
const drug = "3;M;PARA500;Paracetamol;9;100,00;P;"

const assumption = `
assumption:
  empty-cell-is-value-above:
    means: An empty cell has the value of the row above.
    instead: Export the value in each row.
    ask: hospital
`

/** Converts rows of bills and their lines. Returns the codes of what each visit is charged, and what is reported. */
const convertedRows = (rows: ReadonlyArray<string>, fillDown = "[bill_no]", more = "") =>
  convertedFile([header, ...rows, ""].join("\n"), fillDown, more)

const convertedFile = (content: string | Uint8Array, fillDown: string, more = "") =>
  Effect.map(
    bothWays({ ...tables, "bills_and_lines.csv": content }, {}, mappingWith(fillDown) + more),
    ({ totals, visits }) => ({
      charged: Object.fromEntries(visits.flatMap(({ json, source }) => {
        const { invoices } = JSON.parse(json)
        const codes = invoices.flatMap(({ medications, services }: Invoice) => [
          ...services.map(({ service_code }) => service_code),
          ...medications.map(({ medicine_code }) => medicine_code)
        ])
        return codes.length === 0 ? [] : [[nameOf(source), codes]]
      })),
      incomplete: visits.filter(({ problems }) => problems.some(({ code }) => code === "incomplete-visit")).map((
        { source }
      ) => nameOf(source)),
      assumed: visits.filter(({ problems }) =>
        problems.some(({ assumption }) => assumption === "empty-cell-is-value-above")
      ).map(({ source }) => nameOf(source)),
      rejected: totals.rejectedRecords.map(({ origin, problems }) => `${origin?.line} ${present(problems[0]).code}`)
    })
  ).pipe(Effect.scoped)

/** What is rejected of the sample without a change: a line of this file and of others. */
const ofSample = ["8 dangling-reference", "6 no-encounter"]

/** `01` for the first visit of the day with bills. */
const nameOf = (source: string) => source.replace(/^visit\/69(?:0302-)?/u, "")

interface Invoice {
  readonly services: ReadonlyArray<{ readonly service_code: string }>
  readonly medications: ReadonlyArray<{ readonly medicine_code: string }>
}

/** All visits of the sample. */
const all = ["01", "0303-01", "02", "03", "0303-02"]

describe("A row without the head that only the first of several rows has", () => {
  it.effect("gets the values of the row above it, up to the next head", () =>
    Effect.gen(function*() {
      const rows = [first + consultation, none + count, none + drug, second + consultation, none + count]
      const { assumed, charged, incomplete, rejected } = yield* convertedRows(rows)
      assert.deepStrictEqual(charged, { "01": ["CONS", "LAB", "PARA500"], "02": ["CONS", "LAB"] })
      assert.deepStrictEqual([assumed, incomplete], [[], []])
      assert.deepStrictEqual(rejected, ofSample)
    }))

  it.effect("ignores empty rows and repeated headers between them", () =>
    Effect.gen(function*() {
      const rows = [first + consultation, ";".repeat(14), header, none + count]
      assert.deepStrictEqual((yield* convertedRows(rows)).charged, { "01": ["CONS", "LAB"] })
    }))

  it.effect("is an assumption of the visits with such rows, if the mapping says so", () =>
    Effect.gen(function*() {
      const rows = [first + consultation, none + count, second + consultation]
      const fillDown = "{column: [bill_no], assume: empty-cell-is-value-above}"
      const { assumed, charged } = yield* convertedRows(rows, fillDown, assumption)
      assert.deepStrictEqual(charged, { "01": ["CONS", "LAB"], "02": ["CONS"] })
      assert.deepStrictEqual(assumed, ["01"])
    }))

  it.effect("may belong to any visit if it is the first row", () =>
    Effect.gen(function*() {
      const { charged, incomplete, rejected } = yield* convertedRows([none + count, first + consultation])
      assert.deepStrictEqual(charged, { "01": ["CONS"] })
      assert.deepStrictEqual(incomplete, all)
      assert.deepStrictEqual(rejected, ["2 unreadable-record", ...ofSample])
    }))

  it.effect("belongs to one of two visits after a row that cannot be read", () =>
    Effect.gen(function*() {
      const torn = (second + consultation).replace(/;P;$/u, "")
      const rows = [first + consultation, torn, none + count, third + consultation, none + drug]
      const { charged, incomplete, rejected } = yield* convertedRows(rows)
      assert.deepStrictEqual(charged, { "01": ["CONS"], "03": ["CONS", "PARA500"] })
      assert.deepStrictEqual(incomplete, ["01", "02"])
      assert.deepStrictEqual(rejected, ["3 unreadable-record", "4 unreadable-record", ...ofSample])
    }))

  it.effect("does not belong to the head of another patient", () =>
    Effect.gen(function*() {
      const of = (row: string, hn: string) => row.replace(/^((?:[^;]*;){2})/u, `$1${hn}`)
      const rows = [of(first, "HN-1") + consultation, of(none, "HN-2") + count, of(none, "HN-1") + drug]
      const { charged, rejected } = yield* convertedRows(rows, "{column: bill_no, within: hn}")
      assert.deepStrictEqual(charged, { "01": ["CONS"] })
      assert.deepStrictEqual(rejected, ["3 unreadable-record", "4 unreadable-record", ...ofSample])
      const same = rows.map((row) => row.replace("HN-2", "HN-1"))
      assert.deepStrictEqual((yield* convertedRows(same, "{column: bill_no, within: hn}")).charged, {
        "01": ["CONS", "LAB", "PARA500"]
      })
    }))

  it.effect("belongs to a head whose cells are not text, and is rejected with it", () =>
    Effect.gen(function*() {
      const text = [header, first + consultation, second + consultation, none + count, ""].join("\n")
      const bytes = Buffer.from(text.replace("B-32", "B-3\xff"), "latin1")
      const { charged, rejected } = yield* convertedFile(bytes, "[bill_no]")
      assert.deepStrictEqual(charged, { "01": ["CONS"] })
      assert.deepStrictEqual(rejected, ["3 unreadable-record", "4 unreadable-record", ...ofSample])
    }))

  it.effect("is a new head with a value in one of the columns, of any table of the file, and gets nothing", () =>
    Effect.gen(function*() {
      const withoutNumber = second.replace("B-32", "")
      const rows = [first + consultation, withoutNumber + count, none + drug]
      const { charged, incomplete, rejected } = yield* convertedRows(rows)
      assert.deepStrictEqual(charged, { "01": ["CONS"] })
      assert.deepStrictEqual(incomplete, ["02"])
      assert.includeMembers(rejected, ["3 unreadable-record"])
    }))

  it.effect("belongs to a head that may be cancelled, and its visit is not sent", () =>
    Effect.gen(function*() {
      const rows = [first + consultation, `${second}${consultation}Cancelled`, none + drug]
      const { charged, incomplete } = yield* convertedRows(rows)
      assert.deepStrictEqual(charged["01"], ["CONS"])
      assert.deepStrictEqual(incomplete, ["02"])
    }))
})

describe("`fillDown`", () => {
  it.effect("names columns of its table", () =>
    Effect.gen(function*() {
      const problems = yield* problemsOf("{column: [bill_number], within: patient}")
      assert.deepStrictEqual(problems, [
        "`fillDown` of the table `bill_line` refers to a column `bill_number` that is not declared",
        "`within` of the table `bill_line` refers to a column `patient` that is not declared"
      ])
      assert.deepStrictEqual(yield* problemsOf("{within: hn}"), [
        "`fillDown` of the table `bill_line` needs its `column`"
      ])
    }))
})

/** What is wrong with the mapping. */
const problemsOf = (fillDown: string) =>
  loadMapping("t.yaml", "mappings", { given: new Map([["t.yaml", mappingWith(fillDown)]]) }).pipe(
    Effect.map(({ problems }) => problems.map(({ title }) => title)),
    Effect.provide(NodeServices.layer)
  )
