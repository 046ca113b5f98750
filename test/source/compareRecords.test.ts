import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import fhirpathR4 from "fhirpath/fhir-context/r4"
import { compareIds, contentOf } from "../../src/source/records/compareRecords.ts"
import { resourceTypes } from "../../src/source/records/resourceTypes.ts"
import type { Resource } from "../../src/source/records/SourceRecord.ts"
import { present } from "../present.ts"

describe("compareIds", () => {
  it("compares the numbers in ids as numbers of any length", () => {
    const sorted = [
      "",
      "1",
      "2",
      "10",
      "123456789012345678901",
      "V2",
      "V9",
      "V10",
      "V10-2",
      "V10-10",
      "a",
      "a01",
      "a1b",
      "a2",
      "b"
    ]
    for (let n = 0; n < 20; n++) {
      assert.deepStrictEqual(
        fc.sample(fc.shuffledSubarray(sorted, { minLength: sorted.length }), 1)[0]?.toSorted(compareIds),
        sorted
      )
    }
  })

  it("law: is a total order in which only equal ids are equal", () => {
    const id = fc.stringMatching(/^[0-2ab-]{0,6}$/)
    fc.assert(
      fc.property(id, id, id, (a, b, c) => {
        assert.strictEqual(Math.sign(compareIds(a, b)), -Math.sign(compareIds(b, a)))
        assert.strictEqual(compareIds(a, b) === 0, a === b)
        if (compareIds(a, b) <= 0 && compareIds(b, c) <= 0) assert.isAtMost(compareIds(a, c), 0)
      }),
      { numRuns: 5000 }
    )
  })
})

describe("contentOf", () => {
  it("depends on everything but the order of keys", () => {
    const of = (value: Resource) => contentOf(value)
    const one = { resourceType: "Patient", id: "1", name: [{ family: "A", given: ["B", "C"] }] }
    assert.strictEqual(of({ name: [{ given: ["B", "C"], family: "A" }], id: "1", resourceType: "Patient" }), of(one))
    assert.notStrictEqual(of({ ...one, name: [{ family: "A", given: ["C", "B"] }] }), of(one))
    assert.notStrictEqual(of({ ...one, active: null }), of(one))
  })
})

it("the resource types are those of FHIR R4", () => {
  const parents: Readonly<Record<string, string>> = fhirpathR4.type2Parent
  const expected = Object.keys(parents).filter((type) =>
    ["Resource", "DomainResource"].includes(present(parents[type])) && type !== "DomainResource"
  )
  assert.sameMembers([...resourceTypes], expected)
})
