import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { compareVisits } from "../../src/run/compareVisits.ts"
import type { ConvertedVisit } from "../../src/run/Conversion.ts"
import { VisitCode } from "../../src/visit/values/Code.ts"
import { converted, temporaryFolder, written } from "./converted.ts"

const visit = (json: unknown): ConvertedVisit => ({
  code: VisitCode("V1"),
  json: JSON.stringify(json),
  ready: true,
  problems: [],
  source: "Encounter/e1",
  origin: { file: "", line: 1, reference: "Encounter/e1" }
})
const row = (code: string, more: object = {}) => ({
  code,
  name: `name of ${code}`,
  visit_code: "V1",
  note: null,
  ...more
})
const between = (before: ReadonlyArray<unknown>, after: ReadonlyArray<unknown>) =>
  compareVisits([visit({ diagnosis: before })], [visit({ diagnosis: after })]).fields

describe("The comparison of two lists", () => {
  const [a, b, c, d] = ["A", "B", "C", "D"].map((code) => row(code))

  it("counts an inserted row as one added row", () =>
    assert.deepStrictEqual(between([a, b, c], [a, d, b, c]), [
      { field: "diagnosis[]", values: 0, visits: 1, rowsAdded: 1 }
    ]))

  it("counts a row at the front as one added or removed row", () => {
    assert.deepStrictEqual(between([a, b], [d, a, b]), [{ field: "diagnosis[]", values: 0, visits: 1, rowsAdded: 1 }])
    assert.deepStrictEqual(between([d, a, b], [a, b]), [{ field: "diagnosis[]", values: 0, visits: 1, rowsRemoved: 1 }])
  })

  it("counts a changed value after an inserted row as one value", () =>
    assert.deepStrictEqual(between([a, b, c], [d, a, row("B", { note: "new" }), c]), [
      { field: "diagnosis[]", values: 0, visits: 1, rowsAdded: 1 },
      { field: "diagnosis[].note", values: 1, visits: 1 }
    ]))

  it("counts a changed code of a row as one value", () =>
    assert.deepStrictEqual(between([a, b], [a, { ...b, code: "X" }]), [{
      field: "diagnosis[].code",
      values: 1,
      visits: 1
    }]))

  it("counts changed texts as changed", () =>
    assert.deepStrictEqual(between(["x", "y"], ["x", "z"]), [{ field: "diagnosis[]", values: 1, visits: 1 }]))

  it("counts moved rows as one removed and one added", () =>
    assert.deepStrictEqual(between([a, b, c], [b, c, a]), [
      { field: "diagnosis[]", values: 0, visits: 1, rowsAdded: 1, rowsRemoved: 1 }
    ]))

  it("compares very long lists", () => {
    const many = (from: number) => Array.from({ length: 700 }, (_, index) => row(`C${from + index}`))
    assert.isAbove(between(many(0), many(1).toReversed()).length, 0)
  })
})

describe("The comparison of two mappings", () => {
  it.effect("finds nothing for an empty overlay", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const [mapping] = written(folder, { "mapping.yaml": "mapping: empty\nextends: fhir-r4\n" })
      const before = (yield* converted(["samples/clinic-day/input"])).visits
      const after = (yield* converted(["samples/clinic-day/input"], { mapping })).visits
      const { changed, fields, visits } = compareVisits(before, after)
      assert.deepStrictEqual({ changed, fields, visits }, { changed: 0, fields: [], visits: 5 })
    }))

  it.effect("counts fields without indexes, and names visits that become ready or rejected", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const [mapping] = written(folder, {
        "mapping.yaml":
          "mapping: other\nextends: fhir-r4\nvisit:\n  patient: {occupation: {value: Farmer}}\n  vital_signs: {title: null}\n" +
          "  discharge_type: {value: Authorized}\n  admitted_at: null\n"
      })
      const before = (yield* converted(["samples/clinic-day/input"])).visits
      const after = (yield* converted(["samples/clinic-day/input"], { mapping })).visits
      const found = compareVisits(before, after)
      assert.strictEqual(found.changed, 5)
      assert.strictEqual(found.becomeRejected.length, before.filter(({ ready }) => ready).length)
      assert.deepStrictEqual(found.becomeReady, [])
      const names = found.fields.map(({ field }) => field)
      assert.includeMembers(names, ["admitted_at", "vital_signs[].title", "patient.occupation"])
      const back = compareVisits(after, before)
      assert.deepStrictEqual(back.fields, found.fields)
      assert.deepStrictEqual(back.becomeReady, found.becomeRejected)
    }))
})
