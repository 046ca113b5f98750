import { assert, describe, it } from "@effect/vitest"
import { statusCounts } from "../../src/submission/list/statusCounts.ts"
import { VisitCode } from "../../src/visit/values/Code.ts"

let rows = 0
const row = (status: string | null, processing?: string | null) => ({
  visitCode: VisitCode(`V${++rows}`),
  patientCode: null,
  admittedAt: null,
  status,
  uuid: null,
  ...(processing === undefined ? {} : { processing })
})
const times = <A extends object>(count: number, one: A): ReadonlyArray<A> =>
  Array.from({ length: count }, () => ({ ...one, visitCode: VisitCode(`V${++rows}`) }))

describe("§4.6 the statuses that a list shows, whose values are not documented", () => {
  it("are counted as the service writes them, with the processing status", () => {
    assert.deepStrictEqual(
      statusCounts([...times(4, row("1", "complete")), ...times(3, row("processed")), row("3"), row(null)]),
      { "1 complete": 4, processed: 3, "3": 1, none: 1 }
    )
  })

  it("hides a text of one or two rows: it may be about a patient", () => {
    const counts = statusCounts([row("1", "Canary Sophea"), row("Canary Dara"), ...times(2, row("3", "Canary"))])
    assert.deepStrictEqual(counts, { "3": 2, "1": 1, another: 1 })
  })

  it("hides a text that only the rows of one visit have", () => {
    const one = row("Canary Sophea")
    assert.deepStrictEqual(statusCounts([one, one, one, ...times(3, row("processed"))]), { another: 3, processed: 3 })
  })

  it("shows no status if every row has a different one", () => {
    assert.deepStrictEqual(statusCounts(Array.from({ length: 40 }, (_, at) => row(String(at)))), { another: 40 })
    assert.deepStrictEqual(statusCounts([]), {})
  })
})
