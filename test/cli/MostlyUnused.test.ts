import { assert, describe, it } from "@effect/vitest"
import { MostlyUnused } from "../../src/cli/report/MostlyUnused.ts"
import type { Diagnostic } from "../../src/diagnostic/Diagnostic.ts"

const unused = (type: string, times: number): Diagnostic => ({
  code: "unused-record",
  severity: "warning",
  title: "",
  times,
  mapping: { file: "a.yaml", line: 1, column: 1, endColumn: 2 },
  source: `${type}/1`,
  origin: { file: "a.ndjson", line: 1, reference: `${type}/1` }
})

describe("MostlyUnused", () => {
  it("reports a type if more than half of its records are in no section, unless the facility lowers it", () => {
    const all = new MostlyUnused()
    all.add([unused("Observation", 8), unused("Procedure", 40), unused("observation", 9)])
    all.add([unused("Observation", 3), { ...unused("Claim", 99), code: "dropped-record" }])
    const used = new Map([["Observation", 10], ["Procedure", 40]])
    const found = all.problems(used, undefined)
    assert.deepStrictEqual(found.map(({ code, severity, title }) => [code, severity, title]), [
      ["mostly-unused", "error", "11 of 21 Observation records of the visits are in no section of them"]
    ])
    assert.deepStrictEqual(all.problems(used, new Map([["mostly-unused", "off"]])), [])
    assert.strictEqual(all.problems(used, new Map([["mostly-unused", "warning"]]))[0]?.severity, "warning")
  })

  it("counts records that are named by a full URL by their type", () => {
    const named = (number: number): Diagnostic => {
      const reference = `urn:uuid:00000000-0000-4000-8000-${String(number).padStart(12, "0")}`
      return {
        ...unused("Observation", 1),
        source: reference,
        origin: { file: "a.json", line: 1, reference, type: "Observation" }
      }
    }
    const all = new MostlyUnused()
    all.add(Array.from({ length: 12 }, (_, number) => named(number)))
    assert.deepStrictEqual(all.problems(new Map([["Observation", 40]]), undefined), [])
    assert.deepStrictEqual(
      all.problems(new Map([["Observation", 10]]), undefined).map(({ title }) => title),
      ["12 of 22 Observation records of the visits are in no section of them"]
    )
  })
})
