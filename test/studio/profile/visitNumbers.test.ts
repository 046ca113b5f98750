import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { begun, sample } from "./begun.ts"

const numbered = (system: string, value: string) => ({
  identifier: [{ system: `http://hospital.example/${system}`, value }]
})

describe("Visits that are numbered apart", () => {
  it.effect("are asked about, because codes are made for those without the first number", () =>
    Effect.gen(function*() {
      const { text, words } = yield* begun(sample((_, at) => numbered(at === 0 ? "AN" : "VN", `N-${at}`)))
      assert.include(words, "QUESTION should visits without this number have a code that is made for them?")
      assert.include(
        text,
        `To send the others:  key: {visit: {path: ["identifierIn(%visit_code_system).first()", "identifierIn('http://hospital.example/AN').first()"]}}`
      )
      assert.include(text, `visit_code_system: "http://hospital.example/VN"`)
    }))

  it.effect("are not asked about if all have the same number", () =>
    Effect.gen(function*() {
      const { text, words } = yield* begun(sample((_, at) => numbered("VN", `N-${at}`)))
      assert.notInclude(words, "a code that is made for them")
      assert.include(text, `visit_code_system: "http://hospital.example/VN"`)
    }))
})

describe("Patients whom a state numbers apart", () => {
  const patients = (system: (at: number) => string) => {
    let at = 0
    return sample(() => ({})).map((record) =>
      record["resourceType"] === "Patient" ? { ...record, ...numbered(system(at), `P-${at++}`) } : record
    )
  }
  const after = "key: {patient: {path: {after: [\"identifierIn('http://hospital.example/resident')\"]}}}"

  it.effect("are asked about, because those without the first number are rejected", () =>
    Effect.gen(function*() {
      const { words } = yield* begun(patients((at) => at === 0 ? "resident" : "citizen"))
      assert.include(words, `To send these for patients without it:  ${after}`)
    }))

  it.effect("are not asked about if all have the same number", () =>
    Effect.gen(function*() {
      const { words } = yield* begun(patients(() => "resident"))
      assert.notInclude(words, "patients without it")
    }))
})
