import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { loadMapping } from "../../src/mapping/language/loadMapping.ts"

interface Mistake {
  readonly what: string
  readonly code: string
  /** An overlay over `csv`; `«…»` marks where the caret must stand. */
  readonly overlay: string
  readonly says: RegExp
}

const lab = (column: string, more = ""): string =>
  `table:\n  lab:\n    column: {vn: text, taken: timestamp, ${column}}\n    link: {visit: {table: visit, on: vn}}\n${more}`

const mistakes: ReadonlyArray<Mistake> = [
  {
    what: "a misspelt word of a table",
    code: "unknown-key",
    overlay: "table:\n  lab:\n    «colum»: [vn]\n    column: [vn]\n",
    says: /did you mean `column`/
  },
  {
    what: "a misspelt word of a column",
    code: "unknown-key",
    overlay: lab("day: {type: date, «fromat»: DD/MM/YYYY}"),
    says: /did you mean `format`/
  },
  { what: "a misspelt type", code: "invalid-value", overlay: lab("day: «dat»"), says: /did you mean `date`/ },
  {
    what: "an invalid format",
    code: "invalid-value",
    overlay: lab("day: {type: date, format: «dd/mm/yyyy»}"),
    says: /`d` is not one of the tokens/
  },
  {
    what: "a format of a text",
    code: "invalid-value",
    overlay: lab("day: {type: text, format: «DD/MM/YYYY»}"),
    says: /only a date or a timestamp/
  },
  {
    what: "one sign of a table with two meanings, for many columns",
    code: "invalid-value",
    overlay: "table:\n  \"*\": {format: {decimal: \",\", group: «\",\"»}}\n",
    says: /same sign/
  },
  {
    what: "one sign of a column with two meanings",
    code: "invalid-value",
    overlay: lab("amount: {type: decimal, group: «\".\"»}"),
    says: /same sign/
  },
  {
    what: "an invalid decimal sign of a table",
    code: "invalid-value",
    overlay: "table:\n  \"*\": {format: {decimal: «;», group: \".\"}}\n",
    says: /`decimal` cannot be/
  },
  {
    what: "an invalid sign between digits",
    code: "invalid-value",
    overlay: lab("amount: {type: decimal, group: «5», decimal: \",\"}", "    format: {group: \",\"}\n"),
    says: /one sign/
  },
  {
    what: "an unknown encoding",
    code: "invalid-value",
    overlay: "table:\n  \"*\": {encoding: «windows-847»}\n",
    says: /did you mean `windows-874`/
  },
  {
    what: "a key that is no column",
    code: "unknown-element",
    overlay: "table:\n  lab:\n    key: «lab_on»\n    column: [lab_no, vn]\n",
    says: /did you mean `lab_no`/
  },
  {
    what: "a link to an unknown table",
    code: "unknown-element",
    overlay: "table:\n  lab:\n    column: [vn]\n    link: {«visit»: {table: visti, on: vn}}\n",
    says: /did you mean `visit`/
  },
  {
    what: "a link by a column that is not declared",
    code: "unknown-element",
    overlay: `${
      lab("note: text").replace("on: vn", "on: «VisitNo»")
    }visit:\n  consultations: "inVisit('lab').visit.resolve().code"\n`,
    says: /`on` of the table `lab` names a column `VisitNo` that is not declared/
  },
  {
    what: "a link without the columns that it takes from the key",
    code: "invalid-value",
    overlay: "table:\n  lab:\n    column: [vn]\n    link: {«visit»: visit}\n",
    says: /links by `code`, which is no column of `lab`.*name the columns of `lab` that hold the key of `visit`/su
  },
  {
    what: "a link by too many columns",
    code: "invalid-value",
    overlay: "table:\n  lab:\n    column: [vn, part]\n    link: {«visit»: {table: visit, on: [vn, part]}}\n",
    says: /links by 2 columns, and the key of `visit` has 1/
  },
  {
    what: "a table with the name of a type of FHIR",
    code: "invalid-value",
    overlay: "table:\n  «date»:\n    column: [vn]\n",
    says: /FHIR has a type of that name/
  },
  {
    what: "a table without columns",
    code: "missing-key",
    overlay: "table:\n  «lab»:\n    file: lab.csv\n",
    says: /names no columns/
  },
  {
    what: "an `id` that is not the key",
    code: "invalid-value",
    overlay: "table:\n  «lab»:\n    key: no\n    column: [no, id]\n",
    says: /record_id: \{from: id\}/
  },
  {
    what: "a misspelt column in a path",
    code: "unknown-element",
    overlay: "visit:\n  diagnosis:\n    diagnosis_name: «diagnosis_nam»\n",
    says: /did you mean `diagnosis_name`/
  },
  {
    what: "a misspelt column after a link",
    code: "unknown-element",
    overlay: "visit:\n  diagnosis:\n    diagnosed_by: visit.resolve().«patient_cod»\n",
    says: /did you mean `patient_code`/
  },
  {
    what: "a misspelt column of the patient",
    code: "unknown-element",
    overlay: "visit:\n  patient_code: \"%patient.«cod»\"\n",
    says: /did you mean `code`/
  },
  {
    what: "a misspelt link back",
    code: "unknown-element",
    overlay: "visit:\n  consultations: \"reverseResolve('«consultations.visti»').text\"\n",
    says: /did you mean `visit`/
  },
  {
    what: "a misspelt table",
    code: "unknown-element",
    overlay: "visit:\n  consultations: \"inVisit('«consultation»').text\"\n",
    says: /no table is called `consultation`.*did you mean `consultations`/
  },
  {
    what: "a path that ends in a link",
    code: "wrong-type",
    overlay: "visit:\n  diagnosis:\n    diagnosed_by: «visit»\n",
    says: /\.resolve\(\)/
  },
  {
    what: "a date in a number",
    code: "wrong-type",
    overlay: "visit:\n  triages:\n    height: «recorded_at»\n",
    says: /end the path in a number/
  },
  {
    what: "a column that is a keyword of FHIRPath",
    code: "invalid-path",
    overlay: "visit:\n  prescriptions:\n    medications: {days: «days»}\n",
    says: /back-ticks/
  }
]

const load = (text: string) =>
  loadMapping("m.yaml", "mappings", { given: new Map([["m.yaml", text]]) }).pipe(Effect.provide(NodeServices.layer))

const head = "mapping: example\nextends: csv\n"

describe("The check of tables, before any file is read,", () => {
  for (const { what, code, overlay, says } of mistakes) {
    it.effect(`reports ${what} at its location, with a correction`, () =>
      Effect.gen(function*() {
        const before = head + overlay.slice(0, overlay.indexOf("«"))
        const { checked, problems } = yield* load(head + overlay.replace(/[«»]/gu, ""))
        assert.isUndefined(checked)
        const [problem] = problems
        assert.deepStrictEqual(problems.map((one) => one.code), [code])
        assert.match([problem!.title, problem!.label, ...(problem!.help ?? [])].join(" "), says)
        assert.strictEqual(problem!.mapping?.line, before.split("\n").length)
        assert.strictEqual(problem!.mapping?.column, before.split("\n").at(-1)!.length + 1)
      }))
  }
})
