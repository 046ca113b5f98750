import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { r4Model } from "../../src/fhirpath/infer/Model.ts"
import { renderRequiredCodes, requiredCodesFile } from "../../tools/requiredCodes.ts"
import { present } from "../present.ts"

describe("The codes that FHIR R4 requires of elements", () => {
  it("equal those of its types; otherwise run  node tools/requiredCodes.ts", () => {
    assert.strictEqual(readFileSync(requiredCodesFile, "utf8"), renderRequiredCodes())
  })

  it("exist for resources, nested elements and types, but not for open elements", () => {
    assert.include(present(r4Model.codesOfElement("Encounter", "status")), "finished")
    assert.deepStrictEqual(r4Model.codesOfElement("Encounter.location", "status"), [
      "planned",
      "active",
      "reserved",
      "completed"
    ])
    assert.deepStrictEqual(r4Model.codesOfElement("HumanName", "use"), [
      "usual",
      "official",
      "temp",
      "nickname",
      "anonymous",
      "old",
      "maiden"
    ])
    assert.isUndefined(r4Model.codesOfElement("Encounter", "priority"))
  })
})
