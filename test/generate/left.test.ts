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
  units.left.take()
  return Array.from(visits, () => units.left.take())
}

/** The sample with its patients' address under a name that the model does not have. */
const withoutAddress = (): ReadonlyArray<SourceText> =>
  fileTextsOf(documentsIn("samples/outpatient-fever/input"))
    .map(({ file, text }) => ({ file, text: text.replaceAll("\"address\":", "\"formerAddress\":") }))

const changed = (by: string): ReadonlyArray<SourceText> =>
  fileTextsOf(documentsIn("samples/outpatient-fever/input")).map(({ file, text }) => ({
    file,
    text: text.replace(/"gender":"(\w+)"/u, by)
  }))

describe("The definition", () => {
  it("makes no part of the visits of the samples, although their patients have companions", async () => {
    const checked = await loadFor("fhir-r4", generatedAtOnce().by)
    for (const name of samples) {
      const left = leftOf(checked, fileTextsOf(documentsIn(`samples/${name}/input`)))
      assert.isAbove(left.length, 0)
      assert.notInclude(left, true, name)
    }
  })

  it("makes no part of the visit of a patient who has no address", async () => {
    const checked = await loadFor("fhir-r4", generatedAtOnce().by)
    assert.deepStrictEqual(leftOf(checked, withoutAddress()), [false])
  })

  it("makes a part of a visit if a line reads an element that is not written as the model says", async () => {
    const checked = await loadFor("fhir-r4", generatedAtOnce().by)
    assert.deepStrictEqual(leftOf(checked, changed("\"gender\":[\"$1\"]")), [true])
  })

  it("makes no part of it if no line reads the element", async () => {
    const checked = await loadFor("fhir-r4", generatedAtOnce().by)
    const text = "\"gender\":\"$1\",\"multipleBirthInteger\":[1]"
    assert.deepStrictEqual(leftOf(checked, changed(text)), [false])
  })
})
