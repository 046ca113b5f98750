import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { addressed, bothWays } from "./converted.ts"
import { encounter, type Json, lines, patient } from "./smallRecords.ts"

const order = (more: Json): Json => ({
  resourceType: "ServiceRequest",
  id: "s1",
  status: "active",
  intent: "order",
  subject: { reference: "Patient/1" },
  identifier: [{ value: "ORDER" }],
  ...more
})

/** The code of a visit whose key is the number of its order, and the problems about the order. */
const numbered = (...orders: ReadonlyArray<Json>) =>
  Effect.map(
    bothWays(
      {
        "a.ndjson": lines(
          patient("1"),
          patient("2"),
          encounter("e1", "1", { basedOn: [{ reference: "ServiceRequest/s1" }] }),
          ...orders
        )
      },
      {},
      `${addressed}key:\n  visit: {path: [basedOn.resolve().identifier.value, id]}\n`
    ),
    ({ visits }) =>
      visits.map(({ json, problems }) => [
        JSON.parse(json).code,
        problems.flatMap(({ code, severity, source }) => source === "ServiceRequest/s1" ? [`${severity} ${code}`] : [])
      ])
  )

describe("A code that is made of another record", () => {
  it.effect("is that of a record that may be used", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* numbered(order({})), [["ORDER", []]])
    }))

  for (
    const [what, more, problem] of [
      ["entered in error", { status: "entered-in-error" }, "warning dropped-record"],
      ["of another patient", { subject: { reference: "Patient/2" } }, "error other-patient"],
      ["about a group", { subject: { reference: "Group/g1" } }, "warning dropped-record"]
    ] as const
  ) {
    it.effect(`is not that of a record ${what}, which is reported`, () =>
      Effect.gen(function*() {
        const [[code, problems] = []] = yield* numbered(order(more))
        assert.strictEqual(code, "e1")
        assert.include(problems, problem)
      }))
  }
})
