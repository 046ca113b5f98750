import { assert, describe, it } from "@effect/vitest"
import { beforeAll } from "vitest"
import type { CheckedMapping } from "../../src/mapping/check/check.ts"
import { loadFor } from "../fhirpath/shippedPaths.ts"
import { present } from "../present.ts"
import { timeout } from "../runs.ts"
import { checkChanged } from "./changedRecords.ts"
import { everyResultOf } from "./everyResultOf.ts"
import { generatedAtOnce } from "./generatedCode.ts"

const reporting = "test/generate/reporting.yaml"
const cases: ReadonlyArray<readonly [sample: string, mapping: string]> = [
  ["outpatient-fever", "fhir-r4"],
  ["emergency-labs-imaging", "fhir-r4"],
  ["clinic-day", "fhir-r4"],
  ["inpatient-surgery-referral", "fhir-r4"],
  ["outpatient-fever", reporting],
  ["clinic-day", reporting]
]

/** The plans of a mapping, by the definition and with generated code. */
const plans = new Map<string, readonly [definition: CheckedMapping, generated: CheckedMapping]>()
const { by, texts: functions } = generatedAtOnce()
beforeAll(async () => {
  for (const mapping of ["fhir-r4", reporting]) {
    plans.set(mapping, [await loadFor(mapping, "definition"), await loadFor(mapping, by)])
  }
})

describe("A conversion of changed records with generated code", () => {
  it.each(cases)("equals the one with the definition: samples/%s, %s", (name, mapping) => {
    const [definition, generated] = present(plans.get(mapping))
    checkChanged(name, 50, (texts) => {
      assert.deepStrictEqual(everyResultOf(generated, texts), everyResultOf(definition, texts))
    })
    assert.isAbove(functions.length, 20)
  }, timeout)
})
