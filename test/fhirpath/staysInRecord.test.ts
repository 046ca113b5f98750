import { assert, describe, it } from "@effect/vitest"
import { makeFhirPath } from "../../src/fhirpath/FhirPath.ts"
import type { PathFunction } from "../../src/fhirpath/FhirPath.ts"

const functions: ReadonlyMap<string, PathFunction> = new Map<string, PathFunction>([
  ["resolve", { parameters: [], call: () => [] }],
  ["conceptText", { parameters: [], readsValues: true, ofInput: true, call: () => [] }],
  ["named", { parameters: [], call: () => [], body: { text: "name.where(use = 'official').text", over: "item" } }],
  ["far", { parameters: [], call: () => [], body: { text: "subject.resolve().name", over: "item" } }]
])

describe("Whether a path finds nothing but values of the record that it is evaluated on", () => {
  const { compile } = makeFhirPath(functions)

  for (
    const path of [
      "code.text",
      "name.where(use = %wanted).first().text",
      "value.ofType(Quantity).value | value.ofType(string)",
      "iif(active, name.text, id)",
      "code.conceptText()",
      "named()",
      "component.select(code.conceptText())"
    ]
  ) it(`is true: ${path}`, () => assert.isTrue(compile(path).staysInRecord()))

  for (
    const path of [
      "'final'",
      "%patient.name",
      "subject.resolve().name.text",
      "iif(active, 'yes', 'no')",
      "name.exists()",
      "'by ' & name.text",
      "far()",
      "component.select(%patient.id)"
    ]
  ) it(`is not known: ${path}`, () => assert.isFalse(compile(path).staysInRecord()))
})

describe("Whether the result on several elements is the list of the results on each", () => {
  const { compile } = makeFhirPath(functions)

  for (const path of ["select(code.text & ': ' & value)", "select(component.select(code.conceptText()))"]) {
    it(`is true: ${path}`, () => assert.isTrue(compile(path).isOfEach()))
  }
  for (
    const path of [
      "code.text",
      "first().code.text",
      "select(code.text).first()",
      "select(code.text).distinct()",
      "select($index)",
      "select($total)",
      "select(iif(%context.count() > 1, code.text, {}))",
      "code.select(text)"
    ]
  ) it(`is not known: ${path}`, () => assert.isFalse(compile(path).isOfEach()))
})
