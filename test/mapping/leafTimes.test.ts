import { assert, describe, it } from "@effect/vitest"
import { dateOf, leafTimestampOf } from "../../src/mapping/apply/fields/leafTimes.ts"
import type { MappingPlan } from "../../src/mapping/MappingPlan.ts"

type TimePlan = MappingPlan["time"]

const rejected: TimePlan = {
  partialTimestamp: "reject",
  partialEnd: "reject",
  partialDate: "reject",
  missingOffset: "reject"
}

/** What a field sends for a time of Paris, and what it reports. */
const sentBy = (
  name: string,
  text: string,
  time: TimePlan,
  timestamps = new Map<string, string>(),
  convert: typeof dateOf = leafTimestampOf
) => {
  const span = { file: "mapping.yaml", line: 1, column: 1, endColumn: 2 }
  const reported: Array<string> = []
  const timestamp = convert(
    {
      leaf: {
        kind: "leaf",
        name,
        field: {
          name,
          kind: "timestamp",
          nullable: false,
          mandatory: name === "admitted_at",
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
        time,
        timestamps,
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

const sent = (text: string, missingOffset: TimePlan["missingOffset"]) =>
  sentBy("admitted_at", text, { ...rejected, missingOffset })

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

describe("A date in a field that needs a time", () => {
  const time = {
    ...rejected,
    partialDate: "first-day",
    partialTimestamp: "start-of-day",
    partialEnd: "end-of-day"
  } as const

  it.each([
    ["admitted_at", "2025-03-30", "2025-03-30T00:00:00.000+01:00"],
    ["discharged_at", "2025-03-30", "2025-03-30T23:59:59.999+02:00"],
    ["ended_at", "2025-03", "2025-03-01T23:59:59.999+01:00"],
    ["updated_at", "2025", "2025-01-01T23:59:59.999+01:00"]
  ])("is sent as the start of the day, or as the end if something ended: %s %s", (name, text, timestamp) => {
    assert.strictEqual(sentBy(name, text, time)[0], timestamp)
  })

  it("is read again for each field, and reported each time", () => {
    const timestamps = new Map<string, string>()
    for (
      const [name, text] of [["admitted_at", "2025-03-30"], ["ended_at", "2025-03-30"], [
        "ended_at",
        "2025-10-26T02:30:00"
      ]] as const
    ) {
      const found = sentBy(name, text, { ...time, missingOffset: "local" }, timestamps)
      assert.lengthOf(found, 2)
      assert.deepStrictEqual(sentBy(name, text, { ...time, missingOffset: "local" }, timestamps), found)
    }
  })
})

describe("A date that is none", () => {
  it.each([["reject", "error"], ["blank", "warning"]] as const)(
    "is what the mapping sets for incomplete dates: %s",
    (partialDate, severity) => {
      assert.deepStrictEqual(sentBy("onset_date", "soon", { ...rejected, partialDate }, undefined, dateOf), [
        undefined,
        `${severity}: \`onset_date\` found something that is not a date`
      ])
    }
  )
})
