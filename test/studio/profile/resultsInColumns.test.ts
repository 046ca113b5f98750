import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { days, initialized, table, two } from "./drafted.ts"

/** What `init` asks about results with these columns, and the result that is sent for each of three visits. */
const sent = (header: string, ...cells: ReadonlyArray<string>) =>
  initialized({
    ...days(6),
    "lab_results.csv": table(`request_no,visit_no,test_name,${header},taken`, 6, (at) =>
      `L-${at},V-${at},Example,${cells[at % 3]},2026-03-${two(at)} 08:30`)
  }).pipe(Effect.map(({ visits, words }) => ({
    words: words.replaceAll(/\s+/gu, " "),
    sent: visits.slice(0, 3).map(({ laboratories: [{ results: [one] }] }) => [one.value, one.value_type])
  })))

describe("Results in several columns", () => {
  for (
    const [header, numeric, word] of [
      ["result_num,result_text", "10.5,", ",negative"],
      ["result_text,result_num", ",10.5", "negative,"],
      ["value,value_text", "10.5,", ",negative"],
      ["value_numeric,value_coded", "10.5,", ",negative"],
      ["resultado_numerico,resultado_texto", "10.5,", ",negative"]
    ] as const
  ) {
    it.effect(`are numbers and words: ${header}`, () =>
      Effect.gen(function*() {
        const { sent: results, words } = yield* sent(header, word, numeric, numeric)
        assert.deepStrictEqual(results, [[10.5, "float"], [10.5, "float"], ["negative", "string"]])
        assert.notInclude(words, "which is the result of the rows")
      }))
  }

  it.effect("are asked about if rows are filled in both", () =>
    Effect.gen(function*() {
      const { sent: results, words } = yield* sent("result_num,result_text", "10.5,high", "10.5,", ",negative")
      assert.deepStrictEqual(results, [[10.5, "float"], ["negative", "string"], [10.5, "float"]])
      assert.include(words, "filled in several of `result_num`, `result_text`?")
    }))

  it.effect("are no numbers of codes: these are asked about", () =>
    Effect.gen(function*() {
      const { sent: results, words } = yield* sent("value_numeric,value_coded", "10.5,", "10.5,", ",703")
      assert.deepStrictEqual(results, [[10.5, "float"], [10.5, "float"], [10.5, "float"]])
      assert.include(words, "what do the numbers of `value_coded` in `lab_results` mean?")
    }))

  it.effect("are no state of a result", () =>
    Effect.gen(function*() {
      const { sent: results } = yield* sent(
        "result_status,value_text",
        "Final,negative",
        "Final,negative",
        "Final,positive"
      )
      assert.deepStrictEqual(results, [["negative", "string"], ["positive", "string"], ["negative", "string"]])
    }))
})

describe("Results of the parts of a test", () => {
  for (
    const [whole, part] of [["Test", "Parameter"], ["test_name", "component_name"], ["Examen", "Analito"]] as const
  ) {
    it.effect(`have the name of the part, and that of the test as their category: ${whole}, ${part}`, () =>
      Effect.gen(function*() {
        const { visits: [{ laboratories: [{ results }] }] } = yield* initialized({
          ...days(6),
          "lab_results.csv": table(`visit_no,${whole},${part},result,taken`, 6, (at) =>
            [
              `V-${at},Blood count,Haemoglobin,12.5,2026-03-${two(at)} 08:30`,
              `V-${at},Blood count,Platelets,210,2026-03-${two(at)} 08:30`
            ].join("\n"))
        })
        assert.deepStrictEqual(
          results.map((one: Readonly<Record<string, unknown>>) => [one.name, one.category, one.value]),
          [["Haemoglobin", "Blood count", 12.5], ["Platelets", "Blood count", 210]]
        )
      }))
  }
})
