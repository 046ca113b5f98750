import { assert, describe, it } from "@effect/vitest"
import { measureSuggestions } from "../../../bench/suggestions.ts"
import { listIndex } from "../../../src/facility/lists/listIndex.ts"
import { readTableRows } from "../../../src/mapping/tables/csvTable.ts"
import { standardData } from "../../../src/service/sandbox/data/standardData.ts"
import { suggestionsFor } from "../../../src/studio/codes/suggestions.ts"
import { worklistCsv } from "../../../src/studio/codes/worklist.ts"

const diagnoses = listIndex("diagnoses", standardData.diagnoses)
const values = (code: string, display: string | null = null) =>
  suggestionsFor({ code, display }, diagnoses, "diagnoses").map(({ value }) => value)

const seen = (code: string, display: string | null) => ({
  table: "discharge_type",
  system: null,
  code,
  display,
  count: 3,
  visits: 3,
  blocked: 0
})

describe("Suggestions of codes unmapped", () => {
  it("are right in 98 of 100 with a score of at least 0.9, over public pairs; four of five right values come first", () => {
    const { first, known, pairs, right, sure, three } = measureSuggestions()
    assert.isAtLeast(pairs, 150)
    assert.isAtLeast(sure, 60)
    assert.isAtLeast(right / sure, 0.98)
    assert.isAtLeast(first / known, 0.8)
    assert.isAtLeast(three / known, 0.85)
  })

  it("are the same code for a code of ICD-10, or none, whatever its display", () => {
    assert.deepStrictEqual(values("E11.9", "Anything"), ["E11.9"])
    assert.deepStrictEqual(values("E119"), ["E11.9"])
    assert.deepStrictEqual(values("J18.0", "Pneumonia, unspecified organism"), [])
  })

  it("do not exist for a code of ICD-9, whatever its display", () => {
    const icd9 = "http://hl7.org/fhir/sid/icd-9-cm"
    for (const [code, system] of [["250.00", null], ["250", icd9], ["E11.9", icd9], ["055.2", null]] as const) {
      const found = suggestionsFor({ code, display: "Type 2 diabetes mellitus", system }, diagnoses, "diagnoses")
      assert.deepStrictEqual(found, [])
    }
  })

  it("do not exist for a single letter or number", () => {
    for (const code of ["A", "M", "7", "12"]) assert.deepStrictEqual(values(code), [])
  })

  it("have a low score if numbers differ or two values have the same name", () => {
    const medicines = listIndex("medications", standardData.medications)
    for (const display of ["Ibuprofen 200 mg tablet", "Paracetamol 500 mg tablet"]) {
      const found = suggestionsFor({ code: "x", display }, medicines, "medications")
      assert.isNotEmpty(found)
      for (const { score } of found) assert.isBelow(score, 0.9)
    }
  })

  it("use rows that were filled in before, with and without a list", () => {
    const before = "code,display,value\nq1,Sortie contre avis médical,Unauthorized\n"
    const { rows } = readTableRows("discharge_type.csv", before)
    for (const index of [undefined, listIndex("discharge_types", standardData.discharge_types)]) {
      const csv = worklistCsv([seen("q2", "sortie contre avis medical")], index, rows, "discharge_types")
      assert.match(csv, /,q2,sortie contre avis medical,Unauthorized,1\.00,/u)
    }
  })
})
