import { assert, describe, it } from "@effect/vitest"
import { haveDistinctIdentities } from "../../src/source/records/haveDistinctIdentities.ts"
import type { SourceRecord } from "../../src/source/records/SourceRecord.ts"

type Identifier = readonly [system: string | undefined, value: string]

const record = (resourceType: string, identifiers: ReadonlyArray<Identifier>): SourceRecord => ({
  origin: { file: "a.ndjson", line: 1, reference: `${resourceType}/1` },
  resource: {
    resourceType,
    id: "1",
    identifier: identifiers.map(([system, value]) => (system === undefined ? { value } : { system, value }))
  }
})

const areDistinct = (one: ReadonlyArray<Identifier>, other: ReadonlyArray<Identifier>, type = "Patient"): boolean => {
  const found = haveDistinctIdentities(record(type, one), record(type, other))
  assert.strictEqual(haveDistinctIdentities(record(type, other), record(type, one)), found, "in both directions")
  return found
}

describe("Two records of one name", () => {
  it("are two patients or encounters if they have other identifiers of one system", () => {
    for (const type of ["Patient", "Encounter"]) {
      assert.isTrue(areDistinct([["urn:mrn", "1"]], [["urn:mrn", "2"]], type))
      assert.isTrue(areDistinct([["urn:mrn", "1"], ["urn:card", "8"]], [["urn:mrn", "2"]], type))
    }
  })

  it("are versions of one if they share an identifier, or no system", () => {
    assert.isFalse(areDistinct([["urn:mrn", "1"]], [["urn:mrn", "1"]]))
    assert.isFalse(areDistinct([["urn:mrn", "1"], ["urn:card", "8"]], [["urn:mrn", "1"], ["urn:card", "9"]]))
    assert.isFalse(areDistinct([["urn:mrn", "1"]], [["urn:card", "2"]]))
    assert.isFalse(areDistinct([["urn:mrn", "1"]], []))
    assert.isFalse(areDistinct([], []))
  })

  it("are compared by identifiers without a system, too", () => {
    assert.isTrue(areDistinct([[undefined, "1"]], [[undefined, "2"]]))
    assert.isFalse(areDistinct([[undefined, "1"]], [["urn:mrn", "2"]]))
    assert.isFalse(areDistinct([[undefined, "1"]], [[undefined, "1"]]))
  })

  it("are versions of one if they are of another type, whose identifiers may change", () => {
    assert.isFalse(areDistinct([["urn:orders", "1"]], [["urn:orders", "2"]], "Observation"))
  })
})
