import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { forgetInferences } from "../../src/mapping/check/expressions/keptInferences.ts"
import { check } from "./Mistakes.ts"

const over = (base: string, lines: string): string => `mapping: example\nextends: ${base}\n${lines}`

/** A path that is right in some of these mappings, and wrong or used differently in the others. */
const occupation = (more: string, path = "f(name)") =>
  over("fhir-r4", `${more}visit:\n  patient: {occupation: {path: "${path}", take: first}}\n`)

const table = (type: string): string =>
  over(
    "csv",
    `table:\n  lab: {column: {vn: text, value: ${type}}, link: {visit: {table: visit, on: vn}}}\n` +
      "visit:\n  laboratories: {where: {high: value > 5}}\n"
  )

const mappings = [
  over("fhir-r4", ""),
  over("us-synthetic", ""),
  occupation("function: {f: {parameters: [], path: text}}\n", "name.f()"),
  occupation("function: {f: {parameters: [], path: txt}}\n", "name.f()"),
  occupation("function: {f: {parameters: [], path: g()}, g: {parameters: [], path: text}}\n", "name.f()"),
  occupation("function: {f: {parameters: [], path: g()}, g: {parameters: [], path: txt}}\n", "name.f()"),
  occupation("function: {f: {parameters: [], path: g()}, g: {parameters: [], path: f()}}\n", "name.f()"),
  occupation("function: {f: {parameters: [], path: \"%visit.id\"}}\n", "name.f()"),
  occupation("constant: {word: a}\n", "name.where(text = %word).text"),
  occupation("", "name.where(text = %word).text"),
  occupation("conceptMap: {job: {table: {a: b}}}\n", "name.text.mapped('job')"),
  occupation("", "name.text.mapped('job')"),
  occupation("grouping: {patientScope: {Task: for}}\n", "ofPatient('Task').description"),
  occupation("", "ofPatient('Task').description"),
  occupation("", "name.text + 5"),
  table("decimal"),
  table("text")
]

/** What a check reports, and what the run follows for the mapping. */
const resultOf = (text: string) =>
  Effect.map(check(text), ({ checked, problems }) => ({ problems, followed: checked?.plan.followed }))

describe("The check of a mapping", () => {
  it.effect("finds the same after any other mapping as it finds first", () =>
    Effect.gen(function*() {
      const fresh = []
      for (const text of mappings) {
        forgetInferences()
        fresh.push(yield* resultOf(text))
      }
      assert.isAtLeast(fresh.filter(({ problems }) => problems.length > 0).length, 7)
      assert.deepStrictEqual(yield* Effect.forEach(mappings, resultOf), fresh)
      assert.deepStrictEqual(yield* Effect.forEach(mappings.toReversed(), resultOf), fresh.toReversed())
    }))
})
