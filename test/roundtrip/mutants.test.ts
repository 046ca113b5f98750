import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { runs, timeout } from "../runs.ts"
import { caughtBy, failingCase, removedLines } from "./killMutants.ts"
import { mutants } from "./mutants.ts"

describe("mutants are caught by the laws", () => {
  it("has many different mutants", () => {
    assert.isAtLeast(mutants.length, 40)
    assert.strictEqual(new Set(mutants.map(({ name }) => name)).size, mutants.length)
  })

  // All of them under `npm run test:deep` and `node test/roundtrip/printMutants.ts`; here each second one.
  for (const mutant of mutants.filter((_, index) => runs(1) > 1 || index % 2 === 0)) {
    it(`${mutant.name}: ${mutant.law}`, { timeout }, () => {
      assert.include([...caughtBy(mutant, mutant.law)], mutant.law)
    })
  }

  it("a removed line of the base mapping: map(toFhir(v)) equals v", { timeout }, () => {
    // Here each twelfth.
    const lines = removedLines().filter(({ elsewhere }) => !elsewhere)
    assert.isAbove(lines.length, 200)
    const chosen = lines.filter((_, index) => runs(1) > 1 || index % 12 === 0)
    assert.deepStrictEqual(
      chosen.filter(({ overlay }) => caughtBy(overlay, undefined).size === 0).map(({ name }) => name),
      []
    )
  })

  it.effect(
    "a line that no round trip reaches is removed: a case of the base mapping fails",
    () =>
      Effect.gen(function*() {
        // Here each twelfth.
        const lines = removedLines().filter(({ elsewhere }) => elsewhere)
        assert.isAbove(lines.length, 100)
        for (const line of lines.filter((_, index) => runs(1) > 1 || index % 12 === 0)) {
          assert.isDefined(yield* failingCase(line), line.name)
        }
      }).pipe(Effect.provide(NodeServices.layer)),
    { timeout: timeout * 5 }
  )
})
