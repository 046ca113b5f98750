import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { check, itReports, type Mistakes } from "./Mistakes.ts"

const lab = (column: string, more = ""): string =>
  `table:\n  lab:\n    column: {vn: text, taken: timestamp, ${column}}\n    link: {visit: {table: visit, on: vn}}\n${more}`

const mistakes: Mistakes = {
  "unknown-key": [
    ["a misspelt word of a table", "table:\n  lab:\n    «colum»: [vn]\n    column: [vn]\n", /did you mean `column`/],
    ["a misspelt word of a column", lab("day: {type: date, «fromat»: DD/MM/YYYY}"), /did you mean `format`/]
  ],
  "invalid-value": [
    ["a misspelt type", lab("day: «dat»"), /did you mean `date`/],
    ["an invalid format", lab("day: {type: date, format: «dd/mm/yyyy»}"), /`d` is not one of the tokens/],
    ["a format of a text", lab("day: {type: text, format: «DD/MM/YYYY»}"), /only a date or a timestamp/],
    [
      "one sign of a table with two meanings, for many columns",
      "table:\n  \"*\": {format: {decimal: \",\", group: «\",\"»}}\n",
      /same sign/
    ],
    ["a decimal sign of a text", lab("amount: {«decimal»: \",\"}"), /only a decimal or an integer has a `decimal`/],
    ["words for true of a text", lab("sent: {«true»: [Y]}"), /only a boolean has a `true`/],
    [
      "a word for true and for false",
      lab("sent: {type: boolean, true: [Y, P], false: «[N, P]»}"),
      /`p` is a word for true and for false/
    ],
    [
      "a word for true that is one for false if nothing is set",
      lab("sent: {type: boolean, true: «[\"0\"]»}"),
      /`0` is a word for true and for false.*set both lists/
    ],
    ["a misspelt sign between cells", "table:\n  visit: {delimiter: «semicolom»}\n", /did you mean `semicolon`/],
    ["a currency of a text", lab("amount: {«currency»: R$}"), /only a decimal or an integer has a `currency`/],
    [
      "a currency that is a sign of numbers",
      lab("amount: {type: decimal, currency: [$, «\"-\"»]}"),
      /must be a sign or a code of letters/
    ],
    ["one sign of a column with two meanings", lab("amount: {type: decimal, group: «\".\"»}"), /same sign/],
    [
      "an invalid decimal sign of a table",
      "table:\n  \"*\": {format: {decimal: «;», group: \".\"}}\n",
      /`decimal` cannot be/
    ],
    [
      "an invalid sign between digits",
      lab("amount: {type: decimal, group: «5», decimal: \",\"}", "    format: {group: \",\"}\n"),
      /one sign/
    ],
    ["an unknown encoding", "table:\n  \"*\": {encoding: «windows-847»}\n", /did you mean `windows-874`/],
    [
      "a link without the columns that it takes from the key",
      "table:\n  lab:\n    column: [vn]\n    link: {«visit»: visit}\n",
      /links by `code`, which is not a column of `lab`.*name the columns of `lab` that contain the key of `visit`/su
    ],
    [
      "a link by too many columns",
      "table:\n  lab:\n    column: [vn, part]\n    link: {«visit»: {table: visit, on: [vn, part]}}\n",
      /links by 2 columns, and the key of `visit` has 1/
    ],
    [
      "a table with the name of a type of FHIR",
      "table:\n  «date»:\n    column: [vn]\n",
      /FHIR has a type of that name/
    ],
    ["an `id` that is not the key", "table:\n  «lab»:\n    key: no\n    column: [no, id]\n", /record_id: \{from: id\}/]
  ],
  "unknown-element": [
    [
      "a key that is no column",
      "table:\n  lab:\n    key: «lab_on»\n    column: [lab_no, vn]\n",
      /did you mean `lab_no`/
    ],
    [
      "a link to an unknown table",
      "table:\n  lab:\n    column: [vn]\n    link: {«visit»: {table: visti, on: vn}}\n",
      /did you mean `visit`/
    ],
    [
      "a link by a column that is not declared",
      `${
        lab("note: text").replace("on: vn", "on: «VisitNo»")
      }visit:\n  consultations: "inVisit('lab').visit.resolve().code"\n`,
      /`on` of the table `lab` refers to a column `VisitNo` that is not declared/
    ],
    [
      "a misspelt column in a path",
      "visit:\n  diagnosis:\n    diagnosis_name: «diagnosis_nam»\n",
      /did you mean `diagnosis_name`/
    ],
    [
      "a misspelt column after a link",
      "visit:\n  diagnosis:\n    diagnosed_by: visit.resolve().«patient_cod»\n",
      /did you mean `patient_code`/
    ],
    ["a misspelt column of the patient", "visit:\n  patient_code: \"%patient.«cod»\"\n", /did you mean `code`/],
    [
      "a misspelt link back",
      "visit:\n  consultations: \"reverseResolve('«consultations.visti»').text\"\n",
      /did you mean `visit`/
    ],
    [
      "a misspelt table",
      "visit:\n  consultations: \"inVisit('«consultation»').text\"\n",
      /no table is called `consultation`.*did you mean `consultations`/
    ]
  ],
  "missing-key": [
    ["a table without columns", "table:\n  «lab»:\n    file: lab.csv\n", /names no columns/]
  ],
  "wrong-type": [
    ["a path that ends in a link", "visit:\n  diagnosis:\n    diagnosed_by: «visit»\n", /\.resolve\(\)/],
    [
      "a duration that is added to a date column",
      "visit: {followup_at: «discharged_at» + 7 days}\n",
      /not to a text, as a date column of a table is.*\.toDateTime\(\) \+ 1 hour/
    ],
    [
      "a number that is added to a date column",
      "visit: {followup_at: «discharged_at» + 7}\n",
      /a number without a unit cannot be added/
    ],
    [
      "a date column that is subtracted from a second one",
      "visit: {admission_type: (discharged_at - «admitted_at»).toString()}\n",
      /cannot be subtracted from another one.*\.toDateTime\(\) \+ 3 days/
    ],
    [
      "a date column that is compared with a date",
      "visit: {admission_type: \"iif(«admitted_at» = @2026-03-02, 'Walk-in', {})\"}\n",
      /cannot be compared with a text, as a date column of a table is.*\.toDate\(\) = @2026-02-28/
    ],
    [
      "a date column that is compared with a date made of a second one",
      "visit: {admission_type: \"iif(discharged_at.toDateTime() > «admitted_at», 'Walk-in', {})\"}\n",
      /cannot be compared with a text/
    ],
    [
      "a date column through a link, in a choice",
      "visit: {admission_type: \"iif((«iif(code.exists(), patient.resolve().birthdate, {})») + 18 years < admitted_at.toDateTime(), 'Walk-in', {})\"}\n",
      /not to a text, as a date column of a table is/
    ],
    ["a date in a number", "visit:\n  triages:\n    height: «recorded_at»\n", /end the path in a number/]
  ],
  "invalid-path": [
    [
      "a column that is a keyword of FHIRPath",
      "visit:\n  prescriptions:\n    medications: {days: «days»}\n",
      /back-ticks/
    ]
  ]
}

const warnings: Mistakes = {
  "unused-name": [
    [
      "a misspelt column of the mapping below",
      "table:\n  visit:\n    column: {«folowup_at»: {from: \"Next visit\", type: timestamp}}\n",
      /no line uses the column `folowup_at`.*did you mean `followup_at`/
    ]
  ]
}

const correct = {
  "of two date columns": "iif(discharged_at > admitted_at, 'Walk-in', {})",
  "of a date column and a text": "iif(admitted_at >= '2026-03-02', 'Walk-in', {})",
  "of a date that is made of a date column": "iif(admitted_at.toDate() = @2026-03-02, 'Walk-in', {})",
  "of a time that a duration moves":
    "iif(admitted_at.toDateTime() + 3 days < discharged_at.toDateTime(), 'Walk-in', {})"
}

describe("The check of tables, before any file is read,", () => {
  for (const [what, path] of Object.entries(correct)) {
    it.effect(`reports nothing about a comparison ${what}`, () =>
      Effect.gen(function*() {
        const { problems } = yield* check(
          `mapping: example\nextends: csv\nvisit: {admission_type: ${JSON.stringify(path)}}\n`
        )
        assert.deepStrictEqual(problems, [])
      }))
  }

  itReports("csv", "error", mistakes)
  itReports("csv", "warning", warnings)
})
