import { assert, describe, it } from "@effect/vitest"
import { readRemaining, readWait } from "../../src/service/responses/readWait.ts"

// The client's clock is an hour slow; the service's Date is what counts.
const served = Date.UTC(2026, 10, 21, 6, 0, 0)
const now = served - 3_600_000
const date = new Date(served).toUTCString()

describe("§8 how long to wait", () => {
  const rows: ReadonlyArray<readonly [string, Record<string, string>, number | null]> = [
    ["no header", {}, null],
    ["Retry-After in seconds", { "retry-after": "17" }, 17_000],
    ["Retry-After 0", { "retry-after": "0" }, 0],
    ["Retry-After in epoch seconds", { "retry-after": String(served / 1000 + 30), date }, 30_000],
    ["Retry-After in epoch milliseconds", { "retry-after": String(served + 30_000), date }, 30_000],
    ["Retry-After as an HTTP date", { "retry-after": new Date(served + 45_000).toUTCString(), date }, 45_000],
    ["Retry-After in the past", { "retry-after": new Date(served - 45_000).toUTCString(), date }, 0],
    ["Retry-After before Reset", { "retry-after": "5", "x-ratelimit-reset": "900" }, 5_000],
    ["Retry-After not understood", { "retry-after": "soon", "x-ratelimit-reset": "9" }, 9_000],
    ["Reset in seconds from now", { "x-ratelimit-reset": "120" }, 120_000],
    ["Reset in epoch seconds", { "x-ratelimit-reset": String(served / 1000 + 60), date }, 60_000],
    ["Reset in epoch milliseconds", { "x-ratelimit-reset": String(served + 60_000), date }, 60_000],
    ["Reset as a date", { "x-ratelimit-reset": new Date(served + 60_000).toISOString().replace("T", " "), date }, null],
    ["no Date header: our own clock", { "x-ratelimit-reset": String(now / 1000 + 60) }, 60_000],
    ["negative", { "retry-after": "-5" }, null],
    ["absurd", { "retry-after": "9".repeat(400) }, null]
  ]
  for (const [name, headers, expected] of rows) {
    it(`${name}: ${expected}`, () => assert.strictEqual(readWait(headers, now), expected))
  }

  it("reads what is left in the window", () => {
    assert.deepStrictEqual(readRemaining({ "x-ratelimit-remaining": "7", "x-ratelimit-reset": "60" }, now), {
      remaining: 7,
      waitMillis: 60_000
    })
    assert.isNull(readRemaining({ "x-ratelimit-remaining": "7" }, now))
    assert.isNull(readRemaining({ "x-ratelimit-remaining": "many", "x-ratelimit-reset": "60" }, now))
  })
})
