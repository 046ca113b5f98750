import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { collate, Collator, withoutIndexes } from "../../src/diagnostic/collate.ts"
import type { Diagnostic } from "../../src/diagnostic/Diagnostic.ts"

const mapping = { file: "visit.yaml", line: 9, column: 16, endColumn: 20 }
const noValue = (more: Partial<Diagnostic>): Diagnostic => ({
  code: "no-value",
  severity: "warning",
  title: "nothing found",
  mapping,
  ...more
})

describe("collate", () => {
  it("counts a problem in every element of a list once per visit, and keeps the first", () => {
    const all = collate([
      noValue({ visit: "A", field: "vital_signs[0].title" }),
      noValue({ visit: "A", field: "vital_signs[1].title" }),
      noValue({ visit: "B", field: "vital_signs[7].title" })
    ])
    assert.deepStrictEqual(all.map(({ count, first, visits }) => [count, visits, first.field]), [
      [3, 2, "vital_signs[0].title"]
    ])
    assert.strictEqual(withoutIndexes("a[3].b[12]"), "a[].b[]")
  })

  it("distinguishes codes, locations, fields, and titles", () => {
    const different = [
      noValue({}),
      noValue({ code: "wrong-type" }),
      noValue({ mapping: { ...mapping, line: 10 } }),
      noValue({ field: "title" }),
      noValue({ title: "nothing at all" })
    ]
    assert.strictEqual(collate([...different, ...different]).length, 5)
  })

  it("distinguishes record types if there is no mapping line", () => {
    const of = (source: string) =>
      ({ code: "other-patient", severity: "error", title: "another patient", source }) as const
    const all = collate([
      of("Observation/1"),
      of("Condition/1"),
      of("Observation/2"),
      of("day/visits.ndjson:3"),
      of("day/visits.ndjson:4")
    ])
    assert.deepStrictEqual(all.map(({ count, first }) => [count, first.source]), [
      [2, "Observation/1"],
      [2, "day/visits.ndjson:3"],
      [1, "Condition/1"]
    ])
  })

  it("sorts errors before warnings, then by frequency", () => {
    const error = noValue({ severity: "error", code: "required-field" })
    const rare = noValue({ title: "rare" })
    const often = noValue({ title: "often" })
    assert.deepStrictEqual(collate([rare, often, often, error]).map(({ first }) => first.title), [
      error.title,
      "often",
      "rare"
    ])
  })

  it("sorts causes before their consequences, even a rare warning", () => {
    const error = noValue({ severity: "error", code: "required-field" })
    const cause = noValue({ code: "wrong-format" })
    assert.deepStrictEqual(collate([error, error, cause]).map(({ first }) => first.code), [
      "wrong-format",
      "required-field"
    ])
  })

  it("counts a diagnostic by the occurrences that it represents", () => {
    const collator = new Collator()
    collator.addAll([noValue({}), noValue({ times: 150 })])
    assert.deepStrictEqual([collator.warnings, collator.all()[0]?.count], [151, 151])
  })

  it("counts visits by number, not by code", () => {
    const collator = new Collator()
    for (const visit of [1, 1, 2, 3]) collator.add(noValue({ visit: "V-1" }), visit)
    assert.deepStrictEqual(collator.all().map(({ count, visits }) => [count, visits]), [[4, 3]])
  })

  it("is bounded if every diagnostic is of another kind, and counts every one", () => {
    const collator = new Collator()
    const total = 40_000
    for (let index = 0; index < total; index++) {
      collator.add(noValue({ title: `t${index}`, field: index < 20_000 ? "a" : `b${index}` }), `V${index}`)
    }
    const all = collator.all()
    assert.isAtMost(all.length, 10_100)
    assert.strictEqual(all.reduce((sum, { count }) => sum + count, 0), total)
    assert.strictEqual(all.reduce((sum, { visits }) => sum + visits, 0), total)
    assert.strictEqual(collator.warnings, total)
  })

  it("law: the counts add up to the number of diagnostics", () =>
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(3), fc.nat(3), fc.boolean())), (kinds) => {
        const diagnostics = kinds.map(([line, field, error]) =>
          noValue({
            mapping: { ...mapping, line },
            field: `f${field}`,
            severity: error ? "error" : "warning",
            visit: "V"
          })
        )
        const all = collate(diagnostics)
        assert.strictEqual(all.reduce((sum, { count }) => sum + count, 0), diagnostics.length)
        assert.strictEqual(new Set(kinds.map((kind) => kind.join())).size, all.length)
      })
    ))
})
