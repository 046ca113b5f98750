import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { spawnSync } from "node:child_process"

const Result = Schema.fromJsonString(
  Schema.Struct({ growth: Schema.Number, round: Schema.Number, held: Schema.Boolean })
)

describe("A partition that was converted", () => {
  it("is freed by a collection of new objects alone", () => {
    const options = [
      "--expose-gc",
      "--no-allocation-site-pretenuring",
      "--min-semi-space-size=32",
      "--max-semi-space-size=32"
    ]
    const { stderr, stdout } = spawnSync(process.execPath, [...options, "test/run/heapAfterRounds.ts"], {
      encoding: "utf8"
    })
    const { growth, round } = Schema.decodeUnknownSync(Result)(stdout, { errors: "all" })
    assert.isAbove(round, 100_000, stderr)
    // Without the rules of `releaseYoung`, all of it stays.
    assert.isBelow(growth, round / 2)
  }, 60_000)
})
