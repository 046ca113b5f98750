import { assert, describe, it } from "@effect/vitest"
import { shortenedRecords } from "../../src/run/checks/shortenedRecords.ts"
import type { SourceRecord } from "../../src/source/records/SourceRecord.ts"

const shortened = (resourceType: string, id: string): SourceRecord => ({
  origin: { file: "records.ndjson", line: 1, reference: `${resourceType}/${id}` },
  resource: { resourceType, id, meta: { tag: [{ code: "SUBSETTED" }] } }
})

describe("Problems of shortened records", () => {
  it("do not depend on the order in which the records of a visit are found", () => {
    const records = [shortened("Observation", "b"), shortened("Practitioner", "p"), shortened("Observation", "a")]
    const patient = shortened("Patient", "1")
    const problemsOf = (found: ReadonlyArray<SourceRecord>) =>
      shortenedRecords(new Set(found), patient, (record) => record)
    const expected = ["Observation/a", "Patient/1", "Practitioner/p"]
    assert.deepStrictEqual(problemsOf(records).map(({ source }) => source), expected)
    assert.deepStrictEqual(problemsOf(records.toReversed()), problemsOf(records))
  })
})
