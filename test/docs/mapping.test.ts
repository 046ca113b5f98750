import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { readCases } from "../../src/studio/cases/readCases.ts"
import { runCase } from "../../src/studio/cases/runCase.ts"

const pages = ["docs/mapping.md", "docs/questions.md"].map((file) => readCases(file, readFileSync(file, "utf8")))

for (const page of pages) {
  describe(page.file, () => {
    it("has examples, and runs all of them", () => {
      assert.isAtLeast(page.cases.length, 6)
      assert.deepStrictEqual(page.problems, [])
    })

    for (const one of page.cases) {
      it.effect(`makes the visit of the example: ${one.name}`, () =>
        Effect.gen(function*() {
          const result = yield* runCase(page, one, {
            mapping: "mappings/fhir-r4/mapping.yaml",
            shippedMappings: "mappings",
            settings: { timezone: "Asia/Phnom_Penh" }
          })
          assert.deepStrictEqual(result.broken, [])
          assert.deepStrictEqual(result.differences, [])
        }).pipe(Effect.provide(NodeServices.layer)))
    }
  })
}
