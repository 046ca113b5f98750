import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { days, drafted, table, upTo } from "./drafted.ts"

const plain = (text: string): string => text.replaceAll(/\s+/gu, " ")

describe("Two blood pressures in one cell", () => {
  const triage = (header: string, value: (at: number) => string) => ({
    "triage.csv": table(`visit_no,taken_at,pulse,${header}`, 8, (at) => `V-${at},2026-03-0${at} 08:20,72,${value(at)}`)
  })
  const pressuresOf = (visits: ReadonlyArray<any>) =>
    visits.map(({ vital_signs: [{ observations }] }) =>
      observations.flatMap(({ name, value }: any) => name.endsWith("Blood Pressure") ? [value] : [])
    )

  for (
    const [header, written] of [
      ["PA", "120x80"],
      ["PA", "12x8"],
      ["BP", "120-80"],
      ["BP", "120/80 mmHg"],
      ["BP", "120 / 80"]
    ] as const
  ) {
    it.effect(`are read: ${header} with ${written}`, () =>
      Effect.gen(function*() {
        const { visits } = yield* drafted({ ...days(8), ...triage(header, () => written) })
        assert.deepStrictEqual(pressuresOf(visits), upTo(8).map(() => [120, 80]))
      }))
  }

  it.effect("are read in millimetres and in centimetres of mercury in one column", () =>
    Effect.gen(function*() {
      const { mapping, visits } = yield* drafted({
        ...days(8),
        ...triage("TA", (at) => ["120/80", "12/8", "\"12,5/8\"", "60/25"][at % 4] ?? "")
      })
      const expected = [[120, 80], [120, 80], [125, 80], [60, 25]]
      assert.deepStrictEqual(pressuresOf(visits), upTo(8).map((at) => expected[at % 4]))
      assert.include(mapping, "pairs such as 12/8 are in centimetres of mercury")
    }))

  it.effect("reject their visit if the cell has only one, and are read with another sign in a later extract", () =>
    Effect.gen(function*() {
      const { later } = yield* drafted(
        { ...days(8), ...triage("BP", () => "120/80") },
        triage("BP", (at) => at === 1 ? "120" : at === 2 ? "118x76" : "120/80")
      )
      assert.strictEqual(later.visits.length, 7)
      assert.deepStrictEqual(pressuresOf(later.visits)[0], [118, 76])
      assert.include(later.problems, "a row of `observations` has no `value`")
    }))

  it.effect("are asked about if they are written differently", () =>
    Effect.gen(function*() {
      const { questions } = yield* drafted({ ...days(8), ...triage("BP", (at) => `high ${at}`) })
      assert.include(plain(questions), "how are the blood pressures in `triage.BP` written?")
    }))
})

describe("Durations of medicines", () => {
  const prescribed = (header: string, values: ReadonlyArray<string>) =>
    drafted({
      ...days(8),
      "prescriptions.csv": table(
        `rx_no,visit_no,rx_date,drug_code,drug_name,${header}`,
        8,
        (at) => `R-${at},V-${at},2026-03-0${at} 08:30,D1,Example,${values[at % values.length]}`
      )
    })

  for (
    const [header, values, expected] of [
      ["duration", ["5/7", "3/52"], [5, 21]],
      ["days", ["5/7", "10"], [5, 10]],
      ["duration", ["5 days", "2 Weeks"], [5, 14]],
      // A month has no certain number of days, and a number without a unit can be of weeks.
      ["duration", ["2/12", "1/52"], [null, 7]],
      ["duration", ["7", "5/7"], [null, 5]]
    ] as const
  ) {
    it.effect(`are asked about, and sent as days: ${header} with ${values.join(" and ")}`, () =>
      Effect.gen(function*() {
        const { problems, questions, visits } = yield* prescribed(header, values)
        assert.deepStrictEqual(
          visits.map(({ prescriptions: [{ medications: [one] }] }) => one.days),
          upTo(8).map((at) => expected[at % 2])
        )
        assert.include(plain(questions), `how are durations in \`prescriptions_table.${header}\` written?`)
        assert.strictEqual(problems.includes("`days` has no value"), expected.some((one) => one === null))
      }))
  }
})

describe("The limits of a result in two columns", () => {
  it.effect("are its range, one of them by itself is a limit, and a result without them has none", () =>
    Effect.gen(function*() {
      const limits = ["12,16", ",500", "4,", ","]
      const { visits } = yield* drafted({
        ...days(4),
        "lab_results.csv": table(
          "visit_no,order_no,collected_at,test_name,result,ref_low,ref_high",
          4,
          (at) => `V-${at},O-${at},2026-03-0${at} 08:30,Example,5.${at},${limits[at - 1]}`
        )
      })
      assert.deepStrictEqual(
        visits.map(({ code, laboratories }) => [code, laboratories[0].results[0].reference_range]).toSorted(),
        [["V-1", "12-16"], ["V-2", "<= 500"], ["V-3", ">= 4"], ["V-4", null]]
      )
    }))
})
