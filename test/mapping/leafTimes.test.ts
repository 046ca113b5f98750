import { assert, describe, it } from "@effect/vitest"
import { leafTimestampOf } from "../../src/mapping/apply/leafTimes.ts"
import type { MappingPlan } from "../../src/mapping/MappingPlan.ts"

type MissingOffset = MappingPlan["time"]["missingOffset"]

/** What a field sends for a time of Paris without an offset, and what it reports. */
const sent = (text: string, missingOffset: MissingOffset) => {
  const span = { file: "mapping.yaml", line: 1, column: 1, endColumn: 2 }
  const reported: Array<string> = []
  const timestamp = leafTimestampOf(
    {
      leaf: {
        kind: "leaf",
        name: "admitted_at",
        field: {
          name: "admitted_at",
          kind: "timestamp",
          nullable: false,
          mandatory: true,
          optional: false,
          blank: null,
          section: "§2.4",
          description: ""
        },
        span,
        paths: [],
        required: "error",
        takeFirst: false
      },
      focus: [],
      variables: {},
      row: {},
      context: {
        zone: "Europe/Paris",
        time: { partialTimestamp: "reject", partialEnd: "reject", partialDate: "reject", missingOffset },
        timestamps: new Map(),
        unmapped: () => assert.fail("no code is looked up"),
        problem: (_, __, { severity, title }) => void reported.push(`${severity}: ${title}`),
        problemCount: () => 0,
        hasErrorSince: () => false,
        evaluate: () => assert.fail("no path is evaluated"),
        values: () => assert.fail("no path is evaluated")
      }
    },
    text,
    undefined
  )
  return [timestamp, ...reported]
}

describe("A time without an offset", () => {
  const once = "2025-10-25T02:30:00"
  const twice = "2025-10-26T02:30:00"
  const never = "2025-03-30T02:30:00"
  const isFirst = "because they go back: the first of the two is sent"
  const isMoved = "because they go forward: it is moved forward by what they skip"

  it("is reported by `local` only if the clocks show it twice or skip it", () => {
    assert.deepStrictEqual(sent(once, "local"), ["2025-10-25T02:30:00.000+02:00"])
    assert.deepStrictEqual(sent(twice, "local"), [
      "2025-10-26T02:30:00.000+02:00",
      `warning: \`admitted_at\` found a time that the clocks of Europe/Paris show twice, ${isFirst}`
    ])
    assert.deepStrictEqual(sent(never, "local"), [
      "2025-03-30T03:30:00.000+02:00",
      `warning: \`admitted_at\` found a time that the clocks of Europe/Paris skip, ${isMoved}`
    ])
  })

  it("is not reported as sent if the mapping rejects it", () => {
    for (const text of [once, twice, never]) {
      assert.deepStrictEqual(sent(text, "reject"), [
        undefined,
        "error: `admitted_at` found a time without an offset"
      ])
    }
  })

  it("is never reported if it has an offset", () => {
    for (const policy of ["zone", "local", "reject"] as const) {
      assert.deepStrictEqual(sent(`${twice}+01:00`, policy), ["2025-10-26T02:30:00.000+01:00"])
    }
  })
})
