import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { openPointsOf } from "../../src/cli/assumptions/operatorQuestions.ts"
import { parseFacility } from "../../src/facility/settings/parseFacility.ts"
import * as service from "../../src/facility/settings/serviceGrammar.ts"
import { validationKeys } from "../../src/facility/settings/validationGrammar.ts"
import { mappingSchema } from "../../src/mapping/language/mappingSchema.ts"
import { fieldPaths } from "../../src/visit/fields.ts"
import { captures } from "../captures.ts"

const page = readFileSync("docs/open-points.md", "utf8")
const rows = page.split("\n").filter((line) => line.startsWith("| ") && !line.startsWith("| open")).map((line) =>
  line.slice(2, -2).split(" | ")
)

describe("docs/open-points.md", () => {
  it("states for each point what is done and where it is changed", () => {
    assert.isAtLeast(rows.length, 70)
    for (const row of rows) assert.include([3, 4], row.length, row.join(" | "))
  })

  it("states the visits of a point as fields of the specification", () => {
    for (const { concerns, open } of openPointsOf(page)) {
      if (concerns !== undefined) assert.include<string>(fieldPaths, concerns.field, open)
    }
    assert.strictEqual(openPointsOf(page).length, rows.length)
  })

  it("names only settings and keywords that exist", () => {
    const words = JSON.stringify(mappingSchema())
    for (const [open, , change = ""] of rows) {
      for (const word of captures(change, /`([^`]+)`/gu)) {
        const [section = "", key] = word.split(": ")
        if (section.endsWith(":")) {
          assert.include(words, `"${section.slice(0, -1)}"`, open)
          continue
        }
        const { problems } = parseFacility(
          "facility.yaml",
          key === undefined ? `${section}: x` : `${section}: {${key}: {}}`
        )
        assert.deepStrictEqual(problems.filter(({ code }) => code === "unknown-key"), [], word)
      }
    }
  })

  it("has a point for every setting of the service and the validation", () => {
    const answers = rows.map(([, , change]) => change).join("\n")
    const { authKeys, beneficiaryKeys, limitsKeys, processedKeys, reconcileKeys, referenceKeys } = service
    const { retryKeys, submitKeys } = service
    const missing = Object.entries({
      limits: limitsKeys,
      auth: authKeys,
      retry: retryKeys,
      reconcile: reconcileKeys,
      submit: submitKeys,
      beneficiary: beneficiaryKeys,
      reference: referenceKeys,
      processed: processedKeys,
      validation: validationKeys
    }).flatMap(([name, keys]) => Object.keys(keys).map((key) => `${name}: ${key}`))
      .filter((name) => !answers.includes(`\`${name}\``))
    // these answer no open point: the patience of reads, and the facility's own terms
    assert.deepStrictEqual(missing, [
      "retry: reads",
      "reconcile: partialAfter",
      "submit: settle",
      "validation: referralAdmissionTypes",
      "validation: deceasedValues",
      "validation: inpatientVisitTypes",
      "validation: schemePaymentTypes"
    ])
  })
})
