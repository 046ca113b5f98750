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
