import { assert, describe, it } from "@effect/vitest"
import type { CheckedMapping } from "../../src/mapping/check/check.ts"
import { convertRecords } from "../../src/run/convertRecords.ts"
import { recordsOf, type SourceText } from "../../src/studio/proof/recordsOf.ts"
import { loadFor } from "../fhirpath/shippedPaths.ts"
import { present } from "../present.ts"
import { documentsIn, fileTextsOf } from "./changedRecords.ts"
import { generatedAtOnce } from "./generatedCode.ts"

const samples = ["outpatient-fever", "emergency-labs-imaging", "inpatient-surgery-referral", "clinic-day"]

/** For each visit of some records: whether the definition makes a part of it. */
const leftOf = (checked: CheckedMapping, texts: ReadonlyArray<SourceText>): ReadonlyArray<boolean> => {
  const units = present(checked.plan.fhirPath.units)
  const { visits } = convertRecords({
    checked,
    records: recordsOf(texts).index,
    facility: null,
    system: null,
    zone: "Asia/Phnom_Penh",
    checkVisit: () => [],
    compareVisit: () => []
  })
  // Grouping is not a part of a visit.
  units.takeLeft()
  return Array.from(visits, () => units.takeLeft())
}

describe("What is left to the definition", () => {
  it("is nothing of the visits of the samples, of which patients have companions", async () => {
    const checked = await loadFor("fhir-r4", generatedAtOnce().by)
    for (const name of samples) {
      const left = leftOf(checked, fileTextsOf(documentsIn(`samples/${name}/input`)))
      assert.isAbove(left.length, 0)
      assert.notInclude(left, true, name)
    }
  })

  it("is what reads an element that is written in another way", async () => {
    const checked = await loadFor("fhir-r4", generatedAtOnce().by)
    const changed = fileTextsOf(documentsIn("samples/outpatient-fever/input")).map(({ file, text }) => ({
      file,
      text: text.replace(/"gender":"(\w+)"/u, "\"gender\":[\"$1\"]")
    }))
    assert.deepStrictEqual(leftOf(checked, changed), [true])
  })
})
