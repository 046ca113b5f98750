import { assert, describe, it } from "@effect/vitest"
import { exampleRun, itMakesTheVisits, readPage } from "./pages.ts"

for (const page of ["docs/mapping.md", "docs/questions.md"].map(readPage)) {
  describe(page.file, () => {
    it("has examples, and runs all of them", () => {
      assert.isAtLeast(page.cases.length, 6)
      assert.deepStrictEqual(page.problems, [])
    })

    itMakesTheVisits(page, exampleRun())
  })
}
