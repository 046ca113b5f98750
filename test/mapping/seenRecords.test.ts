import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { beforeAll } from "vitest"
import type { CheckedMapping } from "../../src/mapping/check/check.ts"
import { loadFor, pathsOf } from "../fhirpath/shippedPaths.ts"
import { documentsIn, fileTextsOf, someChanges, withChanges } from "../generate/changedRecords.ts"
import { everyResultOf } from "../generate/everyResultOf.ts"
import { present } from "../present.ts"
import { runs, timeout } from "../runs.ts"

/** Returns a mapping whose expressions prove nothing, so that each field that may hold a value of a record is evaluated for it. */
const unproven = async (mapping: string): Promise<CheckedMapping> => {
  const checked = await loadFor(mapping, "definition")
  const proves = { staysInRecord: () => false, isOfEach: () => false, contents: () => undefined }
  for (const path of pathsOf(present(checked).plan)) Object.assign(path, proves)
  return checked
}

const reporting = "test/generate/reporting.yaml"
const cases: ReadonlyArray<readonly [sample: string, mapping: string]> = [
  ["outpatient-fever", "fhir-r4"],
  ["emergency-labs-imaging", "fhir-r4"],
  ["clinic-day", "fhir-r4"],
  ["inpatient-surgery-referral", "fhir-r4"],
  ["clinic-day", reporting]
]

const plans = new Map<string, readonly [proven: CheckedMapping, unproven: CheckedMapping]>()
beforeAll(async () => {
  for (const mapping of ["fhir-r4", reporting]) {
    plans.set(mapping, [await loadFor(mapping, "definition"), await unproven(mapping)])
  }
})

describe("The records in visits, as their values show them", () => {
  it.each(cases)("are those that an evaluation of every field finds: samples/%s, %s", (name, mapping) => {
    const [proven, evaluated] = present(plans.get(mapping))
    const documents = documentsIn(`samples/${name}/input`)
    fc.assert(
      fc.property(someChanges, (changes) => {
        const texts = fileTextsOf(withChanges(documents, changes))
        assert.deepStrictEqual(accountsOf(proven, texts), accountsOf(evaluated, texts))
      }),
      { numRuns: runs(12) }
    )
  }, timeout)
})

/** What depends on the records in visits. */
const accountsOf = (checked: CheckedMapping, texts: Parameters<typeof everyResultOf>[1]) => {
  const { totals, visits } = everyResultOf(checked, texts)
  return {
    totals,
    visits: visits.map(({ assumed, json, problems }) => ({ assumed, json, problems }))
  }
}
