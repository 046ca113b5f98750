import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type } from "./cli.ts"

describe("mapping test", () => {
  it.effect("tests the facility or the mapping next to the pages that are named", () =>
    Effect.gen(function*() {
      for (const page of ["mappings/us-synthetic/cases/visit.md", "mappings/csv/cases"]) {
        const { code, stdout } = yield* type("mapping", "test", page)
        assert.strictEqual(code, 0, stdout)
      }
    }).pipe(Effect.provide(NodeServices.layer)))

  it.effect("refuses pages of two mappings: those of one would be compared with the other", () =>
    Effect.gen(function*() {
      const { code, stderr } = yield* type("mapping", "test", "mappings/us-synthetic/cases", "mappings/csv/cases")
      assert.strictEqual(code, 2)
      assert.include(stderr, "the pages are of several mappings")
    }).pipe(Effect.provide(NodeServices.layer)))
})
