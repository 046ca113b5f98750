import { assert, describe, it } from "@effect/vitest"
import type { PathFunction } from "../../src/fhirpath/FhirPath.ts"
import { makeFhirPath } from "../../src/fhirpath/FhirPath.ts"

const functions: ReadonlyMap<string, PathFunction> = new Map<string, PathFunction>([
  ["resolve", { parameters: [], reaches: "records", forEach: () => undefined, call: () => [] }],
  ["who", { parameters: [], reaches: "values", forEach: () => undefined, call: () => [] }],
  ["conceptText", { parameters: [], readsValues: true, ofInput: true, forEach: () => undefined, call: () => [] }],
  ["allWords", { parameters: [], readsValues: true, ofInput: true, call: () => [] }],
  ["isRow", { parameters: [], isTest: true, call: () => [true] }],
  ["chosen", { parameters: ["by"], chooses: true, call: (input) => input }],
  ["history", {
    parameters: [],
    call: () => [],
    body: { text: "iif(active, code.conceptText() & ' (old)', {})", over: "item" }
  }],
  ["histories", { parameters: [], call: () => [], body: { text: "history().distinct()", over: "collection" } }],
  ["prefixed", { parameters: ["by"], call: () => [], body: { text: "%by & code.text", over: "item" } }],
  ["endless", { parameters: [], call: () => [], body: { text: "iif(active, endless(), id)", over: "item" } }]
])

const contentsOf = (path: string) => makeFhirPath(functions).compile(path).contents()

/** An expression, and the texts of its own in its values. */
const known: ReadonlyArray<readonly [path: string, texts: string]> = [
  ["code.text", ""],
  ["{}", ""],
  ["name.where(use = %wanted).first().text", ""],
  ["subject.resolve().name.text", ""],
  ["performer.first().who().distinct()", ""],
  ["extension('http://a.example').value", ""],
  ["value.ofType(Quantity).value | value.ofType(string)", ""],
  ["(value as Quantity).value.toString()", ""],
  ["component[0].code.conceptText()", ""],
  ["iif(%patient.active, name.text, id)", ""],
  ["iif(name.exists(), 'yes')", "yes"],
  ["code.text & ' (' & id & ')'", " ()"],
  ["select(iif(active, 'not: ', '') & code.conceptText())", "not: "],
  ["note.text.join('; ')", "; "],
  ["select('by ' & who()).join(', ').substring(0, 10)", "by , "],
  ["note.text.combine(name.select(text & '!'))", "!"],
  ["identifier.chosen(%visit.period.start).value", ""],
  ["history()", " (old)"]
]

/** Values of them can be of records that no function notes as read, or of none. */
const unknown: ReadonlyArray<string> = [
  "%patient.name",
  "name.exists()",
  "name.count()",
  "code.conceptText().length()",
  "code.conceptText().size",
  "'a'.conceptText()",
  "'a'.resolve()",
  "1",
  "code.text + 'a'",
  "note.text.join(%separator)",
  "code.text.lower()",
  "select('a' & id).chosen(%patient.id)",
  "isRow()",
  "prefixed('a')",
  "endless()",
  "unheardOf()"
]

describe("What the text of an expression proves about its values", () => {
  it.each(known)("is known: %s", (path, texts) => assert.strictEqual(contentsOf(path)?.texts, texts))

  it.each(unknown)("is not known: %s", (path) => assert.isUndefined(contentsOf(path)))

  it.each([
    "$this",
    "who()",
    "resolve().who()",
    "select(code.text & ': ' & id)",
    "history().where($this.exists()).distinct()",
    "histories()",
    "iif(isRow(), history(), histories())"
  ])("is that each element has at most one: %s", (path) => assert.isTrue(contentsOf(path)?.isEach))

  it.each([
    "code.text",
    "code.conceptText()",
    "allWords()",
    "select(code.text)",
    "history() | id",
    "iif(isRow(), history(), code.text)",
    "code.text & id",
    "history().join(', ')",
    "'a'"
  ])("is not that each element has at most one: %s", (path) => assert.isFalse(contentsOf(path)?.isEach))
})
